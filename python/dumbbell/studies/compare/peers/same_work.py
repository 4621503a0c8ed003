"""True if two simulators did the same work: before that is known, no time is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....present.stats import mean
from .outcome import Outcome

GOODPUT_WITHIN = 0.03
"""The largest difference of the mean goodputs, relative to the peer's."""

DROPS_WITHIN = 1.3
"""The largest factor between the mean drop rates."""


@dataclass(frozen=True, slots=True)
class Work:
    """Means over seeds: goodput (bit/s) and dropped packets over arrived ones."""

    goodput_bps: float
    drop_rate: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """True if the work was alike, and if not, why."""

    alike: bool
    ours: Work
    theirs: Work
    why: str = ""


def work(outcomes: Sequence[Outcome]) -> Work:
    """Work of the runs of all seeds."""
    return Work(mean([o.goodput_bps for o in outcomes]), mean([o.drop_rate for o in outcomes]))


def judge(ours: Work, theirs: Work) -> Verdict:
    """The rule: goodput within 3 %, drop rates within a factor of 1.3. No drops are alike only with
    none."""
    why = []
    if not theirs.goodput_bps or abs(ours.goodput_bps / theirs.goodput_bps - 1) > GOODPUT_WITHIN:
        why.append(f"goodput differs by more than {GOODPUT_WITHIN:.0%}")
    least, most = sorted((ours.drop_rate, theirs.drop_rate))
    if most > DROPS_WITHIN * least:
        why.append(f"drop rates differ by more than a factor of {DROPS_WITHIN}")
    return Verdict(not why, ours, theirs, "; ".join(why))
