"""`run` and `check`, and what a command says of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ... import api, result
from ...data import recording
from ...errors import InvalidRun, ScenarioError, of_code
from ...files.write import temporary_folder
from .. import live as watching
from ..checking import checked
from ..live import Live
from ..options import (
    Every,
    File,
    Json,
    On,
    Overrides,
    RequiredClass,
    RunOptions,
    Use,
    class_override,
    command_line,
    emit,
    notes,
    progress,
    show,
    warn,
)

# Failures that are shown to people, and points whose flows and queues are.
_SHOWN = 10
_POINTS_IN_FULL = 20
_DRAWING = 100
"""Columns of a network's drawing on a page."""


def run(
    file: File,
    /,
    *,
    options: RunOptions | None = None,
    on: On = "sim",
    required: RequiredClass = None,
    measures: Annotated[bool, Parameter(help="Also print all measurements of the queues.")] = False,
    page: Annotated[
        Path | None,
        Parameter(help="Also write a page of the result: FILE.html, or FILE.md for Markdown."),
    ] = None,
    live: Live = False,
    every: Every = False,
    json: Json = False,
) -> int:
    """Run a scenario file, and print what each flow achieved and what each queue did.

    With --on kernel, real TCP of this machine's kernel runs over the same network
    (docs/how-to/testbed.md); with --on linux, the TCP of a Linux kernel in virtual time
    (docs/how-to/linux.md).

    Example: `dumbbell run first.toml --replications 5 --out results/first`
    """
    options = options or RunOptions()
    if page is not None:
        from ...present import page as pages

        pages.check(page)
    if required is not None and on != "kernel":
        raise ScenarioError(f"--class {required}: a simulation has no class\nhelp: add --on kernel")
    wanted = options.request(file, class_override(required))
    if on == "kernel":
        from ...testbed import rootless

        rootless.enter()
        wanted |= {"on": on}  # `api.run` waits for other live runs of this machine.
    elif on == "linux":
        if live:
            raise ScenarioError("--live shows runs of --on sim and --on kernel, not of --on linux")
        wanted |= {"on": on}
    if on == "sim" or live:
        drawn = page is not None and page.suffix == ".html"
        wanted = _with_series(wanted, options, drawn, live)
    with ExitStack() as stack:
        records = options.out
        if (live or page is not None) and records is None:
            records = stack.enter_context(temporary_folder()) / "run"
            wanted |= {"out": str(records)}
        watched = stack.enter_context(watching.of_run(wanted, live))
        with progress("running") as heard:
            data = watched.run(wanted, heard)
        data = _with_code(data)
        if live and "record" in wanted and options.record_every is None:
            data = recording.without_period(data)
        if records != options.out:  # The folder is gone when the result is read.
            data = {key: value for key, value in data.items() if key not in ("out", "files")}
        if page is not None:
            _write_page(data, page, file, wanted, records, options)
        watched.end(lambda last: _write_last(data, last, records, options))
        return report(data, json, options, Shown(measures, every))


def _write_last(
    data: dict[str, Any], page: Path, records: Path | None, options: RunOptions
) -> None:
    """The page at the end of a live one: that of `view`, of a sweep that of `sweep --page`."""
    if "points" in data:
        from ...studies.sweep import page as points

        points.write(data, page, (), command_line())
    else:
        from ...view import page as time_page
        from ...view.results import Which

        which = Which(use=tuple(options.use), named=str(options.out or "RESULT"))
        time_page.write([str(records)], page, which, command_line())


def _write_page(
    data: dict[str, Any],
    page: Path,
    file: str,
    wanted: api.JSON,
    records: Path | None,
    options: RunOptions,
) -> None:
    """The page of a run with panels over time, or that of a sweep; of a run without a result, and
    in Markdown, the tables."""
    if page.suffix == ".html" and "points" in data:
        from ...studies.sweep import page as sweep_page

        sweep_page.write(data, page, (), command_line(), options.out)
    elif page.suffix == ".html" and "flows" in data and records is not None:
        from ...view import page as time_page
        from ...view.results import Which

        which = Which(use=tuple(options.use), named=str(options.out or "RESULT"))
        time_page.write([str(records)], page, which, command_line())
    else:
        from ...present import page as pages

        pages.write(data, page, records, _about(file, wanted, records))


def _with_series(wanted: api.JSON, options: RunOptions, drawn: bool, live: bool) -> api.JSON:
    """The request with the series of flows and queues, where figures will need them and they are
    small; for a live page in any case. Not with a store: its keys are hashes of plans, which say
    what is recorded."""
    if "record" in wanted or options.store is not None or not (options.out or drawn or live):
        return wanted

    def plan(every: str | None) -> api.JSON:
        record = {} if every is None else {"record": {"every": every}}
        return api.plan(wanted | record | {"points": 0})

    try:
        every = recording.unasked(plan) or (recording.at_least(plan) if live else None)
    except ScenarioError:
        return wanted  # The run says what is wrong.
    return wanted if every is None else wanted | {"record": {"every": every}}


def _about(file: str, wanted: api.JSON, records: Path | None) -> Any:
    """What the page says of how the result was made."""
    from ...present import groups, network, page

    whole = api.plan(wanted | {"points": 1})["points"][0]["plan"]
    text = network.drawing(network.for_people(whole), groups.MOST, _DRAWING)
    written = Path(file) if records is None else records / "scenario.toml"
    given: str = wanted["source"].get("text", "")
    scenario = written.read_text(encoding="utf-8") if written.is_file() else given
    return page.About(command_line(), scenario, text, network.inline(whole))


def _with_code(data: dict[str, Any]) -> dict[str, Any]:
    """A live run that says of itself that it is not valid ends as any that is not."""
    from ...present import validity

    if validity.what_is_wrong(data) and not data.get("code"):
        return data | {"valid": False, "code": InvalidRun.code}
    return data


def check(
    file: File,
    /,
    *,
    set: Overrides = [],  # noqa: B006 (cyclopts reads it)
    use: Use = [],  # noqa: B006
    on: On = "sim",
    deny_warnings: Annotated[
        bool, Parameter(negative="", help="End with exit code 2 if there is a warning.")
    ] = False,
    json: Json = False,
) -> int:
    """Check a scenario file: print every error and warning with its line, its column and the fix.

    `dumbbell explain W012` explains a warning; `allow = ["W012"]` in the scenario silences it
    (docs/reference/warnings.md).

    Example: `dumbbell check first.toml -s "queue.limit=1 BDP"`
    """
    return checked(file, set, use, on, deny_warnings=deny_warnings, json=json)


@dataclass(frozen=True, slots=True)
class Shown:
    """What is printed of a result: also what is measured of the queues, every row however many
    there are, the tables of every point of a sweep (None: of at most `_POINTS_IN_FULL`), and which
    metrics of its points (none: the usual ones)."""

    measures: bool = False
    every: bool = False
    points: bool | None = None
    columns: Sequence[str] = ()

    def in_full(self, points: int) -> bool:
        """True if each point's own tables are printed."""
        return points <= _POINTS_IN_FULL if self.points is None else self.points or points == 1


def report(
    data: dict[str, Any], json: bool, options: RunOptions, shown: Shown | None = None
) -> int:
    """Prints a result and says how it ended."""
    if json:
        emit(data)
    else:
        notes(data.get("notes", []))
        warn(data.get("warnings", []))
        _print(result.read(data), options, shown or Shown())
    code = int(data.get("code", 0))
    if code and not json:
        raise of_code(code, what_failed(data))
    return code


def what_failed(data: Mapping[str, Any]) -> str:
    """The runs that failed, for people."""
    failures = data.get("failures", [])
    if data.get("on") == "kernel":  # Why a live run is not valid is said below, of each.
        failures = [one for one in failures if one["code"] != InvalidRun.code]
    lines = [f"{len(failures)} runs failed" if len(failures) != 1 else "a run failed"]
    for one in failures[:_SHOWN]:
        changes = "  ".join(f"{key} = {value}" for key, value in one["overrides"].items())
        seed = "" if one["seed"] is None else f", seed {one['seed']}"
        lines.append(
            f"  point {one['point']}{seed}{f' ({changes})' if changes else ''}: {one['message']}"
        )
    lines += (
        [f"  and {len(failures) - _SHOWN} more: `failures` in --json"]
        if len(failures) > _SHOWN
        else []
    )
    if data["code"] == InvalidRun.code:
        lines += _not_valid(data)
    return "\n".join([*_first_traceback(data), *lines] if failures else lines[1:])


def _not_valid(data: Mapping[str, Any]) -> list[str]:
    """Why: a live run says it, a simulated one has only its conservation laws."""
    from ...present import validity

    reasons = validity.what_is_wrong(data)
    if not reasons:
        return [
            "a run is not valid: its conservation laws do not hold (see `conservation` in --json)"
        ]
    shown = [f"  {reason}" for reason in reasons[:_SHOWN]]
    more = (
        [f"  and {len(reasons) - _SHOWN} more: `validity` in --json"]
        if len(reasons) > _SHOWN
        else []
    )
    return [
        "not valid, do not use:",
        *shown,
        *more,
        "see docs/how-to/testbed.md and `dumbbell doctor`",
    ]


def _first_traceback(data: Mapping[str, Any]) -> list[str]:
    """Where an algorithm of the user's own raised: once is enough to fix it, and the rows have
    them all."""
    rows = [row for point in data.get("points", [data]) for row in (point, *point.get("runs", []))]
    traces = [row["error"].get("traceback") for row in rows if row.get("error")]
    return [trace.rstrip() for trace in traces if trace][:1]


def _print(outcome: result.Result | result.Sweep, options: RunOptions, shown: Shown) -> None:
    from ...present.points import sweep_grid, versus_table
    from ...present.tables import measures_table, result_tables, summary_line

    data = outcome.json
    if isinstance(outcome, result.Sweep) and not shown.in_full(len(outcome)):
        show(sweep_grid(outcome, shown.columns), "")
    else:
        for changes, point in outcome if isinstance(outcome, result.Sweep) else [({}, outcome)]:
            if changes:
                show(f"-- {'  '.join(f'{key} = {value}' for key, value in changes.items())}")
            if "flows" in point.json:
                more = [measures_table(point, shown.every)] if shown.measures else []
                show(*result_tables(point, shown.every), *more, summary_line(point), "")
            else:
                show(f"no result: {point.json['error']['message']}", "")
    if any("versus" in point for point in data.get("points", [])):
        show(versus_table(data["points"]), "")
    if data.get("from_store"):
        show(f"{data['from_store']} of the runs were in {options.store}")
    if options.out is not None:
        show(f"written to {options.out}")
