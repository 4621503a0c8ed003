"""Where PCC Vivace comes to rest: its queue alone, and the shares of two.

Vivace's probes exceed the link's rate by a share epsilon for a round trip.
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
    *flows: dict[str, Any], seconds: float, warmup: float, limit: str, rate: int
) -> dict[str, Any]:
    return {
        "duration": f"{seconds:g} s",
        "warmup": f"{warmup:g} s",
        "dumbbell": {
            "bottleneck": {"rate": f"{rate} bps", "delay": "1 ms"},
            "access": {"rate": "10 Gbps"},
        },
        "queue": {"kind": "drop_tail", "limit": limit},
        "flow": [flow | {"name": f"s{i}"} for i, flow in enumerate(flows)],
    }


def _ratio(run: Run) -> float:
    first, second = (float(flow["goodput_bps"]) for flow in run["flows"])
    return first / second


EPSILON = 0.05
VIVACE_RTT = 0.03
SIZE = 1500


def _vivaces() -> Iterator[Check]:
    sender = paths.sender("vivace", VIVACE_RTT)
    for rate in (20_000_000, 50_000_000, 100_000_000):
        most = equilibria.extra(EPSILON, rate, VIVACE_RTT, SIZE)
        scenario = _scenario(sender, seconds=60, warmup=20, limit="400 pkt", rate=rate)
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


CHECKS = [*_vivaces()]
