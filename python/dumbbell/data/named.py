"""Numbers of a result by their names, as the pages of the laboratory and exercises have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def measured(result: Mapping[str, Any], measure: str) -> float:
    """A number of a result document: `jain`, `queue KEY`, `queue NAME KEY`, `drops REASON` of the
    first queue, `flow NAME KEY`, or `flows NAME KEY`, the mean over `NAME.1`, `NAME.2` and so
    on."""
    kind, *rest = measure.split()
    if kind == "jain":
        return float(result["jain"])
    if kind == "drops":
        return float(result["queues"][0]["drops"][rest[0]])
    *name, key = rest
    if kind == "queue":
        rows = [row for row in result["queues"] if not name or row["name"] == name[0]][:1]
    elif kind == "flow":
        rows = [row for row in result["flows"] if row["name"] == name[0]]
    elif kind == "flows":
        rows = [row for row in result["flows"] if row["name"].startswith(f"{name[0]}.")]
    else:
        raise ValueError(f"no measure begins with {kind!r}")
    values = [float(row[key]) for row in rows]
    if not values:
        raise ValueError(f"nothing in the result is called {name[0]!r}")
    return sum(values) / len(values)
