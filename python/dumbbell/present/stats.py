"""Means and intervals of independent replications; plain Python, so that importing it costs
nothing.

The intervals are Student's: `ci95` for the mean, `pi95` for one new run (Hahn and Meeker,
Statistical Intervals, 1991, sections 2.2 and 2.4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from .units import significant


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % confidence interval; `low` and `high` are None for a single run."""

    mean: float
    low: float | None = None
    high: float | None = None
    n: int = 1

    def __float__(self) -> float:
        return self.mean

    def __str__(self) -> str:
        half = self.half
        return significant(self.mean) + ("" if half is None else f" ± {significant(half, 2)}")

    @property
    def half(self) -> float | None:
        """Half the interval's width."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def ends(self) -> list[float] | None:
        """Both ends of the interval; None if there is none."""
        return None if self.low is None or self.high is None else [self.low, self.high]

    @classmethod
    def read(cls, value: float | dict[str, Any] | None) -> Interval | None:
        """A number of a result's JSON: bare, or `{"mean", "ci95": [low, high], "n"}`."""
        if isinstance(value, dict):
            low, high = value.get("ci95") or (None, None)
            return None if value["mean"] is None else cls(value["mean"], low, high, value["n"])
        return None if value is None else cls(float(value))


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean."""
    return math.fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """The sample's standard deviation, with n - 1."""
    centre = mean(values)
    return math.sqrt(math.fsum((x - centre) ** 2 for x in values) / (len(values) - 1))


def ci95(values: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of the mean: mean +- t s / sqrt(n). None for a single value."""
    return _around(values, lambda n: math.sqrt(1 / n))


def pi95(values: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of one new run: mean +- t s sqrt(1 + 1/n). None for a single value."""
    return _around(values, lambda n: math.sqrt(1 + 1 / n))


def interval(values: Sequence[float]) -> Interval:
    """The mean of `values` with its confidence interval."""
    low, high = ci95(values) or (None, None)
    return Interval(mean(values), low, high, len(values))


def paired(ours: Sequence[float], baseline: Sequence[float]) -> Interval:
    """The mean difference of runs with the same seeds, `ours` minus `baseline`, with its interval:
    what the seeds do to both alike is taken out. `ValueError` if there is not one baseline for each
    run."""
    return interval([a - b for a, b in zip(ours, baseline, strict=True)])


def _around(values: Sequence[float], factor: Callable[[int], float]) -> tuple[float, float] | None:
    n = len(values)
    if n < 2:
        return None
    half = student_t(0.975, n - 1) * deviation(values) * factor(n)
    return mean(values) - half, mean(values) + half


@cache
def student_t(p: float, df: int) -> float:
    """The quantile of Student's t distribution: the x with P(T <= x) = p, for 0.5 <= p < 1."""
    low, high = 0.0, 1.0
    while _student_cdf(high, df) < p:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _student_cdf(middle, df) < p else (low, middle)
    return (low + high) / 2


def _student_cdf(x: float, df: int) -> float:
    """P(T <= x) for x >= 0, in closed form for whole degrees of freedom (Abramowitz and Stegun
    26.7.3-4)."""
    theta = math.atan(x / math.sqrt(df))
    cos2 = math.cos(theta) ** 2
    odd = df % 2
    term = math.cos(theta) if odd else 1.0
    series = term if df > 1 else 0.0
    for k in range(3 if odd else 2, df - 1, 2):
        term *= cos2 * (k - 1) / k
        series += term
    inside = math.sin(theta) * series
    two_sided = 2 / math.pi * (theta + inside) if odd else inside
    return 0.5 + two_sided / 2


def wilson95(k: int, n: int) -> tuple[float, float]:
    """The interval of a probability, given `k` of `n`: the 95 % score interval (E. B. Wilson, JASA
    22, 1927)."""
    z = 1.959963984540054
    if n <= 0:
        return 0.0, 1.0
    centre = (k + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(k * (n - k) / n + z * z / 4)
    return max(0.0, centre - half), min(1.0, centre + half)
