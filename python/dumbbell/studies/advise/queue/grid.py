"""The grid: points in the asked ranges, durations of runs, and their scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ....errors import ScenarioError
from ....present.units import significant
from ..words import counts, middle, rates, read_time, times
from .candidates import PACKET
from .question import Question
from .tc_lines import rate as rate_text

MOST_RATE = 200e6
"""A faster link is simulated at this rate [bit/s] with fewer flows, unless it is asked for
otherwise."""

_CYCLES = 5
"""Cycles of the congestion control that a measurement lasts for, as far as `_LONGEST` allows."""
_SHORTEST, _LONGEST = 20.0, 90.0
"""Seconds of a measurement."""
_FEW = 10
"""Packets of a flow in a round trip: with fewer, a congestion control has hardly a window to
halve."""


@dataclass(frozen=True, slots=True)
class Point:
    """One place of the grid: the rate that is asked for and the one that is simulated [bit/s], the
    round-trip times without queues [s] (the two differ: they are mixed), how many flows there are
    and how many are simulated."""

    rate_bps: float
    simulated_bps: float
    rtt_s: tuple[float, float]
    flows: int
    simulated_flows: int

    @property
    def label(self) -> str:
        """In a sentence."""
        return (
            f"{times(self.rtt_s)}{' mixed' if self.mixed else ''}, "
            f"{counts((self.flows, self.flows))}"
        )

    @property
    def mixed(self) -> bool:
        """True if its flows have different round-trip times."""
        return self.rtt_s[0] != self.rtt_s[1]

    @property
    def window(self) -> float:
        """A flow's fair share in its shortest round-trip time [packets]."""
        return self.rate_bps * self.rtt_s[0] / (8 * PACKET) / self.flows

    def cycle(self, cc: str) -> float:
        """Seconds from one loss to the next of a flow that has its share, with a full buffer of a
        bandwidth-delay product: CUBIC's K = cbrt(W (1 - beta) / C) (RFC 9438 section 4.2), else W /
        2 round-trip times (Reno)."""
        rtt = 2 * self.rtt_s[1]
        window = self.simulated_bps * rtt / (8 * PACKET) / self.simulated_flows
        reno = window / 2 * rtt
        return min(reno, (window * 0.3 / 0.4) ** (1 / 3)) if cc == "cubic" else reno

    def times(self, cc: str) -> tuple[float, float]:
        """Duration and warm-up of a run [s], whole seconds."""
        cycle = self.cycle(cc)
        measured = min(max(_CYCLES * cycle, 200 * self.rtt_s[1], _SHORTEST), _LONGEST)
        warmup = math.ceil(max(5.0, min(2 * cycle, _LONGEST / 3)))
        return warmup + math.ceil(measured), warmup

    def changes(self, cc: str, duration: tuple[float, float] | None = None) -> dict[str, object]:
        """The overrides of a scenario."""
        length, warmup = duration or self.times(cc)
        return {
            "dumbbell.bottleneck.rate": rate_text(self.simulated_bps),
            "duration": f"{length:g} s",
            "warmup": f"{warmup:g} s",
            "flow": self._flows(cc),
        }

    def _flows(self, cc: str) -> list[dict[str, object]]:
        low, high = self.rtt_s
        names: tuple[str, ...] = ("all",)
        each = [low]
        if self.mixed:
            names, each = ("near", "middle", "far"), [low, middle((low, high)), high]
        if self.mixed and self.simulated_flows < len(each):
            names, each = ("near", "far"), [low, high]
        shares = [len(range(i, self.simulated_flows, len(each))) for i in range(len(each))]
        tables = zip(names, each, shares, strict=True)
        return [
            {
                "name": name,
                "count": count,
                "cc": cc,
                "rtt": f"{rtt * 1e6:.0f} us",
                "start_spread": "2 s",
            }
            for name, rtt, count in tables
            if count
        ]


def points(question: Question, most_rate: float = MOST_RATE) -> list[Point]:
    """The corners of the ranges; and, with round-trip times mixed within theirs, the middle and the
    largest number of flows. Each once."""
    low, high = question.rtt_s
    few, many = question.flows
    some = round(middle((few, many)))
    found = [((low, low), few), ((low, low), many), ((high, high), few), ((high, high), many)]
    found += [((low, high), n) for n in (some, many) if n > 1]
    all_of_them = [
        _point(rate, rtt, n, most_rate) for rate in question.rate_bps for rtt, n in found
    ]
    return list(dict.fromkeys(all_of_them))


def _point(rate: float, rtt: tuple[float, float], flows: int, most_rate: float) -> Point:
    scale = max(1.0, rate / most_rate)
    least = 2 if rtt[0] != rtt[1] else 1
    return Point(rate, rate / scale, rtt, flows, max(least, round(flows / scale)))


def scale(question: Question, most_rate: float) -> float:
    """By how much the fastest link is slower in the simulation than asked for."""
    return max(1.0, question.rate_bps[1] / most_rate)


def labels(met: Sequence[Point]) -> list[str]:
    """A label of each point; with its rate where rates differ."""
    several = len({point.rate_bps for point in met}) > 1
    return [f"{rates((p.rate_bps, p.rate_bps))}, {p.label}" if several else p.label for p in met]


def thin(met: Sequence[Point]) -> list[Point]:
    """Points at which a flow has few packets in a round trip."""
    return [point for point in met if point.window < _FEW]


def short(met: Sequence[Point], cc: str) -> list[Point]:
    """Points whose runs last for less than `_CYCLES` cycles of the congestion control."""
    return [point for point in met if _CYCLES * point.cycle(cc) > _LONGEST]


def scenario(ecn: bool) -> dict[str, object]:
    """The scenario of all points. The bottleneck has hardly a delay of its own: the flows'
    round-trip times are realized on their access links."""
    return {
        "name": "advice",
        "profile": "linux",
        "duration": "1 s",
        "dumbbell": {
            "bottleneck": {"rate": "1 Mbps", "delay": "10 us"},
            "access": {"rate": "100 Gbps"},
        },
        "queue": {"kind": "drop_tail", "limit": "100 pkt"},
        "tcp": {"ecn": "rfc3168" if ecn else "off"},
        "flow": [{"name": "all"}],
        # Deep buffers and slow averages are candidates, and are judged by what they do. With a
        # deep buffer 10 round-trip times are longer than any warm-up.
        "allow": ["W003", "W005", "W006"],
    }


def check_length(text: str | None) -> tuple[float, float] | None:
    """A run's length that was asked for, a sixth of it warm-up; None for that of each point's
    own."""
    if text is None:
        return None
    try:
        length = read_time(text)
    except ValueError as error:
        raise ScenarioError(f"--time {text}: {error}\nhelp: write --time 60s") from None
    if length <= 0:
        raise ScenarioError(f"--time {text}: a run must be longer than 0\nhelp: write --time 60s")
    return length, float(significant(length / 6, 3))
