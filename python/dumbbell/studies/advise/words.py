"""The words of all advice: quantities as the command line spells them, and as sentences say
them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from ... import api
from ...errors import ScenarioError
from ...language.arguments import refused
from ...present.units import plain_rate, prefix, seconds, significant, time_text

MOST_SEEDS = 10_000
"""Runs of one point."""
MOST_FLOWS = 4096
"""More flows are not simulated."""

PROFILES = ("ns2", "rfc", "linux")
"""Profiles of a TCP, as in scenarios."""

T = TypeVar("T", int, float)
Ends = tuple[T, T]


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
        raise refused(line, text, "this is a range", f"{fix}: the advice is for one value")
    try:
        value = read_one(text.strip())
    except ValueError as error:
        cause = "this is not a number" if "convert" in str(error) else str(error)
        raise refused(line, text, cause, fix) from None
    if value <= 0:
        raise refused(line, text, "this must be positive", fix)
    if not inside(value, *ends):
        raise refused(line, text, "this cannot be simulated", said)
    return value


def read_span(option: str, text: str, example: str) -> float:
    """A time of an option that is more than 0 [s]."""
    return one_of(option, text, read_time, example, (1e-3, 1e6), "write a time from 1ms to 11 days")


def known(option: str, word: str, words: Iterable[str]) -> str:
    """One of these words. `ScenarioError` has the nearest."""
    there = list(words)
    if word not in there:
        near = api.nearest(word, there)
        fix = f"did you mean `{near}`?" if near else f"write one of {', '.join(there)}"
        raise refused(f"{option} {word}", word, "this name is unknown", fix)
    return word


def read_bytes(
    option: str, text: str, example: str, ends: tuple[int, int], cause: str, fix: str
) -> int:
    """A number of bytes within its ends. `ScenarioError` underlines what is wrong; `cause` is that
    of a number outside."""
    line = f"{option} {text}"
    found = re.fullmatch(r"([0-9]+)\s*B", text.strip())
    if found is None:
        raise refused(line, text, "this is not a whole number of bytes with its unit", example)
    if not ends[0] <= int(found[1]) <= ends[1]:
        raise refused(line, text, cause, fix)
    return int(found[1])


def seeds_of(given: int | None, default: int) -> int:
    """Number of runs of each point; at least two, as there is no interval over one."""
    if given is not None and given > MOST_SEEDS:
        raise ScenarioError(f"--seeds {given}: a point has at most {MOST_SEEDS} runs")
    if given is not None and given < 2:
        raise ScenarioError(
            f"--seeds {given}: an interval needs at least two runs\nhelp: write --seeds {default}"
        )
    return given or default


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
        raise ValueError("this is not a rate with its unit")
    if found <= 0:
        raise ValueError("a rate must be positive")
    return found


def read_time(text: str) -> float:
    """A time with its unit [s]. `ValueError` says what is wrong with it."""
    parts = re.fullmatch(r"([0-9.eE+-]+?)\s*([a-z]+)", text)
    if parts is None:
        raise ValueError("this is not a time with its unit")
    found = seconds(f"{parts[1]} {parts[2]}")
    if found <= 0:
        raise ValueError("a time must be positive")
    return found


def rates(ends: Ends[float]) -> str:
    """`50 Mbit/s`, `10 to 50 Mbit/s`."""
    scale, letter = prefix(ends[1])
    return f"{_span(ends, scale)} {letter}bit/s"


def rate_text(bps: float) -> str:
    """One rate: `2 Mbit/s`."""
    return rates((bps, bps))


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
