"""Running a paper: which points, with which overrides, and what comes out of each."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from .. import api
from ..errors import ScenarioError
from ..files.filename import component
from ..files.write import temporary_folder
from ..studies.frame import publish
from . import papers, verdict
from .document import FigureRow, Report, assumption_rows
from .measures.measure import needs_series
from .papers import Effort, Paper, Picture, Point
from .runs import PointRunner, Runs, owned, point_row

if TYPE_CHECKING:
    from ..studies.frame.drawing import NamedFigure
    from .figures.kinds import Drawn
    from .on_linux.document import LinuxReport
    from .predicate import Family
    from .testbed.document import CampaignReport


def reproduce(
    name: str,
    *,
    overrides: Iterable[str] = (),
    quick: bool = False,
    power: bool = False,
    cells: Iterable[str] = (),
    on: str = "sim",
    seed: int | None = None,
    replications: int | None = None,
    threads: int | None = None,
    store: str | Path | None = None,
    out: str | Path | None = None,
    progress: api.Progress = lambda finished, runs, fraction: None,
) -> Report | CampaignReport | LinuxReport:
    """Reproduces a paper and returns the object of `report.json`, which it writes beside
    `report.html` and the figures, each as SVG, PDF and PNG in `figures`.

    quick: the paper's smaller effort. power: everything with that effort, and again under each
    perturbation; without readings and hardware. overrides: as `-s`; those that the paper's scheme
    owns (its queue, say) change only the points at which the scheme is at work, so that taking it
    out leaves the baseline alone. cells: only these, without claims. store: where finished runs are
    kept, and taken from. out: the report's directory, by default `results/NAME`.
    """
    if power and (on != "sim" or list(cells)):
        raise ScenarioError(
            "--power\n^^^^^^^ this needs the whole paper in the simulator\n"
            f"help: leave out {'--on' if on != 'sim' else '--cell'}"
        )
    quick = quick or power
    if on == "kernel":
        from .testbed import work

        if list(cells):
            raise ScenarioError(
                "selecting cells needs the simulator: on real kernels all points run, interleaved"
            )
        how = work.How(
            overrides=list(overrides),
            quick=quick,
            seed=seed,
            replications=replications,
            threads=threads,
            store=Path(store or os.environ.get("DUMBBELL_STORE") or Path(".dumbbell") / "store"),
            out=None if out is None else Path(out),
            progress=progress,
        )
        return work.reproduce(name, how)
    if on == "linux":
        from .on_linux import work as on_linux

        if list(cells):
            raise ScenarioError("selecting cells needs the simulator: on Linux all points run")
        wanted = on_linux.How(
            overrides=list(overrides),
            quick=quick,
            seed=seed,
            replications=replications,
            threads=threads,
            store=None if store is None else Path(store),
            out=None if out is None else Path(out),
            progress=progress,
        )
        return on_linux.reproduce(name, wanted)
    if on != "sim":
        raise ScenarioError(f"--on {on}: write --on sim, --on kernel or --on linux")
    publish.tools()
    paper = papers.load(name)
    asked = Asked(paper, list(cells), list(overrides), quick, power)
    points = _points(paper, asked.cells)
    runner = PointRunner(
        paper,
        _effort(paper, quick, replications),
        asked.altered,
        seed,
        threads,
        progress,
        store=None if store is None else str(store),
    )
    return _simulated(asked, points, runner, Path(out or Path("results") / component(paper.name)))


@dataclass(frozen=True, slots=True)
class Asked:
    """A reproduction by the simulator. cells: only these; none: the whole paper. altered: the
    user's overrides. power: perturbations instead of readings and hardware."""

    paper: Paper
    cells: list[str]
    altered: list[str]
    quick: bool
    power: bool = False

    @property
    def own_scheme(self) -> bool:
        """True if the whole is asked for and no override concerns the paper's own scheme. Readings
        and hardware are of that scheme: one that is altered leaves none to compare."""
        if self.cells or self.power:
            return False
        return not any(owned(self.paper, over) for over in self.altered)


def _simulated(asked: Asked, points: Mapping[str, Point], runner: PointRunner, out: Path) -> Report:
    """Runs the points, judges them, and writes the report."""
    from . import hardware, over_time, power, readings, report

    started = time.perf_counter()
    paper = asked.paper
    compared = asked.own_scheme and paper.readings is not None
    in_hardware = asked.own_scheme and paper.hardware is not None
    runner.total = len(points)
    runner.total += readings.count(paper, runner.effort.readings_at) if compared else 0
    runner.total += hardware.count(paper, asked.quick) if in_hardware else 0
    runner.total += power.count(paper) if asked.power else 0
    runner.total += len(paper.over_time.points) if paper.over_time and not asked.cells else 0
    with temporary_folder() as scratch:
        measured = _measure(runner, points, Path(scratch))
        rows, conclusion = readings.compare(paper, measured, runner) if compared else ([], [])
        built = hardware.compare(paper, measured, runner, asked.quick) if in_hardware else None
        noticed = power.compare(paper, measured, runner, Path(scratch)) if asked.power else None
        document, drawn, numbers = _conclude(asked, measured)
        recorded = None
        if not asked.cells:
            recorded = over_time.record(paper, runner, measured, numbers, out)
    document["readings"], document["readings_conclusion"] = rows, conclusion
    document["hardware"] = built
    document["power"] = noticed
    document["valid"] &= noticed is None or noticed["valid"]
    document["valid"] &= all(row["valid"] for row in rows) and (built is None or built["valid"])
    document["wall_s"] = time.perf_counter() - started
    page = partial(report.html, paper, document, over_time=recorded)
    publish.publish(document, drawn, page, out, publish.REPORT, recorded)
    return document


def _effort(paper: Paper, quick: bool, replications: int | None) -> Effort:
    effort = paper.quick if quick else paper.full
    if replications is None:
        return effort
    if replications < 2:
        raise ScenarioError(
            "a reproduction needs intervals: --replications 2 at least, 5 for a `reproduced`"
        )
    return msgspec.structs.replace(effort, replications=replications)


def _points(paper: Paper, cells: list[str]) -> dict[str, Point]:
    """Every point, or those that the given cells and their baselines need."""
    if not cells:
        return paper.points
    needed: set[str] = set()
    for name in cells:
        if name not in paper.cells:
            raise ScenarioError(
                f"{paper.name} has no cell `{name}`; its cells are {', '.join(paper.cells)}"
            )
        cell = paper.cells[name]
        needed |= papers.points_of(paper, cell)
        if cell.baseline:
            needed |= papers.points_of(paper, paper.cells[cell.baseline])
    return {key: point for key, point in paper.points.items() if key in needed}


def _measure(runner: PointRunner, points: Mapping[str, Point], scratch: Path) -> dict[str, Runs]:
    recorded = _recorded(runner.paper)
    return {
        name: runner.run(point, out=scratch / name if name in recorded else None)
        for name, point in points.items()
    }


def _recorded(paper: Paper) -> set[str]:
    """Points whose series something needs."""
    needed = {p for n in paper.numbers.values() if needs_series(n.measure) for p in n.points}
    needed |= {cell.point for cell in paper.cells.values() if needs_series(cell.measure)}
    return needed | {
        p for picture in paper.pictures for p in picture.options.get("points", {}).values()
    }


def _conclude(
    asked: Asked, measured: dict[str, Runs]
) -> tuple[Report, list[NamedFigure], Mapping[str, Family]]:
    """The document, still without readings and hardware, its figures, and the numbers behind
    it."""
    from .. import __version__
    from ..studies.frame.drawing import NamedFigure
    from . import finding, judge
    from .figures import kinds

    paper = asked.paper
    whole = not asked.cells
    chosen = paper.cells.values() if whole else [paper.cells[name] for name in asked.cells]
    numbers = judge.numbers(paper, measured)
    cells = [judge.cell(paper, measured, cell, numbers) for cell in chosen]
    by_id = {cell["id"]: cell for cell in cells}
    drawn = kinds.draw(paper, measured, numbers) if whole else {}
    claims = judge.claims(paper.claims if whole else (), numbers)
    document: Report = {
        "paper": paper.name,
        "title": paper.title,
        "valid": all(runs.json["valid"] for runs in measured.values()),
        "altered": asked.altered,
        "quick": asked.quick,
        "finding": finding.sentences(paper.findings, numbers, claims),
        "cells": cells,
        "claims": claims,
        "predictions": [judge.prediction(p, by_id) for p in paper.predictions] if whole else [],
        "readings": [],
        "readings_conclusion": [],
        "hardware": None,
        "power": None,
        "assumptions": assumption_rows(paper.assumptions),
        "points": [point_row(runs) for runs in measured.values()],
        "version": __version__,
        "wall_s": 0.0,
        "figures": [_figure(picture, drawn) for picture in paper.pictures] if whole else [],
    }
    shown = [
        NamedFigure(name, one.figure, one.caption)
        for name, one in drawn.items()
        if one.figure is not None
    ]
    return document, shown, numbers


def _figure(picture: Picture, drawn: Mapping[str, Drawn]) -> FigureRow:
    """A figure of `report.json`: its caption, or what is missing for it."""
    made = drawn.get(picture.id)
    row: FigureRow = {"id": picture.id, "caption": made.caption if made else picture.caption}
    lacks = made.missing if made else picture.missing
    if lacks is not None:
        row |= {"verdict": verdict.NOT_TESTABLE, "missing": lacks}
    if made and made.table is not None:
        row["table"] = {"header": made.table[0], "rows": made.table[1]}
    return row
