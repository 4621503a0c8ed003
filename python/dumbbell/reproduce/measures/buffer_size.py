"""The best size of a buffer, from throughputs over the size: by definition, with an interval, over
a grid of rates and round-trip times, and the law that the sizes follow.

Two definitions. *Best*: the smallest size whose mean lies within 1 % of the largest mean: a peak in
a noisy curve is no measurement. *Nearest*: the smallest size whose mean distance from a target is
within 1 % of the target of the smallest distance: a paper that wants a throughput guaranteed judges
by nearness, not by more.

Intervals are of the bootstrap over seeds (B. Efron, R. Tibshirani: An Introduction to the
Bootstrap, 1993, chapter 13, percentiles): all sizes and all cells take the same resample of the
seeds, since their runs are paired.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

WITHIN = 0.01
RESAMPLES = 1000
ZERO_COUNTS = 0.5
"""The value of a best size of 0 in logarithms: half a packet."""

Runs = Sequence[Sequence[float]]
"""One list of values a size."""


def best(at: Sequence[float], means: Sequence[float]) -> float:
    """The smallest size whose mean is within 1 % of the largest."""
    enough = max(means) - WITHIN * abs(max(means))
    return next(x for x, y in zip(at, means, strict=True) if y >= enough)


def nearest(at: Sequence[float], means: Sequence[float]) -> float:
    """The smallest size whose mean distance, in parts of the target, is within 0.01 of the
    smallest."""
    return next(x for x, y in zip(at, means, strict=True) if y <= min(means) + WITHIN)


Definition = Callable[[Sequence[float], Sequence[float]], float]


def size(at: Sequence[float], values: Runs, definition: Definition = best) -> float:
    """The size by a definition, of the means over seeds."""
    return definition(at, [math.fsum(runs) / len(runs) for runs in values])


def resampled(at: Sequence[float], values: Runs, definition: Definition = best) -> list[float]:
    """The size under each resample of the seeds; `ValueError` for fewer than two seeds."""
    import numpy as np

    n = len(values[0])
    if n < 2:
        raise ValueError("an interval needs at least two runs")
    means = np.array(_weights(n)) @ np.array(values).T
    return [definition(at, row) for row in means.tolist()]


@cache
def _weights(n: int) -> list[list[float]]:
    """Share of each of n seeds in each resample, the same in every call."""
    rng = random.Random(1)
    drawn = (Counter(rng.randrange(n) for _ in range(n)) for _ in range(RESAMPLES))
    return [[counted[i] / n for i in range(n)] for counted in drawn]


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """The 2.5 % and the 97.5 % percentile."""
    ordered = sorted(values)
    last = len(ordered) - 1
    return ordered[math.floor(0.025 * last)], ordered[math.ceil(0.975 * last)]


def interval(
    at: Sequence[float], values: Runs, definition: Definition = best
) -> tuple[float, float]:
    """The 95 % interval of a size."""
    return percentiles(resampled(at, values, definition))


Cell = tuple[float, float]
"""A reserved rate and a round-trip time."""


@dataclass(frozen=True, slots=True)
class Law:
    """size = coefficient * (rate * rtt / packet), and with free exponents size ~ rate^a * rtt^b."""

    coefficient: float
    rate: float
    rtt: float


def law(sizes: Mapping[Cell, float], products: Mapping[Cell, float]) -> Law:
    """Least squares of the logarithms; a size of 0 counts as half a packet. `products` are rate *
    rtt / packet."""
    logs = {cell: math.log(max(size, ZERO_COUNTS)) for cell, size in sizes.items()}
    shifts = [logs[cell] - math.log(products[cell]) for cell in logs]
    rate, rtt = _exponents(logs)
    return Law(math.exp(math.fsum(shifts) / len(shifts)), rate, rtt)


def _exponents(logs: Mapping[Cell, float]) -> tuple[float, float]:
    """The plane through the logarithms over those of rate and round-trip time."""
    us, vs = ([math.log(cell[k]) for cell in logs] for k in (0, 1))
    ys = list(logs.values())
    u, v, y = (_centred(values) for values in (us, vs, ys))
    uu, vv, uv, uy, vy = _dot(u, u), _dot(v, v), _dot(u, v), _dot(u, y), _dot(v, y)
    whole = uu * vv - uv * uv
    return (uy * vv - vy * uv) / whole, (vy * uu - uy * uv) / whole


def _centred(values: Sequence[float]) -> list[float]:
    middle = math.fsum(values) / len(values)
    return [x - middle for x in values]


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


@dataclass(frozen=True, slots=True)
class Fit:
    """A law with its 95 % intervals, the sizes that it was fitted on with theirs, and how well a
    row and a column that were held out are predicted from the rest: the root mean square of
    log2(predicted / measured)."""

    sizes: dict[Cell, float]
    intervals: dict[Cell, tuple[float, float]]
    law: Law
    low: Law
    high: Law
    held_rate: float
    held_rtt: float


def fit(
    at: Sequence[float],
    values: Mapping[Cell, Runs],
    packet_bits: float,
    definition: Definition = best,
) -> Fit:
    """The law of a grid. Rates in bit/s, round-trip times in seconds."""
    products = {cell: cell[0] * cell[1] / packet_bits for cell in values}
    sizes = {cell: size(at, runs, definition) for cell, runs in values.items()}
    drawn_of = {cell: resampled(at, runs, definition) for cell, runs in values.items()}
    drawn = [dict(zip(drawn_of, row, strict=True)) for row in zip(*drawn_of.values(), strict=True)]
    laws = [law(one, products) for one in drawn]
    ends = [
        percentiles([getattr(one, name) for one in laws]) for name in ("coefficient", "rate", "rtt")
    ]
    spans = {cell: percentiles(one) for cell, one in drawn_of.items()}
    low, high = Law(*(e[0] for e in ends)), Law(*(e[1] for e in ends))
    held = (_held_out(sizes, products, which) for which in (0, 1))
    return Fit(sizes, spans, law(sizes, products), low, high, *held)


def _held_out(sizes: Mapping[Cell, float], products: Mapping[Cell, float], which: int) -> float:
    """Every row (or column) in turn left out, and predicted by the coefficient of the others."""
    squares = []
    for value in {cell[which] for cell in sizes}:
        rest = {cell: size for cell, size in sizes.items() if cell[which] != value}
        coefficient = law(rest, products).coefficient
        held = (cell for cell in sizes if cell[which] == value)
        squares += [
            math.log2(coefficient * products[cell] / max(sizes[cell], ZERO_COUNTS)) ** 2
            for cell in held
        ]
    return math.sqrt(math.fsum(squares) / len(squares))
