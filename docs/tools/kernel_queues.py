"""Compares queues with the kernel's own, packet by packet, and writes the tables of
docs/explanation/kernel-queues.md.

    python docs/tools/kernel_queues.py         # needs `dumbbell linux build`; two minutes

Each case sends one table of arrivals through our queue and through the kernel's, over the same
link.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import dumbbell

PAGE = Path(__file__).resolve().parents[1] / "explanation" / "kernel-queues.md"
RATE = "10 Mbps"
Columns = dict[str, Any]
Row = tuple[str, int | None]
"""A packet's verdict, and when its last bit left."""


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


PATTERNS: dict[str, Callable[[], Columns]] = {
    "overload": overload,
    "bursts": bursts,
    "Poisson": poisson,
    "overload, ECN": lambda: overload("ect0"),
    "overload, half ECN": mixed_ecn,
    "Poisson, ECN": lambda: poisson("ect0"),
}


@dataclass(frozen=True)
class Case:
    """A queue and a pattern of arrivals."""

    kind: str
    """The kernel's name of the queue."""
    queue: dict[str, Any]
    patterns: tuple[str, ...] = ("overload", "bursts", "Poisson")
    link: dict[str, Any] = field(default_factory=dict)


def _table(case: Case, pattern: str, seed: int, on: Any) -> Any:
    parameters = {key: value for key, value in case.queue.items() if key != "kind"}
    return dumbbell.drive(
        case.queue["kind"],
        parameters,
        arrivals=PATTERNS[pattern](),
        rate=RATE,
        mtu="1500 B",
        seed=seed,
        on=on,
        **case.link,
    )


def fates(case: Case, pattern: str, on: str, seed: int = 1) -> list[Row]:
    """The verdict about each packet, and when it left."""
    table = _table(case, pattern, seed, on)
    return list(zip(table.column("verdict"), table.column("left_ps"), strict=True))


@dataclass(frozen=True)
class Compared:
    """What became of the packets of a case, in our queue and in the kernel's."""

    ours: list[Row]
    kernel: list[Row]

    @property
    def first(self) -> int | None:
        """The first packet that fared otherwise; None: all fared alike."""
        pairs = enumerate(zip(self.ours, self.kernel, strict=True))
        return next((i for i, (a, b) in pairs if a != b), None)

    def count(self, verdict: str) -> tuple[int, int]:
        """Packets with this verdict: ours, the kernel's."""
        ours, kernel = ([v for v, _ in side].count(verdict) for side in (self.ours, self.kernel))
        return ours, kernel


def compared(case: Case, pattern: str) -> Compared:
    """Runs a case on both."""
    return Compared(fates(case, pattern, "sim"), fates(case, pattern, "linux"))


LINUX_RED = {
    "kind": "red",
    "limit": "90000 B",
    "min_th": "5 pkt",
    "w_q": 0.0625,
    "byte_mode": True,
    "mean_packet_size": "1000 B",
    "gentle": False,
    "spacing": "uniform_stored",
    "idle_style": "paper",
    "idle_fraction": "real",
    "min_q_for_drop": "0 pkt",
}
"""RED as Linux has it."""

EXACT = (
    Case("pfifo", {"kind": "drop_tail", "limit": "40 pkt"}),
    Case("bfifo", {"kind": "drop_tail", "limit": "30000 B"}),
    Case("pfifo_head_drop", {"kind": "drop_tail", "limit": "40 pkt", "victim": "front"}),
    Case(
        "red, forced drops only",
        LINUX_RED | {"max_th": "15 pkt", "max_p": 1e-5},
        ("overload", "Poisson"),
    ),
    Case("sfq, one flow", {"kind": "sfq", "limit": "60 pkt", "perturb": "0 s"}, ("overload",)),
)
"""Every packet fares alike."""

CODEL = {"limit": "200 pkt", "inverse_root": "newton16"}
PARTED = (
    Case("codel", {"kind": "codel"} | CODEL, ("overload", "Poisson")),
    Case("codel ecn", {"kind": "codel", "ecn": True} | CODEL, ("overload, ECN", "Poisson, ECN")),
    Case("fq_codel", {"kind": "fq_codel", "limit": "200 pkt"}, ("overload", "Poisson")),
    Case("sfq", {"kind": "sfq", "limit": "60 pkt", "perturb": "0 s"}, ("Poisson",)),
    Case("red, forced drops only", LINUX_RED | {"max_th": "15 pkt", "max_p": 1e-5}, ("bursts",)),
    Case(
        "tbf",
        {"kind": "drop_tail", "limit": "40 pkt"},
        ("overload", "Poisson"),
        {"conditioner": {"kind": "tbf", "rate": "8 Mbps", "burst": "3000 B", "limit": "30000 B"}},
    ),
)
"""Packets fare alike up to one that the page explains."""

RANDOM = (
    Case("red", LINUX_RED | {"max_th": "30 pkt", "max_p": 0.1}, ("Poisson",)),
    Case("pie", {"kind": "pie", "limit": "200 pkt"}, ("Poisson",)),
    Case(
        "choke",
        {"kind": "choke", "limit": "80 pkt", "min_th": "10 pkt", "max_th": "30 pkt"},
        ("Poisson",),
    ),
    Case("sfb", {"kind": "sfb", "limit": "200 pkt", "ecn": True}, ("Poisson",)),
)
"""Chance decides; numbers of drops agree."""


def drops(case: Case, pattern: str, on: str, seeds: range) -> list[int]:
    """Drops under each seed."""
    return [[v for v, _ in fates(case, pattern, on, seed)].count("drop") for seed in seeds]


def distance(ours: Sequence[int], kernel: Sequence[int]) -> float:
    """By how many standard errors of their difference two means differ; the spread is ours."""
    return abs(mean(ours) - mean(kernel)) / (stdev(ours) * (1 / len(ours) + 1 / len(kernel)) ** 0.5)


def _pairs(cases: Sequence[Case]) -> Iterator[tuple[Case, str]]:
    return ((case, pattern) for case in cases for pattern in case.patterns)


def _compared_rows() -> Iterator[list[str]]:
    for case, pattern in _pairs(EXACT + PARTED):
        found = compared(case, pattern)
        first = "none" if found.first is None else str(found.first)
        counts = ["{} / {}".format(*found.count(verdict)) for verdict in ("drop", "mark")]
        yield [case.kind, pattern, str(len(found.ours)), first, *counts]


def _random_rows() -> Iterator[list[str]]:
    for case, pattern in _pairs(RANDOM):
        ours, kernel = (
            drops(case, pattern, on, seeds)
            for on, seeds in (("sim", range(1, 31)), ("linux", range(1, 6)))
        )
        spread = f"{mean(ours):.0f} ± {stdev(ours):.0f}"
        yield [case.kind, pattern, spread, f"{mean(kernel):.0f}", f"{distance(ours, kernel):.1f}"]


def _put(text: str, name: str, head: list[str], rows: Iterator[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    begin, end = f"<!-- measured: {name} -->", "<!-- end measured -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    return pattern.sub(lambda _: f"{begin}\n{table}\n{end}", text)


def main() -> None:
    """Measures, and writes the page."""
    text = PAGE.read_text(encoding="utf-8")
    head = ["queue", "arrivals", "packets", "first that differs", "drops", "marks"]
    text = _put(text, "packets", head, _compared_rows())
    head = ["queue", "arrivals", "drops, ours", "the kernel's", "standard errors"]
    text = _put(text, "laws", head, _random_rows())
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
