"""The best of several points by a metric, judged seed by seed.

All points have the same seeds, so two of them are compared by their differences seed by seed
(`data.paired_seeds`). The leader has the best mean over its own seeds. It is *best* if, against
every other point, the 95 % interval (Student's) of the paired difference excludes 0 and the leader
is ahead by more than the metric's resolution. Otherwise it is tied with those points for which this
fails.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Generic, NamedTuple, TypeVar

from ..present import stats
from .paired_seeds import BySeed, Difference, excludes_zero, paired_difference

Name = TypeVar("Name", bound=Hashable)


class Standing(NamedTuple, Generic[Name]):
    """The best point, or else those that tie with the leader, the leader first; the point with the
    second best mean, and the leader's values less that one's. `best` is None and `tied` empty if
    fewer than two points have values."""

    best: Name | None
    tied: list[Name]
    runner_up: Name | None
    difference: Difference | None


def standing(values: Mapping[Name, BySeed], sign: float, resolution: float) -> Standing[Name]:
    """Judges points by their values. sign: 1 where more is better, -1 where less is. resolution:
    relative differences up to this are the metric's own."""
    known = {name: by_seed for name, by_seed in values.items() if by_seed}
    ranked = sorted(known, key=lambda name: -sign * stats.mean(list(known[name].values())))
    if len(ranked) < 2:
        return Standing(None, [], None, None)
    leader, *others = ranked
    differences = {name: paired_difference(known[leader], known[name]) for name in others}
    tied = [name for name in others if not _clear(differences[name], known[name], sign, resolution)]
    return Standing(
        None if tied else leader,
        [leader, *tied] if tied else [],
        others[0],
        differences[others[0]],
    )


def _clear(difference: Difference | None, theirs: BySeed, sign: float, resolution: float) -> bool:
    """True if the interval of the leader's difference excludes 0 and the difference, in favor of
    the leader, exceeds the resolution, which is relative to the other point's mean. Where a seed
    has no value, the leader may be behind on the seeds that both have."""
    least = resolution * abs(stats.mean(list(theirs.values())))
    return (
        difference is not None
        and excludes_zero(difference)
        and sign * difference["difference"] > least
    )
