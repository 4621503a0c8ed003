"""`sweep`: many points, kept in a store, here or on other machines."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ... import api
from ...data import metrics
from ...errors import ScenarioError
from ...language import overrides
from .. import completers
from .. import live as watching
from ..live import Live
from ..options import (
    Every,
    File,
    InVirtualTime,
    Json,
    NoStore,
    RunOptions,
    Workers,
    command_line,
    progress,
)
from .run import Shown, report

Axes = Annotated[
    list[str],
    Parameter(
        name=["--over", "-o"],
        help='An axis: KEY=VALUE,VALUE,... such as "queue.limit=24 pkt,36 pkt". May be repeated.',
        completer=completers.overrides,
    ),
]


@Parameter(name="*")
@dataclass(kw_only=True)
class Printed:
    """What is printed of the points, and the page of them."""

    columns: Annotated[
        str | None,
        Parameter(
            help="Metrics of the table, separated by commas, such as "
            "goodput,p99_delay,flows.far.share. Default: goodput, fairness, queueing delay, "
            "loss and utilization. docs/how-to/sweeps.md describes their names."
        ),
    ] = None
    verbose: Annotated[bool, Parameter(help="Print the tables of every point.")] = False
    every: Every = False
    page: Annotated[
        Path | None,
        Parameter(help="Write a page with the table and a figure of each metric: FILE.html."),
    ] = None

    def shown(self) -> Shown:
        """What of it the report needs. `ScenarioError` for a metric that does not exist."""
        names = [name.strip() for name in (self.columns or "").split(",") if name.strip()]
        for name in names:
            metrics.find(name)
        return Shown(every=self.every, points=self.verbose, columns=names)


@Parameter(name="*")
@dataclass(kw_only=True)
class SweepOptions:
    """Where results are kept, where runs are made, and what is compared."""

    no_store: NoStore = False
    keep_going: Annotated[
        bool, Parameter(help="Report invalid points as error rows instead of stopping.")
    ] = False
    baseline: Annotated[
        str | None,
        Parameter(
            help="Paired comparison: compare each point, per seed, with the point that differs "
            'from it only in KEY=VALUE, such as "queue=drop_tail"; or with one point by its '
            "number, "
            "from 1."
        ),
    ] = None
    workers: Workers = None


_OF_ALL = ("name", "version", "valid", "code", "notes", "warnings", "failures", "from_store")
"""Keys that concern the whole document."""


def default_store() -> Path:
    """`$DUMBBELL_STORE`, else `.dumbbell/store` in the working directory."""
    return Path(os.environ.get("DUMBBELL_STORE") or Path(".dumbbell") / "store")


def sweep(
    file: File,
    /,
    *,
    over: Axes = [],  # noqa: B006 (cyclopts reads it)
    on: InVirtualTime = "sim",
    options: RunOptions | None = None,
    sweeping: SweepOptions | None = None,
    printed: Printed | None = None,
    live: Live = False,
    json: Json = False,
) -> int:
    """Run every combination of the axes' values, or the file's own sweep, and print a table.

    The table has a row for each point. Finished runs are kept in a store: an interrupted sweep
    resumes, and a completed one answers at once.

    Example: `dumbbell sweep first.toml -o queue=red,codel -o "queue.limit=30 pkt,60 pkt"`
    """
    options, sweeping = options or RunOptions(), sweeping or SweepOptions()
    printed = printed or Printed()
    shown = printed.shown()
    if live or printed.page is not None:
        from ...studies.sweep import page
    if printed.page is not None:
        page.check(printed.page)
    if sweeping.no_store and (options.store or sweeping.workers):
        other = "--store" if options.store else "--workers"
        raise ScenarioError(f"--no-store and {other} exclude each other: leave one of them out")
    if sweeping.workers is not None:
        from ...workers.options import check

        check(sweeping.workers)
    if on == "linux" and (live or sweeping.workers):
        what = "--live" if live else "--workers"
        raise ScenarioError(f"{what} is for sweeps of the simulator: leave it out, or --on linux")
    if not sweeping.no_store:
        options.store = options.store or default_store()
    wanted = options.request(file, [_axis(text) for text in over])
    if sweeping.keep_going:
        wanted["keep_going"] = True
    if on != "sim":
        wanted["on"] = on
    title = _title(wanted) if live else ""
    with watching.of_study(live, title, columns=shown.columns) as watched:
        with progress("sweeping") as heard:
            data = measure(wanted, sweeping.workers, heard, watched)
        data = _points(data, sweeping.baseline)
        if printed.page is not None:
            page.write(data, printed.page, shown.columns, command_line(), options.out)
        watched.end(lambda last: page.write(data, last, shown.columns, command_line(), options.out))
        return report(data, json, options, shown)


def _title(wanted: api.JSON) -> str:
    """The name of a sweep. What is wrong with it is said before a page opens."""
    planned = api.plan(wanted | {"points": 0})
    return str(planned["title"] or planned["name"])


def _points(data: dict[str, Any], baseline: str | None) -> dict[str, Any]:
    """A result as one of several points, each compared with the baseline if there is one."""
    data = data if "points" in data else {"points": [{"overrides": {}, **data}], **_of_all(data)}
    if baseline is not None:
        from ...data import paired_seeds

        for point, block in zip(
            data["points"], paired_seeds.versus(data["points"], baseline), strict=True
        ):
            point["versus"] = block
    return data


def measure(
    wanted: dict[str, Any],
    workers: str | None,
    heard: api.Progress,
    watched: watching.Watched = watching.NOBODY,
) -> dict[str, Any]:
    """Makes the runs of a request, here or with `workers`; of theirs a page shows the progress."""
    if workers is None:
        return watched.run(wanted, heard)
    heard = watched.heard(heard)
    from ...workers import run

    return run(wanted, workers, heard, lambda line: print(line, file=sys.stderr))


def _of_all(data: dict[str, Any]) -> dict[str, Any]:
    """What concerns the whole document, of a single point."""
    return {key: data[key] for key in _OF_ALL if key in data}


def _axis(text: str) -> str:
    """An axis of the file's own sweep, as an override: all points then run side by side."""
    key, equals, values = text.partition("=")
    if not equals or not values:
        raise ScenarioError(
            f"`{text}` is not an axis: write KEY=VALUE,VALUE,... such as queue.max_p=0.02,0.1"
        )
    return overrides.axis(key.strip(), [overrides.word(text.strip()) for text in values.split(",")])
