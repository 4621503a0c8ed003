"""The criteria for congestion controls: RFC 9743, the evaluation suite of the ICCRG, and the test
cases of the BBR draft."""

from __future__ import annotations

from ..criterion import Criterion
from . import bbr_cases, bbr_states, general, mixed, single, special, special_paths, tcpeval

CRITERIA: tuple[Criterion, ...] = (
    *single.CRITERIA,
    *mixed.CRITERIA,
    *general.CRITERIA,
    *special.CRITERIA,
    *special_paths.CRITERIA,
    *tcpeval.CRITERIA,
    *bbr_states.CRITERIA,
    *bbr_cases.CRITERIA,
)
