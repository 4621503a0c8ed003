"""The rules of a verdict, on numbers whose intervals are known in closed form."""

from __future__ import annotations

import math

import pytest
from dumbbell.reproduce import verdict
from dumbbell.reproduce.verdict import Printed

T4 = 2.7764451052


def five(mean: float, half_pi: float) -> list[float]:
    """Five values with this mean, whose prediction interval is mean +- half_pi."""
    s = half_pi / (T4 * math.sqrt(1.2))
    step = s * math.sqrt(4 / 10)  # -2, -1, 0, 1, 2 steps: s = step * sqrt(10 / 4)
    return [mean + step * k for k in (-2, -1, 0, 1, 2)]


def test_five_makes_what_it_says() -> None:
    from dumbbell.present.stats import pi95

    assert pi95(five(10, 2)) == pytest.approx((8, 12))


@pytest.mark.parametrize(
    ("published", "decimals", "expected"),
    [
        (12.0, 1, "reproduced"),  # at the interval's very end
        (12.049, 1, "reproduced"),  # beyond it by less than half of the last digit
        (12.051, 1, "in part"),  # beyond it by more: within 25 %
        (13.4, 1, "contradicted"),  # 10 is not within 25 % of it
        (8.0, 0, "reproduced"),
        (7.4, 0, "contradicted"),
    ],
)
def test_the_print_widened_by_half_its_last_digit(
    published: float, decimals: int, expected: str
) -> None:
    assert verdict.of_cell(Printed(published, decimals), five(10, 2)) == expected


def test_decimals_of_a_print_to_hundreds() -> None:
    assert Printed(1200, -2).half_digit == 50
    assert Printed(11.24, 2).half_digit == pytest.approx(0.005)


def test_a_wide_interval_earns_at_most_in_part() -> None:
    assert verdict.of_cell(Printed(10.0, 1), five(10, 2.49)) == "reproduced"
    assert verdict.of_cell(Printed(10.0, 1), five(10, 2.51)) == "in part"
    # and not even that when its effect is not the printed one
    none = (5.0, five(10, 2.51))
    assert verdict.of_cell(Printed(10.0, 1), five(10, 2.51), none) == "contradicted"


def test_fewer_than_five_seeds_cannot_reproduce() -> None:
    assert verdict.of_cell(Printed(10.0, 1), [9.9, 10.0, 10.1, 10.0]) == "in part"
    assert verdict.of_cell(Printed(10.0, 1), [9.9, 10.0, 10.1, 10.0, 10.0]) == "reproduced"


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        (12.99, "contradicted"),
        (13.01, "in part"),
        (24.99, "in part"),
        (25.01, "contradicted"),
        (5.0, "contradicted"),
    ],
)
def test_an_effect_of_half_to_twice_the_printed_size(ours: float, expected: str) -> None:
    # Printed: 30 against 22, an effect of 8. Ours: against 9, so that 13 is half of it and 25 is
    # twice.
    assert verdict.of_cell(Printed(30.0, 1), five(ours, 0.1), (22.0, five(9.0, 0.1))) == expected


def test_bounds_of_the_effect() -> None:
    assert verdict.same_effect(8.0, 4.0)
    assert verdict.same_effect(8.0, 16.0)
    assert not verdict.same_effect(8.0, 3.99)
    assert not verdict.same_effect(8.0, 16.01)
    assert not verdict.same_effect(8.0, -8.0)
    assert not verdict.same_effect(8.0, 0.0)
    assert not verdict.same_effect(0.0, 0.0)
    assert verdict.same_effect(-2.0, -1.5)


def test_with_the_scheme_taken_out_the_effect_is_exactly_zero() -> None:
    runs = [10.1, 9.7, 10.4, 10.0, 9.9]
    assert verdict.effect(runs, list(runs)) == 0.0
    assert verdict.of_cell(Printed(17.2, 1), runs, (11.0, runs)) == "contradicted"


def test_a_gain_must_be_one_itself_to_be_in_part() -> None:
    ours, reds = [-8.0, -7.0, -9.0, -8.0, -8.0], [-31.0, -30.0, -33.0, -31.0, -31.0]
    printed = Printed(33.6, 1)
    assert verdict.of_cell(printed, ours, (10.2, reds)) == "in part"  # 23 more than RED, as printed
    assert verdict.of_cell(printed, ours, (10.2, reds), gain=True) == "contradicted"
    gains = [20.0, 21.0, 22.0, 20.0, 21.0]
    assert verdict.of_cell(printed, gains, (10.2, [x - 20 for x in gains]), gain=True) == "in part"
