"""A sweep as one tidy file: a row for each point, seed and entity.

An entity is a flow, a queue, a session, a marker, a host's processor, a switch's shared buffer, or
the whole run (`run`, with the metrics of all flows together). The columns are `point` (from 1), the
swept keys, `seed`, `valid`, `entity`, `name`, and every measurement that some entity has, named as
in the JSON; a cell is empty where an entity does not have it. Numbers are those of single runs, in
the units of the JSON.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import ScenarioError
from ...present.points import Point, axes_of, runs_of

ENTITIES = {
    "flow": "flows",
    "queue": "queues",
    "session": "sessions",
    "marker": "markers",
    "host": "hosts",
    "shared_buffer": "shared_buffers",
}
"""Kinds of entities, each with its list in the JSON."""
_WHOLE = ("jain", "fingerprint")
"""Keys of a run, beside `totals`, that are of the whole run."""

Row = dict[str, object]


def text(data: Mapping[str, Any], only: str | None = None) -> tuple[str, int]:
    """The CSV text and its number of rows. only: the list of one kind of entity (`flows`); columns
    that it does not have are left out."""
    if only is not None and only not in ENTITIES.values():
        names = ", ".join(f"summary_{name}" for name in ENTITIES.values())
        raise ScenarioError(f"a sweep has no table `{only}`\nhelp: write one of {names}")
    points: Sequence[Point] = data["points"]
    found = [row for row in rows(points) if only in (None, ENTITIES.get(str(row["entity"])))]
    columns = list(dict.fromkeys(key for row in found for key in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return out.getvalue(), len(found)


def rows(points: Sequence[Point]) -> Iterator[Row]:
    """The rows, in the order of the points, their seeds, and the entities of a result."""
    axes = axes_of(points)
    for number, point in enumerate(points, 1):
        at = {axis: point["overrides"].get(axis, "") for axis in axes}
        for run in runs_of(point):
            label = {"point": number, **at, "seed": run["seed"], "valid": _plain(run.get("valid"))}
            whole = {key: run[key] for key in _WHOLE if key in run}
            yield {**label, "entity": "run", "name": "", **whole, **_flat(run.get("totals", {}))}
            for entity, part in ENTITIES.items():
                for one in run.get(part, ()):
                    name = one.get("name") or one.get("flow") or one.get("link", "")
                    numbers = _flat({k: v for k, v in one.items() if k != "name"})
                    yield {**label, "entity": entity, "name": name, **numbers}


def _plain(value: object) -> object:
    """A value as JSON spells it; empty for null."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value


def _flat(row: Mapping[str, Any], before: str = "") -> Row:
    """The measurements of a row; those of a table within it by both names, as `drops_early`. Lists
    are left out."""
    found: Row = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{before}{key}_")
        elif not isinstance(value, list):
            found[f"{before}{key}"] = _plain(value)
    return found
