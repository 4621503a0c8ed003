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
from ..options import Every, File, Json, RunOptions, command_line, progress
from .run import Shown, report

Axes = Annotated[
    list[str],
    Parameter(
        name=["--over", "-o"],
        help='An axis: KEY=VALUE,VALUE,... as in "queue.limit=24 pkt,36 pkt". May be repeated.',
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
            help="Metrics of the table, with commas between them, as in "
            "goodput,p99_delay,flows.far.share. Default: goodput, fairness, queueing delay, loss "
            "and utilization. docs/how-to/sweeps.md describes their names."
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

    no_store: Annotated[bool, Parameter(help="Keep no results and use none that were kept.")] = (
        False
    )
    keep_going: Annotated[
        bool, Parameter(help="Report invalid points as error rows instead of stopping.")
    ] = False
    baseline: Annotated[
        str | None,
        Parameter(
            help="Paired comparison: compare each point, per seed, with the point that differs "
            'from it only in KEY=VALUE, as in "queue=drop_tail"; or with one point by its number, '
            "from 1."
        ),
    ] = None
    workers: Annotated[
        str | None,
        Parameter(
            help=(
                "Where runs are made: dask://HOST:PORT, ssh:HOST,HOST or slurm. Default: this "
                "machine, on all cores."
            )
        ),
    ] = None


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
    options: RunOptions | None = None,
    sweeping: SweepOptions | None = None,
    printed: Printed | None = None,
    json: Json = False,
) -> int:
    """Run every combination of the axes' values, or the file's own sweep, and print a table.

    The table has a row for each point. Finished runs are kept in a store (--store, $DUMBBELL_STORE
    or .dumbbell/store): an interrupted sweep resumes, and a completed one answers at once.
    """
    options, sweeping = options or RunOptions(), sweeping or SweepOptions()
    printed = printed or Printed()
    shown = printed.shown()
    if printed.page is not None:
        from ...studies.sweep import page

        page.check(printed.page)
    if sweeping.no_store and (options.store or sweeping.workers):
        other = "--store" if options.store else "--workers"
        raise ScenarioError(f"--no-store and {other} exclude each other: leave one of them out")
    if sweeping.workers is not None:
        from ...workers.options import check

        check(sweeping.workers)
    if not sweeping.no_store:
        options.store = options.store or default_store()
    wanted = options.request(file, [_axis(text) for text in over])
    if sweeping.keep_going:
        wanted["keep_going"] = True
    with progress("sweeping") as heard:
        data = measure(wanted, sweeping.workers, heard)
    data = data if "points" in data else {"points": [{"overrides": {}, **data}], **_of_all(data)}
    if sweeping.baseline is not None:
        from ...data import paired_seeds

        for point, block in zip(
            data["points"], paired_seeds.versus(data["points"], sweeping.baseline), strict=True
        ):
            point["versus"] = block
    if printed.page is not None:
        page.write(data, printed.page, shown.columns, command_line())
    return report(data, json, options, shown)


def measure(wanted: dict[str, Any], workers: str | None, heard: api.Progress) -> dict[str, Any]:
    """Makes the runs of a request, here or with `workers`."""
    if workers is None:
        return api.run(wanted, heard)
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
            f"`{text}` is not an axis: write KEY=VALUE,VALUE,... as in queue.max_p=0.02,0.1"
        )
    return overrides.axis(key.strip(), [overrides.word(text.strip()) for text in values.split(",")])
