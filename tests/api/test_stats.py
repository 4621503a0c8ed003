"""Student's intervals against published quantiles and against their closed forms."""

from __future__ import annotations

import math
import random

import pytest
from dumbbell.present import stats

# Abramowitz and Stegun, table 26.10: t with P(|T| <= t) = 0.95.
QUANTILES = {
    1: 12.706,
    2: 4.303,
    3: 3.182,
    4: 2.776,
    5: 2.571,
    9: 2.262,
    10: 2.228,
    20: 2.086,
    30: 2.042,
    120: 1.980,
}


@pytest.mark.parametrize(("df", "t"), QUANTILES.items())
def test_quantiles_are_those_of_the_published_table(df: int, t: float) -> None:
    assert stats.student_t(0.975, df) == pytest.approx(t, abs=5.1e-4)


def test_the_quantile_for_one_degree_is_cauchys() -> None:
    assert stats.student_t(0.975, 1) == pytest.approx(math.tan(math.pi * 0.475), rel=1e-9)


def test_the_quantile_for_two_degrees_has_a_closed_form() -> None:
    p = 0.95  # two-sided
    assert stats.student_t(0.975, 2) == pytest.approx(p * math.sqrt(2 / (1 - p**2)), rel=1e-9)


def test_intervals_by_hand() -> None:
    # 1, 2, 3, 4, 5: mean 3, s = sqrt(2.5), t4 = 2.7764
    low, high = stats.ci95([1, 2, 3, 4, 5])
    assert (low + high) / 2 == pytest.approx(3)
    assert (high - low) / 2 == pytest.approx(2.776445 * math.sqrt(2.5 / 5), rel=1e-6)
    low, high = stats.pi95([1, 2, 3, 4, 5])
    assert (high - low) / 2 == pytest.approx(2.776445 * math.sqrt(2.5 * 1.2), rel=1e-6)


def test_a_single_run_has_no_interval() -> None:
    assert stats.ci95([7.0]) is None
    assert stats.interval([7.0]) == stats.Interval(7.0, None, None, 1)


def test_the_prediction_interval_holds_95_percent_of_new_runs() -> None:
    rng = random.Random(7)
    trials = 4000
    hits = 0
    for _ in range(trials):
        low, high = stats.pi95([rng.gauss(10, 2) for _ in range(5)])
        hits += low <= rng.gauss(10, 2) <= high
    # Binomial(4000, 0.95): standard deviation 0.0034; four of them.
    assert hits / trials == pytest.approx(0.95, abs=0.014)
