"""The comparison as a page, and as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import RenderableType

from ....present import grids
from ....present.grids import Grid, unit_of
from ....present.units import significant
from ...frame import pages
from ...frame.publish import Shown, scenario_text
from . import agreement
from .agreement import NOTHING, Ratio
from .document import CellRow, Document, ExperimentRow, MeasureRow

_HERE = Path(__file__).parent
_IN_FULL = 3
"""Conditions of which every measure is printed."""
MARKS = {
    agreement.AGREES: "✓",
    agreement.DIFFERS: "✗",
    agreement.TOO_FEW: "–",
    agreement.NOT_MEASURED: "–",
}


def html(document: Document, drawn: Sequence[Shown]) -> str:
    """The page."""
    every = _experiments(document)
    tried = [(label, e) for label, e in every if e["outcome"] != NOTHING]
    return pages.render(
        _HERE / "page.html.j2",
        document["scenario_name"],
        drawn,
        d=document,
        where=WHERE[document["on"]],
        tried=tried,
        idle=len(every) - len(tried),
        sentence=sentence(document),
        sides=sides,
        ratio=ratio_text,
        marks=MARKS,
        scenario=scenario_text(document["scenario"]),
        rules=(_HERE / "rules.md").read_text(encoding="utf-8"),
    )


def _experiments(document: Document) -> list[tuple[str, ExperimentRow]]:
    return [(row["label"], e) for row in document["cells"] for e in row["experiments"]]


def lines(document: Document) -> list[RenderableType]:
    """Tables: every measure of a few conditions, or a row for each of many; then experiments."""
    rows = document["cells"]
    shown: list[RenderableType] = []
    if len(rows) <= _IN_FULL:
        shown += [full(row, document["on"]) for row in rows]
    else:
        shown.append(overview(rows))
    every = _experiments(document)
    tried = [[label, *_experiment(e)] for label, e in every if e["outcome"] != NOTHING]
    if len(tried) < len(every):
        shown.append(
            f"{len(every) - len(tried)} of {len(every)} experiments had no difference to explain"
        )
    if tried:
        columns = ["condition", "measure", "changed", "before", "after", "outcome"]
        shown.append(Grid("Experiments (kernel over simulator)", columns, tried, text_columns=6))
    return shown


WHERE = {"kernel": "on real kernels", "linux": "on user-mode Linux in virtual time"}
"""Where the kernel's runs were made, by `Document["on"]`."""


def full(row: CellRow, on: str) -> RenderableType:
    """Every measure of a condition: both means with their intervals, the ratio with its own, the
    verdict."""
    cells = [[m["title"], *sides(m), ratio_text(m), verdict_text(m)] for m in row["measures"]]
    title = f"{row['label']}: {row['sim_runs']} simulated runs, {row['kernel_runs']} {WHERE[on]}"
    title += f" (class {', '.join(row['classes'])})" if row["classes"] else ""
    return Grid(
        title,
        ["measure", "unit", "simulator", "kernel", "kernel / simulator", "verdict"],
        cells,
        text_columns=2,
        ranks=[0, 0, 3, 2, 1, 0],
    )


def sides(m: MeasureRow) -> list[str]:
    """The unit and both means in it, each with half its interval."""
    both = (m["sim"], m["kernel"])
    largest = max((abs(side["mean"]) for side in both if side), default=0.0)
    scale, unit = unit_of(m["unit"], largest)
    return [unit, *(grids.cell(side, scale) for side in both)]


def ratio_text(m: Ratio) -> str:
    """The ratio, and its interval in brackets."""
    if m["ratio"] is None:
        return "–"
    ends = m["ratio_ci95"]
    interval = f" [{significant(ends[0], 3)}, {significant(ends[1], 3)}]" if ends else ""
    return f"{significant(m['ratio'], 3)}{interval}"


def verdict_text(m: MeasureRow) -> str:
    """The verdict, and what it rests on."""
    ground = f" ({m['by']}{': weak evidence' if m['weak'] else ''})" if m["by"] else ""
    return f"{MARKS[m['verdict']]} {m['verdict']}{ground}"


def overview(rows: Sequence[CellRow]) -> RenderableType:
    """A row for each condition: the ratio of each sort of measure, the furthest from 1 where it has
    several."""
    kinds = list(dict.fromkeys(m["kind"] for row in rows for m in row["measures"]))
    cells = [
        [
            row["label"],
            *(_worst([m for m in row["measures"] if m["kind"] == kind]) for kind in kinds),
        ]
        for row in rows
    ]
    return Grid(
        "Kernel over simulator (✓ agrees, ✗ differs; of several flows, the one that differs most)",
        ["condition", *kinds],
        cells,
    )


def _worst(found: Sequence[MeasureRow]) -> str:
    if not found:
        return "–"
    order = (agreement.DIFFERS, agreement.AGREES, agreement.TOO_FEW, agreement.NOT_MEASURED)
    one = min(found, key=lambda m: (order.index(m["verdict"]), -abs((m["ratio"] or 1.0) - 1.0)))
    return (
        f"{'' if one['ratio'] is None else significant(one['ratio'], 3)} {MARKS[one['verdict']]}"
    ).strip()


def _experiment(e: ExperimentRow) -> list[str]:
    return [e["measure"], e["label"], ratio_text(e["before"]), ratio_text(e["after"]), e["outcome"]]


def sentence(document: Document) -> str:
    """The finding."""
    tally = document["tally"]
    measured = tally[agreement.AGREES] + tally[agreement.DIFFERS]
    many = f" in {len(document['cells'])} conditions" if len(document["cells"]) > 1 else ""
    said = (
        f"{tally[agreement.AGREES]} of {measured} measures agree{many}"
        if measured
        else "No measure has a verdict"
    )
    weak = sum(m["weak"] for row in document["cells"] for m in row["measures"])
    said += f", {weak} of them with intervals so wide that the evidence is weak" if weak else ""
    differing = [
        m["title"]
        for row in document["cells"]
        for m in row["measures"]
        if m["verdict"] == agreement.DIFFERS
    ]
    if 0 < len(differing) <= 4:
        said += (
            f"; {', '.join(dict.fromkeys(differing))} "
            f"differ{'s' if len(set(differing)) == 1 else ''}"
        )
    if few := tally[agreement.TOO_FEW]:
        said += (
            f"; {few} have too few valid runs for a verdict, which needs "
            f"{agreement.LEAST_RUNS} on each side"
        )
    return f"{said}."
