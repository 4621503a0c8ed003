"""Compares queues with the kernel's own, packet by packet, and writes the tables of
docs/explanation/kernel-queues.md.

    python docs/tools/kernel_queues.py         # needs `dumbbell linux build`; four minutes

Each case sends one table of arrivals through our queue and through the kernel's, over the same
link.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import dumbbell
from parts.arrivals import PATTERNS, RATE, poisson
from parts.kernel_cake import SHAPED, TINS, shaper_lateness_ns, tin_counts

PAGE = Path(__file__).resolve().parents[1] / "explanation" / "kernel-queues.md"
Row = tuple[str, int | None]
"""A packet's verdict, and when its last bit left."""


@dataclass(frozen=True)
class Case:
    """A queue and a pattern of arrivals."""

    kind: str
    """The kernel's name of the queue."""
    queue: dict[str, Any]
    patterns: tuple[str, ...] = ("overload", "bursts", "Poisson")
    link: dict[str, Any] = field(default_factory=dict)
    tc: tuple[str, ...] = ()
    """The kernel's queue in tc's words; none: the counterpart of ours."""
    drops: bool = True
    """False: there is room for every packet."""


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
        tc=case.tc if on == "linux" else (),
        **(case.link if on == "sim" or not case.tc else {}),
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
    Case(
        "fq",
        {"kind": "fq", "limit": "9000 pkt"},
        ("backlog",),
        tc=("fq limit 9000 flow_limit 9000 quantum 1514 initial_quantum 1514 nopacing",),
        drops=False,
    ),
)
"""Every packet fares alike."""


def _bucket(burst: str) -> dict[str, Any]:
    return {"conditioner": {"kind": "tbf", "rate": "8 Mbps", "burst": burst, "limit": "30000 B"}}


# A class of htb sends while it has any token, so its bucket is one packet deeper than it says.
HTB = ("htb default 1", "class htb rate 8mbit burst 3000 quantum 1500", "bfifo limit 30000")
CAKE = "cake unlimited besteffort {} raw rtt 100ms memlimit 4mb"
"""CAKE without its shaper, its tins and its counting of other layers' bytes."""
COBALT = Case(
    "cake flowblind",
    {"kind": "cobalt", "limit": "2000 pkt", "ecn": True, "inverse_root": "newton16"},
    ("overload", "Poisson", "overload, ECN"),
    tc=(CAKE.format("flowblind"),),
)

CODEL = {"limit": "200 pkt", "inverse_root": "newton16"}
PARTED = (
    Case("codel", {"kind": "codel"} | CODEL, ("overload", "Poisson")),
    Case("codel ecn", {"kind": "codel", "ecn": True} | CODEL, ("overload, ECN", "Poisson, ECN")),
    Case("fq_codel", {"kind": "fq_codel", "limit": "200 pkt"}, ("overload", "Poisson")),
    Case("sfq", {"kind": "sfq", "limit": "60 pkt", "perturb": "0 s"}, ("Poisson",)),
    Case("red, forced drops only", LINUX_RED | {"max_th": "15 pkt", "max_p": 1e-5}, ("bursts",)),
    Case(
        "tbf", {"kind": "drop_tail", "limit": "40 pkt"}, ("overload", "Poisson"), _bucket("3000 B")
    ),
    Case(
        "htb",
        {"kind": "drop_tail", "limit": "40 pkt"},
        ("overload", "Poisson"),
        _bucket("4500 B"),
        HTB,
    ),
    Case(
        "fq",
        {"kind": "fq", "limit": "9000 pkt"},
        ("Poisson",),
        tc=("fq limit 9000 flow_limit 9000 quantum 1514 initial_quantum 1514 nopacing",),
        drops=False,
    ),
    COBALT,
    Case(
        "cake flows",
        {"kind": "fq_cobalt", "limit": "2000 pkt"},
        ("Poisson",),
        tc=(CAKE.format("flows"),),
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
    Case("fq_pie", {"kind": "fq_pie", "limit": "200 pkt"}, ("Poisson",)),
    Case(
        "netem loss",
        {"kind": "drop_tail", "limit": "9000 pkt"},
        ("Poisson",),
        {"impairment": [{"kind": "bernoulli", "loss": 0.05}]},
        ("netem limit 9000 loss random 5%",),
    ),
    Case(
        "netem loss gemodel",
        {"kind": "drop_tail", "limit": "9000 pkt"},
        ("Poisson",),
        {
            "impairment": [
                {
                    "kind": "gilbert_elliott",
                    "to_bad": 0.01,
                    "to_good": 0.2,
                    "loss_bad": 0.9,
                    "loss_good": 0.002,
                }
            ]
        },
        ("netem limit 9000 loss gemodel 1% 20% 90% 0.2%",),
    ),
)
"""Chance decides; numbers of drops agree."""


def drops(case: Case, pattern: str, on: str, seeds: range) -> list[int]:
    """Packets that did not arrive under each seed."""
    tables = (_table(case, pattern, seed, on) for seed in seeds)
    return [list(table.column("arrived_ps")).count(None) for table in tables]


def signal_gaps(side: Sequence[Row]) -> list[int]:
    """Packets from each drop or mark to the next."""
    signals = [i for i, (verdict, _) in enumerate(side) if verdict != "pass"]
    return [later - earlier for earlier, later in itertools.pairwise(signals)]


TIMED = ("delay", "rate")
"""What netem does to time, and to nothing else."""


def lateness_ns(what: str) -> tuple[float, float]:
    """How much later than here a packet leaves the kernel's link behind netem, at least and at
    most."""
    arrivals = poisson()
    unlimited = {"limit": "9000 pkt"}

    def through(times: Any, rate: str, delay: str, on: Any = "sim", tc: Any = ()) -> Any:
        columns = {"time_ps": times, "bytes": arrivals["bytes"]}
        link = {"rate": rate, "delay": delay, "mtu": "1500 B", "on": on, "tc": tc}
        return dumbbell.drive("drop_tail", unlimited, arrivals=columns, **link)

    begin = arrivals["time_ps"]
    if what == "delay":
        # A link that delays before it queues, and one that delays after, are as long.
        ours = through(begin, RATE, "5 ms").column("arrived_ps")
        words = "netem limit 9000 delay 5ms"
    else:
        slow = through(begin, "8 Mbps", "0 s").column("left_ps")
        ours = through(slow, RATE, "0 s").column("left_ps")
        words = "netem limit 9000 rate 8mbit"
    kernel = through(begin, RATE, "0 s", "linux", (words,)).column("left_ps")
    late = [(b - a) / 1000 for a, b in zip(ours, kernel, strict=True)]
    return min(late), max(late)


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


def _timed_rows() -> Iterator[list[str]]:
    for what in TIMED:
        least, most = lateness_ns(what)
        yield [f"netem {what}", f"{least:.0f} to {most:.0f} ns"]


def _shaped_rows() -> Iterator[list[str]]:
    for what in SHAPED:
        least, most = shaper_lateness_ns(what)
        yield [what, f"{least:.0f} to {most:.0f} ns"]


def _tin_rows() -> Iterator[list[str]]:
    for names in TINS:
        sides = ("sim", "linux")
        counts = [" : ".join(map(str, tin_counts(names, on).values())) for on in sides]
        yield [", ".join(names), *counts]


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
    text = _put(text, "instants", ["queue", "later than here by"], _timed_rows())
    text = _put(text, "shaper", ["queue", "later than here by"], _shaped_rows())
    text = _put(text, "tins", ["tins", "packets, ours", "the kernel's"], _tin_rows())
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
