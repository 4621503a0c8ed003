"""The best scheme by each metric in each condition.

All schemes of a condition have the same seeds, so two schemes are compared by their differences
seed by seed (`data.paired_seeds`). The leader is the scheme with the best mean over its own seeds.
It is *best* by a metric if, against every other scheme, the 95 % interval (Student's) of the paired
difference excludes 0 and the difference exceeds the metric's resolution. Otherwise it is tied with
those schemes for which this fails.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....present import stats
from ...frame.paired import BySeed, Difference, excludes_zero, paired_difference
from ...frame.runs import Point, Run
from .document import Verdict
from .metrics import ALL, JUDGED, Metric

Values = dict[str, dict[int, float]]
"""Values of one point by metric and seed; a seed is left out where its run has no such value."""


def values(point: Point, queue: str) -> Values:
    """The values of a point, with those of the queue of this name."""

    def row(run: Run) -> Run:
        return next(row for row in run["queues"] if row["name"] == queue)

    return {
        metric.key: point.by_seed(lambda run, of=metric.of: of(run, row(run)))  # type: ignore[misc]
        for metric in ALL
    }


def best(metric: Metric, values_by_scheme: Mapping[str, Values]) -> Verdict:
    """The best scheme by a metric, or those that tie."""
    known = {name: v[metric.key] for name, v in values_by_scheme.items() if v[metric.key]}
    ranked = sorted(known, key=lambda name: -metric.sign * stats.mean(list(known[name].values())))
    if len(ranked) < 2:
        return Verdict(metric=metric.key, best=None, tied=[], runner_up=None, difference=None)
    leader, *others = ranked
    differences = {name: paired_difference(known[leader], known[name]) for name in others}
    tied = [name for name in others if not _clearly_better(metric, differences[name], known[name])]
    return Verdict(
        metric=metric.key,
        best=None if tied else leader,
        tied=[leader, *tied] if tied else [],
        runner_up=others[0],
        difference=differences[others[0]],
    )


def _clearly_better(metric: Metric, difference: Difference | None, theirs: BySeed) -> bool:
    """True if the interval of the leader's difference excludes 0 and the difference exceeds the
    metric's resolution, which is relative to the other scheme's mean. The sign of the difference is
    not tested: the leader has the better mean over all its seeds."""
    least = metric.resolution * abs(stats.mean(list(theirs.values())))
    return (
        difference is not None
        and excludes_zero(difference)
        and abs(difference["difference"]) > least
    )


def verdicts(values_by_scheme: Mapping[str, Values]) -> list[Verdict]:
    """The verdict by each judged metric, in one condition. A metric that fewer than two schemes
    have is left out. There are no verdicts at all if no scheme has two seeds of any metric: there
    is no interval then."""
    if all(len(by_seed) < 2 for v in values_by_scheme.values() for by_seed in v.values()):
        return []
    found = [best(metric, values_by_scheme) for metric in JUDGED]
    return [verdict for verdict in found if verdict["runner_up"] is not None]
