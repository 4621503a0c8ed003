"""True if a quantity agrees: the interval of the difference of means holds zero, or the difference
is small enough not to matter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from .....present.stats import Interval, deviation, interval, mean, student_t
from ....frame.paired import Cell


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Negligible difference: so much, or so much of the peer's value."""

    absolute: float = 0.0
    relative: float = 0.0

    def of(self, value: float) -> float:
        """In the quantity's unit."""
        return max(self.absolute, self.relative * abs(value))


TOLERANCES = {
    "utilization": Tolerance(absolute=0.01),
    "mean_queue": Tolerance(absolute=0.5, relative=0.05),
    "drop_rate": Tolerance(absolute=0.0002, relative=0.10),
    "share_first": Tolerance(absolute=0.02),
    "share_last": Tolerance(absolute=0.02),
}


class QuantityRow(TypedDict):
    """A quantity for `--json`."""

    quantity: str
    ours: Cell
    theirs: Cell
    difference: Cell
    agrees: bool
    how: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A quantity of a scenario: means with 95 % intervals, the difference (ours less theirs) with
    its own."""

    quantity: str
    ours: Interval
    theirs: Interval
    difference: Interval
    agrees: bool
    how: str

    def document(self) -> QuantityRow:
        """For `--json`."""
        return {
            "quantity": self.quantity,
            "ours": _cell(self.ours),
            "theirs": _cell(self.theirs),
            "difference": _cell(self.difference),
            "agrees": self.agrees,
            "how": self.how,
        }


def _cell(i: Interval) -> Cell:
    return {"mean": i.mean, "ci95": i.ends, "n": i.n}


def compared(quantity: str, ours: Sequence[float], theirs: Sequence[float]) -> Compared:
    """Compares two samples of a quantity that `TOLERANCES` knows."""
    difference = welch(ours, theirs)
    assert difference.low is not None and difference.high is not None
    within = abs(difference.mean) <= TOLERANCES[quantity].of(mean(theirs))
    holds = difference.low <= 0.0 <= difference.high
    how = "tolerance" if within else "interval" if holds else "differs"
    return Compared(quantity, interval(ours), interval(theirs), difference, within or holds, how)


def welch(a: Sequence[float], b: Sequence[float]) -> Interval:
    """The difference of two means with its 95 % interval, without assuming equal variances (B. L.
    Welch, Biometrika 34, 1947); degrees of freedom are rounded down."""
    va, vb = deviation(a) ** 2 / len(a), deviation(b) ** 2 / len(b)
    centre, both = mean(a) - mean(b), va + vb
    if both == 0.0:
        return Interval(centre, centre, centre, len(a))
    df = both**2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    half = student_t(0.975, max(1, math.floor(df))) * math.sqrt(both)
    return Interval(centre, centre - half, centre + half, len(a))
