"""CAKE's shaper and tins here and in the kernel: when packets leave, and of which tin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dumbbell
from parts.arrivals import RATE, Columns, poisson

SHAPED = {
    "cake, 8 Mbit/s": ({}, ""),
    "cake, 8 Mbit/s, overhead 8 atm": ({"overhead": 8, "link_layer": "atm"}, "overhead 8 atm"),
    "cake, 8 Mbit/s, overhead 30 ptm": ({"overhead": 30, "link_layer": "ptm"}, "overhead 30 ptm"),
    "cake, 8 Mbit/s, overhead 38 mpu 256": ({"overhead": 38, "mpu": 256}, "overhead 38 mpu 256"),
}
"""CAKE's shaper with what it adds to lengths."""


def _through_cake(arrivals: Columns, on: Any, tins: str, words: str = "", **ours: Any) -> list[int]:
    """When packets leave CAKE's shaper of 8 Mbit/s; COBALT, set for an hour, does nothing."""
    queue = {
        "limit": "100000 pkt",
        "memory_limit": "100 MB",
        "bandwidth": "8 Mbps",
        "rtt": "3600 s",
        "diffserv": tins,
        "isolation": "flows",
    }
    tc = f"cake bandwidth 8mbit {tins} flows raw {words} rtt 3600s memlimit 100mb"
    link = {"rate": RATE, "mtu": "1500 B", "on": on, "tc": (" ".join(tc.split()),)}
    if on == "sim":
        del link["tc"]
    table = dumbbell.drive("cake", queue | ours, arrivals=arrivals, **link)
    return list(table.column("left_ps"))


def shaper_lateness_ns(what: str) -> tuple[float, float]:
    """How much later than here a packet leaves the kernel's CAKE, at least and at most."""
    ours, words = SHAPED[what]
    arrivals = poisson(flows=1)
    sides = [_through_cake(arrivals, on, "besteffort", words, **ours) for on in ("sim", "linux")]
    late = [(b - a) / 1000 for a, b in zip(*sides, strict=True)]
    return min(late), max(late)


CODEPOINTS = {"voice": 46, "video": 34, "bulk": 8, "rest": 0}


def tin_counts(names: Sequence[str], on: str) -> dict[str, int]:
    """Packets of each tin among the first 1500 that leave, where each of these always has some."""
    packets = 6000
    of = [names[i % len(names)] for i in range(packets)]
    arrivals = {
        "time_ps": [1000 * i for i in range(packets)],
        "bytes": 1000,
        "flow": [i % len(names) for i in range(packets)],
        "dscp": [CODEPOINTS[name] for name in of],
    }
    left = sorted(zip(_through_cake(arrivals, on, "diffserv4"), of, strict=True))[:1500]
    return {name: [tin for _, tin in left].count(name) for name in names}


TINS = (
    ("voice", "video", "bulk", "rest"),
    ("voice", "bulk", "rest"),
    ("bulk", "rest"),
    ("voice", "video"),
)
"""Tins that want more than they may; the last ones leave bandwidth over."""
