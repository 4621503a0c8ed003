"""What checks read from results: numbers of a run, and samples of the table of `drive`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from ..data.arrow import Table
from .laws import links

Run = dict[str, Any]
"""The JSON of one run: `flows`, `queues`, `conservation`, `seed` and so on, as
`dumbbell run --json` prints it."""


def of_queue(name: str) -> Callable[[Run], float]:
    """A measurement of the first queue."""
    return lambda run: float(run["queues"][0][name])


def dropped_share(run: Run) -> float:
    """Share of the first queue's arrivals that are dropped for any reason, on the wire too."""
    queue = run["queues"][0]
    return float(sum(queue["drops"].values()) / queue["arrivals"])


def goodput(run: Run) -> float:
    """Goodput of the first flow, bit/s."""
    return float(run["flows"][0]["goodput_bps"])


def total(run: Run, name: str, prefix: str = "") -> float:
    """The sum of a measurement over the flows whose names begin with `prefix`."""
    return float(sum(f[name] for f in run["flows"] if f["name"].startswith(prefix)))


def lost_on_wire(table: Table) -> list[bool]:
    """For each packet, True if the wire lost it."""
    return [why == "link" for why in table.column("reason")]


def times_on_wire(table: Table) -> list[float]:
    """The time from each packet's departure to its arrival, seconds."""
    times = zip(table.numbers("left_ps"), table.numbers("arrived_ps"), strict=True)
    return [(arrived - left) / links.PS for left, arrived in times]


def share(chosen: Sequence[bool]) -> float:
    """The share of packets that are True."""
    return sum(chosen) / len(chosen)


def mean_burst(lost: Sequence[bool]) -> float:
    """Mean number of losses in a row."""
    bursts = [len(list(group)) for is_lost, group in groupby(lost) if is_lost]
    return sum(bursts) / len(bursts)


def mean(sample: Sequence[float]) -> float:
    """The arithmetic mean."""
    return sum(sample) / len(sample)


def deviation(sample: Sequence[float]) -> float:
    """Standard deviation of a whole population, with n."""
    center = mean(sample)
    return float((sum((x - center) ** 2 for x in sample) / len(sample)) ** 0.5)


def most_above_rate(packets: Iterable[tuple[float, int]], rate: float) -> float:
    """The largest number of bytes, over all intervals, by which packets exceed a rate in bit/s: the
    depth of the token bucket that they fit. packets: times in ps and bytes, in order."""
    least, most, passed = 0.0, 0.0, 0
    for at, length in packets:
        allowed = at * rate / (8 * links.PS)
        least = min(least, passed - allowed)
        passed += length
        most = max(most, passed - allowed - least)
    return most
