"""The advised size, and its test in other networks.

**The choice.** Of the sizes that were tried the smallest whose total, a customer's IN and OUT
together, is at most 1 % below the largest: a peak of a noisy curve is no measurement, and a larger
buffer costs holding time. It is chosen at the deepest bucket that is allowed, and then the bucket
likewise, at the chosen data buffer. All gains are over the token bucket alone with the deepest
bucket that is allowed.

**Whether it holds.** In another network the advised size, its half, its double and the token bucket
alone are run. The advice *harms* if its total is below that of the token bucket alone, the 95 %
interval of the paired difference being below 0; it is *beaten* if another size has a total more
than 5 % above its own, again by more than chance; it brings *no gain* if the interval of its gain
does not lie above 0; else it *holds*. An advice of no buffer holds where no size beats it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....present import stats
from .network import BEST_EFFORT, CUSTOMER, HEADER

NEAR = 0.01
"""Largest distance of an advised size from the largest total."""
MUCH = 0.05
"""By how much another size must be better where the advice is said to be beaten."""
VERDICTS = {
    "holds": "holds",
    "no_gain": "no gain",
    "beaten": "another size",
    "harms": "harms",
}

BySeed = Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Values:
    """Results of runs with one marker in one case, by seed: of a customer, the mean over those that
    are measured, total and IN [bit/s, IP bytes that arrive]; of a best-effort flow the total
    [bit/s]; of the customers' markers the share of tokens lost, the mean and the 99th percentile of
    the time that packets were held [s]. IN and what markers say are empty where results have them
    not."""

    total: BySeed
    inside: BySeed
    best_effort: BySeed
    lost: BySeed
    held_mean: BySeed
    held_p99: BySeed
    fingerprint: str | None = None


def values(point: Mapping[str, Any], packet_bytes: int) -> Values:
    """Returns the values of a point; runs without a result are left out."""
    found: dict[str, dict[int, float]] = {
        key: {} for key in ("total", "inside", "best_effort", "lost", "held_mean", "held_p99")
    }
    for run in point.get("runs") or [point]:
        if "flows" not in run:
            continue
        customers = [flow for flow in run["flows"] if _named(flow["name"], CUSTOMER)]
        others = [flow for flow in run["flows"] if _named(flow["name"], BEST_EFFORT)]
        markers = [one for one in run.get("markers", ()) if _named(one.get("flow") or "", CUSTOMER)]
        for key, numbers in (
            ("total", [arrived(flow, packet_bytes) for flow in customers]),
            ("inside", [flow.get("in_throughput_bps") for flow in customers]),
            ("best_effort", [arrived(flow, packet_bytes) for flow in others]),
            ("lost", [one.get("tokens_lost_share") for one in markers]),
            ("held_mean", [one.get("holding_mean_s") for one in markers]),
            ("held_p99", [one.get("holding_p99_s") for one in markers]),
        ):
            known = [float(x) for x in numbers if x is not None]
            if known:
                found[key][run["seed"]] = stats.mean(known)
    return Values(**found, fingerprint=point.get("fingerprint"))


def arrived(flow: Mapping[str, Any], packet_bytes: int) -> float:
    """A flow's IP bytes that arrive [bit/s]: IN and OUT, or, of results that do not tell them
    apart, the payload with the headers of full packets."""
    if flow.get("in_throughput_bps") is not None:
        return float(flow["in_throughput_bps"]) + float(flow["out_throughput_bps"])
    return float(flow["throughput_bps"]) * packet_bytes / (packet_bytes - HEADER)


def _named(name: str, group: str) -> bool:
    """True if a flow is of this group: `customer`, `customer.3`, `best-effort-2.1`."""
    return name.partition(".")[0] == group or name.startswith(f"{group}-")


def cell(of_seed: BySeed) -> dict[str, Any] | None:
    """A mean with its interval; None if there is nothing."""
    numbers = list(of_seed.values())
    return (
        {"mean": stats.mean(numbers), "ci95": stats.ci95(numbers), "n": len(numbers)}
        if numbers
        else None
    )


def gain(mine: BySeed, theirs: BySeed) -> dict[str, Any] | None:
    """The mean difference seed by seed with its interval; None if there is none."""
    return cell({seed: mine[seed] - theirs[seed] for seed in mine if seed in theirs})


def choose(totals: Sequence[BySeed]) -> int:
    """The place of the smallest, the first, whose mean is at most `NEAR` below the largest."""
    means = [stats.mean(list(of.values())) for of in totals]
    return next(i for i, mean in enumerate(means) if mean >= (1 - NEAR) * max(means))


def verdict(size: int, found: Mapping[int, Values]) -> dict[str, Any]:
    """The verdict on the advised size among all that were run in a case:
    `{"verdict", "best_size_packets", "short_of_best_share", "gain_total_bps", "gain_in_bps"}` in
    simulated packets."""
    mine = found[size]
    own = stats.mean(list(mine.total.values()))
    by_mean = {n: stats.mean(list(of.total.values())) for n, of in found.items()}
    best = max(by_mean, key=lambda n: (by_mean[n], -n))
    better = [
        n
        for n in found
        if n != size and by_mean[n] > (1 + MUCH) * own and _above(found[n].total, mine.total)
    ]
    word = "holds"
    if size and _above(found[0].total, mine.total):
        word = "harms"
    elif better:
        word = "beaten"
    elif size and not _above(mine.total, found[0].total):
        word = "no_gain"
    return {
        "verdict": word,
        "best_size_packets": best,
        "short_of_best_share": 1 - own / by_mean[best] if by_mean[best] else 0.0,
        "gain_total_bps": gain(mine.total, found[0].total),
        "gain_in_bps": gain(mine.inside, found[0].inside),
    }


def _above(mine: BySeed, theirs: BySeed) -> bool:
    """True if the interval of the difference lies above 0."""
    block = gain(mine, theirs)
    return block is not None and block["ci95"] is not None and block["ci95"][0] > 0
