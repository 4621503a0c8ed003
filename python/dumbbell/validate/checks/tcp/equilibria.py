"""Where Copa and PCC Vivace come to rest: the queue of one flow, or of some, and shares of equals.

Copa's target rate is reached with 1 / delta packets waiting for each flow; its window swings about
that by what the round-trip time reports late. Vivace's probes exceed the link's rate by a share
epsilon for a round trip.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...check import Check
from ...laws.tcp import equilibria
from ...readings import Run, of_queue
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


CHECKS = [*_copas(), *_vivaces()]
