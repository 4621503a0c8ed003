"""RFC 9743, sections 5.2 and 5.3: beside other algorithms, and other criteria."""

from __future__ import annotations

from ..criterion import Build, Criterion, described
from ..measures import completion, delay, goodput, goodput_share, lost, utilization
from ..network import bottleneck, datagrams, flow, of, short_flows

_HARM = (
    "A standard flow keeps at least half of what it has beside its own kind: it loses no more than "
    "by the arrival of a second flow (harm, R. Ware et al., HotNets 2019)."
)


def _beside(standard: str, limit: str) -> Build:
    return lambda s: bottleneck(
        of(s, "new", count=2),
        flow(standard, "standard", count=2),
        seconds=160,
        warmup=40,
        limit=limit,
        rate="20 Mbps",
    )


def _against(standard: str, limit: str, part: str) -> Criterion:
    return Criterion(
        id=f"rfc9743.5.2.1.{part}",
        section="rfc9743.5.2.1",
        runs=f"Two flows of the algorithm and two of {standard} on 20 Mbit/s with a base RTT of "
        f"40 ms and a buffer of {limit}; and four of {standard}.",
        number=f"goodput of the two flows of {standard}",
        why=_HARM,
        scenario=_beside(standard, limit),
        measure=goodput("standard"),
        against=standard,
        least=0.5,
    )


CRITERIA = (
    _against("sack", "1 BDP", "reno"),
    _against("sack", "4 BDP", "reno-deep"),
    _against("cubic", "1 BDP", "cubic"),
    _against("cubic", "4 BDP", "cubic-deep"),
    Criterion(
        id="rfc9743.5.2.starved",
        section="rfc9743.5.2",
        runs="Two flows of the algorithm and two of cubic on 20 Mbit/s with a buffer of 4 BDP.",
        number="share of the algorithm's two flows in the goodput",
        why="A tenth for half of the flows: below it a user of the algorithm is starved by what is "
        "deployed.",
        scenario=_beside("cubic", "4 BDP"),
        measure=goodput_share("new"),
        least=0.1,
    ),
    Criterion(
        id="rfc9743.5.2.2.delay",
        section="rfc9743.5.2.2",
        runs="One flow of the algorithm and a real-time flow of 1 Mbit/s in datagrams on 10 Mbit/s "
        "with a buffer of 2 BDP.",
        number="95th percentile of the one-way delay of the real-time flow",
        why="A tenth more than beside CUBIC: no more harm than a deployed standard does.",
        scenario=lambda s: bottleneck(of(s), datagrams("1 Mbps", "real"), limit="2 BDP"),
        measure=delay("real"),
        against="cubic",
        most=1.1,
    ),
    Criterion(
        id="rfc9743.5.2.2.loss",
        section="rfc9743.5.2.2",
        runs="The same network.",
        number="packets of the real-time flow that are lost, in %",
        why="Our choice: speech and video codecs conceal about 1 % of loss, and twice that is "
        "allowed.",
        scenario=lambda s: bottleneck(of(s), datagrams("1 Mbps", "real"), limit="2 BDP"),
        measure=lost("real"),
        most=2.0,
        unit="%",
    ),
    Criterion(
        id="rfc9743.5.2.3.short",
        section="rfc9743.5.2.3",
        runs="One long flow of the algorithm and short ones of CUBIC, 30 kB on average, a tenth "
        "of 10 Mbit/s.",
        number="mean completion time of the short flows",
        why="At most a quarter more than beside a long flow of CUBIC.",
        scenario=lambda s: bottleneck(
            of(s), seconds=60, sessions=short_flows("cubic", stop="55 s")
        ),
        measure=completion(),
        against="cubic",
        most=1.25,
    ),
    Criterion(
        id="rfc9743.5.2.3.long",
        section="rfc9743.5.2.3",
        runs="One long flow of CUBIC and short ones of the algorithm, a fifth of 10 Mbit/s.",
        number="goodput of the long flow",
        why="At least three quarters of what it has with short flows of CUBIC.",
        scenario=lambda s: bottleneck(
            flow("cubic", "long"),
            seconds=60,
            sessions=short_flows(s.table(), load=0.2, stop="55 s"),
        ),
        measure=goodput("long"),
        against="cubic",
        least=0.75,
    ),
    described(
        "rfc9743.5.3.1",
        "text",
        "the section asks for an explanation in the algorithm's document, which no run gives",
    ),
    Criterion(
        id="rfc9743.5.3.2.alone",
        section="rfc9743.5.3.2",
        runs="One flow on 10 Mbit/s with a tail-drop queue of 1 BDP, a router without ECN and a "
        "receiver that knows nothing of the algorithm.",
        number="utilization of the bottleneck",
        why="An algorithm that can be deployed step by step works where nothing else has changed. "
        "One Reno flow uses 0.75 of a link without any buffer, and all of it with 1 BDP.",
        scenario=lambda s: bottleneck(of(s)),
        measure=utilization,
        least=0.8,
    ),
)
