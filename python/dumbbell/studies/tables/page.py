"""A survey as a page, and as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import RenderableType

from ...present import grids
from ...present.grids import headed, minus, titled, unit_of
from ...present.units import time_text
from ..frame import pages
from ..frame.paired import Cell
from ..frame.publish import Shown, scenario_text, seeds_text
from . import draw
from .document import Document, Measured, PointRow, Title, Value, means, measured, place

At = tuple[Value, ...]


def html(document: Document, drawn: Sequence[Shown]) -> str:
    """The page."""
    rows = document["rows"]
    times = sorted(
        {(row["duration_s"], row["warmup_s"] or 0.0) for row in rows if row["duration_s"]}
    )
    return pages.render(
        Path(__file__).with_name("page.html.j2"),
        document["title"],
        drawn,
        d=document,
        table=[
            [minus(cell) if i else cell for cell in row]
            for i, row in enumerate(table(document, conditions_of(document)))
        ],
        numbers=_numbers(document),
        times=[f"{time_text(whole or 0.0)} ({time_text(warm)} left out)" for whole, warm in times],
        seeds=seeds_text(document["seeds"]),
        scenario=scenario_text(document["scenario"]),
    )


def _numbers(document: Document) -> dict[str, object]:
    """Every measurement at each condition: the heads, and for each row its place and its cells."""
    metrics = [
        (metric["key"], metric["title"], *unit_of(metric["unit"], max(known)))
        for metric in document["metrics"]
        if (known := means(document, metric["key"]))
    ]
    lines = [
        (
            row,
            [draw.words(axis, place(row, axis["key"])) for axis in document["axes"]],
            [minus(grids.cell(measured(row, key), scale)) for key, _, scale, _ in metrics],
        )
        for row in document["rows"]
    ]
    return {"head": [titled(title, unit) for _, title, _, unit in metrics], "lines": lines}


def lines(document: Document) -> Iterator[RenderableType]:
    """For a terminal: a table of controls with their sums and the first measurement at each
    condition; a table for each value of a second axis."""
    conditions = conditions_of(document)
    if len(document["axes"]) == 1:
        yield headed(table(document, conditions))
        return
    yield headed(table(document, []))
    for value in dict.fromkeys(at[1] for at in conditions):
        yield f"\n{document['metrics'][0]['title']} at {draw.words(document['axes'][1], value)}"
        yield headed(table(document, [at for at in conditions if at[1] == value], sums=False))


def table(document: Document, conditions: Sequence[At], sums: bool = True) -> list[list[str]]:
    """A row for each control, by its first sum; the head before them."""
    summary, first = document["summary"], document["metrics"][0]
    summed = [
        (m["key"], m["title"], *_scale(m, [measured(row, m["key"]) for row in summary]))
        for m in (document["sums"] if sums else [])
    ]
    scale, unit = _scale(first, [measured(row, first["key"]) for row in document["rows"]])
    head = [
        "control",
        *(titled(title, name) for _, title, _, name in summed),
        *(titled(_words(document, at, alone=not sums), unit) for at in conditions),
    ]
    by_place = {(r["cc"], _at(document, r)): measured(r, first["key"]) for r in document["rows"]}

    def rank(row: Cell | None) -> float:
        return row["mean"] if row else float("inf")

    key = document["sums"][0]["key"]
    return [
        head,
        *(
            [
                row["cc"],
                *(_cell(measured(row, key), by) for key, _, by, _ in summed),
                *(_cell(by_place.get((row["cc"], at)), scale) for at in conditions),
            ]
            for row in sorted(summary, key=lambda row: rank(measured(row, key)))
        ),
    ]


def _scale(metric: Title, cells: Sequence[Cell | None]) -> tuple[float, str]:
    return unit_of(metric["unit"], max((abs(cell["mean"]) for cell in cells if cell), default=0.0))


def _cell(cell: Cell | None, scale: float) -> str:
    return grids.cell(cell, scale, 3) if cell else "-"


def _at(document: Measured, row: PointRow) -> At:
    return tuple(place(row, axis["key"]) for axis in document["axes"])


def conditions_of(document: Measured) -> list[At]:
    """Every condition, in the order of the rows."""
    return list(dict.fromkeys(_at(document, row) for row in document["rows"]))


def _words(document: Measured, at: At, alone: bool = False) -> str:
    """A condition in words; `alone`: its first axis."""
    said = [draw.words(axis, value) for axis, value in zip(document["axes"], at, strict=True)]
    return said[0] if alone else ", ".join(said)
