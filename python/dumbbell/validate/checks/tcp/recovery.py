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
    later: dict[str, Any] = {"frto": False, "min_rto": f"{MIN_RTO * 1e3:g} ms"}
    if cc == "sack":
        later |= {"detection": "dupack", "reduction": "rfc6675", "tail_loss_probe": False}
    lost = ",".join(map(str, LOST[:losses]))
    flow = paths.sender(cc, RTT, **paths.congestion_avoidance(WINDOW), **later)
    return paths.clear(flow, seconds=4, queue=Chosen(packets=lost, limit="unlimited"))


def _checks() -> Iterator[Check]:
    for cc in recovery.RULES:
        for losses in range(1, len(LOST) + 1):
            law = recovery.recover(cc, WINDOW, LOST[:losses], MIN_RTO / RTT)
            head = f"recovery.{cc}.losses-{losses}"
            of_run = partial(paths.of_records, scenario(cc, losses), packets=True)
            yield Check(
                id=f"{head}.timeouts",
                law=f"number of timeouts of {cc}: RFC 5681, 6582, 6675; Fall, Floyd 1996",
                expected=law.timeouts,
                tolerance=0,
                measure=of_run(lambda seen: int(seen.flow["rtos"])),
            )
            yield Check(
                id=f"{head}.repaired",
                law=(
                    "time at which the receiver has the last of the lost segments, by the rules: "
                    "RFC 5681, 6582, 6675"
                ),
                expected=law.repaired,
                tolerance=SERIALISATION,
                absolute=True,
                measure=of_run(lambda seen: seen.repaired_s() / RTT),
                unit="RTT",
            )
            yield Check(
                id=f"{head}.again",
                law="retransmitted segments, by the rules: RFC 5681, 6582, 6675",
                expected=law.again,
                tolerance=0,
                measure=of_run(lambda seen: sum(row["retransmit"] for row in seen.data())),
                unit="segments",
            )


CHECKS = list(_checks())
