"""Running a paper: which points, with which overrides, and what comes out of each."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from .. import api
from ..errors import ScenarioError
from ..files.filename import component
from ..files.write import temporary_folder, write_json, write_text
from ..process import interrupt
from . import papers, verdict
from .measures.measure import needs_series
from .papers import Cell, Effort, Paper, Picture, Point
from .runs import PointRunner, Runs, owned


def reproduce(
    name: str,
    *,
    overrides: Iterable[str] = (),
    quick: bool = False,
    cells: Iterable[str] = (),
    on: str = "sim",
    seed: int | None = None,
    replications: int | None = None,
    threads: int | None = None,
    store: str | Path | None = None,
    out: str | Path | None = None,
    progress: api.Progress = lambda finished, runs, fraction: None,
) -> dict[str, Any]:
    """Reproduces a paper and returns the object of `report.json`, which it writes beside
    `report.html` and the figures, each as SVG, PDF and PNG in `figures`.

    quick: the paper's smaller effort. overrides: as `-s`; those that the paper's scheme owns (its
    queue, say) change only the points at which the scheme is at work, so that taking it out leaves
    the baseline alone. cells: only these, without claims. store: where finished runs are kept, and
    taken from. out: the report's directory, by default `results/NAME`.
    """
    from . import hardware, readings

    if on == "kernel":
        return _on_kernels(
            name,
            list(overrides),
            quick,
            list(cells),
            seed,
            replications,
            threads,
            store,
            out,
            progress,
        )
    if on != "sim":
        raise ScenarioError(f"--on {on}: write --on sim or --on kernel")
    paper = papers.load(name)
    effort = _effort(paper, quick, replications)
    wanted = list(cells)
    altered = list(overrides)
    started = time.perf_counter()
    points = _points(paper, wanted)
    compared = _compares_readings(paper, wanted, altered)
    in_hardware = (
        paper.hardware is not None
        and not wanted
        and not any(owned(paper, over) for over in altered)
    )
    total = len(points) + (readings.count(paper, effort.readings_at) if compared else 0)
    total += hardware.count(paper, quick) if in_hardware else 0
    runner = PointRunner(
        paper,
        effort,
        altered,
        seed,
        threads,
        progress,
        total,
        store=None if store is None else str(store),
    )
    with temporary_folder() as scratch:
        measured = _measure(runner, points, Path(scratch))
        read = readings.compare(paper, measured, runner) if compared else None
        built = hardware.compare(paper, measured, runner, quick) if in_hardware else None
        there = Path(out or Path("results") / component(paper.name))
        summary, drawn = _conclude(
            paper, measured, read, built, wanted, altered, quick, started, there
        )
    with interrupt.held():
        _write(paper, summary, drawn, there)
    return summary


def _on_kernels(
    name: str,
    overrides: list[str],
    quick: bool,
    cells: list[str],
    seed: int | None,
    replications: int | None,
    threads: int | None,
    store: str | Path | None,
    out: str | Path | None,
    progress: api.Progress,
) -> dict[str, Any]:
    """The paper's campaign on the testbed, whose runs are always kept."""
    from .testbed import work

    if cells:
        raise ScenarioError(
            "cells by themselves are for the simulator: on real kernels all points are run, "
            "interleaved"
        )
    how = work.How(
        overrides=overrides,
        quick=quick,
        seed=seed,
        replications=replications,
        threads=threads,
        store=Path(store or os.environ.get("DUMBBELL_STORE") or Path(".dumbbell") / "store"),
        out=None if out is None else Path(out),
        progress=progress,
    )
    return work.reproduce(name, how)


def _effort(paper: Paper, quick: bool, replications: int | None) -> Effort:
    effort = paper.quick if quick else paper.full
    if replications is None:
        return effort
    if replications < 2:
        raise ScenarioError(
            "a reproduction needs intervals: --replications 2 at least, 5 for a `reproduced`"
        )
    return msgspec.structs.replace(effort, replications=replications)


def _compares_readings(paper: Paper, cells: list[str], altered: list[str]) -> bool:
    """Readings are of the paper's own scheme: one that is taken out or altered leaves none to
    compare."""
    return (
        paper.readings is not None
        and not cells
        and not any(owned(paper, override) for override in altered)
    )


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
        needed |= _points_of(paper, cell)
        if cell.baseline:
            needed |= _points_of(paper, paper.cells[cell.baseline])
    return {key: point for key, point in paper.points.items() if key in needed}


def _points_of(paper: Paper, cell: Cell) -> set[str]:
    if not cell.of:
        return {cell.point}
    names = papers.reach(paper, filter(None, (cell.of, cell.baseline_of)))
    return {point for name in names & paper.numbers.keys() for point in paper.numbers[name].points}


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
    paper: Paper,
    measured: dict[str, Runs],
    read: dict[str, Any] | None,
    built: dict[str, Any] | None,
    wanted: list[str],
    altered: list[str],
    quick: bool,
    started: float,
    out: Path,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The object of `report.json`, and the pictures by their ids."""
    from .. import __version__
    from . import judge
    from .figures import kinds

    chosen = [paper.cells[name] for name in wanted] if wanted else list(paper.cells.values())
    numbers = judge.numbers(paper, measured)
    cells = [judge.cell(paper, measured, cell, numbers) for cell in chosen]
    by_id = {cell["id"]: cell for cell in cells}
    rows = read["rows"] if read else []
    summary = {
        "paper": paper.name,
        "title": paper.title,
        "valid": all(runs.json["valid"] for runs in measured.values())
        and all(row["valid"] for row in rows)
        and (built is None or built["valid"]),
        "altered": altered,
        "quick": quick,
        "cells": cells,
        "claims": judge.claims(() if wanted else paper.claims, numbers),
        "predictions": [] if wanted else [judge.prediction(p, by_id) for p in paper.predictions],
        "readings": rows,
        "readings_conclusion": read["conclusion"] if read else [],
        "hardware": built,
        "assumptions": [
            {"id": a.id, "what": a.what, "value": a.value, "chosen_by": a.chosen_by}
            for a in paper.assumptions
        ],
        "points": [_point(runs) for runs in measured.values()],
        "version": __version__,
        "wall_s": time.perf_counter() - started,
        "report": str((out / "report.html").resolve()),
    }
    drawn = {} if wanted else kinds.draw(paper, measured, numbers)
    summary["figures"] = [] if wanted else [_figure(picture, drawn) for picture in paper.pictures]
    return summary, drawn


def _write(paper: Paper, summary: dict[str, Any], drawn: Mapping[str, Any], out: Path) -> None:
    from .. import figures
    from . import report

    for figure_id, one in drawn.items():
        if one.figure is not None:
            figures.save(one.figure, out / "figures" / figure_id)
    write_text(out / "report.html", report.html(paper, summary, drawn))
    write_json(out / "report.json", summary)


def _figure(picture: Picture, drawn: Mapping[str, Any]) -> dict[str, Any]:
    """A figure of `report.json`: its caption, or what is missing for it."""
    lacks = picture.missing or (drawn[picture.id].missing if picture.id in drawn else None)
    if lacks is not None:
        missing = {"verdict": verdict.NOT_TESTABLE, "missing": lacks}
        return {"id": picture.id, "caption": picture.caption, **missing}
    row = {"id": picture.id, "caption": drawn[picture.id].caption}
    table = drawn[picture.id].table
    return row if table is None else row | {"table": {"header": table[0], "rows": table[1]}}


def _point(runs: Runs) -> dict[str, Any]:
    return {
        "id": runs.point.id,
        "scenario": runs.point.scenario.name,
        "overrides": runs.overrides,
        "scheme": runs.point.scheme,
        "fingerprint": runs.fingerprint,
        "valid": runs.json["valid"],
        "n": len(runs.runs),
        "seeds": [run["seed"] for run in runs.runs],
        "duration_s": runs.json["duration_s"],
    }
