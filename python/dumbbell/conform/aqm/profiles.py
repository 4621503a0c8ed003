"""RFC 7928, sections 9 to 12: mixes of traffic, both directions, several queues, costs, tuning."""

from __future__ import annotations

from typing import Any

from ..criterion import Criterion, Run, Tables, described
from ..measures import delay, queue
from ..network import datagrams
from ..subject import Subject
from .link import BASELINE, RTT, compared, link, reno, under_test
from .stability import flows_of, web


def _mix(subject: Subject) -> Tables:
    """The mix of section 9.1: voice, web, a constant rate, adaptive video, five bulk flows."""
    voice = {"kind": "voip", "codec": "g711"}
    return link(
        subject,
        {"name": "voice", "source": voice, "rtt": RTT, "start_spread": "20 ms"},
        {"name": "back", "source": voice, "rtt": RTT, "direction": "reverse"},
        datagrams("1 Mbps", "cbr", rtt=RTT),
        {"name": "video", "source": "video", "cc": "sack", "rtt": RTT, "start_spread": "1 s"},
        reno("bulk", count=5),
        sessions=[web(arrivals="6/s", stop="55 s")],
    )


def _both_ways(subject: Subject) -> Tables:
    """Mild congestion in both directions."""
    made = link(
        subject,
        reno("down", count=flows_of("mild")),
        reno("up", count=flows_of("mild"), direction="reverse"),
    )
    made["queue_reverse"] = dict(made["queue"])
    return made


def _two(subject: Subject) -> Tables:
    """The topology of figure 3: a queue at each of two routers."""
    half = flows_of("mild") // 2
    a: dict[str, Any] = {"path": [0, 2], "count": half}
    b: dict[str, Any] = {"path": [1, 2], "count": half}
    return {
        "duration": "60 s",
        "warmup": "20 s",
        "parking_lot": {"hops": 2, "bottleneck": {"rate": "10 Mbps", "delay": "5 ms"}},
        "queue": {"limit": "1 BDP", **under_test(subject)},
        "flow": [reno("a", **a), reno("b", **b)],
    }


def _waits(run: Run) -> float:
    """The mean time in both queues together [ms]."""
    return 1e3 * sum(float(queue(run, name)["mean_sojourn_s"] or 0.0) for name in ("hop1", "hop2"))


def _scaled(rate: str) -> tuple[Criterion, ...]:
    return compared(
        "12",
        f"Four NewReno flows on {rate} with the queue's default parameters.",
        lambda s: link(s, reno(count=4), rate=rate),
        part=rate.replace(" ", "").lower(),
    )


CRITERIA = (
    *compared(
        "9.1",
        "One voice call in each direction, web objects, 1 Mbit/s in datagrams, an adaptive video "
        "and five bulk NewReno flows.",
        _mix,
    ),
    Criterion(
        id="rfc7928.9.1.voice",
        section="rfc7928.9.1",
        runs="The same network.",
        number="95th percentile of the one-way delay of the voice call",
        why="Below that with tail drop: voice is what a shorter queue is for.",
        scenario=_mix,
        measure=delay("voice"),
        against=BASELINE,
        most=0.95,
    ),
    *compared(
        "9.2",
        "Six NewReno flows in each direction; the queue in both.",
        _both_ways,
    ),
    Criterion(
        id="rfc7928.10.wait",
        section="rfc7928.10",
        runs="Two links of 10 Mbit/s, each with the queue; three NewReno flows over both, three "
        "over the second.",
        number="mean time in the two queues together, plus 0.5 ms",
        why="As for one queue: at most three quarters of the delay of tail drop.",
        scenario=_two,
        measure=lambda run: _waits(run) + 0.5,
        against=BASELINE,
        most=0.75,
    ),
    Criterion(
        id="rfc7928.10.use",
        section="rfc7928.10",
        runs="The same network.",
        number="utilization of the second link",
        why="As for one queue: at least 0.9 of that with tail drop.",
        scenario=_two,
        measure=lambda run: float(queue(run, "hop2")["utilization"]),
        against=BASELINE,
        least=0.9,
    ),
    described(
        "rfc7928.11",
        "cost",
        "the section asks for pseudo-code; `dumbbell explain` has equations and cost of each queue",
    ),
    *_scaled("2 Mbps"),
    *_scaled("50 Mbps"),
)
