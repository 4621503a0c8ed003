"""The runs of a study: what is asked of the laboratory, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict, cast

from ... import api
from . import design
from .design import Base, Plan, Row

Run = Mapping[str, Any]
"""One run of a result's JSON; docs/reference/results.md has its measurements."""
Answer = Mapping[str, Any]
"""The answer of `api.run`: the result of one point, or of all."""
Measure = Callable[[dict[str, object]], Answer]
"""The function that makes the runs of a request, as `api.run` does."""


class ScenarioWarning(TypedDict):
    """A warning about a scenario of the study, as in results, without the place in a text that
    nobody wrote; and the number of points that have it."""

    code: str
    name: str
    message: str
    fix: str
    key: str | None
    points: int


class Whole(TypedDict, total=False):
    """Facts of all runs together: the version, whether every run is valid, the worst exit code,
    failures, the number of runs from the store, warnings about scenarios. And of the study: the
    command line that it answers, how long that took, and the paths of its files."""

    version: str | None
    valid: bool
    code: int
    failures: list[dict[str, object]]
    from_store: int
    scenario_warnings: list[ScenarioWarning]
    command: str
    wall_s: float
    page: str
    results: str | None
    figures: list[str]


FACTS = ("version", "valid", "code", "failures", "from_store", "scenario_warnings")
"""What an answer or a study's document tells of all runs."""


def facts(answer: Mapping[str, object]) -> Whole:
    """Those facts that an answer, or a document, tells."""
    return cast(Whole, {key: answer[key] for key in FACTS if key in answer})


def merged(warnings: Iterable[Mapping[str, Any]]) -> list[ScenarioWarning]:
    """The warnings of several answers: each kind once for each key."""
    found: dict[tuple[str, str | None], ScenarioWarning] = {}
    for one in warnings:
        known = found.get((one["code"], one["key"]))
        if known is not None:
            known["points"] += one["points"]
        else:
            found[one["code"], one["key"]] = ScenarioWarning(
                code=one["code"],
                name=one["name"],
                message=one["message"],
                fix=one["fix"],
                key=one["key"],
                points=one["points"],
            )
    return sorted(found.values(), key=lambda one: one["code"])


@dataclass(frozen=True, slots=True)
class Point:
    """What one point gave: the runs that have a result, how many were made, and facts of all of
    them; the durations [s] are None if the point has no result."""

    runs: Sequence[Run]
    made: int
    valid: bool
    fingerprint: str | None
    error: Mapping[str, object] | None
    duration_s: float | None
    warmup_s: float | None

    @classmethod
    def read(cls, answer: Answer) -> Point:
        """Reads a point of an answer."""
        every = answer.get("runs") or [answer]
        return cls(
            runs=[run for run in every if "flows" in run],
            made=len(every),
            valid=answer.get("valid", False),
            fingerprint=answer.get("fingerprint"),
            error=answer.get("error") or None,
            duration_s=answer.get("duration_s"),
            warmup_s=answer.get("warmup_s"),
        )

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs that have a result."""
        return [run["seed"] for run in self.runs]

    def by_seed(self, measure: Callable[[Run], float | None]) -> dict[int, float]:
        """A measurement of each run that has it."""
        values = ((run["seed"], measure(run)) for run in self.runs)
        return {seed: float(value) for seed, value in values if value is not None}


@dataclass(slots=True, kw_only=True)
class Laboratory:
    """Makes the runs of a study in one round or several, each with the same seeds. `options` are
    those of the request: where runs are kept, how many go at a time."""

    base: Base
    replications: int
    seed: int | None = None
    use: Sequence[str] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    measure: Measure = api.run
    answers: list[Answer] = field(default_factory=list)

    def check(self, rows: Sequence[Row], names: Sequence[str]) -> Plan:
        """Plans all points. `ScenarioError` names the point that is wrong, and the cause."""
        return design.check(self.base, rows, names, self.use)

    def run(self, rows: Sequence[Row]) -> list[Point]:
        """Makes one round of runs: a point for each row."""
        wanted = design.request(
            self.base,
            rows,
            self.use,
            replications=self.replications,
            seed=self.seed,
            **self.options,
        )
        answer = self.measure(wanted)
        self.answers.append(answer)
        return [Point.read(point) for point in answer.get("points", [answer])]

    def whole(self, complete: bool = False) -> Whole:
        """The facts of all rounds: those that the only answer tells, or with `complete` all."""
        answers = self.answers
        warned = merged(one for answer in answers for one in answer.get("warnings", []))
        if not complete:
            return {**facts(answers[0]), "scenario_warnings": warned}
        return Whole(
            version=answers[0].get("version"),
            valid=all(answer.get("valid", False) for answer in answers),
            code=max(int(answer.get("code", 0)) for answer in answers),
            failures=[one for answer in answers for one in answer.get("failures") or []],
            from_store=sum(answer.get("from_store") or 0 for answer in answers),
            scenario_warnings=warned,
        )

    def notes(self, same: str, points: Sequence[Point]) -> list[str]:
        """The remarks of the plan and of the runs, each once; and `same`, if all seeds gave the
        same runs."""
        found = [*self.base.notes, *(note for a in self.answers for note in a.get("notes", []))]
        return list(dict.fromkeys([*found, *([same] if seeds_change_nothing(points) else [])]))


def seeds_change_nothing(points: Sequence[Point]) -> bool:
    """True if some point has several runs and all runs of each point are the same: intervals over
    the seeds then say nothing."""
    prints = [{run["fingerprint"] for run in p.runs} for p in points if len(p.runs) > 1]
    return bool(prints) and all(len(found) == 1 for found in prints)
