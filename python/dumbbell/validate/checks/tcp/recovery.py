"""One to four losses in a window of sixteen: how Tahoe, Reno, NewReno and SACK repair them (Fall
and Floyd 1996).

The fifth, seventh, ninth and eleventh segment of a window in congestion avoidance are lost, or the
first few of them. A separate round-based model, written from RFC 5681, 3042, 6582 and 6675
(`laws/tcp/recovery.py`), computes the expected number of timeouts, the time of the last repair, and
the number of segments sent twice. Reno's third loss needs a timeout. NewReno repairs one loss in
each round trip, and SACK all as soon as the halved window allows. RTO is 1 s, ten round trips.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ...check import Check
from ...laws.tcp import recovery
from ...measured import Measured
from ...runner import Runner
from .. import paths
from ..given_losses import Chosen

RTT = 0.1
WINDOW = 16
LOST = (5, 7, 9, 11)
"""Segments of the first window; the first k of these are lost."""
SERIALISATION = 0.01
"""The delay that transmission adds to a repair, round trips: a hundred packets on 10 Gbit/s take
0.12 ms."""
MIN_RTO = 1.0


def scenario(cc: str, losses: int) -> dict[str, Any]:
    """A flow in congestion avoidance whose first window loses so many segments; without what came
    after RFC 6675."""
    window: dict[str, Any] = {
        "initial_window": f"{WINDOW} pkt",
        "initial_ssthresh": f"{WINDOW} pkt",
    }
    later: dict[str, Any] = {
        "frto": False,
        "min_rto": f"{MIN_RTO * 1e3:g} ms",
        "initial_window_bytes": "unlimited",
    }
    if cc == "sack":
        later |= {"detection": "dupack", "reduction": "rfc6675", "tail_loss_probe": False}
    lost = ",".join(map(str, LOST[:losses]))
    flow = paths.sender(cc, RTT, **window, **later)
    return paths.clear(flow, seconds=4, queue=Chosen(packets=lost, limit="unlimited"))


def _observed(runner: Runner, cc: str, losses: int, what: str) -> Measured:
    seen = paths.recorded(runner, scenario(cc, losses), packets=True)
    if what == "timeouts":
        return Measured(seen.flow["rtos"])
    data = [row for row in seen.rows("packets") if row["from"] == "sender"]
    lost = {row["seq"] for row in data if row["dropped_ps"] is not None}
    if what == "again":
        return Measured(sum(row["retransmit"] for row in data))
    repaired = {
        row["seq"]: row["delivered_ps"]
        for row in reversed(data)
        if row["seq"] in lost and row["delivered_ps"]
    }
    return Measured(max(repaired.values()) * 1e-12 / RTT)


def _checks() -> Iterator[Check]:
    for cc in recovery.RULES:
        for losses in range(1, len(LOST) + 1):
            law = recovery.recover(cc, WINDOW, LOST[:losses], MIN_RTO / RTT)
            head = f"recovery.{cc}.losses-{losses}"
            yield Check(
                id=f"{head}.timeouts",
                law=f"timeouts of {cc} by the rules: RFC 5681, 6582, 6675; Fall, Floyd 1996",
                expected=law.timeouts,
                tolerance=0,
                measure=partial(_observed, cc=cc, losses=losses, what="timeouts"),
            )
            yield Check(
                id=f"{head}.repaired",
                law=(
                    "when the receiver has the last of the lost segments, by the rules: RFC "
                    "5681, 6582, 6675"
                ),
                expected=law.repaired,
                tolerance=SERIALISATION,
                absolute=True,
                measure=partial(_observed, cc=cc, losses=losses, what="repaired"),
                unit="RTT",
            )
            yield Check(
                id=f"{head}.again",
                law="segments that are sent again, by the rules: RFC 5681, 6582, 6675",
                expected=law.again,
                tolerance=0,
                measure=partial(_observed, cc=cc, losses=losses, what="again"),
                unit="segments",
            )


CHECKS = list(_checks())
