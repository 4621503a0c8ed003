"""The basic set of draft-irtf-iccrg-tcpeval-01: six link types, each at three loads.

The draft's Tmix traces are gone from their only address. The traffic here is a Poisson process of
transfers of log-normal size on the draft's nine pairs of hosts, with the draft's loads.
"""

from __future__ import annotations

from typing import Any

from ..criterion import Criterion, Tables
from ..measures import loss, utilization, wait
from ..subject import Subject

LOADS = {"60": 0.6, "85": 0.85, "110": 1.1}
"""Offered loads of section 4.2, by their name."""
RTTS_MS = (4, 28, 54, 74, 98, 124, 150, 174, 200)
"""Round-trip times of the nine pairs, table 1."""
_FABRIC_MS = (0.04, 0.04, 0.22, 0.22, 0.22, 0.22, 0.4, 0.4, 0.4)
"""Those of the data center: links of 10 us and 100 us."""
_ARQ = {"kind": "arq", "loss": 0.1, "turnaround": "1 ms", "limit": 7}

LINKS: dict[str, dict[str, Any]] = {
    "data-center": {
        "section": "4.4.1",
        "wire": {"rate": "1 Gbps", "delay": "1 us"},
        "limit": "10 ms",
        "rtts": _FABRIC_MS,
        "extra": 0.0,
        "seconds": 10.0,
        "size": "100 kB",
    },
    "access": {
        "section": "4.4.2",
        "wire": {"rate": "100 Mbps", "delay": "2 ms"},
        "limit": "100 ms",
        "rtts": RTTS_MS,
        "extra": 4.0,
        "seconds": 60.0,
        "size": "100 kB",
    },
    "trans-oceanic": {
        "section": "4.4.3",
        "wire": {"rate": "1 Gbps", "delay": "65 ms"},
        "limit": "100 ms",
        "rtts": RTTS_MS,
        "extra": 130.0,
        "seconds": 20.0,
        "size": "500 kB",
    },
    "satellite": {
        "section": "4.4.4",
        "wire": {
            "rate": "40 Mbps",
            "delay": "300 ms",
            "reverse": {"rate": "4 Mbps"},
        },
        "limit": "100 ms",
        "rtts": RTTS_MS,
        "extra": 600.0,
        "seconds": 200.0,
        "size": "100 kB",
    },
    "wireless": {
        "section": "4.4.5",
        "wire": {"rate": "6 Mbps", "delay": "2 ms", "service": _ARQ},
        "limit": "100 ms",
        "rtts": RTTS_MS,
        "extra": 4.0,
        "seconds": 200.0,
        "size": "50 kB",
    },
    "dial-up": {
        "section": "4.4.6",
        "wire": {"rate": "64 kbps", "delay": "5 ms"},
        "limit": "1250 ms",
        "rtts": RTTS_MS,
        "extra": 10.0,
        "seconds": 2000.0,
        "size": "10 kB",
    },
}
"""The links of section 4.4: the wire, the buffer, the round-trip times of the edges and what the
central link adds to them [ms], the length of a run, and the mean size of a transfer."""

_WHY = {
    "use": "The draft collects the metric and sets no bound. Here: no worse than Reno, less a "
    "tenth.",
    "loss": "The same: at most twice what Reno loses; half a percent is added to both.",
    "wait": "The same: at most half as much again as with Reno; 1 ms is added to both.",
}


def _scenario(subject: Subject, link: dict[str, Any], load: float) -> Tables:
    seconds = link["seconds"]
    sessions = [
        {
            "name": f"pair{i + 1}",
            "cc": subject.table(),
            "load": round(load / len(link["rtts"]), 6),
            "size": {"kind": "log_normal", "mean": link["size"], "sigma": 1.5},
            "rtt": f"{rtt + link['extra']:g} ms",
        }
        for i, rtt in enumerate(link["rtts"])
    ]
    return {
        "duration": f"{seconds:g} s",
        "warmup": f"{seconds / 4:g} s",
        "dumbbell": {
            "bottleneck": link["wire"],
            "access": {"rate": "1 Gbps", "delay": "1 us"},
        },
        "queue": {"kind": "drop_tail", "limit": link["limit"]},
        "session": sessions,
    }


def _criteria(name: str, load: str) -> list[Criterion]:
    link = LINKS[name]
    section = f"tcpeval.{link['section']}"
    runs = (
        f"Transfers of {link['size']} on average on nine pairs of hosts, {load} % of the {name} "
        "link, all of the algorithm."
    )

    def build(subject: Subject) -> Tables:
        return _scenario(subject, link, LOADS[load])

    shared: dict[str, Any] = {
        "section": section,
        "runs": runs,
        "scenario": build,
        "against": "sack",
        "quick": load == "85",
    }
    return [
        Criterion(
            id=f"{section}.{load}.use",
            number="utilization of the central link",
            why=_WHY["use"],
            measure=utilization,
            least=0.9,
            **shared,
        ),
        Criterion(
            id=f"{section}.{load}.loss",
            number="packets that the central queue drops, in %, plus 0.5",
            why=_WHY["loss"],
            measure=lambda run: loss(run) + 0.5,
            most=2.0,
            **shared,
        ),
        Criterion(
            id=f"{section}.{load}.wait",
            number="mean time in the central queue, plus 1 ms",
            why=_WHY["wait"],
            measure=lambda run: wait(run) + 1.0,
            most=1.5,
            **shared,
        ),
    ]


CRITERIA = tuple(c for name in LINKS for load in LOADS for c in _criteria(name, load))
