"""RFC 9743, sections 7.6 to 7.11: misbehavior, reordering, sudden changes, several paths, data
centers."""

from __future__ import annotations

from ..criterion import Criterion, Tables, described
from ..measures import goodput, loss, lost, utilization
from ..network import bottleneck, datagrams, of
from ..subject import Subject


def _data_center(subject: Subject) -> Tables:
    """A switch that marks above a threshold, as for DCTCP (RFC 8257, 3.1)."""
    tcp = {"min_rto": "5 ms", "clock": "10 us"}
    return bottleneck(
        of(subject, ecn=True, count=8, rtt="200 us", start_spread="10 ms", tcp=tcp),
        seconds=2,
        warmup=0.5,
        rate="1 Gbps",
        delay="20 us",
        limit="200 pkt",
        queue={
            "kind": "red",
            "ecn": True,
            "min_th": "65 pkt",
            "max_th": "66 pkt",
            "max_p": 1.0,
            "w_q": 1.0,
            "ecn_hard": False,
        },
    )


CRITERIA = (
    Criterion(
        id="rfc9743.7.6.unresponsive",
        section="rfc9743.7.6",
        runs="One flow beside datagrams that take 6 of 10 Mbit/s and do not respond.",
        number="utilization of the bottleneck",
        why="0.85: the flow finds at least five eighths of what the datagrams leave.",
        scenario=lambda s: bottleneck(of(s), datagrams("6 Mbps")),
        measure=utilization,
        least=0.85,
    ),
    Criterion(
        id="rfc9743.7.6.marked",
        section="rfc9743.7.6",
        runs="One flow with ECN behind a router that marks every packet that finds two others "
        "waiting, and drops none before its buffer of 1 BDP is full.",
        number="packets of the flow that are lost, in %",
        why="A router that exaggerates must not make the flow harm others: one that answers marks "
        "stays far below the queue's limit.",
        scenario=lambda s: bottleneck(
            of(s, ecn=True),
            queue={
                "kind": "red",
                "ecn": True,
                "min_th": "1 pkt",
                "max_th": "2 pkt",
                "max_p": 0.5,
                "w_q": 1.0,
                "ecn_hard": False,
            },
        ),
        measure=lost("new"),
        most=1.0,
        unit="%",
    ),
    Criterion(
        id="rfc9743.7.7.reordered",
        section="rfc9743.7.7",
        runs="One flow on 10 Mbit/s; 2 % of the packets are late by 30 ms and overtaken.",
        number="goodput",
        why="No worse than Reno with the same loss detection, less a tenth.",
        scenario=lambda s: bottleneck(
            of(s),
            limit="2 BDP",
            impairment=[{"kind": "reorder", "share": 0.02, "delay": "30 ms"}],
        ),
        measure=goodput("new"),
        against="sack",
        least=0.9,
    ),
    Criterion(
        id="rfc9743.7.8.onset",
        section="rfc9743.7.8",
        runs="A flow fills 20 Mbit/s; after 20 s datagrams take three quarters of it (the step of "
        "draft-irtf-iccrg-tcpeval, 5.3).",
        number="datagrams that are lost, in %",
        why="Twice what is lost beside CUBIC: harm by an algorithm that reduces its rate too "
        "slowly.",
        scenario=lambda s: bottleneck(
            of(s), datagrams("15 Mbps", start="20 s"), seconds=60, rate="20 Mbps"
        ),
        measure=lambda run: lost("cross")(run) + 0.1,
        against="cubic",
        most=2.0,
    ),
    Criterion(
        id="rfc9743.7.8.release",
        section="rfc9743.7.8",
        runs="Datagrams that took three quarters of 20 Mbit/s stop after 20 s.",
        number="utilization of the bottleneck from 25 s to 45 s",
        why="0.7: a window that grows by a packet per RTT of 40 ms finds the free 15 Mbit/s within "
        "2 s.",
        scenario=lambda s: bottleneck(
            of(s),
            datagrams("15 Mbps", stop="20 s"),
            seconds=45,
            warmup=25,
            rate="20 Mbps",
        ),
        measure=utilization,
        least=0.7,
    ),
    Criterion(
        id="rfc9743.7.8.outage",
        section="rfc9743.7.8",
        runs="One flow on 10 Mbit/s; the link is down for 2 s, four times.",
        number="utilization of what the link can carry",
        why="Timers that double wait at most as long again as an outage lasted: 2 of each 10 s, or "
        "0.75 of what is left.",
        scenario=lambda s: bottleneck(
            of(s),
            seconds=50,
            service={"kind": "outage", "at": [["12 s", "2 s"]], "period": "10 s"},
        ),
        measure=utilization,
        least=0.7,
    ),
    Criterion(
        id="rfc9743.7.9.slower",
        section="rfc9743.7.9",
        runs="After 20 s the path changes from 20 Mbit/s to 4 Mbit/s and is longer by 40 ms.",
        number="packets that the queue drops, in % of those that arrive",
        why="Above 5 % the algorithm has kept the old rate for several round trips.",
        scenario=lambda s: bottleneck(
            of(s),
            seconds=60,
            rate="20 Mbps",
            service={"kind": "handoff", "handoffs": [["20 s", "10 ms", "4 Mbps", "40 ms"]]},
        ),
        measure=loss,
        most=5.0,
        unit="%",
    ),
    Criterion(
        id="rfc9743.7.9.faster",
        section="rfc9743.7.9",
        runs="After 20 s the path changes from 4 Mbit/s to 20 Mbit/s and is longer by 40 ms.",
        number="utilization of the bottleneck from 40 s to 80 s",
        why="0.7: 20 s are 250 round trips, in which a packet per RTT makes more than the new "
        "product of 133 packets.",
        scenario=lambda s: bottleneck(
            of(s),
            seconds=80,
            warmup=40,
            rate="4 Mbps",
            limit="130 pkt",
            service={"kind": "handoff", "handoffs": [["20 s", "10 ms", "20 Mbps", "40 ms"]]},
        ),
        measure=utilization,
        least=0.7,
    ),
    described(
        "rfc9743.7.10",
        "paths",
        "a connection of Dumbbell has one path: it has no multipath transport",
    ),
    Criterion(
        id="rfc9743.7.11.use",
        section="rfc9743.7.11",
        runs="Eight flows on 1 Gbit/s with a base RTT of 0.2 ms, a switch with room for 200 "
        "packets that marks above 65 packets, and timers of at least 5 ms.",
        number="utilization of the bottleneck",
        why="0.9: the buffer is eight times the bandwidth-delay product.",
        scenario=_data_center,
        measure=utilization,
        least=0.9,
    ),
    Criterion(
        id="rfc9743.7.11.loss",
        section="rfc9743.7.11",
        runs="The same network.",
        number="packets that the switch drops, in % of those that arrive",
        why="With marks a flow need not lose packets after its start; 1 % allows for the start.",
        scenario=_data_center,
        measure=loss,
        most=1.0,
        unit="%",
    ),
)
