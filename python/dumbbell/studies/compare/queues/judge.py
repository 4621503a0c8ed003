"""The best scheme by each measurement in each condition.

All schemes of a condition have the same seeds, so two are compared by their differences seed by
seed (`paired`). The scheme with the best mean is *best* if Student's 95 % interval of its
difference from each other one leaves out 0, and the difference is larger than the measurement
resolves; else it is a tie with those of which that cannot be said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....data import paired_seeds
from ....present import stats
from .metrics import ALL, JUDGED, Metric

Values = dict[str, dict[int, float]]
"""Values of one point: each metric by seed; a metric that a run has not is not there."""


def values(point: dict[str, Any], queue: str) -> Values:
    """The results of a point; runs without a result are left out."""
    found: Values = {metric.key: {} for metric in ALL}
    for run in point.get("runs") or [point]:
        if "flows" not in run:
            continue
        row = next(row for row in run["queues"] if row["name"] == queue)
        for metric in ALL:
            value = metric.of(run, row)
            if value is not None:
                found[metric.key][run["seed"]] = float(value)
    return found


def cell(of_seed: Mapping[int, float]) -> dict[str, Any] | None:
    """A mean with its interval, as in results; None if there is nothing."""
    numbers = list(of_seed.values())
    return (
        {"mean": stats.mean(numbers), "ci95": stats.ci95(numbers), "n": len(numbers)}
        if numbers
        else None
    )


def against(mine: Mapping[int, float], theirs: Mapping[int, float]) -> dict[str, Any] | None:
    """The difference seed by seed, over the seeds that both have; None if there is none."""
    seeds = [seed for seed in mine if seed in theirs]
    if not seeds:
        return None
    return paired_seeds.difference([mine[s] for s in seeds], [theirs[s] for s in seeds])


def differs(block: Mapping[str, Any] | None) -> bool:
    """True if the interval of a difference leaves out 0. Without an interval nothing is said to
    differ."""
    if block is None or block["ci95"] is None:
        return False
    low, high = block["ci95"]
    return bool(low > 0 or high < 0)


def best(metric: Metric, of_scheme: Mapping[str, Values]) -> dict[str, Any]:
    """`{"metric", "best": scheme or None, "tied": [schemes], "runner_up", "difference"}`:
    `difference` is the leader's from the runner-up, by mean; both are None with less than two
    schemes that have this measurement."""
    known = {name: v[metric.key] for name, v in of_scheme.items() if v[metric.key]}
    ranked = sorted(known, key=lambda name: -metric.sign * stats.mean(list(known[name].values())))
    found: dict[str, Any] = {
        "metric": metric.key,
        "best": None,
        "tied": [],
        "runner_up": None,
        "difference": None,
    }
    if len(ranked) < 2:
        return found
    leader, *others = ranked
    blocks = {name: against(known[leader], known[name]) for name in others}
    tied = [name for name in others if not _separate(metric, blocks[name], known[name])]
    found |= {"runner_up": others[0], "difference": blocks[others[0]]}
    return found | ({"tied": [leader, *tied]} if tied else {"best": leader})


def _separate(metric: Metric, block: Mapping[str, Any] | None, theirs: Mapping[int, float]) -> bool:
    """True if the leader is better by more than chance, and by more than the measurement
    resolves."""
    least = metric.resolution * abs(stats.mean(list(theirs.values())))
    return block is not None and differs(block) and abs(block["difference"]) > least


def verdicts(of_scheme: Mapping[str, Values]) -> list[dict[str, Any]]:
    """The best by each metric that is judged, in one condition. Those that less than two schemes
    have are left out, and so is everything with a single seed: there is no interval to judge by."""
    if all(len(by_seed) < 2 for v in of_scheme.values() for by_seed in v.values()):
        return []
    found = [best(metric, of_scheme) for metric in JUDGED]
    return [one for one in found if one["runner_up"] is not None]


def seeds_change_nothing(points: Sequence[dict[str, Any]]) -> bool:
    """True if all seeds gave the same runs: intervals over them then say nothing."""
    prints = [
        [run["fingerprint"] for run in point.get("runs", ()) if "flows" in run] for point in points
    ]
    several = [of_point for of_point in prints if len(of_point) > 1]
    return bool(several) and all(len(set(of_point)) == 1 for of_point in several)
