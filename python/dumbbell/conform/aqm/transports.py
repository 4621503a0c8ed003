"""RFC 7928, sections 4 to 6: packet sizes, ECN, kinds of transport, round-trip times."""

from __future__ import annotations

from ..criterion import Criterion, Run, Tables, described
from ..measures import completion, flows, goodput, jain, late_wait, queue, utilization, wait
from ..network import datagrams, flow
from ..subject import Subject
from .link import BASELINE, RTT, compared, link, reno


def marks(subject: Subject) -> str | None:
    """Why the support of ECN cannot be examined."""
    return None if "ecn" in subject.parameters else f"{subject.name} does not mark packets"


def _sizes(subject: Subject) -> Tables:
    """Four Poisson sources, two with small packets, at 1.2 times the link's rate."""
    source = {"kind": "poisson", "rate": "3 Mbps"}
    every = [
        {"name": f"{name}.{i}", "source": {**source, "packet": size}, "rtt": RTT}
        for name, size in (("small", "472 B"), ("large", "1472 B"))
        for i in (1, 2)
    ]
    return link(subject, *every, limit="100 pkt")


def _bias(run: Run) -> float:
    """The share of small packets that is delivered over that of large ones."""

    def share(name: str) -> float:
        every = flows(run, name)
        sent = sum(f["sent_packets"] for f in every)
        return sum(f["delivered_packets"] for f in every) / sent if sent else 0.0

    return share("small") / share("large") if share("large") else 0.0


def _marked(run: Run) -> float:
    """The share of marks in all signals; 1 without any signal."""
    one = queue(run)
    signals = one["marks"] + sum(one["drops"].values())
    return one["marks"] / signals if signals else 1.0


def _ecn(subject: Subject) -> Tables:
    return link(subject, reno(count=2, tcp={"ecn": "rfc3168"}), ecn=True, limit="2 BDP")


def _windows(subject: Subject) -> Tables:
    size = {"name": "short", "cc": "sack", "arrivals": "1/s", "size": "75 kB", "rtt": RTT}
    return link(subject, reno(), sessions=[{**size, "start": "15 s", "stop": "55 s"}])


CRITERIA = (
    Criterion(
        id="rfc7928.4.4.small",
        section="rfc7928.4.4",
        runs="Datagrams of 500 B and of 1500 B, two Poisson sources each, at 1.2 times the rate of "
        "10 Mbit/s, with room for 100 packets.",
        number="share of small packets that is delivered, divided by that of large ones",
        why="RFC 7141: a packet's size must not decide. A tail-drop queue in packets gives 1; 1.25 "
        "would be a reason to send smaller packets.",
        scenario=_sizes,
        measure=_bias,
        most=1.25,
    ),
    Criterion(
        id="rfc7928.4.5.marks",
        section="rfc7928.4.5",
        runs="Two NewReno flows with ECN on 10 Mbit/s, base RTT 100 ms, buffer 2 BDP; the queue "
        "marks.",
        number="share of the signals that are marks, not drops",
        why="RFC 3168, section 7: a queue marks where it would have dropped. Half leaves room for "
        "drops at overload and for the start.",
        scenario=_ecn,
        measure=_marked,
        least=0.5,
        excuse=marks,
    ),
    Criterion(
        id="rfc7928.4.5.wait",
        section="rfc7928.4.5",
        runs="The same network.",
        number="mean time in the queue, plus 0.5 ms",
        why="Marks must keep the queue as drops do: at most three quarters of the delay of tail "
        "drop.",
        scenario=_ecn,
        measure=lambda run: wait(run) + 0.5,
        against=BASELINE,
        most=0.75,
        excuse=marks,
    ),
    Criterion(
        id="rfc7928.4.5.use",
        section="rfc7928.4.5",
        runs="The same network.",
        number="utilization of the bottleneck",
        why="Marks must leave the link as full as drops may: at least 0.9 of tail drop's use.",
        scenario=_ecn,
        measure=utilization,
        against=BASELINE,
        least=0.9,
        excuse=marks,
    ),
    Criterion(
        id="rfc7928.4.5.plain",
        section="rfc7928.4.5",
        runs="The same queue, with flows that are not ECN-capable.",
        number="packets of the flows that come marked",
        why="RFC 3168, section 5: only ECN-capable packets may be marked.",
        scenario=lambda s: link(s, reno(count=2), ecn=True, limit="2 BDP"),
        measure=lambda run: float(sum(q["marks"] for q in run["queues"])),
        most=0.0,
        unit="packets",
        excuse=marks,
    ),
    described("rfc7928.4.6", "text", "the section asks for a discussion in the queue's document"),
    *compared(
        "5.1.1",
        "One NewReno flow on 10 Mbit/s with a base RTT of 100 ms and a buffer of 1 BDP.",
        lambda s: link(s, reno(tcp={"initial_window": "3 pkt"})),
    ),
    Criterion(
        id="rfc7928.5.1.2.short",
        section="rfc7928.5.1.2",
        runs="A long NewReno flow, and transfers of 50 packets with an initial window of 10, one a "
        "second.",
        number="mean completion time of the short transfers",
        why="No slower than with tail drop: the gain in delay must not be lost by drops in bursts.",
        scenario=_windows,
        measure=completion(),
        against=BASELINE,
        most=1.0,
    ),
    *compared(
        "5.2",
        "One CUBIC flow on 10 Mbit/s with a base RTT of 100 ms and a buffer of 1 BDP.",
        lambda s: link(s, flow("cubic", "cubic", rtt=RTT)),
    ),
    Criterion(
        id="rfc7928.5.3.flood",
        section="rfc7928.5.3",
        runs="Datagrams at 12 Mbit/s on 10 Mbit/s: more than the link carries.",
        number="utilization of the bottleneck",
        why="The queue must not drop more than the excess: 0.95 of the link is used.",
        scenario=lambda s: link(s, datagrams("12 Mbps", rtt=RTT)),
        measure=utilization,
        least=0.95,
    ),
    Criterion(
        id="rfc7928.5.3.wait",
        section="rfc7928.5.3",
        runs="Datagrams at 7 Mbit/s and one NewReno flow on 10 Mbit/s.",
        number="mean time in the queue, plus 0.5 ms",
        why="As for responsive traffic: at most three quarters of the delay of tail drop.",
        scenario=lambda s: link(s, reno(), datagrams("7 Mbps", rtt=RTT)),
        measure=lambda run: wait(run) + 0.5,
        against=BASELINE,
        most=0.75,
    ),
    Criterion(
        id="rfc7928.5.3.responsive",
        section="rfc7928.5.3",
        runs="The same network.",
        number="goodput of the NewReno flow",
        why="The responsive flow keeps at least three quarters of what tail drop leaves it.",
        scenario=lambda s: link(s, reno(), datagrams("7 Mbps", rtt=RTT)),
        measure=goodput("reno"),
        against=BASELINE,
        least=0.75,
    ),
    *compared(
        "5.4",
        "One NewReno flow and one LEDBAT flow with a target of 5 ms. (The section's gain of 10 is "
        "beyond RFC 6817, which allows 1.)",
        lambda s: link(
            s,
            reno(),
            flow({"kind": "ledbat", "target": "5 ms", "gain": 1.0}, "background", rtt=RTT),
        ),
    ),
    Criterion(
        id="rfc7928.6.same",
        section="rfc7928.6",
        runs="Two NewReno flows with a base RTT of 100 ms.",
        number="Jain's index of the goodputs from 20 s to 120 s",
        why="The queue must not cause unfairness between like flows; 0.9 is a ratio of two.",
        scenario=lambda s: link(s, reno(count=2), seconds=120),
        measure=jain("reno"),
        least=0.9,
    ),
    *(
        Criterion(
            id=f"rfc7928.6.rtt-{rtt}",
            section="rfc7928.6",
            runs=f"Two NewReno flows, with base RTTs of 100 ms and of {rtt} ms.",
            number="Jain's index of the goodputs from 20 s to 420 s",
            why="At least 0.9 of the index with tail drop: the queue does not make the flows less "
            "equal.",
            scenario=lambda s, rtt=rtt: link(  # type: ignore[misc]
                s, reno("reno.1"), reno("reno.2", rtt=f"{rtt} ms"), seconds=420, delay="1 ms"
            ),
            measure=jain("reno"),
            against=BASELINE,
            least=0.9,
        )
        for rtt in (10, 50, 200, 500)
    ),
    Criterion(
        id="rfc7928.2.tail",
        section="rfc7928.2",
        runs="Four NewReno flows on 10 Mbit/s with a base RTT of 100 ms.",
        number="99th percentile of the time in the queue",
        why="Below that of tail drop, whose queue is full before a flow slows down.",
        scenario=lambda s: link(s, reno(count=4)),
        measure=late_wait,
        against=BASELINE,
        most=0.9,
    ),
)
