"""The question of an advice, as the command line spells it:
`--rate 50Mbps --rtt 10..120ms --flows 1..40`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ....language.arguments import refused
from ..words import MOST_FLOWS, Ends, T, counts, inside, rates, read_rate, read_time, times

OBJECTIVES = ("balanced", "delay", "throughput")


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
    _within("--rate", rate, question.rate_bps, 64e3, 1e12, "write rates from 64kbps to 1Tbps")
    _within("--rtt", rtt, question.rtt_s, 100e-6, 10.0, "write times from 100us to 10s")
    _within(
        "--flows", flows, question.flows, 1, MOST_FLOWS, f"write numbers from 1 to {MOST_FLOWS}"
    )
    return question


def one_rate(option: str, text: str) -> float:
    """A single rate [bit/s]."""
    low, high = _ends(option, text, read_rate, "200Mbps")
    if low != high or low < 64e3:
        raise refused(
            f"{option} {text}",
            text,
            "this is not a single rate of at least 64kbps",
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
        raise refused(f"{option} {text}", text, "this cannot be simulated", said)


def _count(text: str) -> int:
    if re.fullmatch(r"-[0-9]+", text):
        raise ValueError("a number of flows must be positive")
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise ValueError(
            "this is not a whole number" if len(text) <= 18 else "this number is too large"
        )
    return int(text)
