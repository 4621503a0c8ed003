"""The recommended candidate, its expected performance, and the points where another one is better.

The rules are short, so that they can be disputed; each begins by leaving out candidates whose worst
utilization is less than a share of the best candidate's (`LEAST_SHARE`).

`balanced`: the highest *power*. Power is utilization over response time, here the round-trip time
with the 99th percentile of the queueing delay (L. Kleinrock, ICC 1979); at each point it is taken
relative to the best candidate's there, and over the points the geometric mean counts. Candidates
within a tenth of the highest are equal, and the fairest of them is taken, by its worst Jain's
index; within 0.02 of that the one with the highest power.

`delay` and `throughput`: the smallest worst 99th percentile of the queueing delay; within a tenth
of that the fairest, then the simplest, which stands first in the list.

With a delay that is wanted, the candidates whose worst 99th percentile keeps it, if any does; of
these the highest worst utilization, within 0.01 the smallest worst delay.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median_low
from typing import NotRequired, TypedDict

from ....present import stats
from ...compare.queues.judge import Values
from ...compare.queues.metrics import DELAY
from ...frame.paired import BySeed, Cell, cell_of, excludes_zero, paired_difference

USED, LOSS, JAIN, MEDIAN = "utilization", "loss_share", "jain", "p50_sojourn_s"
LEAST_SHARE = {"balanced": 0.8, "delay": 0.7, "throughput": 0.99}
_EQUAL_DELAY, _EQUAL_POWER, _EQUAL_JAIN, _EQUAL_USED = 1.1, 0.9, 0.02, 0.01
_MUCH_USED = 0.05
"""Utilization that is missed where another candidate is said to be better."""
_MUCH_DELAY, _LEAST_DELAY = 1.5, 2e-3
"""A delay is said to be worse from so many times another one on, if it is also so much longer
[s]."""

Measured = Mapping[tuple[str, int], Values]
"""For each candidate, by name, at each point, by number: each measurement by seed."""


class At(Cell):
    """A mean, and the point that it is of."""

    point: int


class Range(TypedDict):
    """The best, the typical (the lower median) and the worst point of a candidate."""

    best: At
    typical: At
    worst: At


class Price(TypedDict):
    """What the advice and another candidate have of another measurement."""

    metric: str
    value: float
    other: float


class Beaten(TypedDict):
    """A point where another candidate is better by a measurement, the paired difference, what both
    have of the other measurement there, and all of it in words."""

    point: int
    metric: str
    value: float
    other: str
    other_value: float
    difference: float
    ci95: Sequence[float] | None
    price: Price
    text: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Worst:
    """A candidate's worst means over all points, of utilization and Jain's index the lowest, of
    delay and loss the highest; and its power relative to the best candidate's, the geometric mean
    over the points."""

    name: str
    used: float
    delay_s: float
    loss: float
    jain: float | None
    power: float = 0.0


def scores(names: Sequence[str], rtts_s: Sequence[float], measured: Measured) -> dict[str, Worst]:
    """Returns the scores of all candidates that have a result at every point; `rtts_s` is the
    round-trip time at each point."""
    numbers = range(1, len(rtts_s) + 1)
    found = {name: w for name in names if (w := worst(name, numbers, measured)) is not None}
    best = [
        max((_power(name, n, rtts_s, measured) for name in found), default=0.0) for n in numbers
    ]
    scored = {}
    for name, of in found.items():
        shares = [_power(name, n, rtts_s, measured) / (best[n - 1] or 1.0) for n in numbers]
        mean = math.exp(stats.mean([math.log(max(share, 1e-9)) for share in shares]))
        scored[name] = replace(of, power=mean)
    return scored


def _power(name: str, number: int, rtts_s: Sequence[float], measured: Measured) -> float:
    of = measured[name, number]
    return _mean(of[USED]) / (rtts_s[number - 1] + _mean(of[DELAY]))


def worst(name: str, numbers: Sequence[int], measured: Measured) -> Worst | None:
    """Returns the worst values of a candidate; None if a point has no result."""
    means: dict[str, list[float]] = {}
    for number in numbers:
        of = measured[name, number]
        if not of[USED] or not of[DELAY]:
            return None
        for key in (USED, DELAY, LOSS, JAIN):
            if of[key]:
                means.setdefault(key, []).append(stats.mean(list(of[key].values())))
    fair = means.get(JAIN)
    losses = means.get(LOSS, [0.0])
    return Worst(
        name, min(means[USED]), max(means[DELAY]), max(losses), min(fair) if fair else None
    )


@dataclass(frozen=True, slots=True)
class Choice:
    """The recommended candidate's name, those that qualified, whether the delay that is wanted is
    kept (None: none is wanted)."""

    name: str
    qualified: tuple[str, ...]
    kept: bool | None


def choose(found: Sequence[Worst], objective: str, delay_target_s: float | None) -> Choice:
    """By the rule above; `found` from the simplest candidate on, and not empty."""
    if delay_target_s is not None:
        keeping = [w for w in found if w.delay_s <= delay_target_s]
        if keeping:
            most = max(w.used for w in keeping)
            near = [w for w in keeping if w.used >= most - _EQUAL_USED]
            return Choice(
                min(near, key=lambda w: w.delay_s).name, tuple(w.name for w in keeping), True
            )
    most = max(w.used for w in found)
    qualified = [w for w in found if w.used >= LEAST_SHARE[objective] * most]
    if objective == "balanced":
        highest = max(w.power for w in qualified)
        near = [w for w in qualified if w.power >= _EQUAL_POWER * highest]
        near.sort(key=lambda w: -w.power)
    else:
        least = min(w.delay_s for w in qualified)
        near = [w for w in qualified if w.delay_s <= _EQUAL_DELAY * least]
    fairest = max((w.jain or 0.0) for w in near)
    pick = next(w for w in near if (w.jain or 0.0) >= fairest - _EQUAL_JAIN)
    return Choice(
        pick.name, tuple(w.name for w in qualified), None if delay_target_s is None else False
    )


def expected(name: str, numbers: Sequence[int], measured: Measured) -> dict[str, Range | None]:
    """For each measurement the best, the typical and the worst point of a candidate; None for one
    that no point has."""
    found: dict[str, Range | None] = {}
    for key, sign in ((DELAY, 1), (MEDIAN, 1), (USED, -1), (LOSS, 1), (JAIN, -1)):
        cells = [(cell_of(measured[name, n][key]), n) for n in numbers]
        known = sorted(((sign * c["mean"], n, c) for c, n in cells if c), key=lambda one: one[:2])
        at: list[At] = [{**c, "point": n} for _, n, c in known]
        found[key] = None
        if at:
            typical = at[median_low(range(len(at)))]
            found[key] = {"best": at[0], "typical": typical, "worst": at[-1]}
    return found


def beaten(
    name: str, others: Sequence[str], numbers: Sequence[int], measured: Measured
) -> list[Beaten]:
    """Points where another candidate is better by much and by more than chance: of each point and
    measurement the best of those."""
    found = []
    for number in numbers:
        for key, sign, price in ((USED, -1, DELAY), (DELAY, 1, USED)):
            worse = [_worse(name, other, number, key, price, measured) for other in others]
            known = [one for one in worse if one is not None]
            if known:
                found.append(min(known, key=lambda one: sign * one["other_value"]))
    return found


def _worse(
    name: str, other: str, number: int, key: str, price: str, measured: Measured
) -> Beaten | None:
    mine, theirs = measured[name, number], measured[other, number]
    sign = 1 if key == DELAY else -1
    block = paired_difference(mine[key], theirs[key])
    if block is None or not excludes_zero(block) or sign * block["difference"] <= 0:
        return None
    own, else_ = _mean(mine[key]), _mean(theirs[key])
    much = (
        own - else_ >= _LEAST_DELAY and own >= _MUCH_DELAY * else_
        if key == DELAY
        else else_ - own >= _MUCH_USED
    )
    if not much:
        return None
    return {
        "point": number,
        "metric": key,
        "value": own,
        "other": other,
        "other_value": else_,
        "difference": block["difference"],
        "ci95": block["ci95"],
        "price": {"metric": price, "value": _mean(mine[price]), "other": _mean(theirs[price])},
    }


def _mean(of_seed: BySeed) -> float:
    return stats.mean(list(of_seed.values()))
