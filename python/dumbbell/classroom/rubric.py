"""The rubric of an exercise: its scenario, and what is asked.

A rubric holds no answers. What is right follows from runs of the scenario: a `Measure` is compared
with the number that was given, or conditions must hold for a value that was chosen.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from .. import shipped
from ..errors import DumbbellError
from ..scenario import Scenario

Kind = Literal["number", "choice", "design"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of the scenario under overrides, the mean over the seeds; `over` another one, if it
    is a ratio. `scale` brings it to the unit of the question."""

    measure: str
    set: Mapping[str, Any] = field(default_factory=dict)
    over: Measure | None = None
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Condition:
    """That a measure lies between two numbers."""

    of: Measure
    above: float | None = None
    below: float | None = None

    def holds(self, value: float) -> bool:
        """Whether it does."""
        return (self.above is None or value > self.above) and (
            self.below is None or value < self.below
        )


@dataclass(frozen=True, slots=True)
class Option:
    """A choice, which is right if all of its conditions hold."""

    value: str
    text: str
    conditions: Sequence[Condition]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. A number is right within a share of the measured one; a choice if it is the
    option that holds; a design, a number or one for each of `fields`, if its conditions hold."""

    id: str
    ask: str
    hint: str
    unit: str = ""
    measure: Measure | None = None
    within: float = 0.0
    options: Sequence[Option] = ()
    conditions: Sequence[Condition] = ()
    fields: Sequence[str] = ()

    @property
    def kind(self) -> Kind:
        """What is to be given."""
        if self.measure is not None:
            return "number"
        return "choice" if self.options else "design"


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise as its file has it."""

    name: str
    title: str
    minutes: int
    goal: str
    scenario: str
    seeds: Sequence[int]
    questions: Sequence[Question]

    @property
    def notebook(self) -> Path:
        """Its notebook."""
        return shipped.folder("classroom") / f"{self.name}.ipynb"


def names() -> list[str]:
    """The exercises, in the order of the course."""
    found = {file.stem: _read(file) for file in shipped.folder("classroom").glob("*.toml")}
    return sorted(found, key=lambda name: (found[name]["place"], name))


def exercise(name: str) -> Exercise:
    """An exercise by its name."""
    file = shipped.folder("classroom") / f"{name}.toml"
    if name not in names():
        raise DumbbellError(f"there is no exercise named {name!r}: {', '.join(names())}")
    found = _read(file)
    return Exercise(
        name=name,
        title=found["title"],
        minutes=found["minutes"],
        goal=" ".join(found["goal"].split()),
        scenario=found["scenario"],
        seeds=found["seeds"],
        questions=[_question(one) for one in found["question"]],
    )


def scenario(name: str) -> Scenario:
    """The scenario of an exercise."""
    return Scenario.from_text(exercise(name).scenario, name)


def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _measure(found: Mapping[str, Any]) -> Measure:
    return Measure(
        measure=found["measure"],
        set=found.get("set", {}),
        over=_measure(found["over"]) if "over" in found else None,
        scale=found.get("scale", 1.0),
    )


def _condition(found: Mapping[str, Any]) -> Condition:
    return Condition(_measure(found), found.get("above"), found.get("below"))


def _question(found: Mapping[str, Any]) -> Question:
    return Question(
        id=found["id"],
        ask=" ".join(found["ask"].split()),
        hint=" ".join(found["hint"].split()),
        unit=found.get("unit", ""),
        measure=_measure(found) if "measure" in found else None,
        within=found.get("within", 0.0),
        options=[
            Option(one["value"], one["text"], [_condition(each) for each in one["when"]])
            for one in found.get("option", ())
        ],
        conditions=[_condition(one) for one in found.get("must", ())],
        fields=found.get("fields", ()),
    )
