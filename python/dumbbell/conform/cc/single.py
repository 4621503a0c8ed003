"""RFC 9743, section 5.1: flows of one algorithm by themselves."""

from __future__ import annotations

from ..criterion import Criterion
from ..measures import (
    completion,
    goodput,
    jain,
    loss,
    sent_after,
    sent_per_rtt,
    waits_of,
)
from ..network import RTT_S, bottleneck, of, short_flows

CRITERIA = (
    Criterion(
        id="rfc9743.5.1.1.loss",
        section="rfc9743.5.1.1",
        runs="One flow on 10 Mbit/s with a base RTT of 40 ms; half of all packets are lost, "
        "whatever the flow does.",
        number="packets that the bottleneck sends in a base RTT",
        why="The section: full backoff means that the rate falls to one packet per RTT, and then "
        "further.",
        scenario=lambda s: bottleneck(
            of(s), seconds=70, warmup=10, impairment=[{"kind": "bernoulli", "loss": 0.5}]
        ),
        measure=sent_per_rtt(10e6, RTT_S),
        most=1.0,
        unit="packets per RTT",
    ),
    Criterion(
        id="rfc9743.5.1.1.silence",
        section="rfc9743.5.1.1",
        runs="One flow on 10 Mbit/s; from 10 s on, every acknowledgment is lost for a minute.",
        number="packets that the bottleneck sends in the 59 s that begin 1 s later",
        why="RFC 6298, (2.4) and (5.5): timers of 1 s, 2 s, 4 s and so on let six packets go in a "
        "minute; four more are allowed for probes and for shorter timers.",
        scenario=lambda s: bottleneck(
            of(s),
            seconds=70,
            warmup=11,
            reverse={"service": {"kind": "outage", "at": [["10 s", "60 s"]], "cut_off": "lost"}},
        ),
        measure=sent_after(10e6),
        most=10.0,
        unit="packets",
    ),
    Criterion(
        id="rfc9743.5.1.2.wait",
        section="rfc9743.5.1.2",
        runs="One flow on 10 Mbit/s with a base RTT of 40 ms and a tail-drop buffer of five "
        "bandwidth-delay products.",
        number="mean time in the queue, in base RTTs",
        why="Above one base RTT the queue more than doubles the delay of every flow at this link. "
        "The section says that Reno and CUBIC do not address the problem.",
        scenario=lambda s: bottleneck(of(s), seconds=60, warmup=20, limit="5 BDP"),
        measure=waits_of(RTT_S),
        most=1.0,
        unit="RTT",
    ),
    Criterion(
        id="rfc9743.5.1.3.shallow",
        section="rfc9743.5.1.3",
        runs="Ten flows on 20 Mbit/s with a base RTT of 40 ms and a tail-drop buffer of one "
        "bandwidth-delay product: the case in which BBRv1 fails.",
        number="packets that the queue drops, in % of those that arrive",
        why="Twice the 2 % of loss that BBRv3's draft tolerates while it probes (LossThresh, "
        "draft-ietf-ccwg-bbr-06). Ten Reno flows of about 13 packets lose 1.5/W² = 0.9 %.",
        scenario=lambda s: bottleneck(of(s, count=10), seconds=60, warmup=20, rate="20 Mbps"),
        measure=loss,
        most=4.0,
        unit="%",
    ),
    Criterion(
        id="rfc9743.5.1.4.equal",
        section="rfc9743.5.1.4",
        runs="Four flows with a base RTT of 40 ms start within 1 s on 20 Mbit/s with a buffer of "
        "one bandwidth-delay product.",
        number="Jain's index of the goodputs from 20 s to 80 s",
        why="0.9 for four flows: a ratio of two between the two faster and the two slower ones.",
        scenario=lambda s: bottleneck(of(s, count=4), seconds=80, warmup=20, rate="20 Mbps"),
        measure=jain("new"),
        least=0.9,
    ),
    Criterion(
        id="rfc9743.5.1.4.late",
        section="rfc9743.5.1.4",
        runs="One flow fills 10 Mbit/s; a second one starts 20 s later.",
        number="Jain's index of the goodputs from 40 s to 100 s",
        why="0.8: one flow has three quarters of the link. The late one must not starve.",
        scenario=lambda s: bottleneck(
            of(s, "new.early"), of(s, "new.late", start="20 s"), seconds=100, warmup=40
        ),
        measure=jain("new"),
        least=0.8,
    ),
    Criterion(
        id="rfc9743.5.1.5.short",
        section="rfc9743.5.1.5",
        runs="One long flow and short ones of 30 kB on average, a tenth of 10 Mbit/s, all of the "
        "algorithm.",
        number="mean completion time of the short flows",
        why="At most half as much again as in an Internet of CUBIC, which is deployed.",
        scenario=lambda s: bottleneck(
            of(s), seconds=60, sessions=short_flows(s.table(), stop="55 s")
        ),
        measure=completion(),
        against="cubic",
        most=1.5,
    ),
    Criterion(
        id="rfc9743.5.1.5.long",
        section="rfc9743.5.1.5",
        runs="The same network.",
        number="goodput of the long flow",
        why="Short flows that do not see congestion must not starve the long one: at least half of "
        "what CUBIC keeps.",
        scenario=lambda s: bottleneck(
            of(s), seconds=60, sessions=short_flows(s.table(), stop="55 s")
        ),
        measure=goodput("new"),
        against="cubic",
        least=0.5,
    ),
)
