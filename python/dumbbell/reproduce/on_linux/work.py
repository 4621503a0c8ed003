"""A paper's points on user-mode Linux and in the simulator, with the same seeds, judged by the same
rules."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import msgspec

from ... import api
from ...errors import ScenarioError
from ...files.filename import component
from ...files.write import temporary_folder
from ...linux import kernels
from ...studies.frame import publish
from .. import judge as judged
from .. import papers
from ..document import CellRow, assumption_rows
from ..entries import Effort, Paper, Point
from ..measures.measure import needs_series
from ..predicate import Family
from ..runs import PointRunner, Runs, point_row
from ..testbed import judge
from . import plan_file
from .document import BesideCell, BesideClaim, LinuxReport, NotRun, NumberRow
from .plan_file import OnLinux

_FLOW = re.compile(r"^flow `[^`]*`, `[^`]*`: ")


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """Options of a command. store: where finished runs are kept, and taken from. tell: hears a
    line after each point."""

    overrides: Sequence[str] = ()
    quick: bool = False
    seed: int | None = None
    replications: int | None = None
    threads: int | None = None
    store: Path | None = None
    out: Path | None = None
    progress: api.Progress = lambda finished, runs, fraction: None
    tell: Callable[[str], None] = lambda line: None


@dataclass(slots=True)
class Place:
    """What was measured in one of the two places, by point, and what was not run there."""

    measured: dict[str, Runs]
    known: Mapping[str, Family]
    refused: dict[str, str]


def reproduce(name: str, how: How) -> LinuxReport:
    """Runs a paper's points in both places, writes `report.html` and `report.json`, and returns the
    report's object. `EnvironmentLacks` without a kernel; `ScenarioError` if the kernel can run no
    point."""
    started = time.perf_counter()
    publish.tools()
    paper = papers.load(name)
    asked = plan_file.read(paper, how.quick, how.replications)
    kernel = kernels.needed()
    points = asked.points(paper)
    with temporary_folder() as scratch:
        there = _measure(paper, asked, points, how, Path(scratch), "linux")
        if not there.measured:
            reason = next(iter(there.refused.values()))
            raise ScenarioError(f"{paper.name}: the kernel can run no point: {reason}")
        ours = _measure(paper, asked, points, how, Path(scratch), "sim")
        document = _document(paper, asked, how, there, ours)
    document["kernel"] = str(kernel.about.get("release", kernel.program))
    document["wall_s"] = time.perf_counter() - started
    from . import page

    out = how.out or Path("results") / component(f"{paper.name}-linux")
    publish.publish(document, [], partial(page.html, paper, document), out, publish.REPORT)
    return document


def _measure(
    paper: Paper,
    asked: OnLinux,
    points: Mapping[str, Point],
    how: How,
    scratch: Path,
    on: str,
) -> Place:
    """Runs the points in one place; those that it refuses are named with the reason."""
    effort = Effort(replications=asked.effort.replications, overrides=asked.effort.overrides)
    runner = PointRunner(
        paper,
        effort,
        list(how.overrides),
        how.seed,
        how.threads,
        how.progress,
        total=len(points),
        store=None if how.store is None else str(how.store),
        on=on,
    )
    recorded = _recorded(paper)
    found, refused = dict[str, Runs](), dict[str, str]()
    for number, (name, point) in enumerate(points.items(), 1):
        own = asked.on_kernel(paper, point) if on == "linux" else point
        try:
            found[name] = runner.run(own, out=scratch / on / name if name in recorded else None)
            said = f"{len(found[name].runs)} runs"
        except ScenarioError as error:
            refused[name] = said = _cause(error)
        how.tell(f"{on}, {number} of {len(points)}: {name}, {said}")
    return Place(found, judge.numbers(paper, found), refused)


def _cause(error: ScenarioError) -> str:
    """The first reason, without the flow that it names: most flows have the same."""
    problems = error.detail.get("problems") or [{"cause": error.rendered.splitlines()[0]}]
    cause = str(problems[0]["cause"]).partition("; flow `")[0]
    return _FLOW.sub("", cause.strip())


def _recorded(paper: Paper) -> set[str]:
    """Points whose series a number or a cell needs."""
    needed = {p for n in paper.numbers.values() if needs_series(n.measure) for p in n.points}
    return needed | {cell.point for cell in paper.cells.values() if needs_series(cell.measure)}


def _document(paper: Paper, asked: OnLinux, how: How, there: Place, ours: Place) -> LinuxReport:
    from ... import __version__
    from . import narrative

    tried = asked.points(paper).keys()
    simulated = {row["id"]: row for row in _cells(paper, tried, ours)}
    cells = _cells(paper, tried, there)
    beside = {row["id"]: row for row in judge.claims(paper, ours.known)}
    claims = judge.claims(paper, there.known)
    document: LinuxReport = {
        "paper": paper.name,
        "title": paper.title,
        "on": "linux",
        "kernel": "",
        "valid": all(runs.json["valid"] for runs in there.measured.values()),
        "altered": list(how.overrides),
        "quick": how.quick,
        "replications": asked.effort.replications,
        "finding": [],
        "cells": [
            cast(BesideCell, {**row, "simulated": simulated.get(row["id"])}) for row in cells
        ],
        "claims": [cast(BesideClaim, {**row, "simulated": beside[row["id"]]}) for row in claims],
        "not_run": _not_run(there.refused),
        "numbers": _numbers(there.known, ours.known),
        "assumptions": assumption_rows(paper.assumptions),
        "points": [point_row(runs) for runs in there.measured.values()],
        "version": __version__,
        "wall_s": 0.0,
    }
    document["finding"] = narrative.findings(document)
    return document


def _cells(paper: Paper, tried: Set[str], place: Place) -> list[CellRow]:
    """The cells of the points that were tried; those of points that were refused are not
    testable."""
    rows = []
    for cell in paper.cells.values():
        needed = papers.points_of(paper, cell)
        if cell.baseline:
            needed |= papers.points_of(paper, paper.cells[cell.baseline])
        if cell.missing is None and not needed <= tried:
            continue
        absent = sorted(needed - place.measured.keys())
        if cell.missing is None and absent:
            reason = f"{absent[0]} was not run: {place.refused[absent[0]]}"
            row = judged.cell(paper, {}, msgspec.structs.replace(cell, missing=reason))
        else:
            row = judged.cell(paper, place.measured, cell, place.known)
        rows.append(row)
    return rows


def _not_run(refused: Mapping[str, str]) -> list[NotRun]:
    """Points by the reason why the kernel does not run them."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in refused.items():
        by_reason.setdefault(reason, []).append(name)
    return [{"points": names, "reason": reason} for reason, names in by_reason.items()]


def _numbers(there: Mapping[str, Family], ours: Mapping[str, Family]) -> list[NumberRow]:
    """The numbers that both places have, at the points that both have."""
    rows: list[NumberRow] = []
    for name in there.keys() & ours.keys():
        both = [at for at in there[name].at if at in ours[name].at]
        rows.append(
            {
                "id": name,
                "linux": judged.evidence(_at(there[name], both)),
                "simulated": judged.evidence(_at(ours[name], both)),
            }
        )
    order = list(there)
    return sorted(rows, key=lambda row: order.index(row["id"]))


def _at(family: Family, wanted: Iterable[Any]) -> Family:
    """A number at some of its points."""
    by_place = dict(zip(family.at, family.values, strict=True))
    chosen = list(wanted)
    return Family(tuple(chosen), tuple(by_place[at] for at in chosen))
