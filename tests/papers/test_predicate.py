"""The language of claims."""

from __future__ import annotations

import math

import pytest
from dumbbell import ScenarioError
from dumbbell.reproduce.predicate import Family, evaluate, holds, names

RED = Family((24, 36), ((17.0, 18.0, 19.0), (19.0, 20.0, 21.0)))
DT = Family((24, 36), ((11.0, 12.0, 13.0), (13.0, 14.0, 18.0)))
KNOWN = {"red": RED, "dt": DT}


def test_differences_are_paired_run_by_run() -> None:
    assert evaluate("red - dt", KNOWN).values == ((6.0, 6.0, 6.0), (6.0, 6.0, 3.0))
    # paired: no spread at 24, although each side has one
    assert evaluate("low(red - dt)", KNOWN).values[0] == (6.0,)


def test_reductions_and_constants() -> None:
    assert evaluate("mean(red)", KNOWN).values == ((18.0,), (20.0,))
    assert holds("every(mean(red) > 17.5) and not some(mean(red) > 20)", KNOWN)
    assert evaluate("count(mean(red) >= 20)", KNOWN).one() == 1
    assert evaluate("largest(mean(red)) - smallest(mean(red))", KNOWN).one() == 2.0
    assert evaluate("-mean(dt[24]) / 2", KNOWN).one() == -6.0


def test_one_point() -> None:
    assert evaluate("mean(red[36] - red[24])", KNOWN).one() == 2.0
    assert holds("low(red[36] - red[24]) > 0 or mean(dt[24]) > 99", KNOWN)


def test_an_identical_baseline_has_an_effect_of_exactly_zero() -> None:
    same = {"red": DT, "dt": DT}
    assert evaluate("low(red - dt)", same).values == ((0.0,), (0.0,))
    assert not holds("some(low(red - dt) > 0)", same)
    assert not holds("some(high(red - dt) < 0)", same)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("rde > 1", "there is no number `rde`"),
        ("red > 1", "a single number is needed"),
        ("every(red > 1)", "one number per point"),
        ("mean(red[25]) > 1", "there is no point 25"),
        ("__import__('os').system('true')", "is not allowed in a predicate"),
        ("red.values", "is not allowed in a predicate"),
        ("[x for x in (1, 2)]", "is not allowed in a predicate"),
        ("mean(red) >", "invalid syntax"),
        ("mean(red[24]) / 0 > 1", "division by zero"),
    ],
)
def test_what_is_wrong_is_named(text: str, cause: str) -> None:
    with pytest.raises(ScenarioError, match=cause.replace("(", r"\(")):
        holds(text, KNOWN)


def test_names() -> None:
    assert names("every(low(red - dt) > 0) and mean(red_total[36]) > 1") == {
        "red",
        "dt",
        "red_total",
    }


def test_a_measured_zero_below_the_line_is_infinite_and_two_are_no_number() -> None:
    known = {"locked_out": Family((24.0,), ((0.0, 2.0),)), "red": Family((24.0,), ((18.0, 0.0),))}
    assert evaluate("red / locked_out", known).values == ((math.inf, 0.0),)
    assert not holds("mean(locked_out[24] / (locked_out[24] - locked_out[24])) > 0", known)


def test_fraction_of_the_points() -> None:
    at = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    known = {"gain": Family(at, tuple((x, x) for x in (1.0, 1.0, 1.0, 1.0, -1.0, -1.0)))}
    assert holds("fraction(low(gain) > 0) >= 2 / 3", known)
    assert holds("count(low(gain) > 0) >= 4", known)
    assert not holds("fraction(low(gain) > 0.5) > 2 / 3", known)


def test_points_from_one_on() -> None:
    assert evaluate("mean(red[30:])", KNOWN).values == ((20.0,),)
    assert evaluate("(red - dt)[24:]", KNOWN).at == (24, 36)
    with pytest.raises(ScenarioError, match="there is no point at or above 40"):
        evaluate("red[40:]", KNOWN)
