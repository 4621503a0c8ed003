"""Explicit congestion notification: how often and by how much marks reduce the window, and that no
packet is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ...check import Check
from ...laws.tcp import throughput, windows
from ...measured import Measured
from ...runner import Runner
from .. import paths
from ..given_losses import Chosen, Nth

RTT = 0.1
WINDOW = 64
ABE = {"kind": "sack", "abe": True}


def _marked(cc: str | Mapping[str, Any], marked: str) -> dict[str, Any]:
    """A flow in congestion avoidance with a window of 64, of which the first window's packets are
    marked as said."""
    window: dict[str, Any] = {
        "initial_window": f"{WINDOW} pkt",
        "initial_ssthresh": f"{WINDOW} pkt",
        "initial_window_bytes": "unlimited",
    }
    flow = paths.sender(cc, RTT, ecn="rfc3168", **window)
    return paths.clear(
        flow, seconds=1.05, queue=Chosen(packets=marked, marks=True, limit="unlimited")
    )


def _left(runner: Runner, cc: str | Mapping[str, Any]) -> Measured:
    """Returns the share of the window that a mark leaves."""
    row = paths.recorded(runner, _marked(cc, "2")).reactions("ecn_echo")[0]
    return Measured(row["cwnd_bytes"] / row["cwnd_bytes_before"])


def _count(runner: Runner, marked: str, what: str) -> Measured:
    seen = paths.recorded(runner, _marked("sack", marked))
    counts = {"reductions": len(seen.reactions("ecn_echo")), "repeats": seen.flow["retransmits"]}
    return Measured(counts[what])


def _between(runner: Runner) -> Measured:
    """Round trips between the first two reductions while everything is marked."""
    at = [
        row["time_s"] for row in paths.recorded(runner, _marked("sack", "1-")).reactions("ecn_echo")
    ]
    return Measured((at[1] - at[0]) / RTT)


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
            measure=partial(_left, cc=cc),
        )
    many = ",".join(map(str, range(2, WINDOW + 1)))
    for name, marked in (("one-mark", "2"), ("a-window-of-marks", many)):
        yield Check(
            id=f"ecn.{name}.reductions",
            law=(
                "one reduction for a window of data, however many marks it has: RFC 3168 "
                "section 6.1.2"
            ),
            expected=1,
            tolerance=0,
            measure=partial(_count, marked=marked, what="reductions"),
        )
        yield Check(
            id=f"ecn.{name}.repeats",
            law="a mark loses nothing, so nothing is sent again: RFC 3168",
            expected=0,
            tolerance=0,
            measure=partial(_count, marked=marked, what="repeats"),
        )
    yield Check(
        id="ecn.every-packet.between",
        law="while everything is marked, a reduction each round trip: RFC 3168 section 6.1.2",
        expected=1,
        tolerance=0.01,
        measure=_between,
        unit="RTT",
    )


# Marks at equal intervals: the sawtooth without losses.


def _mean(runner: Runner, scenario: Mapping[str, Any]) -> Measured:
    return Measured(paths.run(runner, scenario)[0]["flows"][0]["goodput_bps"])


def _teeth() -> Iterator[Check]:
    for every in (1000, 10_000):
        for name, cc, b in (("sack", "sack", 0.5), ("abe", ABE, 1 - windows.LEFT_BY_MARK_ABE)):
            peak = throughput.aimd_peak(1, b, 1 / every)
            rounds = b * peak
            window: dict[str, Any] = {
                "initial_window": f"{int(peak)} pkt",
                "initial_ssthresh": f"{int(peak)} pkt",
            }
            flow = paths.sender(cc, RTT, ecn="rfc3168", initial_window_bytes="unlimited", **window)
            queue = Nth(every=every, marks=True, limit="unlimited")
            scenario = paths.clear(
                flow, seconds=28 * rounds * RTT, warmup=8 * rounds * RTT, queue=queue
            )
            yield Check(
                id=f"ecn.sqrt.every-{every}.{name}",
                law=(
                    "B = MSS/RTT sqrt(a(2-b)/(2b p)), every 1/p-th packet marked, to two "
                    "round trips a tooth"
                ),
                expected=8 * paths.MSS * throughput.aimd(1, b, 1 / every, RTT),
                tolerance=2 / rounds,
                measure=partial(_mean, scenario=scenario),
                unit="bit/s",
            )


CHECKS = [*_reductions(), *_teeth()]
