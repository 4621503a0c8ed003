"""The comparison from the words to the page: simulator and kernels on the same scenarios, measure
by measure."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

from .... import api
from ....errors import of_code
from ....files.filename import component
from ....files.write import temporary_folder
from ....testbed.attempts import Attempts, Kept, beside
from ....testbed.live_runs import LiveRunner, Order, interleaved
from ...frame import publish
from ...frame.paired import picked
from ...frame.runs import Point, Run
from . import agreement, conditions, measures
from .agreement import Ratio
from .conditions import Cell, Options, Study
from .document import After, CellRow, Document, ExperimentRow, MeasureRow, NotValid
from .explain import KERNEL, Experiment
from .measures import Measure

OVERLAID = 4
"""Conditions whose series are drawn in one figure; of more the page has only the numbers."""
REPEATS = 3
LIVE, VIRTUAL = "kernel", "linux"
"""Values of `How.on`."""
EVERY = "50 ms"
"""Period of the series that figures overlay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """Options of runs. on: whose kernel is compared with, `kernel` (this machine's, in real time)
    or `linux` (a user-mode kernel's, in virtual time). store: of runs in virtual time; live ones
    are kept beside it. again: tries runs anew that were not valid."""

    on: str = LIVE
    repeats: int = REPEATS
    seed: int = 1
    store: Path
    out: Path | None = None
    threads: int | None = None
    again: bool = False
    experiments: Sequence[Experiment] = ()
    progress: api.Progress = lambda finished, runs, fraction: None
    tell: Callable[[str], None] = lambda line: None
    command: str = ""


class Wrong(TypedDict):
    """A run that was not valid."""

    seed: int | None
    reasons: list[str]


@dataclass(slots=True)
class Side:
    """Results of one side in one condition: runs that are valid, what is wrong with others, one
    run's series."""

    runs: list[Run] = field(default_factory=list)
    wrong: list[Wrong] = field(default_factory=list)
    directory: Path | None = None
    seed: int | None = None

    def values(self, key: str) -> list[float]:
        """A measure of each run that has it."""
        return [value for run in self.runs if (value := measures.values(run).get(key)) is not None]


def compare(options: Options, how: How) -> Document:
    """Compares, writes `index.html`, `results.json` and the figures into `out` (default
    `results/kernel-SCENARIO`), and returns the document of `results.json`."""
    started = time.perf_counter()
    publish.tools()
    study = conditions.read(options)
    make = _virtual_runs(study, how) if how.on == VIRTUAL else _live_runs(study, how)
    live = make([(cell, None) for cell in study.cells])
    bare: Sides = {(cell.label, None): _simulated(study, cell, (), how) for cell in study.cells}
    live |= make(_to_explain(study, how, live, bare))
    document = document_of(study, how, live, bare)
    document |= {"command": how.command, "wall_s": time.perf_counter() - started}
    from . import draw, page

    with temporary_folder() as scratch:
        overlaid = study.cells if len(study.cells) <= OVERLAID else ()
        pairs = []
        for number, cell in enumerate(overlaid):
            side, place = live[cell.label, None], Path(scratch) / str(number)
            theirs = side.directory
            if how.on == VIRTUAL:
                theirs = _recorded(study, cell, place / VIRTUAL, how.seed, VIRTUAL)
            if theirs is not None:
                ours = _recorded(study, cell, place / "sim", side.seed or how.seed)
                pairs.append((cell.label, ours, theirs))
        publish.publish(
            document,
            draw.figures_of(document, pairs),
            partial(page.html, document),
            how.out or Path("results") / component(f"{how.on}-{study.name}"),
        )
    return document


def _to_explain(
    study: Study, how: How, live: Sides, bare: Sides
) -> list[tuple[Cell, Experiment | None]]:
    """The experiments on the kernel's side that have a difference to explain: each takes
    minutes."""
    found: list[tuple[Cell, Experiment | None]] = []
    for cell in study.cells:
        sim, kernel = bare[cell.label, None], live[cell.label, None]
        for e in how.experiments:
            asked = measures.asked(e.measure, _known(sim, kernel)) if e.side == KERNEL else []
            if any(
                _measure(measure, sim, kernel)["verdict"] == agreement.DIFFERS for measure in asked
            ):
                found.append((cell, e))
    return found


def _known(sim: Side, kernel: Side) -> list[Measure]:
    """The measures of a condition."""
    return measures.of_run((sim.runs or kernel.runs)[0]) if sim.runs or kernel.runs else []


def _recorded(study: Study, cell: Cell, directory: Path, seed: int, on: str = "sim") -> Path:
    """A run of a seed again, with its series."""
    record = {"every": EVERY, "drops": True}
    wanted = api.request(
        dict(study.source), cell.overrides, seed=seed, replications=1, record=record, on=on
    )
    api.run(wanted | {"out": str(directory)})
    return directory


Sides = Mapping[tuple[str, str | None], Side]
Make = Callable[[Sequence[tuple[Cell, Experiment | None]]], dict[tuple[str, str | None], Side]]
"""Makes the kernel's runs of conditions."""


def _live_runs(study: Study, how: How) -> Make:
    api.need_testbed()
    runner = LiveRunner(Attempts(beside(how.store)), how.progress, how.tell, again=how.again)
    return lambda conditions: _live(study, conditions, runner, how)


def _virtual_runs(study: Study, how: How) -> Make:
    """Runs of a user-mode kernel, which are kept in the store as simulated ones are."""

    def make(
        conditions: Sequence[tuple[Cell, Experiment | None]],
    ) -> dict[tuple[str, str | None], Side]:
        sides: dict[tuple[str, str | None], Side] = {}
        for number, (cell, e) in enumerate(conditions):

            def part(_: int, __: int, fraction: float, before: int = number) -> Any:
                share = (before + fraction) / len(conditions)
                return how.progress(before, len(conditions), share)

            changes = e.overrides if e else ()
            side = _simulated(study, cell, changes, how, VIRTUAL, part)
            side.seed = how.seed
            sides[cell.label, e.text if e else None] = side
        return sides

    return make


def _live(
    study: Study, conditions: Sequence[tuple[Cell, Experiment | None]], runner: LiveRunner, how: How
) -> dict[tuple[str, str | None], Side]:
    """Every live run of these conditions, interleaved in time."""
    if not conditions:
        return {}
    laid = interleaved(conditions, how.repeats)
    orders = [
        Order(
            f"{cell.label}{f', {e.label}' if e else ''}",
            study.source,
            [*cell.overrides, *(e.overrides if e else ())],
            how.seed + repeat,
            EVERY if e is None and len(study.cells) <= OVERLAID else None,
        )
        for (cell, e), repeat in laid
    ]
    jobs = runner.jobs(orders)
    left = runner.left_s(jobs) / 60
    how.tell(
        f"{len(orders)} live runs, about {left:.0f} min; finished runs are kept in "
        f"{runner.attempts.directory}"
    )
    sides: dict[tuple[str, str | None], Side] = {}
    for ((cell, e), _), kept in zip(laid, runner.run(jobs), strict=True):
        _take(sides.setdefault((cell.label, e.text if e else None), Side()), kept)
    return sides


def _take(side: Side, kept: Kept) -> None:
    """A run that is not valid is named, and used nowhere."""
    if kept.valid:
        side.runs.append(kept.run)
        if side.directory is None:
            side.directory, side.seed = kept.directory, kept.run.get("seed")
    else:
        side.wrong.append({"seed": kept.run.get("seed"), "reasons": kept.reasons})


def _simulated(
    study: Study,
    cell: Cell,
    changes: Sequence[str],
    how: How,
    on: str = "sim",
    progress: api.Progress | None = None,
) -> Side:
    """The runs of a condition in virtual time, with `changes` applied."""
    wanted = api.request(
        dict(study.source),
        [*cell.overrides, *changes],
        seed=how.seed,
        replications=how.repeats,
        threads=how.threads,
        store=str(how.store),
        on=on,
    )
    made = api.run(wanted, progress)
    if made.get("failures"):
        first = made["failures"][0]
        raise of_code(int(first["code"]), f"{cell.label}, seed {first['seed']}: {first['message']}")
    return Side(list(Point.read(made).runs))


def document_of(study: Study, how: How, live: Sides, bare: Sides) -> Document:
    """All that is known, without paths."""
    from .... import __version__

    rows = [_row(study, cell, how, live, bare) for cell in study.cells]
    verdicts = [m["verdict"] for row in rows for m in row["measures"]]
    wrong: list[NotValid] = [
        {"cell": label, "experiment": e, **one}
        for (label, e), side in live.items()
        for one in side.wrong
    ]
    return {
        "version": __version__,
        "on": how.on,
        "scenario_name": study.name,
        "title": study.title,
        "profile": conditions.PROFILE,
        "profile_asked": study.asked,
        "repeats": how.repeats,
        "seeds": [how.seed + i for i in range(how.repeats)],
        "valid": all(row["kernel_runs"] >= agreement.LEAST_RUNS for row in rows),
        "not_valid": wrong,
        "tally": {verdict: verdicts.count(verdict) for verdict in agreement.VERDICTS},
        "cells": rows,
        "notes": _notes(study, how, rows, wrong),
        "scenario_warnings": list(study.warnings),
        "scenario": study.scenario,
    }


def _row(study: Study, cell: Cell, how: How, live: Sides, bare: Sides) -> CellRow:
    """A condition: each measure on both sides, and the experiments on those that differ."""
    kernel, sim = live[cell.label, None], bare[cell.label, None]
    known = _known(sim, kernel)
    found = [_measure(measure, sim, kernel) for measure in known]
    by_key = {row["key"]: row for row in found}
    experiments = []
    for e in how.experiments:
        differing = [
            m
            for m in measures.asked(e.measure, known)
            if by_key[m.key]["verdict"] == agreement.DIFFERS
        ]
        if e.side == KERNEL:
            pair = (sim, live.get((cell.label, e.text), kernel))
        else:
            pair = (_simulated(study, cell, e.overrides, how) if differing else sim, kernel)
        experiments += [
            _experiment(e, m, by_key[m.key], *pair) for m in measures.asked(e.measure, known)
        ]
    return {
        "label": cell.label,
        "at": dict(cell.at),
        "overrides": list(cell.overrides),
        "sim_runs": len(sim.runs),
        "kernel_runs": len(kernel.runs),
        "classes": sorted(
            {str(run["validity"].get("class")) for run in kernel.runs if run.get("validity")}
        ),
        "measures": found,
        "experiments": experiments,
    }


def _measure(measure: Measure, sim: Side, kernel: Side) -> MeasureRow:
    found = agreement.compare(
        sim.values(measure.key), kernel.values(measure.key), measure.kind.floor
    )
    kind = measure.kind
    return {
        "key": measure.key,
        "kind": kind.key,
        "of": measure.of,
        "title": measure.title,
        "unit": kind.unit,
        **found,
    }


def _experiment(
    e: Experiment, measure: Measure, before: MeasureRow, sim: Side, kernel: Side
) -> ExperimentRow:
    after = _measure(measure, sim, kernel)
    return {
        "measure": measure.key,
        "side": e.side,
        "overrides": list(e.overrides),
        "label": e.label,
        "before": picked(Ratio, before),
        "after": picked(After, after),
        "outcome": agreement.explained(before, after),
    }


def _notes(study: Study, how: How, rows: Sequence[CellRow], wrong: Sequence[NotValid]) -> list[str]:
    notes = list(study.notes)
    if study.asked is not None:
        notes.append(
            f"the scenario has the profile `{study.asked}`; both sides ran under "
            f"`{conditions.PROFILE}`, the simulator's model of the kernel"
        )
    if wrong:
        notes.append(f"{len(wrong)} live runs were invalid twice and were left out")
    notes += [
        f"{row['label']}: {row['kernel_runs']} of {how.repeats} live runs are valid; "
        f"a verdict needs {agreement.LEAST_RUNS}"
        for row in rows
        if row["kernel_runs"] < agreement.LEAST_RUNS
    ]
    return notes
