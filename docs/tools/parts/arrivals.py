"""Arrivals by which queues are compared: columns for `dumbbell.drive`."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

RATE = "10 Mbps"
"""The link behind the queue."""
Columns = dict[str, Any]


def columns(rows: Sequence[tuple[int, int, str, int]]) -> Columns:
    """Columns of (time in ns, bytes, ECN field, flow)."""
    times, sizes, ecn, flows = zip(*rows, strict=True)
    return {
        "time_ps": [1000 * t for t in times],
        "bytes": list(sizes),
        "ecn": list(ecn),
        "flow": list(flows),
    }


def overload(ecn: str = "not_ect", packets: int = 3000) -> Columns:
    """1500 B each 997.3 us: 12 Mbit/s."""
    return columns([(997_300 * i, 1500, ecn, 0) for i in range(packets)])


def bursts(ecn: str = "not_ect") -> Columns:
    """Each 61.7 ms a burst of 60 packets of 100 to 1500 B, 30 us apart."""
    sizes = random.Random(1)
    return columns(
        [
            (61_700_000 * burst + 30_000 * i, sizes.randrange(100, 1501), ecn, 0)
            for burst in range(40)
            for i in range(60)
        ]
    )


def poisson(ecn: str = "not_ect", flows: int = 2, load: float = 1.1) -> Columns:
    """Flows with Poisson arrivals of 200 to 1500 B that offer 11 Mbit/s together. A quarter comes
    from flow 1."""
    draw = random.Random(2)
    gap_ns = 850 * 800 / load
    rows, now = [], 0
    for _ in range(4000):
        now += 1 + round(draw.expovariate(1 / gap_ns))
        flow = 1 if flows > 1 and draw.random() < 0.25 else 0
        rows.append((now, draw.randrange(200, 1501), ecn, flow))
    return columns(rows)


def mixed_ecn() -> Columns:
    """The overload, in which every second packet is ECN-capable."""
    arrivals = overload()
    arrivals["ecn"] = ["ect0" if i % 2 else "not_ect" for i in range(len(arrivals["time_ps"]))]
    return arrivals


def backlog() -> Columns:
    """Nine packets of as many flows, and while they are sent 1500 packets of four flows: none of
    these flows is empty before the end."""
    draw = random.Random(3)
    rows = [(1000 * i, 1500, "not_ect", 100 + i) for i in range(9)]
    rows += [
        (
            20_000 + 5000 * i,
            draw.randrange(200, 1501),
            "not_ect",
            draw.choice((0, 0, 0, 1, 1, 2, 3)),
        )
        for i in range(1500)
    ]
    return columns(rows)


PATTERNS: dict[str, Callable[[], Columns]] = {
    "overload": overload,
    "bursts": bursts,
    "backlog": backlog,
    "Poisson": poisson,
    "overload, ECN": lambda: overload("ect0"),
    "overload, half ECN": mixed_ecn,
    "Poisson, ECN": lambda: poisson("ect0"),
}
