"""RFC 9743, section 6: general use."""

from __future__ import annotations

from ..criterion import Criterion
from ..measures import goodput, loss, utilization, wait
from ..network import bottleneck, of


def _tail_drop(part: str, rate: str, limit: str, least: float) -> Criterion:
    return Criterion(
        id=f"rfc9743.6.1.{part}",
        section="rfc9743.6.1",
        runs=f"Two flows on {rate} with a base RTT of 40 ms and a tail-drop buffer of {limit}.",
        number="utilization of the bottleneck",
        why="Two Reno flows of one phase use three quarters of a link without a buffer and all of "
        f"it with 1 BDP (windows between W/2 and W); {least:g} lies below that.",
        scenario=lambda s: bottleneck(of(s, count=2), rate=rate, limit=limit),
        measure=utilization,
        least=least,
    )


CRITERIA = (
    _tail_drop("shallow", "50 Mbps", "0.25 BDP", 0.7),
    _tail_drop("bdp", "50 Mbps", "1 BDP", 0.9),
    _tail_drop("deep", "50 Mbps", "4 BDP", 0.9),
    _tail_drop("slow", "1 Mbps", "20 pkt", 0.9),
    Criterion(
        id="rfc9743.6.2.unmarked",
        section="rfc9743.6.2",
        runs="One flow with ECN; the bottleneck is in a tunnel whose outer header cannot be "
        "marked, so PIE drops where it would mark.",
        number="utilization of the bottleneck",
        why="As for the same queue without ECN (7.1): the flow must not depend on marks.",
        scenario=lambda s: bottleneck(
            of(s, ecn=True), queue={"kind": "pie", "ecn": False}, limit="200 pkt"
        ),
        measure=utilization,
        least=0.8,
    ),
    Criterion(
        id="rfc9743.6.2.wait",
        section="rfc9743.6.2",
        runs="The same network.",
        number="mean time in the queue",
        why="Twice PIE's target of 15 ms (RFC 8033): drops alone keep the queue short.",
        scenario=lambda s: bottleneck(
            of(s, ecn=True), queue={"kind": "pie", "ecn": False}, limit="200 pkt"
        ),
        measure=wait,
        most=30.0,
        unit="ms",
    ),
    Criterion(
        id="rfc9743.6.3.fast",
        section="rfc9743.6.3",
        runs="One flow on 100 Mbit/s with a base RTT of 20 ms and a buffer of 1 BDP; nothing is "
        "lost but at the queue.",
        number="utilization of the bottleneck",
        why="The baseline of the section: with a buffer of 1 BDP the halving of a window leaves "
        "the link full, and 0.9 allows for the start.",
        scenario=lambda s: bottleneck(of(s, rtt="20 ms"), seconds=30, rate="100 Mbps"),
        measure=utilization,
        least=0.9,
    ),
    Criterion(
        id="rfc9743.6.3.loss",
        section="rfc9743.6.3",
        runs="The same network.",
        number="packets that the queue drops, in % of those that arrive",
        why="Wired paths have almost no other loss; one Reno flow of 330 packets causes less than "
        "0.01 % after its start, which may cost one window.",
        scenario=lambda s: bottleneck(of(s, rtt="20 ms"), seconds=30, rate="100 Mbps"),
        measure=loss,
        most=1.0,
        unit="%",
    ),
    Criterion(
        id="rfc9743.6.4.radio",
        section="rfc9743.6.4",
        runs="One flow on 10 Mbit/s; the radio loses 0.5 % of the packets at random.",
        number="goodput",
        why="No worse than the standard that reads every loss as congestion, less a tenth.",
        scenario=lambda s: bottleneck(
            of(s), seconds=60, impairment=[{"kind": "bernoulli", "loss": 0.005}]
        ),
        measure=goodput("new"),
        against="sack",
        least=0.9,
    ),
    Criterion(
        id="rfc9743.6.4.capacity",
        section="rfc9743.6.4",
        runs="One flow; the rate of the link swings between 2 and 18 Mbit/s every 10 s.",
        number="utilization of the bottleneck",
        why="0.7 of what the channel could carry: half of the loss of a control that never uses "
        "more than the least rate.",
        scenario=lambda s: bottleneck(
            of(s),
            seconds=60,
            service={"kind": "sine", "depth": 0.8, "period": "10 s"},
        ),
        measure=utilization,
        least=0.7,
    ),
    Criterion(
        id="rfc9743.6.4.jitter",
        section="rfc9743.6.4",
        runs="One flow on 10 Mbit/s; media access delays each packet by 5 ms more on average "
        "(exponential), in order.",
        number="utilization of the bottleneck",
        why="The wire loses nothing, so the flow can use the link; 0.7 leaves room for a control "
        "that reads some of the delay as a queue.",
        scenario=lambda s: bottleneck(
            of(s),
            impairment=[
                {
                    "kind": "jitter",
                    "distribution": "exponential",
                    "mean": "5 ms",
                    "keep_order": True,
                }
            ],
        ),
        measure=utilization,
        least=0.7,
    ),
    Criterion(
        id="rfc9743.6.4.link-layer",
        section="rfc9743.6.4",
        runs="One flow on a link layer that loses 10 % of its frames and repeats them in order.",
        number="utilization of the bottleneck",
        why="As above: retransmission below TCP appears as jitter, not as loss.",
        scenario=lambda s: bottleneck(
            of(s), service={"kind": "arq", "loss": 0.1, "turnaround": "2 ms", "limit": 7}
        ),
        measure=utilization,
        least=0.7,
    ),
)
