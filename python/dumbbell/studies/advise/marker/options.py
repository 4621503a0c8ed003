"""Options of an advice, and the results of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .conditions import Condition
from .judge import Values
from .question import BUDGET_S, Question
from .scale import Scaled

SEEDS = 5


Marker = tuple[int, int]
"""A data buffer [packets] and a bucket [bytes], as they are simulated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options: how many seeds, the CPU time that all runs together may take, about [s], how long
    a run is (None: each case its own) [s], the device of the tc lines, and `options` of the
    request."""

    question: Question
    seeds: int = SEEDS
    budget_s: float = BUDGET_S
    length_s: float | None = None
    dev: str = "eth0"
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """All that was run: the case as it is simulated; data buffers at the deepest bucket that is
    allowed [bytes]; every bucket without a data buffer, and with the chosen one; the chosen marker;
    each condition with what was run in it."""

    scaled: Scaled
    deepest: int
    by_size: Mapping[int, Values]
    alone: Mapping[int, Values]
    by_burst: Mapping[int, Values]
    marker: Marker
    others: Sequence[tuple[Condition, Mapping[int, Values]]]
