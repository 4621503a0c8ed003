"""The best scheme by each metric in each condition.

All schemes of a condition have the same seeds, so two schemes are compared by their differences
seed by seed (`data.paired_seeds`). The leader is the scheme with the best mean over its own seeds.
It is *best* by a metric if, against every other scheme, the 95 % interval (Student's) of the paired
difference excludes 0 and the difference exceeds the metric's resolution. Otherwise it is tied with
those schemes for which this fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....data import paired_seeds
from ....present import stats
from .metrics import ALL, JUDGED, Metric

Values = dict[str, dict[int, float]]
"""Values of one point by metric and seed; a seed is left out where its run has no such value."""


def values(point: dict[str, Any], queue: str) -> Values:
    """The values of a point, with those of the queue of this name; failed runs are left out."""
    by_metric: Values = {metric.key: {} for metric in ALL}
    for run in point.get("runs") or [point]:
        if "flows" not in run:
            continue
        row = next(row for row in run["queues"] if row["name"] == queue)
        for metric in ALL:
            value = metric.of(run, row)
            if value is not None:
                by_metric[metric.key][run["seed"]] = float(value)
    return by_metric


def cell(by_seed: Mapping[int, float]) -> dict[str, Any] | None:
    """The mean of these values with its 95 % interval, as in results; None if there are none."""
    numbers = list(by_seed.values())
    return (
        {"mean": stats.mean(numbers), "ci95": stats.ci95(numbers), "n": len(numbers)}
        if numbers
        else None
    )


def paired_difference(
    mine: Mapping[int, float], theirs: Mapping[int, float]
) -> dict[str, Any] | None:
    """The mean of `mine` less `theirs`, seed by seed over the seeds that both have, with its 95 %
    interval. It is positive if mine is larger; None if they have no seed in common."""
    seeds = [seed for seed in mine if seed in theirs]
    if not seeds:
        return None
    return paired_seeds.difference([mine[s] for s in seeds], [theirs[s] for s in seeds])


def excludes_zero(difference: Mapping[str, Any] | None) -> bool:
    """True if the interval of a paired difference excludes 0; False if it has no interval."""
    if difference is None or difference["ci95"] is None:
        return False
    low, high = difference["ci95"]
    return bool(low > 0 or high < 0)


def best(metric: Metric, values_by_scheme: Mapping[str, Values]) -> dict[str, Any]:
    """`{"metric", "best": scheme or None, "tied": [schemes], "runner_up", "difference"}`. The
    runner-up has the second best mean. `difference` is the leader's value less the runner-up's, as
    a paired difference. Both are None if fewer than two schemes have values of this metric."""
    known = {name: v[metric.key] for name, v in values_by_scheme.items() if v[metric.key]}
    ranked = sorted(known, key=lambda name: -metric.sign * stats.mean(list(known[name].values())))
    verdict: dict[str, Any] = {
        "metric": metric.key,
        "best": None,
        "tied": [],
        "runner_up": None,
        "difference": None,
    }
    if len(ranked) < 2:
        return verdict
    leader, *others = ranked
    differences = {name: paired_difference(known[leader], known[name]) for name in others}
    tied = [name for name in others if not _clearly_better(metric, differences[name], known[name])]
    verdict |= {"runner_up": others[0], "difference": differences[others[0]]}
    return verdict | ({"tied": [leader, *tied]} if tied else {"best": leader})


def _clearly_better(
    metric: Metric, difference: Mapping[str, Any] | None, theirs: Mapping[int, float]
) -> bool:
    """True if the interval of the leader's difference excludes 0 and the difference exceeds the
    metric's resolution, which is relative to the other scheme's mean. The sign of the difference is
    not tested: the leader has the better mean over all its seeds."""
    least = metric.resolution * abs(stats.mean(list(theirs.values())))
    return (
        difference is not None
        and excludes_zero(difference)
        and abs(difference["difference"]) > least
    )


def verdicts(values_by_scheme: Mapping[str, Values]) -> list[dict[str, Any]]:
    """The verdict by each judged metric, in one condition. A metric that fewer than two schemes
    have is left out. There are no verdicts at all if no scheme has two seeds of any metric: there
    is no interval then."""
    if all(len(by_seed) < 2 for v in values_by_scheme.values() for by_seed in v.values()):
        return []
    found = [best(metric, values_by_scheme) for metric in JUDGED]
    return [verdict for verdict in found if verdict["runner_up"] is not None]


def seeds_change_nothing(points: Sequence[dict[str, Any]]) -> bool:
    """True if some point has several runs and all runs of each point are the same: intervals over
    the seeds then say nothing."""
    fingerprints = [
        [run["fingerprint"] for run in point.get("runs", ()) if "flows" in run] for point in points
    ]
    replicated = [runs for runs in fingerprints if len(runs) > 1]
    return bool(replicated) and all(len(set(runs)) == 1 for runs in replicated)
