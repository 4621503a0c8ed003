"""Options of an advice, and the results of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..budget import Budgeted
from .conditions import Condition
from .judge import Values
from .question import BUDGET_S, Question
from .scale import Scaled

Marker = tuple[int, int]
"""A data buffer [packets] and a bucket [bytes], as they are simulated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(Budgeted):
    """The question, and how it is simulated."""

    question: Question
    budget_s: float = BUDGET_S


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
