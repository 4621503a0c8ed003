"""RFC 9743, sections 7.1 to 7.5: queues that signal early, circuit breakers, delays, small
links."""

from __future__ import annotations

import math
from typing import Any

from ..criterion import Criterion
from ..measures import goodput, goodput_share, lost, utilization, wait
from ..network import bottleneck, flow, of

_QUEUES = {"codel": 5.0, "fq_codel": 5.0, "pie": 15.0, "dualpi2": 15.0}
"""Queues of section 7.1 with their target [ms]: RFC 8289, 8290, 8033 and 9332."""
_MODEL_BPS = 12000 / (0.08 * math.sqrt(2 * 0.02 / 3))
"""The TCP model of RFC 8083, section 4.3, at 2 % of loss and 80 ms [bit/s]."""


def _marking(kind: str) -> Any:
    """A queue that marks. DualPI2 always does."""
    return kind if kind == "dualpi2" else {"kind": kind, "ecn": True}


def _uses(kind: str, ecn: bool) -> Criterion:
    how = "with ECN" if ecn else "without ECN"
    return Criterion(
        id=f"rfc9743.7.1.{kind}.{'ecn' if ecn else 'drop'}.use",
        section="rfc9743.7.1",
        runs=f"Two flows {how} on 20 Mbit/s with a base RTT of 40 ms and {kind}.",
        number="utilization of the bottleneck",
        why="Half of the loss that a window that halves without any buffer has (0.75): early "
        "signals cost some of the link, not most of it.",
        scenario=lambda s: bottleneck(
            of(s, ecn=ecn, count=2),
            rate="20 Mbps",
            queue=_marking(kind) if ecn else kind,
            limit="500 pkt",
        ),
        measure=utilization,
        least=0.75,
    )


def _short(kind: str, target: float) -> Criterion:
    return Criterion(
        id=f"rfc9743.7.1.{kind}.ecn.wait",
        section="rfc9743.7.1",
        runs=f"Two flows with ECN on 20 Mbit/s with a base RTT of 40 ms and {kind}, which marks.",
        number="mean time in the queue",
        why=f"Three times the queue's target of {target:g} ms. A flow that does not answer marks "
        "fills the buffer of 500 packets: 300 ms.",
        scenario=lambda s: bottleneck(
            of(s, ecn=True, count=2),
            rate="20 Mbps",
            queue=_marking(kind),
            limit="500 pkt",
        ),
        measure=wait,
        most=3 * target,
        unit="ms",
    )


CRITERIA = (
    *(_uses(kind, ecn) for kind in _QUEUES for ecn in (False, True)),
    *(_short(kind, target) for kind, target in _QUEUES.items()),
    Criterion(
        id="rfc9743.7.1.red.use",
        section="rfc9743.7.1",
        runs="Two flows without ECN on 20 Mbit/s with RED and a buffer of 2 BDP.",
        number="utilization of the bottleneck",
        why="As for the other queues.",
        scenario=lambda s: bottleneck(of(s, count=2), rate="20 Mbps", queue="red", limit="2 BDP"),
        measure=utilization,
        least=0.75,
    ),
    Criterion(
        id="rfc9743.7.1.codepoint",
        section="rfc9743.7.1",
        runs="Two flows with ECN beside two of CUBIC with ECN on 20 Mbit/s with dualpi2.",
        number="share of the flows of CUBIC in the goodput",
        why="Between a quarter and three quarters for half of the flows: RFC 9332 couples the "
        "queues so that ECT(0) and ECT(1) flows share; a wrong answer to a mark breaks that.",
        scenario=lambda s: bottleneck(
            of(s, ecn=True, count=2),
            flow("cubic", "standard", count=2, tcp={"ecn": "rfc3168"}),
            rate="20 Mbps",
            seconds=60,
            queue="dualpi2",
            limit="500 pkt",
        ),
        measure=goodput_share("standard"),
        least=0.25,
        most=0.75,
    ),
    Criterion(
        id="rfc9743.7.2.breaker",
        section="rfc9743.7.2",
        runs="One flow on 100 Mbit/s with a base RTT of 80 ms; 2 % of the packets are lost.",
        number="goodput",
        why="RFC 8083, section 4.3: a breaker trips at ten times the rate of the TCP model, here "
        "s / (R √(2p/3)) = 1.3 Mbit/s.",
        scenario=lambda s: bottleneck(
            of(s, rtt="80 ms"),
            rate="100 Mbps",
            impairment=[{"kind": "bernoulli", "loss": 0.02}],
        ),
        measure=lambda run: goodput("new")(run) / _MODEL_BPS,
        most=10.0,
        unit="times the model",
    ),
    Criterion(
        id="rfc9743.7.3.longer",
        section="rfc9743.7.3",
        runs="One flow on 10 Mbit/s; after 20 s the path is longer by 60 ms in each packet.",
        number="utilization of the bottleneck from 30 s to 80 s",
        why="The path carries as much as before. 0.7 leaves a control that takes the longer path "
        "for a queue no more than a third of a loss.",
        scenario=lambda s: bottleneck(
            of(s),
            seconds=80,
            warmup=30,
            limit="2 BDP",
            service={"kind": "handoff", "handoffs": [["20 s", "1 ms", "10 Mbps", "60 ms"]]},
        ),
        measure=utilization,
        least=0.7,
    ),
    Criterion(
        id="rfc9743.7.4.slow",
        section="rfc9743.7.4",
        runs="One flow on 64 kbit/s with a base RTT of 200 ms and room for ten packets of 576 B.",
        number="utilization of the bottleneck",
        why="A product of three packets is below the usual range; 0.8 asks that the link is used "
        "nevertheless.",
        scenario=lambda s: bottleneck(
            of(s, rtt="200 ms"),
            seconds=200,
            warmup=20,
            rate="64 kbps",
            mtu="576 B",
            limit="10 pkt",
        ),
        measure=utilization,
        least=0.8,
    ),
    Criterion(
        id="rfc9743.7.4.waste",
        section="rfc9743.7.4",
        runs="The same network.",
        number="packets of the flow that are lost, in %",
        why="Each packet costs energy. A window of 13 packets that loses one per cycle of Reno "
        "loses 1.5/W² = 0.9 %; five times that is allowed.",
        scenario=lambda s: bottleneck(
            of(s, rtt="200 ms"),
            seconds=200,
            warmup=20,
            rate="64 kbps",
            mtu="576 B",
            limit="10 pkt",
        ),
        measure=lost("new"),
        most=5.0,
        unit="%",
    ),
    Criterion(
        id="rfc9743.7.5.satellite",
        section="rfc9743.7.5",
        runs="One flow on 20 Mbit/s with a base RTT of 600 ms and a buffer of 1 BDP.",
        number="goodput from 60 s to 180 s",
        why="No worse than Reno, less a tenth.",
        scenario=lambda s: bottleneck(of(s, rtt="600 ms"), seconds=180, warmup=60, rate="20 Mbps"),
        measure=goodput("new"),
        against="sack",
        least=0.9,
    ),
)
