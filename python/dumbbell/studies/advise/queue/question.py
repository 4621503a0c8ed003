"""The question of an advice, as the command line spells it:
`--rate 50Mbps --rtt 10..120ms --flows 1..40`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from .... import api
from ....errors import ScenarioError
from ....language.arguments import refused
from ....present.units import plain_rate, prefix, seconds, significant, time_text

OBJECTIVES = ("balanced", "delay", "throughput")
MOST_SEEDS = 10_000
"""Runs of one point."""
MOST_FLOWS = 4096
"""More flows are not simulated."""

T = TypeVar("T", int, float)
Ends = tuple[T, T]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Rates [bit/s], round-trip times without queues [s] and numbers of flows as ranges; the
    congestion control of all flows; whether they are ECN-capable; what is wanted; the largest p99
    queueing delay that is wanted [s], if any."""

    rate_bps: Ends[float]
    rtt_s: Ends[float]
    flows: Ends[int]
    cc: str = "cubic"
    ecn: bool = False
    objective: str = "balanced"
    delay_target_s: float | None = None

    def text(self) -> str:
        """In a sentence."""
        ecn = " with ECN" if self.ecn else ""
        return (
            f"{rates(self.rate_bps)}, round-trip times of {times(self.rtt_s)}, "
            f"{counts(self.flows)} of {self.cc}{ecn}"
        )


def read(
    rate: str, rtt: str, flows: str, cc: str, ecn: bool, objective: str, delay_target: str | None
) -> Question:
    """The question in these words. `ScenarioError` underlines what is wrong, and says what to
    write."""
    if objective not in OBJECTIVES:
        known = f"write one of {', '.join(OBJECTIVES)}"
        raise refused(f"--objective {objective}", objective, "there is no such objective", known)
    target = (
        None if delay_target is None else _ends("--delay-target", delay_target, read_time, "20ms")
    )
    if target is not None and target[0] != target[1]:
        raise refused(
            f"--delay-target {delay_target}",
            delay_target,
            "this is a range",
            "write one time, as in 20ms",
        )
    question = Question(
        rate_bps=_ends("--rate", rate, read_rate, "50Mbps"),
        rtt_s=_ends("--rtt", rtt, read_time, "10..120ms"),
        flows=_ends("--flows", flows, _count, "1..40"),
        cc=cc,
        ecn=ecn,
        objective=objective,
        delay_target_s=None if target is None else target[0],
    )
    _within("--rate", rate, question.rate_bps, 64e3, 1e12, "64kbps to 1Tbps are known here")
    _within("--rtt", rtt, question.rtt_s, 100e-6, 10.0, "100us to 10s are known here")
    _within("--flows", flows, question.flows, 1, MOST_FLOWS, f"1 to {MOST_FLOWS} are known here")
    return question


def one_rate(option: str, text: str) -> float:
    """A single rate [bit/s]."""
    low, high = _ends(option, text, read_rate, "200Mbps")
    if low != high or low < 64e3:
        raise refused(
            f"{option} {text}",
            text,
            "this is not one rate from 64kbps on",
            f"write {option} 200Mbps",
        )
    return low


def _ends(option: str, text: str, read_one: Callable[[str], T], example: str) -> Ends[T]:
    """`LOW..HIGH`, or one value; a low end without a unit has that of the high end."""
    low, dots, high = (part.strip() for part in text.partition(".."))
    if dots and re.fullmatch(r"[0-9.eE+-]+", low):
        unit = re.sub(r"^[0-9.eE+-]+", "", high)
        low += unit
    try:
        ends = (read_one(low), read_one(high if dots else low))
    except ValueError as error:
        fix = f"write {option} {example}"
        raise refused(f"{option} {text}", text, str(error) or "this cannot be read", fix) from None
    if ends[0] > ends[1]:
        raise refused(
            f"{option} {text}", text, "the range runs backwards", f"write {option} {high}..{low}"
        )
    return ends


def _within(option: str, text: str, ends: Ends[T], low: float, high: float, said: str) -> None:
    if not (inside(ends[0], low, high) and inside(ends[1], low, high)):
        raise refused(f"{option} {text}", text, "this is outside of what can be simulated", said)


def inside(value: float, low: float, high: float) -> bool:
    """True if it is between both, the ends and the rounding of units (100 us is not quite 1e-4 s)
    counted in."""
    return low * (1 - 1e-9) <= value <= high * (1 + 1e-9)


def read_rate(text: str) -> float:
    """A rate with its unit [bit/s]. `ValueError` says what is wrong with it."""
    if "mbps" in text:
        raise ValueError("mbps may be megabits or, for tc, megabytes a second: write Mbps")
    found = plain_rate(text)
    if found is None:
        raise ValueError("this is no rate with its unit")
    if found <= 0:
        raise ValueError("a rate must be positive")
    return found


def read_time(text: str) -> float:
    """A time with its unit [s]. `ValueError` says what is wrong with it."""
    parts = re.fullmatch(r"([0-9.eE+-]+?)\s*([a-z]+)", text)
    if parts is None:
        raise ValueError("this is no time with its unit")
    found = seconds(f"{parts[1]} {parts[2]}")
    if found <= 0:
        raise ValueError("a time must be positive")
    return found


def _count(text: str) -> int:
    if re.fullmatch(r"-[0-9]+", text):
        raise ValueError("a number of flows must be positive")
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise ValueError(
            "this is no whole number" if len(text) <= 18 else "this number is too large"
        )
    return int(text)


def rates(ends: Ends[float]) -> str:
    """`50 Mbit/s`, `10 to 50 Mbit/s`."""
    scale, letter = prefix(ends[1])
    return f"{_span(ends, scale)} {letter}bit/s"


def times(ends: Ends[float]) -> str:
    """`10 to 120 ms`."""
    texts = [time_text(end) for end in ends]
    if texts[0] == texts[1]:
        return texts[0]
    numbers, units = zip(*(text.split() for text in texts), strict=True)
    return f"{numbers[0]} to {texts[1]}" if units[0] == units[1] else " to ".join(texts)


def counts(ends: Ends[int]) -> str:
    """`1 flow`, `1 to 40 flows`."""
    text = f"{ends[0]}" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
    return f"{text} flow{'' if ends[1] == 1 else 's'}"


def _span(ends: Ends[float], scale: float) -> str:
    low, high = (significant(end / scale) for end in ends)
    return low if low == high else f"{low} to {high}"


def middle(ends: Ends[float]) -> float:
    """The geometric mean of both ends."""
    return math.sqrt(ends[0] * ends[1])


def seeds_of(given: int | None, default: int) -> int:
    """Number of runs of each point; at least two, as there is no interval over one."""
    if given is not None and given > MOST_SEEDS:
        raise ScenarioError(f"--seeds {given}: at most {MOST_SEEDS} runs of a point are made")
    if given is not None and given < 2:
        raise ScenarioError(
            f"--seeds {given}: an interval needs two runs at least\nhelp: write --seeds {default}"
        )
    return given or default


def known(option: str, word: str, words: Iterable[str]) -> str:
    """One of these words. `ScenarioError` has the nearest."""
    there = list(words)
    if word not in there:
        near = api.nearest(word, there)
        fix = f"did you mean `{near}`?" if near else f"known are {', '.join(there)}"
        raise refused(f"{option} {word}", word, "there is no such thing", fix)
    return word


def one_of(
    option: str,
    text: str,
    read_one: Callable[[str], float],
    example: str,
    ends: tuple[float, float],
    said: str,
) -> float:
    """One value with its unit, within its ends. `ScenarioError` underlines what is wrong."""
    line, fix = f"{option} {text}", f"write {option} {example}"
    if ".." in text:
        raise refused(line, text, "this is a range", f"{fix}: one advice for one value")
    try:
        value = read_one(text.strip())
    except ValueError as error:
        cause = "this is no number" if "convert" in str(error) else str(error)
        raise refused(line, text, cause, fix) from None
    if value <= 0:
        raise refused(line, text, "this must be positive", fix)
    if not inside(value, *ends):
        raise refused(line, text, "this is outside of what can be simulated", said)
    return value


def read_span(option: str, text: str, example: str) -> float:
    """A time of an option that is more than 0 [s]."""
    return one_of(option, text, read_time, example, (1e-3, 1e6), "1ms to 11 days are known here")
