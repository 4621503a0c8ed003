"""Counts of a simulator, by the same names for each, and the cost of its run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor time of the run and of its set-up (s), and memory beyond the bare program (bytes):
    after the set-up and at its peak."""

    run_s: float
    setup_s: float
    setup_bytes: int
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """Counts of the bottleneck's queue and goodputs of the flows, both within the window from
    warm-up to end.

    `hops` are of the whole run. `delivered` (packets) and `goodputs` (bit/s) count data in order.
    """

    arrivals: int
    drops: int
    departures: int
    marks: int
    mean_queue: float
    utilization: float
    goodputs: tuple[float, ...]
    hops: int
    cost: Cost

    @property
    def goodput_bps(self) -> float:
        """Sum over all flows."""
        return sum(self.goodputs)

    @property
    def drop_rate(self) -> float:
        """Dropped over arrived packets."""
        return self.drops / self.arrivals if self.arrivals else 0.0

    @property
    def shares(self) -> tuple[float, ...]:
        """Each flow's part of the goodput."""
        whole = self.goodput_bps
        return tuple(g / whole if whole else 0.0 for g in self.goodputs)
