"""Numbers of one run's result, by which criteria judge."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .criterion import Run

Measure = Callable[[Run], float]
PACKET_BITS = 12000.0
"""Bits of a full packet of 1500 bytes."""


def queue(run: Run, name: str = "bottleneck") -> Any:
    """The result of a queue."""
    return next(one for one in run["queues"] if one["name"] == name)


def flows(run: Run, name: str) -> list[Any]:
    """The results of the flows of one table."""
    return [f for f in run["flows"] if f["name"] == name or f["name"].startswith(f"{name}.")]


def utilization(run: Run) -> float:
    """The share of the bottleneck's capacity that was used after the warm-up."""
    return float(queue(run)["utilization"])


def goodput(name: str) -> Measure:
    """The goodput of the flows of a table together [bit/s]."""
    return lambda run: float(sum(f["goodput_bps"] for f in flows(run, name)))


def goodput_share(name: str) -> Measure:
    """The share of the flows of a table in the goodput of all."""

    def share(run: Run) -> float:
        total = sum(f["goodput_bps"] for f in run["flows"])
        return goodput(name)(run) / total if total else math.nan

    return share


def jain(name: str) -> Measure:
    """Jain's index of the goodputs of the flows of a table."""

    def index(run: Run) -> float:
        rates = [f["goodput_bps"] for f in flows(run, name)]
        squares = sum(rate**2 for rate in rates)
        return sum(rates) ** 2 / (len(rates) * squares) if squares else 0.0

    return index


def loss(run: Run) -> float:
    """The share of the packets that the bottleneck's queue dropped, in %, of the whole run."""
    one = queue(run)
    dropped = sum(n for why, n in one["drops"].items() if why != "link")
    return 100.0 * dropped / one["arrivals"] if one["arrivals"] else 0.0


def lost(name: str) -> Measure:
    """The packets of the flows of a table that were lost, in % of those sent."""

    def share(run: Run) -> float:
        sent = sum(f["sent_packets"] for f in flows(run, name))
        return 100.0 * sum(f["lost_packets"] for f in flows(run, name)) / sent if sent else 0.0

    return share


def wait(run: Run) -> float:
    """The mean time in the bottleneck's queue [ms]."""
    return 1e3 * float(queue(run)["mean_sojourn_s"] or 0.0)


def late_wait(run: Run) -> float:
    """The 99th percentile of the time in the bottleneck's queue [ms]."""
    return 1e3 * float(queue(run)["p99_sojourn_s"] or 0.0)


def waits_of(rtt_s: float) -> Measure:
    """The mean time in the queue, in base round-trip times."""
    return lambda run: wait(run) / 1e3 / rtt_s


def delay(name: str) -> Measure:
    """The 95th percentile of a datagram flow's one-way delay [ms]."""
    return lambda run: 1e3 * float(flows(run, name)[0]["delay_p95_s"])


def completion(name: str = "short") -> Measure:
    """The mean completion time of the flows of a session [s]."""

    def mean(run: Run) -> float:
        one = next(s for s in run["sessions"] if s["name"] == name)
        value = one["mean_completion_s"]
        return math.nan if value is None else float(value)

    return mean


def sent_per_rtt(rate_bps: float, rtt_s: float) -> Measure:
    """Packets that the bottleneck sent in a base round-trip time, after the warm-up."""
    return lambda run: utilization(run) * rate_bps * rtt_s / PACKET_BITS


def sent_after(rate_bps: float) -> Measure:
    """Packets that the bottleneck sent after the warm-up."""

    def packets(run: Run) -> float:
        measured = float(run["duration_s"] - run["warmup_s"])
        return utilization(run) * rate_bps * measured / PACKET_BITS

    return packets
