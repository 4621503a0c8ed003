"""`sweep`: many points, kept in a store, here or on other machines."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ... import api
from ...errors import ScenarioError
from ...language import overrides
from ..options import File, Json, RunOptions, progress
from .run import report

Axes = Annotated[
    list[str],
    Parameter(
        name=["--over", "-o"],
        help='An axis: KEY=VALUE,VALUE,... as in "queue.limit=24 pkt,36 pkt". May be repeated.',
    ),
]


@Parameter(name="*")
@dataclass(kw_only=True)
class SweepOptions:
    """Where results are kept, where runs are made, and what is compared."""

    no_store: Annotated[bool, Parameter(help="Keep nothing, and run everything anew.")] = False
    keep_going: Annotated[
        bool,
        Parameter(
            help="A point whose scenario is wrong is a row with its error; the others are run."
        ),
    ] = False
    baseline: Annotated[
        str | None,
        Parameter(
            help="Compare each point, seed by seed, with the one that has this and is otherwise "
            "like itself, "
            'as in "queue=drop_tail"; or with a point by its number, from 1.'
        ),
    ] = None
    workers: Annotated[
        str | None,
        Parameter(
            help=(
                "Where runs are made: dask://HOST:PORT, ssh:HOST,HOST or slurm. Default: "
                "here, on all cores."
            )
        ),
    ] = None


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
    json: Json = False,
) -> int:
    """Run every combination of the axes' values, or the sweep that the file itself has.

    What is finished is kept in a store (--store, $DUMBBELL_STORE or .dumbbell/store): a sweep that
    was interrupted resumes, and one that is finished answers at once.
    """
    options, sweeping = options or RunOptions(), sweeping or SweepOptions()
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
    return report(data, json, options)


def measure(wanted: dict[str, Any], workers: str | None, heard: api.Progress) -> dict[str, Any]:
    """Makes the runs of a request, here or with `workers`."""
    if workers is None:
        return api.run(wanted, heard)
    from ...workers import run

    return run(wanted, workers, heard, lambda line: print(line, file=sys.stderr))


def _of_all(data: dict[str, Any]) -> dict[str, Any]:
    """What concerns the whole document, of a single point."""
    return {
        key: data[key]
        for key in ("name", "version", "valid", "code", "notes", "failures", "from_store")
        if key in data
    }


def _axis(text: str) -> str:
    """An axis of the file's own sweep, as an override: all points then run side by side."""
    key, equals, values = text.partition("=")
    if not equals or not values:
        raise ScenarioError(
            f"`{text}` is not an axis: write KEY=VALUE,VALUE,... as in queue.max_p=0.02,0.1"
        )
    return overrides.axis(key.strip(), [overrides.word(text.strip()) for text in values.split(",")])
