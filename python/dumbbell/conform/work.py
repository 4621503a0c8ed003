"""Runs the scenarios of criteria as one sweep, and judges."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .. import api
from ..data import series
from ..errors import ScenarioError
from ..files.write import Scratch
from ..studies.frame import design
from ..studies.frame.design import Base, Row
from ..studies.frame.runs import Laboratory, Measure, Point
from . import scenarios
from .criterion import Criterion, Tables
from .outcome import Outcome
from .sections import sections
from .subject import Subject
from .trace import Trace

_WIRE = {"rate": "1 Mbps", "delay": "1 ms"}
_BASES: Mapping[str, Tables] = {
    "dumbbell": {"bottleneck": _WIRE},
    "parking_lot": {"hops": 1, "bottleneck": _WIRE},
}
"""The networks that scenarios have. A point replaces one, and cannot take it away."""
_EMPTY: Tables = {"warmup": "0 s", "flow": [], "session": []}
"""Keys that one scenario has and another does not."""
LEAST_SEEDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How runs are made: the seeds of each scenario, files with the user's own algorithms, and
    options of the request."""

    seeds: int = scenarios.SEEDS
    use: Sequence[str] = ()
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(slots=True)
class _Wanted:
    """The scenarios that are wanted, each once, by their text; and those that cannot be planned,
    with the reason."""

    rows: dict[str, Tables] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def add(self, made: Tables) -> str:
        key = json.dumps(made, sort_keys=True)
        self.rows.setdefault(key, made)
        return key


Job = tuple[Subject, Criterion]


def conform(
    jobs: Sequence[Job], options: Options, measure: Measure = api.run
) -> tuple[list[Outcome], dict[str, Any]]:
    """Runs the criteria of each job with its algorithm and judges. Returns the outcomes in the
    order of the jobs, and facts of all runs: whether they are valid, how many came from the store.
    """
    if options.seeds < LEAST_SEEDS:
        raise ScenarioError(f"--seeds {options.seeds} gives no interval\nhelp: write --seeds 5")
    excuses = [criterion.excuse(subject) for subject, criterion in jobs]
    plain, traced = _Wanted(), _Wanted()
    keys: list[tuple[str, str | None] | None] = []
    for (subject, criterion), excuse in zip(jobs, excuses, strict=True):
        if excuse is not None:
            keys.append(None)
            continue
        wanted = plain if criterion.traced is None else traced
        mine = wanted.add(scenarios.scenario(criterion, subject))
        other = None
        if criterion.against is not None:
            other = wanted.add(scenarios.scenario(criterion, subject.as_other(criterion.against)))
        keys.append((mine, other))
    points, facts = _run(plain, options, measure)
    reads: dict[str, list[Criterion]] = {}
    for (_, criterion), key in zip(jobs, keys, strict=True):
        if key is not None and criterion.traced is not None:
            reads.setdefault(key[0], []).append(criterion)
    traces = _trace(traced, reads, options, measure)
    found: list[Outcome] = []
    for (_, criterion), excuse, key in zip(jobs, excuses, keys, strict=True):
        section = sections()[criterion.section]
        if key is None:
            found.append(Outcome(criterion, section, excuse=excuse))
        elif criterion.traced is not None:
            found.append(_of_traces(criterion, key[0], traced, traces))
        else:
            found.append(_of_points(criterion, key, plain, points))
    return found, facts


def check(subject: Subject, criteria: Sequence[Criterion]) -> None:
    """`ScenarioError` if no scenario takes the algorithm as it is written, with the reason of the
    first."""
    refused: ScenarioError | None = None
    for criterion in criteria:
        if criterion.scenario is None or criterion.excuse(subject) is not None:
            continue
        made = criterion.scenario(subject)
        network = next(name for name in _BASES if name in made)
        try:
            api.plan(design.request(_base(network), [{**_EMPTY, **made}], subject.use, points=0))
        except ScenarioError as error:
            refused = refused or ScenarioError(f"{subject.text}: {design.said(error)}")
        else:
            return
    if refused is not None:
        raise refused


def _base(network: str) -> Base:
    scenario: Tables = {"duration": "1 s", network: _BASES[network], "flow": [{"name": "new"}]}
    return Base(scenario=scenario, name="conform")


def _laboratory(network: str, options: Options, measure: Measure) -> Laboratory:
    return Laboratory(
        base=_base(network),
        replications=options.seeds,
        seed=1,
        use=options.use,
        options={**options.options, "keep_going": True},
        measure=measure,
    )


def _rows(wanted: _Wanted, network: str, options: Options) -> dict[str, Row]:
    """The points of a network that can be planned, by their text. A scenario that an algorithm
    cannot be in is remembered."""
    found: dict[str, Row] = {}
    for key, made in wanted.rows.items():
        if network not in made:
            continue
        row: Row = {**_EMPTY, **made}
        try:
            api.plan(design.request(_base(network), [row], options.use, points=0))
        except ScenarioError as error:
            wanted.refused[key] = design.said(error)
            continue
        found[key] = row
    return found


def _run(
    wanted: _Wanted, options: Options, measure: Measure
) -> tuple[dict[str, Point], dict[str, Any]]:
    """All points, and facts of all runs."""
    found: dict[str, Point] = {}
    wholes: list[Mapping[str, Any]] = []
    for network in _BASES:
        if rows := _rows(wanted, network, options):
            laboratory = _laboratory(network, options, measure)
            found |= zip(rows, laboratory.run(list(rows.values())), strict=True)
            wholes.append(laboratory.whole(complete=True))
    return found, {
        "valid": all(whole["valid"] for whole in wholes),
        "failures": [one for whole in wholes for one in whole["failures"]],
        "from_store": sum(whole["from_store"] for whole in wholes),
    }


_Values = Mapping[tuple[str, str], Sequence[float]]
"""What was read from series, by the scenario and the criterion's name: a value for each seed."""


def _trace(
    wanted: _Wanted,
    reads: Mapping[str, Sequence[Criterion]],
    options: Options,
    measure: Measure,
) -> _Values:
    """What criteria read from the series of each scenario. Series are large: one is in memory at a
    time, and none is stored."""
    rows = _rows(wanted, "dumbbell", options)
    if not rows:
        return {}
    scratch = Scratch()
    kept = {key: value for key, value in options.options.items() if key != "store"}
    one = replace(options, options={**kept, "out": str(scratch.path)})
    _laboratory("dumbbell", one, measure).run(list(rows.values()))
    found: dict[tuple[str, str], list[float]] = {}
    keys = list(rows)
    for directory in series.run_directories(scratch.path):
        point = next((p for p in directory.parts if p.startswith("point-")), "point-1")
        key = keys[int(point.removeprefix("point-")) - 1]
        trace = Trace.read(directory)
        for criterion in reads[key]:
            if criterion.traced is not None:
                found.setdefault((key, criterion.id), []).append(criterion.traced(trace))
    return found


def _of_points(
    criterion: Criterion,
    key: tuple[str, str | None],
    wanted: _Wanted,
    points: Mapping[str, Point],
) -> Outcome:
    section = sections()[criterion.section]
    if (refused := wanted.refused.get(key[0])) is not None:
        return Outcome(criterion, section, excuse=f"it cannot be run so: {_first(refused)}")
    mine = points[key[0]]
    other = None if key[1] is None else points.get(key[1])
    if (error := _failed(mine) or (_failed(other) if other else None)) is not None:
        return Outcome(criterion, section, error=error)
    values = _by_seed(criterion, mine)
    if other is None:
        return Outcome(criterion, section, list(values.values()))
    theirs = _by_seed(criterion, other)
    return Outcome(criterion, section, [_quotient(v, theirs[s]) for s, v in values.items()])


def _of_traces(criterion: Criterion, key: str, wanted: _Wanted, traces: _Values) -> Outcome:
    section = sections()[criterion.section]
    if (refused := wanted.refused.get(key)) is not None:
        return Outcome(criterion, section, excuse=f"it cannot be run so: {_first(refused)}")
    values = traces.get((key, criterion.id), ())
    if not values:
        return Outcome(criterion, section, error="the runs wrote no series")
    return Outcome(criterion, section, values)


def _by_seed(criterion: Criterion, point: Point) -> dict[int, float]:
    """The number of each run of a point."""
    measure = criterion.measure
    assert measure is not None
    times = {"duration_s": point.duration_s, "warmup_s": point.warmup_s}
    return point.by_seed(lambda run: measure({**times, **run}))


def _failed(point: Point) -> str | None:
    """Why a point has no result that counts."""
    if point.error is not None:
        return str(point.error.get("text") or point.error)
    return None if point.valid else "a run does not account for every packet"


def _first(text: str) -> str:
    return next((line.strip(" ×│") for line in text.splitlines() if line.strip()), text)


def _quotient(mine: float, theirs: float) -> float:
    if theirs == 0:
        return 1.0 if mine == 0 else math.inf
    return mine / theirs
