"""The rules of agreement: pure functions of numbers. `rules.md` beside this file says them in
words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypedDict

from ....present import stats
from ...frame.paired import Cell, cell

AGREES, DIFFERS, TOO_FEW, NOT_MEASURED = "agrees", "differs", "too few runs", "not measured"
VERDICTS = (AGREES, DIFFERS, TOO_FEW, NOT_MEASURED)
CLOSES, NARROWS, UNEXPLAINED, NOTHING = (
    "closes",
    "narrows",
    "does not explain",
    "nothing to explain",
)

LEAST_RUNS = 2
"""On each side, for a verdict: a single run has no interval."""
WITHIN = 0.10
"""Tolerance, as a share of the simulator's mean."""
WIDE = 0.25
"""Half-widths of both intervals together, of the simulator's mean: where that is all, a verdict
says little."""

NEAR, OVERLAP, SMALL = "within 10 %", "intervals overlap", "both below the floor"


class Side(Cell):
    """One side's mean with its interval, and its values."""

    values: list[float]


class Ratio(TypedDict):
    """The kernel's mean over the simulator's, with its interval."""

    verdict: str
    ratio: float | None
    ratio_ci95: list[float] | None


class Compared(Ratio):
    """One measure on both sides; `by` says what an agreement rests on, and `weak` whether that says
    little."""

    sim: Side | None
    kernel: Side | None
    by: str | None
    weak: bool


def compare(sim: Sequence[float], kernel: Sequence[float], floor: float) -> Compared:
    """One measure on both sides."""
    row: Compared = {
        "sim": _side(sim),
        "kernel": _side(kernel),
        "ratio": None,
        "ratio_ci95": None,
        "verdict": NOT_MEASURED,
        "by": None,
        "weak": False,
    }
    if not sim or not kernel:
        return row
    ours, theirs = stats.mean(sim), stats.mean(kernel)
    if ours > 0 and theirs > 0:
        row |= {"ratio": theirs / ours, "ratio_ci95": _ratio_interval(sim, kernel)}
    if min(len(sim), len(kernel)) < LEAST_RUNS:
        row["verdict"] = TOO_FEW
        return row
    by = _ground(sim, kernel, floor)
    weak = by == OVERLAP and _half(sim) + _half(kernel) > WIDE * abs(ours)
    row |= {"verdict": DIFFERS if by is None else AGREES, "by": by, "weak": weak}
    return row


def _ground(sim: Sequence[float], kernel: Sequence[float], floor: float) -> str | None:
    """The rule by which both agree; None for a difference."""
    ours, theirs = stats.mean(sim), stats.mean(kernel)
    if max(abs(ours), abs(theirs)) <= floor:
        return SMALL
    if abs(theirs - ours) <= WITHIN * abs(ours):
        return NEAR
    return OVERLAP if abs(theirs - ours) <= _half(sim) + _half(kernel) else None


def _half(values: Sequence[float]) -> float:
    """Half the 95 % interval of the mean."""
    ends = stats.ci95(values)
    return 0.0 if ends is None else (ends[1] - ends[0]) / 2


def _side(values: Sequence[float]) -> Side | None:
    found = cell(values)
    return None if found is None else {**found, "values": list(values)}


def _ratio_interval(sim: Sequence[float], kernel: Sequence[float]) -> list[float] | None:
    """The interval of the ratio of two independent means: ln r ± t √(s₁²/(n₁m₁²) + s₂²/(n₂m₂²)),
    with Welch's degrees of freedom."""
    if len(sim) < 2 or len(kernel) < 2:
        return None
    parts = [(stats.deviation(v) / stats.mean(v)) ** 2 / len(v) for v in (sim, kernel)]
    ratio, variance = stats.mean(kernel) / stats.mean(sim), sum(parts)
    if variance == 0:
        return [ratio, ratio]
    below = sum(part**2 / (len(v) - 1) for part, v in zip(parts, (sim, kernel), strict=True))
    freedom = (
        max(1, math.floor(variance**2 / below)) if below > 0 else max(len(sim), len(kernel)) - 1
    )
    step = stats.student_t(0.975, freedom) * math.sqrt(variance)
    if step > 700:  # Beyond what a float holds: the interval says nothing.
        return None
    return [ratio * math.exp(-step), ratio * math.exp(step)]


def explained(before: Ratio, after: Ratio) -> str:
    """The effect of an experiment on a difference."""
    if before["verdict"] != DIFFERS:
        return NOTHING
    if after["verdict"] == AGREES:
        return CLOSES
    if after["verdict"] in (NOT_MEASURED, TOO_FEW) or not before["ratio"] or not after["ratio"]:
        return UNEXPLAINED
    return (
        NARROWS
        if abs(math.log(after["ratio"])) <= abs(math.log(before["ratio"])) / 2
        else UNEXPLAINED
    )
