"""Directories with the records of runs, and tables made of records and of summaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from .. import api
from ..errors import ScenarioError
from .arrow import Table

Series = Literal[
    "flows",
    "queues",
    "signals",
    "reactions",
    "packets",
    "hops",
    "acks",
    "delays",
    "completions",
    "markers",
]
"""The series that a run may record; docs/reference/records.md has their columns."""
Summary = Literal["flows", "queues", "sessions", "markers", "hosts", "shared_buffers"]
"""Kinds of rows that a summary has."""

Run = tuple[dict[str, Any], dict[str, Any], Path | None]
"""Labels, JSON and directory of one run."""

_HOW = (
    'run(record_every="100 ms") records flows and queues, run(record_drops=True) signals, '
    "run(record_acks=True) acks, "
    "run(record_delays=True) delays, run(record_every=..., record_markers=True) markers; "
    "a scenario's [record] with `out` all that it names"
)


@dataclass(frozen=True)
class Records:
    """The directory in which a result's records are. `owner` is what removes it when nobody needs
    it any more."""

    directory: Path
    owner: object = None

    def below(self, name: str) -> Records:
        """Those of a part: of a point, of a run."""
        return replace(self, directory=self.directory / name)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy in another process does not own the directory: it may be gone before it is read.
        return Records, (self.directory,)


def point_name(index: int, points: int) -> str:
    """The directory of a sweep's point, counted from 0."""
    return f"point-{index + 1:0{len(str(points))}d}"


def runs_of(
    data: dict[str, Any], records: Records | None, labels: Mapping[str, Any]
) -> Iterator[Run]:
    """The runs of one point."""
    several = data.get("runs")
    for run in several if several is not None else [data]:
        if "seed" not in run:
            continue  # A point that failed has no run.
        place = records.below(f"seed-{run['seed']}") if records and several is not None else records
        yield {**labels, "seed": run["seed"]}, run, place.directory if place else None


def summary(name: Summary, runs: Sequence[Run]) -> Table:
    """A row for each run and flow (or queue), with the run's labels."""
    keys = {
        "flows": "flow",
        "queues": "queue",
        "sessions": "session",
        "markers": "marker",
        "hosts": "processor",
        "shared_buffers": "switch",
    }
    key = keys.get(name)
    if key is None:
        raise ScenarioError(
            f"there is no summary of `{name}`; there are flows, queues, sessions, markers, hosts "
            "and shared_buffers"
        )
    return Table(
        api.table(
            [
                {"labels": labels, "rows": [_named(row, key) for row in run.get(name, ())]}
                for labels, run, _ in runs
            ]
        )
    )


def series(name: Series, runs: Sequence[Run]) -> Table:
    """The records of several runs, with each run's labels."""
    if name not in get_args(Series):
        raise ScenarioError(f"there is no series `{name}`; there are {', '.join(get_args(Series))}")
    parts = []
    for labels, _, directory in runs:
        file = directory / f"{name}.parquet" if directory else None
        if file is None or not file.exists():
            where = f" in {directory}" if directory else ""
            raise ScenarioError(f"the series `{name}` was not recorded{where}: {_HOW}")
        parts.append({"labels": labels, "file": str(file)})
    return Table(api.table(parts))


def _named(row: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A row with its name under the name that the series give it, without its lists."""
    return {
        key if column == "name" else column: value
        for column, value in row.items()
        if not isinstance(value, list)
    }
