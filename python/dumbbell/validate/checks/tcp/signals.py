"""Explicit congestion notification: how often and by how much marks reduce the window, and that no
packet is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...check import Check
from ...laws.tcp import throughput, windows
from ...readings import goodput
from ...recorded import Recorded
from ...runner import of_one_run
from .. import paths
from ..given_losses import Chosen, Nth

RTT = 0.1
WINDOW = 64
ABE = {"kind": "sack", "abe": True}


def _marked(cc: str | Mapping[str, Any], marked: str) -> dict[str, Any]:
    """A flow in congestion avoidance with a window of 64, of which the first window's packets are
    marked as said."""
    flow = paths.sender(cc, RTT, ecn="rfc3168", **paths.congestion_avoidance(WINDOW))
    return paths.clear(
        flow, seconds=1.05, queue=Chosen(packets=marked, marks=True, limit="unlimited")
    )


def _left(seen: Recorded) -> float:
    """Returns the share of the window that a mark leaves."""
    row = seen.reactions("ecn_echo")[0]
    return float(row["cwnd_bytes"] / row["cwnd_bytes_before"])


def _between(seen: Recorded) -> float:
    """Round trips between the first two reductions."""
    first, second, *_ = seen.reactions("ecn_echo")
    return float((second["time_s"] - first["time_s"]) / RTT)


def _reductions() -> Iterator[Check]:
    # The echo comes in an acknowledgment that has made the window grow by at most a segment.
    for name, cc in (("reno", "reno"), ("newreno", "newreno"), ("sack", "sack"), ("abe", ABE)):
        yield Check(
            id=f"ecn.decrease.{name}",
            law="a mark leaves 0.8 of the window: RFC 8511 section 3"
            if name == "abe"
            else "a mark leaves half of the window: RFC 3168 section 6.1.2",
            expected=windows.LEFT_BY_MARK_ABE if name == "abe" else windows.LEFT_BY_MARK,
            tolerance=1 / WINDOW,
            absolute=True,
            measure=paths.of_records(_marked(cc, "2"), _left),
        )
    many = ",".join(map(str, range(2, WINDOW + 1)))
    for name, marked in (("one-mark", "2"), ("a-window-of-marks", many)):
        scenario = _marked("sack", marked)
        yield Check(
            id=f"ecn.{name}.reductions",
            law=(
                "one reduction per window of data, however many marks it has: RFC 3168 section "
                "6.1.2"
            ),
            expected=1,
            tolerance=0,
            measure=paths.of_records(scenario, lambda seen: len(seen.reactions("ecn_echo"))),
        )
        yield Check(
            id=f"ecn.{name}.repeats",
            law="a mark loses no data, so nothing is retransmitted: RFC 3168",
            expected=0,
            tolerance=0,
            measure=paths.of_records(scenario, lambda seen: int(seen.flow["retransmits"])),
        )
    yield Check(
        id="ecn.every-packet.between",
        law="while everything is marked, one reduction per round trip: RFC 3168 section 6.1.2",
        expected=1,
        tolerance=0.01,
        measure=paths.of_records(_marked("sack", "1-"), _between),
        unit="RTT",
    )


# Marks at equal intervals: the sawtooth without losses.


def _teeth() -> Iterator[Check]:
    for every in (1000, 10_000):
        for name, cc, b in (("sack", "sack", 0.5), ("abe", ABE, 1 - windows.LEFT_BY_MARK_ABE)):
            peak = throughput.aimd_peak(1, b, 1 / every)
            rounds = b * peak
            flow = paths.sender(cc, RTT, ecn="rfc3168", **paths.congestion_avoidance(int(peak)))
            queue = Nth(every=every, marks=True, limit="unlimited")
            scenario = paths.toothed(flow, queue, rounds * RTT, teeth=20, skipped=8)
            yield Check(
                id=f"ecn.sqrt.every-{every}.{name}",
                law=(
                    "B = MSS/RTT sqrt(a(2-b)/(2b p)), every 1/p-th packet marked, within "
                    "two round trips per tooth"
                ),
                expected=8 * paths.MSS * throughput.aimd(1, b, 1 / every, RTT),
                tolerance=2 / rounds,
                measure=of_one_run(scenario, goodput),
                unit="bit/s",
            )


CHECKS = [*_reductions(), *_teeth()]
