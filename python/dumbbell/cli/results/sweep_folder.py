"""`plot` and `export csv` of a sweep's folder."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ...data import metrics
from ...data import summary as saved
from ...errors import ScenarioError
from ...files.write import write_text
from ...present.points import every_run
from ..options import emit, show

_FIGURE = "sweep"
_METRICS = ("goodput_bps", "p99_sojourn_s")
"""Drawn where none is named."""


@Parameter(name="*")
@dataclass(kw_only=True)
class SweepAxes:
    """What a figure of a sweep shows."""

    x: Annotated[
        str | None,
        Parameter(
            help="For a sweep: the axis along the figure, such as queue.limit. Default: the "
            "axis of "
            "numbers with the most values."
        ),
    ] = None
    y: Annotated[
        str | None,
        Parameter(
            help="For a sweep: the metrics, separated by commas, such as goodput,p99_delay; "
            "a panel "
            "for each. docs/how-to/sweeps.md describes their names."
        ),
    ] = None
    by: Annotated[
        str | None, Parameter(help="For a sweep: the axis that makes the lines, such as queue.")
    ] = None

    def given(self) -> bool:
        """True if one of them was written."""
        return any(each is not None for each in (self.x, self.y, self.by))


def is_sweep(folder: str | Path) -> bool:
    """True if the folder is that of a sweep's `--out`."""
    return (Path(folder) / "summary.json").is_file() and "points" in saved.read(folder)


def wanted(what: str, kinds: tuple[str, ...], point: int | None, axes: SweepAxes | None) -> bool:
    """True if `plot` draws a sweep along an axis, not one of its points. `ScenarioError` if it is
    asked to, and there is no sweep."""
    asked = axes is not None and axes.given()
    if asked and (kinds or point is not None):
        other = kinds[0] if kinds else f"--point {point}"
        raise ScenarioError(f"--x, --y and --by draw a whole sweep: leave out {other}")
    if asked and not is_sweep(what):
        raise ScenarioError(f"--x, --y and --by draw a sweep, but {what} does not hold one")
    return asked or (not kinds and point is None and is_sweep(what))


def figure(folder: Path, asked: SweepAxes) -> dict[str, Any]:
    """The figure of a sweep, by its name."""
    from ...studies.sweep import axes, figures

    points = saved.read(folder)["points"]
    runs = list(every_run(points))
    names = [name.strip() for name in (asked.y or "").split(",") if name.strip()]
    chosen = [metrics.find(name) for name in names or _METRICS]
    known = [one for one in chosen if any(one.of(run) is not None for run in runs)]
    missing = [one.key for one in chosen if one not in known]
    if names and missing:
        raise ScenarioError(f"no run of {folder} has {', '.join(missing)}")
    if not known:
        raise ScenarioError(f"{folder} has no run to draw")
    return {
        _FIGURE: figures.over_axis(
            points, known, *axes.chosen(axes.read(points), asked.x, asked.by)
        )
    }


def export_csv(folder: Path, table: str | None, output: Path | None, json: bool) -> int:
    """Writes the tidy file of a sweep. table: `summary_flows`, `summary_queues`, ...: only these
    rows."""
    from ...studies.sweep import tidy

    if table is not None and not table.startswith("summary_"):
        raise ScenarioError(
            f"--table {table}: {folder} holds a sweep, and the series of a run are exported from "
            "the folder of its point"
        )
    text, rows = tidy.text(saved.read(folder), table and table.removeprefix("summary_"))
    if output is None:
        sys.stdout.write(text)
        return 0
    write_text(output, text)
    size = len(text.encode())
    if json:
        emit({"format": "csv", "out": str(output), "rows": rows, "bytes": size, "notes": []})
    else:
        show(f"{output}: {rows} rows, {size} bytes")
    return 0
