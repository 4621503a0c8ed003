"""`run`, `check` and `sweep`."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from .. import door, overrides, result
from ..errors import InvalidRun, ScenarioError
from .options import File, Json, Overrides, RunOptions, Use, emit, notes, progress, show, source


def run(file: File, /, *, options: RunOptions | None = None, json: Json = False) -> int:
    """Run a scenario file and print what each flow and each queue got."""
    options = options or RunOptions()
    with progress("running") as report:
        data = door.run(options.request(file), report)
    return _report(data, json, options)


def check(file: File, /, *, set: Overrides = [], use: Use = [], json: Json = False) -> int:  # noqa: B006 (cyclopts reads it)
    """Check a scenario file: every error with its line, its column and the fix."""
    planned = door.plan(door.request(source(file), set, points=0, use=use or None))
    points, runs = planned["points_total"], planned["runs_total"]
    if json:
        emit({"ok": True, "points": points, "runs": runs, "notes": planned["notes"]})
    else:
        notes(planned["notes"])
        flows = planned["flows"]
        size = f"{flows} flow{'s' if flows > 1 else ''} over {planned['links']} links, {planned['duration']}"
        many = f", {points} points" if points > 1 else ""
        show(f"{file}: ok - {size}{many}" + (f", {runs} runs" if runs > points else ""))
    return 0


Axes = Annotated[
    list[str],
    Parameter(
        name=["--over", "-o"],
        help='An axis: KEY=VALUE,VALUE,... as in "queue.limit=24 pkt,36 pkt". May be repeated.',
    ),
]


def sweep(file: File, /, *, over: Axes = [], options: RunOptions | None = None, json: Json = False) -> int:  # noqa: B006
    """Run every combination of the axes' values, or the sweep that the file itself has."""
    options = options or RunOptions()
    with progress("sweeping") as report:
        data = door.run(options.request(file, [_axis(text) for text in over]), report)
    return _report(data if "points" in data else {"points": [{"overrides": {}, **data}]}, json, options)


def _axis(text: str) -> str:
    """An axis of the file's own sweep, as an override: all points then run side by side."""
    key, equals, values = text.partition("=")
    if not equals or not values:
        raise ScenarioError(f"`{text}` is not an axis: write KEY=VALUE,VALUE,... as in queue.max_p=0.02,0.1")
    return overrides.axis(key.strip(), [overrides.word(text.strip()) for text in values.split(",")])


def _report(data: dict[str, Any], json: bool, options: RunOptions) -> int:
    if json:
        emit(data)
    else:
        notes(data.get("notes", []))
        _print(result.read(data), options)
    points = data.get("points", [data])
    if not all(point["valid"] for point in points):
        if json:
            return InvalidRun.code
        raise InvalidRun("the run is not valid: its conservation laws do not hold (see `conservation` in --json)")
    return 0


def _print(outcome: result.Result | result.Sweep, options: RunOptions) -> None:
    from ..tables import result_tables, summary_line

    for changes, point in outcome if isinstance(outcome, result.Sweep) else [({}, outcome)]:
        if changes:
            show(f"-- {'  '.join(f'{key} = {value}' for key, value in changes.items())}")
        show(*result_tables(point), summary_line(point), "")
    if options.out is not None:
        show(f"written to {options.out}")
