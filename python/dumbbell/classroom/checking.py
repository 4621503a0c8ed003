"""Checks answers: runs the scenarios that the rubric names, and says what is right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from .. import api
from ..data.named import measured
from ..errors import DumbbellError, ScenarioError
from .answers import Answer, Answers, read
from .rubric import Condition, Exercise, Measure, Question

Verdict = Literal["right", "wrong", "missing"]

_ANSWER = re.compile(r"\{(\w+)(?:\*([\d.]+))?\}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a question. words: the hint if it is wrong, else empty."""

    question: str
    verdict: Verdict
    words: str


@dataclass(frozen=True)
class Report:
    """What became of a file of answers."""

    exercise: str
    title: str
    by: str
    outcomes: list[Outcome] = field(default_factory=list)

    @cached_property
    def right(self) -> int:
        """How many are right."""
        return sum(one.verdict == "right" for one in self.outcomes)

    @property
    def ok(self) -> bool:
        """Whether all are."""
        return self.right == len(self.outcomes)

    def __str__(self) -> str:
        wide = max(len(one.question) for one in self.outcomes)
        lines = [f"{self.title}{f', {self.by}' if self.by else ''}", ""]
        for one in self.outcomes:
            words = f"  {one.question:<{wide}}  {one.verdict:<7}  {one.words}"
            lines.append(words.rstrip())
        return "\n".join([*lines, "", f"{self.right} of {len(self.outcomes)} are right"])

    __repr__ = __str__


class Runs:
    """Runs of an exercise's scenario, each once."""

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise
        self._known: dict[tuple[str, ...], list[api.JSON]] = {}

    def value(self, measure: Measure, answer: Answer | None = None) -> float:
        """The number that a measure is, the mean over the seeds."""
        changed = {
            _with(key, answer): _with(value, answer) if isinstance(value, str) else value
            for key, value in measure.set.items()
        }
        results = self._of(changed)
        mean = sum(measured(result, measure.measure) for result in results) / len(results)
        if measure.over is None:
            return measure.scale * mean
        base = self.value(measure.over, answer)
        return measure.scale * mean / base if base else float("inf")

    def _of(self, changed: Mapping[str, Any]) -> list[api.JSON]:
        overrides = tuple(f"{key}={_toml(value)}" for key, value in changed.items())
        if overrides not in self._known:
            source = {"text": self._exercise.scenario, "name": f"{self._exercise.name}.toml"}
            self._known[overrides] = [
                api.run(api.request(source, [*overrides, f"seed={seed}"]))
                for seed in self._exercise.seeds
            ]
        return self._known[overrides]


def check(file: str | Path) -> Report:
    """Checks a file of answers."""
    return of(read(Path(file)))


def of(answers: Answers) -> Report:
    """Checks answers that were read."""
    about = answers.exercise
    runs = Runs(about)
    outcomes = [_outcome(runs, one, answers.given.get(one.id)) for one in about.questions]
    return Report(about.name, about.title, answers.by, outcomes)


def solution(exercise: Exercise, question: Question) -> str:
    """The option of a choice that holds; raises an error unless there is exactly one."""
    runs = Runs(exercise)
    held = [one.value for one in question.options if _hold(runs, one.conditions, None)]
    if len(held) != 1:
        raise DumbbellError(f"{exercise.name}: of {question.id}'s options {held} hold")
    return held[0]


def _outcome(runs: Runs, question: Question, answer: Answer | None) -> Outcome:
    if answer is None:
        return Outcome(question.id, "missing", "")
    try:
        right = _is_right(runs, question, answer)
    except ScenarioError as error:
        first = str(error).strip().splitlines()[0].strip(" ×")
        return Outcome(question.id, "wrong", f"This makes no scenario: {first}.")
    return Outcome(question.id, "right" if right else "wrong", "" if right else question.hint)


def _is_right(runs: Runs, question: Question, answer: Answer) -> bool:
    if question.measure is not None:
        value = runs.value(question.measure)
        return isinstance(answer, int | float) and abs(answer - value) <= question.within * value
    for option in question.options:
        if option.value == answer:
            return _hold(runs, option.conditions, None)
    return _hold(runs, question.conditions, answer)


def _hold(runs: Runs, conditions: Any, answer: Answer | None) -> bool:
    held: list[Condition] = list(conditions)
    return all(one.holds(runs.value(one.of, answer)) for one in held)


def _with(text: str, answer: Answer | None) -> str:
    """A text with the answer in it: `{answer}`, or `{NAME}` of a table, or times a factor."""
    if answer is None or isinstance(answer, str):
        return text
    numbers = answer if isinstance(answer, dict) else {"answer": answer}

    def number(place: re.Match[str]) -> str:
        name, factor = place.groups()
        value = numbers[name]
        if factor:
            value = (
                round(value * float(factor)) if isinstance(value, int) else value * float(factor)
            )
        return f"{value}"

    return _ANSWER.sub(number, text)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
