"""A sweep as a page: the table of its points, and its metrics over an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import result
from ...data import metrics
from ...errors import ScenarioError
from ...files.write import write_text
from ...present import templates
from ...present.points import every_run, sweep_grid
from . import axes


def check(file: Path) -> None:
    """`ScenarioError` before anything runs if the page's format does not exist; `EnvironmentLacks`
    if matplotlib or Jinja is not installed."""
    if file.suffix != ".html":
        raise ScenarioError(f"--page {file}: the page of a sweep ends with .html")
    from ...figures import style  # noqa: F401 (it raises)

    templates.environment()


def write(data: dict[str, Any], file: Path, names: Sequence[str], command: str) -> None:
    """Writes the page of a sweep's JSON. names: the metrics; without any, the usual ones."""
    points = data["points"]
    chosen = [metrics.find(name) for name in names] or metrics.defaults(every_run(points))
    grid = sweep_grid(result.Sweep(data), names)
    write_text(
        file,
        templates.render(
            Path(__file__).with_name("page.html.j2"),
            name=data.get("name") or "Sweep",
            version=data.get("version"),
            command=command,
            points=len(points),
            table=grid,
            figures=_figures(points, chosen),
            valid=data.get("valid", True),
            failures=data.get("failures", []),
            notes=data.get("notes", []),
        ),
    )


def _figures(
    points: Sequence[Mapping[str, Any]], chosen: Sequence[metrics.Metric]
) -> list[tuple[str, str]]:
    """For each axis with several values a caption and the metrics along it, as SVG."""
    from ...figures import style
    from .figures import over_axis

    every = axes.read(points)
    drawn: list[tuple[str, str]] = []
    for axis in every:
        if len(axis.values) > 1 and chosen:
            along, others = axes.chosen(every, axis.key, None)
            figure = over_axis(points, chosen, along, others)
            caption = f"Means over the seeds along {axis.key}, with their 95 % intervals."
            drawn.append((caption, style.svg(figure, f"figure-{len(drawn) + 1}")))
    return drawn
