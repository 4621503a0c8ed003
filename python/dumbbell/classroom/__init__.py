"""Exercises for a course: notebooks, and rubrics that check answers by running the scenarios.

In a notebook: `classroom.scenario("sawtooth")` is the exercise's scenario, and
`classroom.check("sawtooth.toml")` checks a file of answers.
"""

from __future__ import annotations

from .answers import template
from .checking import Outcome, Report, check
from .rubric import Exercise, exercise, names, scenario

__all__ = [
    "Exercise",
    "Outcome",
    "Report",
    "check",
    "exercise",
    "names",
    "scenario",
    "template",
]
