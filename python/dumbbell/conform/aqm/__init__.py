"""The criteria for queues: RFC 7928."""

from __future__ import annotations

from ..criterion import Criterion
from . import profiles, stability, transports

CRITERIA: tuple[Criterion, ...] = (
    *transports.CRITERIA,
    *stability.CRITERIA,
    *profiles.CRITERIA,
)
