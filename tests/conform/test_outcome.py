"""Verdicts: the whole interval must be within the bound."""

from __future__ import annotations

import math
from typing import Any

import pytest
from dumbbell.conform.criterion import Criterion, described
from dumbbell.conform.outcome import Outcome
from dumbbell.conform.sections import sections

SECTION = sections()["rfc9743.5.1.1"]


def outcome(values: list[float], **bounds: Any) -> Outcome:
    one = Criterion(
        id="rfc9743.5.1.1.x",
        section=SECTION.key,
        runs="",
        number="n",
        why="",
        scenario=lambda _: {},
        measure=lambda _: 0.0,
        **bounds,
    )
    return Outcome(one, SECTION, values)


@pytest.mark.parametrize(
    ("values", "bounds", "verdict"),
    [
        ([1.0, 1.0], {"most": 1.0}, "pass"),
        ([0.9, 1.1], {"most": 1.0}, "fail"),
        ([0.90, 0.91, 0.92], {"most": 1.0}, "pass"),
        ([0.90, 0.91, 0.92], {"least": 0.91}, "fail"),
        ([0.90, 0.91, 0.92], {"least": 0.8, "most": 1.0}, "pass"),
        ([math.nan, 1.0], {"most": 2.0}, "fail"),
        ([math.inf, math.inf], {"least": 0.0}, "fail"),
        ([], {"most": 1.0}, "fail"),
    ],
)
def test_the_interval_decides(values: list[float], bounds: dict[str, float], verdict: str) -> None:
    assert outcome(values, **bounds).verdict == verdict


def test_a_number_that_is_not_finite_is_null() -> None:
    assert outcome([math.nan, 1.0], most=1.0).as_dict()["measured"] is None


def test_what_no_run_decides_does_not_apply() -> None:
    one = Outcome(described(SECTION.key, "x", "because"), SECTION, excuse="because")
    assert one.verdict == "not applicable"
    assert one.as_dict()["why_not"] == "because"


def test_a_criterion_needs_a_bound() -> None:
    with pytest.raises(ValueError, match="needs a bound"):
        outcome([1.0])
