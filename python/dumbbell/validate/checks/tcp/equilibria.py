"""Where Copa and PCC Vivace come to rest: the queue of one flow, or of some, and shares of equals.

Copa's target rate is reached with 1 / delta packets waiting for each flow; its window swings about
that by what the round-trip time reports late. Vivace's probes exceed the link's rate by a share
epsilon for a round trip.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from ...check import Check
from ...laws.tcp import equilibria
from ...readings import Run, of_queue
from ...recorded import Recorded
from ...runner import of_one_run
from .. import paths


def _scenario(
    *flows: dict[str, Any],
    seconds: float,
    warmup: float,
    limit: str,
    rate: int,
    access: str = "10 Gbps",
) -> dict[str, Any]:
    return {
        "duration": f"{seconds:g} s",
        "warmup": f"{warmup:g} s",
        "dumbbell": {
            "bottleneck": {"rate": f"{rate} bps", "delay": "1 ms"},
            "access": {"rate": access},
        },
        "queue": {"kind": "drop_tail", "limit": limit},
        "flow": [flow | {"name": f"s{i}"} for i, flow in enumerate(flows)],
    }


def _ratio(run: Run) -> float:
    first, second = (float(flow["goodput_bps"]) for flow in run["flows"])
    return first / second


DELTA = 0.5
EPSILON = 0.05
VIVACE_RTT = 0.03
SIZE = 1500


def _vivaces() -> Iterator[Check]:
    sender = paths.sender("vivace", VIVACE_RTT)
    for rate in (20_000_000, 50_000_000, 100_000_000):
        most = equilibria.extra(EPSILON, rate, VIVACE_RTT, SIZE)
        # A sender that is blind to the delay doubles its rate until a loss is reported: the buffer
        # and the access link bound how far.
        scenario = _scenario(
            sender, seconds=60, warmup=20, limit="1 BDP", rate=rate, access=f"{4 * rate} bps"
        )
        yield Check(
            id=f"vivace.queue.{rate // 1_000_000}-mbps",
            law="alone the latency is that of an empty path: Dong et al. 2018, theorem 2",
            expected=most / 2,
            tolerance=most / 2,
            absolute=True,
            measure=of_one_run(scenario, of_queue("mean_packets")),
            unit="packets",
        )
        if rate > 20_000_000:
            pair = _scenario(sender, sender, seconds=300, warmup=100, limit="400 pkt", rate=rate)
            yield Check(
                id=f"vivace.equal.{rate // 1_000_000}-mbps",
                law="equal senders have equal rates: Dong et al. 2018, theorem 1",
                expected=equilibria.EQUAL,
                tolerance=0.1,
                measure=of_one_run(pair, _ratio),
                quick=False,
            )


def _copas() -> Iterator[Check]:
    # The default delta: 1 / delta is small beside each flow's window, as the law assumes.
    # Competition is another law.
    for rate, rtt, flows in (
        (10_000_000, 0.03, 1),
        (10_000_000, 0.1, 1),
        (50_000_000, 0.03, 1),
        (50_000_000, 0.1, 1),
        (50_000_000, 0.1, 2),
        (50_000_000, 0.1, 4),
    ):
        cc = {"kind": "copa", "delta": DELTA, "competes": False}
        sender = paths.sender(cc, rtt, timestamps=True)
        scenario = _scenario(*[sender] * flows, seconds=60, warmup=20, limit="1000 pkt", rate=rate)
        least, most = equilibria.waiting(DELTA, flows)
        yield Check(
            id=f"copa.queue.{flows}-flows.{rate // 1_000_000}-mbps.{1e3 * rtt:g}-ms",
            law="1 / delta packets of each flow wait, and what its swing adds: Arun, Balakrishnan "
            "2018, section 2.1",
            expected=(least + most) / 2,
            tolerance=(most - least) / 2,
            absolute=True,
            measure=of_one_run(scenario, of_queue("mean_packets")),
            unit="packets",
        )


def _competing(begin: float, end: float = math.inf) -> Callable[[Recorded], float]:
    """The share of the looks at the first flow, from one time to another [s], that find it in the
    competitive mode."""

    def share(seen: Recorded) -> float:
        rows = (row for row in seen.rows("flows") if begin <= row["time_s"] < end)
        found = [row["cc_competing"] for row in rows if row["flow"] == "s0"]
        return float(sum(found) / len(found))

    return share


def _copa_modes() -> Iterator[Check]:
    """Copa that may compete: alone, with another of its kind, beside Reno, and after Reno has left.
    The buffer is so deep that Reno alone would not let it run empty: two products. More flows of
    its kind take each other for buffer-fillers at times, which docs/reference/controls.md shows."""
    rate, rtt = 20_000_000, 0.04
    copa = paths.sender("copa", rtt, timestamps=True)
    reno = paths.sender("newreno", rtt, timestamps=True)
    leaves = reno | {"stop": "30 s"}
    for name, flows, looks, share in (
        ("alone", [copa], (10.0,), 0.0),
        ("two", [copa] * 2, (10.0,), 0.0),
        ("beside-reno", [copa, reno], (10.0,), 1.0),
        ("after-reno", [copa, leaves], (35.0,), 0.0),
    ):
        scenario = _scenario(*flows, seconds=60, warmup=10, limit="2 BDP", rate=rate)
        yield Check(
            id=f"copa.competes.{name}",
            law="it competes if and only if the queue was nearly empty in none of the last five "
            "round trips, as where a flow fills the buffer: Arun, Balakrishnan 2018, section 2.2",
            expected=share,
            tolerance=0.1,
            absolute=True,
            measure=paths.of_records(scenario, _competing(*looks), every="10 ms"),
        )
    for other in ("newreno", "cubic"):
        pair = [copa, paths.sender(other, rtt, timestamps=True)]
        scenario = _scenario(*pair, seconds=120, warmup=20, limit="1 BDP", rate=rate)
        yield Check(
            id=f"copa.share.{other}",
            law="in the competitive mode it is about as aggressive as flows that fill buffers "
            "(alone in the default mode it gets 0.06): Arun, Balakrishnan 2018, section 2.2",
            expected=equilibria.HALF,
            tolerance=0.2,
            absolute=True,
            measure=of_one_run(scenario, lambda run: _ratio(run) / (1 + _ratio(run))),
            quick=False,
        )


CHECKS = [*_copas(), *_copa_modes(), *_vivaces()]
