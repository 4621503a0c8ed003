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
from typing import TypedDict

from ....present import stats
from ...frame.paired import BySeed, Cell, above_zero, gain
from ...frame.runs import Point, Run
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


def values(point: Point, packet_bytes: int) -> Values:
    """Returns the values of a point; runs without a result are left out."""

    def mean(rows: str, group: str, key: str) -> dict[int, float]:
        """Of the rows of this group that have it."""

        def of(run: Run) -> float | None:
            owner = "flow" if rows == "markers" else "name"
            mine = [row for row in run.get(rows, ()) if _named(row.get(owner) or "", group)]
            found = [arrived(row, packet_bytes) if key == "total" else row.get(key) for row in mine]
            known = [float(x) for x in found if x is not None]
            return stats.mean(known) if known else None

        return point.by_seed(of)

    return Values(
        total=mean("flows", CUSTOMER, "total"),
        inside=mean("flows", CUSTOMER, "in_throughput_bps"),
        best_effort=mean("flows", BEST_EFFORT, "total"),
        lost=mean("markers", CUSTOMER, "tokens_lost_share"),
        held_mean=mean("markers", CUSTOMER, "holding_mean_s"),
        held_p99=mean("markers", CUSTOMER, "holding_p99_s"),
        fingerprint=point.fingerprint,
    )


def arrived(flow: Run, packet_bytes: int) -> float:
    """A flow's IP bytes that arrive [bit/s]: IN and OUT, or, of results that do not tell them
    apart, the payload with the headers of full packets."""
    if flow.get("in_throughput_bps") is not None:
        return float(flow["in_throughput_bps"]) + float(flow["out_throughput_bps"])
    return float(flow["throughput_bps"]) * packet_bytes / (packet_bytes - HEADER)


def _named(name: str, group: str) -> bool:
    """True if a flow is of this group: `customer`, `customer.3`, `best-effort-2.1`."""
    return name.partition(".")[0] == group or name.startswith(f"{group}-")


class Judged(TypedDict):
    """The verdict on the advised size among all that were run in a case, in simulated packets."""

    verdict: str
    best_size_packets: int
    short_of_best_share: float
    gain_total_bps: Cell | None
    gain_in_bps: Cell | None


def choose(totals: Sequence[BySeed]) -> int:
    """The place of the smallest, the first, whose mean is at most `NEAR` below the largest."""
    means = [stats.mean(list(of.values())) for of in totals]
    return next(i for i, mean in enumerate(means) if mean >= (1 - NEAR) * max(means))


def verdict(size: int, found: Mapping[int, Values]) -> Judged:
    """The verdict on a size."""
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
    return above_zero(gain(mine, theirs))
