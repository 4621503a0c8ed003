"""A sweep as a page: what differs between its points, the metrics over each axis, the table."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ... import result
from ...data import metrics
from ...errors import ScenarioError
from ...files.write import write_text
from ...present import templates
from ...present.grids import Grid
from ...present.points import every_run, sweep_grid
from ..frame import pages, publish
from ..frame.drawing import NamedFigure
from . import axes, findings


def check(file: Path) -> None:
    """`ScenarioError` before anything runs if the page's format does not exist; `EnvironmentLacks`
    if matplotlib or Jinja is not installed."""
    if file.suffix != ".html":
        raise ScenarioError(f"--page {file}: the page of a sweep ends with .html")
    publish.tools()
    templates.environment()


def write(
    data: dict[str, Any],
    file: Path,
    names: Sequence[str] = (),
    command: str = "",
    directory: Path | None = None,
) -> None:
    """Writes the page of a sweep's JSON. names: the metrics; without any, the usual ones. command:
    the one that made the sweep. directory: where its points are, so that the page can name the
    command that opens one."""
    points = data["points"]
    chosen = [metrics.find(name) for name in names] or metrics.defaults(every_run(points))
    name = data.get("name") or "Sweep"
    opens = "" if directory is None else f"{shlex.join(['dumbbell', 'view', str(directory)])}"
    opens += " --point {point}" if opens else ""
    drawn = [publish.shown(one) for one in _figures(points, chosen, opens)]
    write_text(
        file,
        pages.render(
            Path(__file__).with_name("page.html.j2"),
            name,
            drawn,
            name=name,
            finding=findings.sentences(points, chosen),
            version=data.get("version"),
            command=command,
            opens=opens.replace("{point}", "N"),
            table=_numbered(sweep_grid(result.Sweep(data), names)),
            valid=data.get("valid", True),
            failures=data.get("failures", []),
            notes=data.get("notes", []),
            warnings=data.get("warnings", []),
        ),
    )


def _numbered(grid: Grid) -> Grid:
    """The table with the number of each point."""
    return replace(
        grid,
        columns=["point", *grid.columns],
        rows=[[str(number), *row] for number, row in enumerate(grid.rows, 1)],
        text_columns=grid.text_columns + 1,
        ranks=[0, *grid.ranks],
    )


def _figures(
    points: Sequence[Mapping[str, Any]], chosen: Sequence[metrics.Metric], opens: str
) -> Iterator[NamedFigure]:
    """For each axis with several values the metrics along it."""
    from .figures import over_axis

    every = axes.read(points)
    for number, axis in enumerate(every, 1):
        if len(axis.values) > 1 and chosen:
            along, others = axes.chosen(every, axis.key, None)
            figure = over_axis(points, chosen, along, others, opens)
            caption = f"Means over the seeds along {axis.key}, with their 95 % intervals."
            if opens:
                caption += " Click a point for the command that opens it."
            yield NamedFigure(f"along-{number}", figure, caption)
