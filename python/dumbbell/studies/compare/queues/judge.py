"""The best scheme by each metric in each condition (`data.best`)."""

from __future__ import annotations

from collections.abc import Mapping

from ....data.best import standing
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
    found = standing(
        {name: v[metric.key] for name, v in values_by_scheme.items()},
        metric.sign,
        metric.resolution,
    )
    return Verdict(
        metric=metric.key,
        best=found.best,
        tied=found.tied,
        runner_up=found.runner_up,
        difference=found.difference,
    )


def verdicts(values_by_scheme: Mapping[str, Values]) -> list[Verdict]:
    """The verdict by each judged metric, in one condition. A metric that fewer than two schemes
    have is left out. There are no verdicts at all if no scheme has two seeds of any metric: there
    is no interval then."""
    if all(len(by_seed) < 2 for v in values_by_scheme.values() for by_seed in v.values()):
        return []
    found = [best(metric, values_by_scheme) for metric in JUDGED]
    return [verdict for verdict in found if verdict["runner_up"] is not None]
