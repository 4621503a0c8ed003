"""Charts of figures as panels that a page draws for its reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..figures.style.chart import Chart, Line
from . import looks
from .contents import Contents
from .shapes import Panel, PointAxis, Series

_NO_RUN = -1
"""The run of what is of no single run."""


def places(name: str, charts: Sequence[Chart]) -> list[str]:
    """The ids of the panels of a figure of this name: an element of the page with one of them as
    `data-panel-place` is where the panel stands."""
    return [f"chart-{name}-{i}" for i in range(1, len(charts) + 1)]


def draw(contents: Contents, name: str, charts: Sequence[Chart]) -> None:
    """Adds a panel for each chart of a figure."""
    for place, chart in zip(places(name, charts), charts, strict=True):
        panel: Panel = {
            "id": place,
            "title": chart.title,
            "unit": chart.unit,
            "kind": "points",
            "x": _axis(chart),
            "series": [
                _series(contents, place, i, name, chart, line) for i, line in enumerate(chart.lines)
            ],
            "lines": [],
        }
        if chart.log:
            panel["log"] = True
        for level in chart.levels:
            contents.threshold(panel, level.value, level.label)
        contents.panels[place] = panel


def _axis(chart: Chart) -> PointAxis:
    axis: PointAxis = {"label": chart.x.label, "unit": chart.x.unit, "scale": chart.x.scale}
    if chart.x.names:
        axis["names"] = list(chart.x.names)
    return axis


def _series(
    contents: Contents, place: str, number: int, name: str, chart: Chart, line: Line
) -> Series:
    columns: dict[str, Sequence[Any]] = {"x": line.x, "y": line.y}
    if line.low is not None and line.high is not None:
        columns |= {"low": line.low, "high": line.high}
    if line.opens:
        columns["opens"] = line.opens
    table = contents.given(f"{place}/{number}", columns)
    look = f"{place}/{number}"
    contents.look[look] = looks.of(line.look)
    found: Series = {
        "label": line.label,
        "table": table,
        "column": "y",
        "scale": 1.0,
        "look": look,
        "shape": line.shape,
        "switch": f"{name}/{line.label}",
        "run": _NO_RUN,
        "role": line.label,
        "x": {
            "table": table,
            "column": "x",
            "scale": 1.0,
            "label": chart.x.label,
            "unit": chart.x.unit,
        },
    }
    if "low" in columns:
        found["band"] = {"low": "low", "high": "high"}
        found["interval"] = line.interval
    if line.opens:
        found["href"] = "opens"
    return found
