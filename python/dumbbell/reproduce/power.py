"""The power of verdicts: which error of the simulator each of them would have noticed.

Every point that a verdict needs is run again under each perturbation of the paper, one at a time,
and everything is judged again. A *reproduced* verdict that is another one then *caught* the
perturbation. One that no perturbation changes caught nothing: it is weak evidence. A verdict that
other seeds alone change is *unsteady*, and what it caught may be chance.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..errors import ScenarioError
from . import judge, papers, perturb, predicate, verdict
from .document import PerturbationRow, PowerReport, PowerRow
from .entries import Paper, Perturbation, Point
from .measures.measure import needs_series
from .runs import PointRunner, Runs

SEEDS = "other seeds"
"""The name of the run without an error."""
SEEDS_APART = 1000
"""How far its first seed is from the paper's."""
SOME, NONE, UNSTEADY = "some", "none", "unsteady"


def points(paper: Paper) -> dict[str, Point]:
    """The points that verdicts need."""
    texts = [text for claim in paper.claims for text in (claim.reproduced, claim.in_part)]
    texts += [text for cell in paper.cells.values() for text in (cell.of, cell.baseline_of)]
    names = papers.reach(paper, filter(None, texts))
    if paper.surface is not None:
        names |= paper.numbers.keys()
    needed = {p for name in names & paper.numbers.keys() for p in paper.numbers[name].points}
    needed |= {cell.point for cell in paper.cells.values() if cell.point}
    return {name: point for name, point in paper.points.items() if name in needed}


def count(paper: Paper) -> int:
    """Number of points that all perturbations and the other seeds run, at most."""
    return (len(paper.perturbations) + 1) * len(points(paper))


def compare(
    paper: Paper, measured: Mapping[str, Runs], runner: PointRunner, scratch: Path
) -> PowerReport:
    """Every perturbation, and what each verdict caught. measured: the runs without any, at the same
    effort."""
    if not paper.perturbations:
        raise ScenarioError(
            f"{paper.name} declares no [[perturbation]]\nhelp: add one to {paper.folder}/paper.toml"
        )
    needed = points(paper)
    own = dataclasses.replace(runner, lenient=True)
    base = verdicts(paper, measured)
    own.seed = (paper.seed if runner.seed is None else runner.seed) + SEEDS_APART
    again = {name: _run(own, point, (), scratch) for name, point in needed.items()}
    own.seed = runner.seed
    under = {SEEDS: verdicts(paper, again)}
    rows: list[PerturbationRow] = []
    valid = all(runs.json["valid"] for runs in again.values())
    for wanted in paper.perturbations:
        moved = {
            name: found
            for name, point in needed.items()
            if (found := perturb.changes(wanted, point, runner.effort.overrides))
        }
        if not moved:
            raise ScenarioError(f"perturbation `{wanted.id}` changes no point of {paper.name}")
        ran = {
            name: _run(own, needed[name], moved[name], scratch) if name in moved else measured[name]
            for name in needed
        }
        valid &= all(runs.json["valid"] for runs in ran.values())
        under[wanted.id] = verdicts(paper, ran)
        rows.append(_row(wanted, len(moved), len(needed)))
    judged = [
        power_of(
            kind, name, base[kind, name], {key: said[kind, name] for key, said in under.items()}
        )
        for kind, name in base
    ]
    runner.done = own.done
    return {
        "n": runner.effort.replications,
        "overrides": list(runner.effort.overrides),
        "perturbations": rows,
        "rows": judged,
        "conclusion": conclusion(judged, rows),
        "valid": valid,
    }


def _run(runner: PointRunner, point: Point, changes: Iterable[str], scratch: Path) -> Runs:
    measures = papers.measures_at(runner.paper, point.id)
    if not any(map(needs_series, measures)):
        return runner.run(point, changes)
    folder = scratch / f"power-{runner.done}"
    runs = runner.run(point, changes, folder)
    shutil.rmtree(folder)  # What is measured of it is kept with the runs.
    return runs


def _row(wanted: Perturbation, changed: int, of: int) -> PerturbationRow:
    return {
        "id": wanted.id,
        "what": wanted.what,
        "scale": dict(wanted.scale),
        "controls": dict(wanted.controls),
        "set": list(wanted.set),
        "points_changed": changed,
        "points": of,
    }


def verdicts(paper: Paper, measured: Mapping[str, Runs]) -> dict[tuple[str, str], str]:
    """The verdict on each printed number that has one, and on each claim; *not testable* where a
    number has no value in these runs."""
    able = _measurable(paper, measured)
    known = judge.numbers(able, measured)
    found: dict[tuple[str, str], str] = {}
    for cell in paper.cells.values():
        if cell.fitted:
            continue
        try:
            found["cell", cell.id] = judge.cell(paper, measured, cell, known)["verdict"] or ""
        except ScenarioError:
            found["cell", cell.id] = verdict.NOT_TESTABLE
    for claim in paper.claims:
        try:
            said = verdict.NOT_TESTABLE if claim.missing else judge.verdict_of(claim, known)
        except ScenarioError:
            said = verdict.NOT_TESTABLE
        found["claim", claim.id] = said
    return found


def _measurable(paper: Paper, measured: Mapping[str, Runs]) -> Paper:
    """The paper with the numbers that its runs have."""
    numbers = {
        name: number
        for name, number in paper.numbers.items()
        if all(p in measured and number.measure not in measured[p].lacking for p in number.points)
    }
    laws = judge.numbers(dataclasses.replace(paper, numbers=numbers, derived={}), measured)
    derived: dict[str, str] = {}
    for name, text in paper.derived.items():
        try:
            predicate.evaluate(text, laws)
        except ScenarioError:
            if not predicate.names(text) & paper.derived.keys():
                continue
        derived[name] = text
    return dataclasses.replace(paper, numbers=numbers, derived=derived)


def power_of(kind: str, name: str, base: str, under: Mapping[str, str]) -> PowerRow:
    """What a verdict caught; `power` is None if it is not *reproduced*."""
    seeds = under[SEEDS]
    others = {key: said for key, said in under.items() if key != SEEDS}
    row: PowerRow = {
        "kind": kind,
        "id": name,
        "verdict": base,
        "power": None,
        "caught": [],
        "other_seeds": seeds,
        "under": others,
    }
    if base == verdict.REPRODUCED:
        row["caught"] = [key for key, said in others.items() if said != base]
        row["power"] = UNSTEADY if seeds != base else SOME if row["caught"] else NONE
    return row


def said(row: PowerRow, perturbations: Iterable[PerturbationRow]) -> str:
    """What a verdict caught, in words."""
    names = {each["id"]: each["what"] for each in perturbations}
    caught = ", ".join(names[key] for key in row["caught"])
    if row["power"] == UNSTEADY:
        return f"unsteady: other seeds alone give {row['other_seeds']}"
    if row["power"] == NONE:
        return "caught nothing: weak evidence"
    return f"caught: {caught}" if row["power"] else ""


def conclusion(rows: Iterable[PowerRow], perturbations: Iterable[PerturbationRow]) -> list[str]:
    """In sentences: how many verdicts have power, which perturbation nothing noticed, and which
    other verdicts an error would have made *reproduced*."""
    rows, perturbations = list(rows), list(perturbations)
    judged = [row for row in rows if row["power"]]
    others = [row for row in rows if not row["power"]]
    became = sum(bool(reproduced_by(row, perturbations)) for row in others)
    turned = f"Some error makes {became} of the other {len(others)} verdicts reproduced."
    if not judged:
        return ["No verdict is reproduced at this effort, so that none can have power.", turned]
    counted = {
        power: sum(row["power"] == power for row in judged) for power in (SOME, NONE, UNSTEADY)
    }
    told = [
        f"{len(judged)} verdicts are reproduced. Those that caught some error: {counted[SOME]}, "
        f"that caught nothing: {counted[NONE]}, unsteady: {counted[UNSTEADY]}."
    ]
    caught = {key for row in judged if row["power"] == SOME for key in row["caught"]}
    missed = [each["what"] for each in perturbations if each["id"] not in caught]
    if missed:
        told.append(f"No steady verdict noticed {', '.join(missed)}.")
    return [*told, turned]


def reproduced_by(row: PowerRow, perturbations: Iterable[PerturbationRow]) -> list[str]:
    """The perturbations under which a verdict is *reproduced*, in words."""
    reproduced = [key for key, found in row["under"].items() if found == verdict.REPRODUCED]
    return [each["what"] for each in perturbations if each["id"] in reproduced]
