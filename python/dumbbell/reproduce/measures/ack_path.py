"""The fate of the acknowledgments of one flow, from the record of its packets: which timeouts were
needless, and what the estimator of TCP CAE made of the acknowledgments.

The flow is the only one that was recorded packet by packet (`record.packets = ["s"]`). A timeout is
told by the reactions, and judged by what the receiver had at that instant, which no sender can
know.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...data import series
from ...errors import ScenarioError
from ...figures.recorded_run import Source

THRESHOLD = 0.75
"""Performance below this is a warning (TCP CAE, section 3.1; Jersey's threshold of a queue), where
the flow's own control says nothing else."""

DUE, LATE, LOST = "due", "late", "lost"
"""Kinds of timeouts: the data had not arrived; they had, and an acknowledgment was on its way, or
none was left."""


@dataclass(frozen=True, slots=True)
class Ack:
    """An acknowledgment as sent by the receiver; times in ps, `delivered_ps` is None if it was
    lost."""

    sent_ps: int
    delivered_ps: int | None
    ack: int
    stamp_ps: int


@dataclass(frozen=True, slots=True)
class History:
    """One flow in one run."""

    acks: tuple[Ack, ...]
    """In the order in which they were sent."""
    got_ps: dict[int, int]
    """First delivery of the first byte of each segment."""
    timeouts: tuple[tuple[int, int], ...]
    """Expiries of the retransmission timer, with SND.UNA."""
    payload: tuple[tuple[int, int], ...]
    """Deliveries of data in the order of time, repetitions included, with their bytes."""
    threshold: float = THRESHOLD
    """Performance below this is a warning."""

    def arrivals(self) -> list[tuple[int, int]]:
        """(arrival at the sender, time stamp of the receiver) of each acknowledgment that
        arrived."""
        return sorted((a.delivered_ps, a.stamp_ps) for a in self.acks if a.delivered_ps is not None)


def history(directory: Path) -> History:
    """Reads the record of a run; once, for several measurements of the same file."""
    file = directory / "packets.parquet"
    return _history(str(directory), file.stat().st_mtime_ns if file.exists() else 0)


@functools.lru_cache(maxsize=32)
def _history(directory: str, written_ns: int) -> History:
    packets, reactions = series.read(directory, "packets"), series.read(directory, "reactions")
    if packets is None or reactions is None:
        raise ScenarioError(
            f'{directory} has no packets: the scenario must record them (record.packets = ["s"])'
        )
    flows = packets["flow"].unique().to_list()
    if len(flows) != 1:
        raise ScenarioError(f"{directory} has packets of {len(flows)} flows: record those of one")
    back = packets.filter(packets["from"] == "receiver").sort("packet")
    columns = (back[name] for name in ("sent_ps", "delivered_ps", "ack", "ts_val_ps"))
    acks = tuple(Ack(*row) for row in zip(*columns, strict=True))
    data = packets.filter((packets["from"] == "sender") & packets["delivered_ps"].is_not_null())
    got: dict[int, int] = {}
    for seq, at in zip(data["seq"], data["delivered_ps"], strict=True):
        got[seq] = min(at, got.get(seq, at))
    own = reactions.filter((reactions["flow"] == flows[0]) & (reactions["cause"] == "timeout"))
    times = tuple((round(t * 1e12), una) for t, una in zip(own["time_s"], own["una"], strict=True))
    payload = sorted(zip(data["delivered_ps"], data["payload_bytes"], strict=True))
    return History(acks, got, times, tuple(payload), _threshold(Path(directory), flows[0]))


def _threshold(directory: Path, flow: str) -> float:
    """The threshold of the flow's control, if it has one: what never warns is not said to."""
    flows = (Source(directory).plan or {}).get("flows", [])
    config: dict[str, Any] = next(
        (f["transport"]["cc"]["config"] for f in flows if f["name"] == flow), {}
    )
    return float(config.get("threshold", THRESHOLD))


def kind_of(found: History, at_ps: int, una: int) -> str:
    """The kind of a timeout at `at_ps` for the segment at `una`."""
    got = found.got_ps.get(una)
    if got is None or got > at_ps:
        return DUE
    begin = bisect.bisect_left(found.acks, got, key=lambda a: a.sent_ps)
    covering = itertools.takewhile(lambda a: a.sent_ps <= at_ps, found.acks[begin:])
    arrives = any(
        a.ack > una and a.delivered_ps is not None and a.delivered_ps > at_ps for a in covering
    )
    return LATE if arrives else LOST


def _timeouts(*kinds: str) -> Callable[[dict[str, Any], Path], float]:
    """Number of timeouts of these kinds."""

    def count(run: dict[str, Any], directory: Path) -> float:
        found = history(directory)
        return float(sum(kind_of(found, t, una) in kinds for t, una in found.timeouts))

    return count


needless_timeouts = _timeouts(LATE, LOST)
late_timeouts = _timeouts(LATE)
lost_timeouts = _timeouts(LOST)


def ack_loss(run: dict[str, Any], directory: Path) -> float:
    """The share of acknowledgments that were lost; those on their way at the end count as lost."""
    acks = history(directory).acks
    return sum(a.delivered_ps is None for a in acks) / len(acks)


def ack_wait(run: dict[str, Any], directory: Path) -> float:
    """Mean delay of acknowledgments above the quickest of the run, in s."""
    taken = [
        a.delivered_ps - a.sent_ps for a in history(directory).acks if a.delivered_ps is not None
    ]
    return (math.fsum(taken) / len(taken) - min(taken)) * 1e-12


@dataclass(frozen=True, slots=True)
class Estimate:
    """The state of TCP CAE's estimator after one acknowledgment: the performance, and True if a
    warning stands."""

    at_ps: int
    performance: float
    warned: bool


def estimates(found: History) -> list[Estimate]:
    """Figure 3 of the paper, written a second time. performance = (r_k - r_k-1) / (t_k - t_k-1):
    the receiver's time stamps over the arrivals at the sender. Two acknowledgments with the same
    stamp count as one; after a timeout it begins anew, and a warning stays."""
    expiries = [t for t, _ in found.timeouts]
    told: list[Estimate] = []
    warned, before = False, None
    for arrived, stamp in found.arrivals():
        if before is None or bisect.bisect(expiries, before[0]) < bisect.bisect_left(
            expiries, arrived
        ):
            before = (arrived, stamp)
            continue
        if stamp <= before[1]:
            continue
        performance = (
            (stamp - before[1]) / (arrived - before[0]) if arrived > before[0] else math.inf
        )
        warned = performance < found.threshold
        told.append(Estimate(arrived, performance, warned))
        before = (arrived, stamp)
    return told


def warnings(run: dict[str, Any], directory: Path) -> float:
    """Number of warnings: performance below the threshold while none stood."""
    return float(len(_raised(estimates(history(directory)))))


def warnings_per_ack(run: dict[str, Any], directory: Path) -> float:
    """The mean of these numbers for each acknowledgment that arrived."""
    found = history(directory)
    return float(len(_raised(estimates(found))) / len(found.arrivals()))


def _raised(told: list[Estimate]) -> list[Estimate]:
    states = [False, *(e.warned for e in told)]
    return [e for e, before in zip(told, states, strict=False) if e.warned and not before]


def warned_time(run: dict[str, Any], directory: Path) -> float:
    """The share of the time from the first estimate to the end of the run for which a warning
    stood."""
    told = estimates(history(directory))
    ends = [*(e.at_ps for e in told[1:]), round(run["duration_s"] * 1e12)]
    stood = sum(end - e.at_ps for e, end in zip(told, ends, strict=True) if e.warned)
    return float(stood / (ends[-1] - told[0].at_ps))


def warned_timeouts(run: dict[str, Any], directory: Path) -> float:
    """The share of timeouts that came while a warning stood; 0 without timeouts."""
    found = history(directory)
    told = estimates(found)
    times = [e.at_ps for e in told]
    before = [bisect.bisect_left(times, t) - 1 for t, _ in found.timeouts]
    return sum(k >= 0 and told[k].warned for k in before) / len(before) if before else 0.0
