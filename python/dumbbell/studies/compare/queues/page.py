"""The comparison as a page, and as a table for a terminal, which has only the judged metrics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import RenderableType

from ....present import grids
from ....present.grids import minus, titled, unit_of
from ....present.units import time_text
from ...frame import pages
from ...frame.over_time import OverTime
from ...frame.paired import Difference, excludes_zero
from ...frame.publish import Shown, parameters_text, scenario_text, seeds_text
from . import figures
from .document import Document, PointRow, Verdict, measured
from .metrics import ALL, JUDGED, Metric

_LONGEST = 36
"""Characters of a scheme's name in a row of a terminal."""
_SHAPES = {"o": "●", "s": "■", "^": "▲", "D": "◆", "v": "▼", "P": "✚", "X": "✖", "*": "★"}
"""A character for each marker."""


class Column(NamedTuple):
    """A metric with its scale and unit."""

    metric: Metric
    scale: float
    unit: str


def html(document: Document, drawn: Sequence[Shown], over_time: OverTime | None = None) -> str:
    """The page."""
    columns = _columns(document, ALL)
    verdicts = {(v["condition"], v["metric"]): v for v in document["best"]}
    judged = [m for m in JUDGED if any(v["metric"] == m.key for v in document["best"])]
    return pages.render(
        Path(__file__).with_name("page.html.j2"),
        ", ".join(scheme["name"] for scheme in document["schemes"]),
        drawn,
        over_time,
        d=document,
        columns=columns,
        groups=[
            (
                condition,
                [
                    (row, [_cell(row, column, verdicts) for column in columns])
                    for row in document["rows"]
                    if row["condition"] == condition["number"]
                ],
            )
            for condition in document["conditions"]
        ],
        best=[
            (condition, [verdicts.get((condition["number"], m.key)) for m in judged])
            for condition in document["conditions"]
        ],
        judged=judged,
        marks={
            name: {"color": look.color, "shape": _SHAPES.get(look.marker, "●")}
            for name, look in figures.scheme_looks(document).items()
        },
        parameters={s["name"]: parameters_text(s["parameters"]) for s in document["schemes"]},
        scenario=scenario_text(document["scenario"]),
        seeds=seeds_text(document["seeds"]),
        duration=time_text(document["duration_s"] or 0.0),
        warmup=time_text(document["warmup_s"] or 0.0),
    )


def _columns(document: Document, metrics: Iterable[Metric]) -> list[Column]:
    """The metrics that some row has, but for marks and timeouts that never were."""
    found = []
    for metric in metrics:
        cells = [measured(row, metric.key) for row in document["rows"]]
        means = [abs(cell["mean"]) for cell in cells if cell]
        if means and (metric.key not in ("marks_share", "rtos") or any(means)):
            found.append(Column(metric, *unit_of(metric.unit, max(means))))
    return found


def _cell(
    row: PointRow, column: Column, verdicts: dict[tuple[int, str], Verdict]
) -> dict[str, object]:
    """The mean with half its interval; below it the difference from the baseline with its
    interval."""
    key = column.metric.key
    block = (row["versus"] or {}).get(key)
    verdict = verdicts.get((row["condition"], key))
    return {
        "text": minus(grids.cell(measured(row, key), column.scale)),
        "versus": minus(_signed(block, column.scale)) if block else "",
        "differs": excludes_zero(block),
        "best": verdict is not None and verdict["best"] == row["scheme"],
        "tied": verdict is not None and row["scheme"] in verdict["tied"],
    }


def _signed(block: Difference, scale: float, digits: int = 4) -> str:
    text = grids.cell(block, scale, digits)
    return text if text.startswith("-") else f"+{text}"


def lines(document: Document) -> Iterable[RenderableType]:
    """For a terminal: for each scheme in each condition its means, below them the differences from
    the baseline; and a legend."""
    columns = _columns(document, JUDGED)
    if not columns:
        return
    winners = {(v["condition"], v["metric"]): v["best"] for v in document["best"]}
    head = ["", *(f"{titled(c.metric.title, c.unit)} " for c in columns)]
    rows = []
    said = 0
    for row in document["rows"]:
        condition = document["conditions"][row["condition"] - 1]
        if row["condition"] != said and len(document["conditions"]) > 1:
            rows.append([condition["label"]])
        said = row["condition"]
        means = []
        for metric, scale, _ in columns:
            cell = measured(row, metric.key)
            won = winners.get((said, metric.key)) == row["scheme"]
            bare = cell and {**cell, "ci95": None}
            means.append(f"{grids.cell(bare, scale)}{'*' if won else ' '}" if bare else "- ")
        rows.append(["  " + _short(row["scheme"]), *means])
        if row["versus"]:
            blocks = [(row["versus"].get(c.metric.key), c.scale) for c in columns]
            rows.append(["", *(_difference(block, scale) for block, scale in blocks)])
    yield grids.Grid("", head, rows, ranks=[0, *(c.metric.rank for c in columns)])
    baseline, seeds = document["baseline"], len(document["seeds"])
    if len(document["schemes"]) > 1 and seeds > 1:
        yield (
            f"Means over {seeds} seeds. * = significantly best: the 95 % interval of every paired "
            f"difference excludes 0.\nSecond line: paired difference from {baseline} ± half its "
            "95 % interval; brackets = not significant."
        )
    elif len(document["schemes"]) > 1:
        yield (f"One seed, so there are no intervals. Second line: difference from {baseline}.")


def _difference(block: Difference | None, scale: float) -> str:
    if block is None:
        return ""
    text = _signed(block, scale, digits=3)
    return f"{text} " if excludes_zero(block) else f"({text})"


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
