"""A survey as one HTML file that needs nothing else, in the style of the other pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...present import templates
from ...present.grids import number, unit_of
from ...present.stats import Interval
from ...present.units import time_text
from ..compare.queues import page as schemes_page
from ..compare.queues.draw import NamedFigure
from . import draw, terminal

_HERE = Path(__file__).parent


def tools() -> Any:
    """The Jinja environment of the page. `EnvironmentLacks` if it is not installed."""
    return templates.environment(_HERE)


def html(document: Mapping[str, Any], drawn: Sequence[tuple[NamedFigure, str]]) -> str:
    """The page; each figure comes with its `<svg>` element."""
    head, *rows = terminal.table(document, terminal.conditions_of(document))
    times = sorted(
        {(row["duration_s"], row["warmup_s"]) for row in document["rows"] if row["duration_s"]}
    )
    return str(
        tools()
        .get_template("page.html.j2")
        .render(
            d=document,
            head=head,
            rows=[[schemes_page.minus(cell) for cell in row] for row in rows],
            numbers=_numbers(document),
            figures=drawn,
            times=[f"{time_text(whole)} ({time_text(warm)} left out)" for whole, warm in times],
            seeds=schemes_page.seeds_text(document["seeds"]),
            scenario=schemes_page.toml_text(document["scenario"]),
            css=templates.css("report", "study"),
        )
    )


def _numbers(document: Mapping[str, Any]) -> dict[str, Any]:
    """Every measurement at each condition: the head, and the rows with their fingerprints."""
    metrics = []
    for metric in document["metrics"]:
        known = [abs(row[metric["key"]]["mean"]) for row in document["rows"] if row[metric["key"]]]
        if known:
            metrics.append((metric, *unit_of(metric["unit"], max(known))))
    lines = []
    for row in document["rows"]:
        at = [draw.place(axis, row[axis["key"]]) for axis in document["axes"]]
        cells = [_cell(row[metric["key"]], scale) for metric, scale, _ in metrics]
        lines.append({"cc": row["cc"], "at": at, "cells": cells, "row": row})
    head = [f"{metric['title']}{f' [{unit}]' if unit else ''}" for metric, _, unit in metrics]
    return {"head": head, "lines": lines}


def _cell(cell: Mapping[str, Any] | None, scale: float) -> str:
    interval = Interval.read(dict(cell)) if cell else None
    return "–" if interval is None else schemes_page.minus(number(interval, scale, 4))
