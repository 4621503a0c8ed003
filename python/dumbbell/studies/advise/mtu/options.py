"""Options of an advice, and the results of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import scale
from .question import BUDGET_S, Question
from .scale import Case

SEEDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options: how many seeds, the CPU time that all runs together may take, about [s], how long a
    run is (None: each case its own) [s], the device of the lines to paste, and `options` of the
    request."""

    question: Question
    seeds: int = SEEDS
    budget_s: float = BUDGET_S
    length_s: float | None = None
    dev: str = "eth0"
    options: Mapping[str, Any] = field(default_factory=dict)

    def packets(self, part: float) -> float:
        """Packets of the flow that one run of a part may have."""
        return (
            part * self.budget_s * scale.PACKETS_PER_CPU_S / (len(self.question.mtus) * self.seeds)
        )


@dataclass(frozen=True, slots=True)
class Run:
    """A case and what each seed gave: the flow's goodput, its neighbour's, and the calls' numbers;
    of those by themselves only the first."""

    case: Case
    seeds: Sequence[int]
    goodput_bps: Sequence[float]
    neighbor_bps: Sequence[float] = ()
    calls: Sequence[Mapping[str, float | None]] = ()
    fingerprint: str | None = None
