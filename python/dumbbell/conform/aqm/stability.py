"""RFC 7928, sections 7 and 8: bursts, levels of congestion, changing capacity."""

from __future__ import annotations

from typing import Any

from ..criterion import Criterion, Tables, described
from ..measures import completion, delay, lost
from ..network import datagrams
from ..subject import Subject
from .link import BASELINE, RTT, S_PKT, compared, link, reno

LEVELS = {"mild": 0.036, "medium": 0.081, "heavy": 0.114}
"""Flows of a level of congestion, for each packet of S (8.2.2 to 8.2.4)."""
_SECTIONS = {"mild": "8.2.2", "medium": "8.2.3", "heavy": "8.2.4"}
_CASES = {"I": (False, False), "II": (False, True), "III": (True, False), "IV": (True, True)}
"""The cases of figure 2: whether there are video and a bulk flow."""


def flows_of(level: str) -> int:
    """The number of flows of a level of congestion."""
    return round(LEVELS[level] * S_PKT)


def web(name: str = "short", arrivals: str = "2/s", **keys: Any) -> dict[str, Any]:
    """Objects of a page, with an initial window of 10."""
    return {
        "name": name,
        "cc": "sack",
        "arrivals": arrivals,
        "size": {"kind": "bounded_pareto", "shape": 1.2, "min": "1 kB", "max": "200 kB"},
        "rtt": RTT,
        **keys,
    }


def _burst(subject: Subject, video: bool, bulk: bool) -> Tables:
    """A case of figure 2: web objects and a constant rate, perhaps bursts of frames and a bulk
    flow."""
    every = [datagrams("1 Mbps", "cbr", rtt=RTT)]
    if video:
        frames = {
            "kind": "on_off",
            "distribution": "constant",
            "on_mean": "5 ms",
            "off_mean": "35 ms",
            "rate": "24 Mbps",
            "packet": "1400 B",
        }
        every.append({"name": "video", "source": frames, "rtt": RTT, "start_spread": "40 ms"})
    if bulk:
        every.append(reno("bulk"))
    return link(subject, *every, sessions=[web(arrivals="8/s", stop="55 s")])


def _phases(subject: Subject) -> Tables:
    """Mild, medium and heavy congestion in turn, 20 s each."""
    mild, medium, heavy = (flows_of(level) for level in LEVELS)
    return link(
        subject,
        reno("mild", count=mild),
        reno("medium", count=medium - mild, start="20 s"),
        reno("heavy", count=heavy - medium, start="40 s"),
        seconds=60,
        warmup=5,
    )


def _varied(subject: Subject, half: str, period: str, seconds: float) -> Tables:
    """A link whose rate falls to a tenth and rises again."""
    steps = [["0 s", "20 Mbps"], [half, "2 Mbps"]]
    return link(
        subject,
        reno(count=5),
        rate=None,
        service={"kind": "steps", "steps": steps, "period": period},
        seconds=seconds,
        limit="170 pkt",
    )


def _bursts(case: str) -> tuple[Criterion, ...]:
    video, bulk = _CASES[case]
    section = "rfc7928.7"
    also = ", ".join(["video frames of 10 packets"] * video + ["a bulk NewReno flow"] * bulk)
    runs = (
        "Web objects with an initial window of 10 and 1 Mbit/s in datagrams on 10 Mbit/s"
        f"{' with ' + also if also else ''} (case {case})."
    )

    def build(subject: Subject) -> Tables:
        return _burst(subject, video, bulk)

    found = [
        Criterion(
            id=f"{section}.{case}.web",
            section=section,
            runs=runs,
            number="mean completion time of the web objects",
            why="Drops in bursts must not make the objects later than with tail drop; 5 % for the "
            "random draws of both.",
            scenario=build,
            measure=completion(),
            against=BASELINE,
            most=1.05,
        ),
        Criterion(
            id=f"{section}.{case}.cbr",
            section=section,
            runs=runs,
            number="95th percentile of the one-way delay of the datagrams",
            why="No later than with tail drop, with 5 % for the random draws of both.",
            scenario=build,
            measure=delay("cbr"),
            against=BASELINE,
            most=1.05,
        ),
    ]
    if video:
        found.append(
            Criterion(
                id=f"{section}.{case}.video",
                section=section,
                runs=runs,
                number="packets of the video that are lost, in %",
                why="Our choice: ten packets in 5 ms fit into the buffer, and no decoder hides "
                "a loss of 5 %.",
                scenario=build,
                measure=lost("video"),
                most=5.0,
                unit="%",
            )
        )
    return tuple(found)


CRITERIA = (
    *(one for case in _CASES for one in _bursts(case)),
    *(
        one
        for level in LEVELS
        for one in compared(
            _SECTIONS[level],
            f"{flows_of(level)} NewReno flows on 10 Mbit/s with a base RTT of 100 ms.",
            lambda s, level=level: link(s, reno(count=flows_of(level))),  # type: ignore[misc]
        )
    ),
    *compared(
        "8.2.5",
        "6, 13 and 19 NewReno flows for 20 s each.",
        _phases,
    ),
    *compared(
        "8.2.6",
        "Five NewReno flows; the rate changes between 20 and 2 Mbit/s every 20 s (a fifth of the "
        "section's rates).",
        lambda s: _varied(s, "20 s", "40 s", 100),
        part="slow",
    ),
    *compared(
        "8.2.6",
        "Five NewReno flows; the rate changes between 20 and 2 Mbit/s every 100 ms (a fifth of the "
        "section's rates).",
        lambda s: _varied(s, "100 ms", "200 ms", 60),
        part="fast",
    ),
    described(
        "rfc7928.8.3",
        "analysis",
        "the section asks for an analysis of the control law in the queue's document",
    ),
)
