"""Reads `summary.json` of a result directory: whole, or not at all.

What a full disk cut short, an editor changed or another program wrote is refused with the file, the
place in it and what is wrong there; what is given out has the shape that `dumbbell.result` relies
on.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .. import api
from . import series

_TEXT = frozenset(
    {
        "name",
        "cc",
        "kind",
        "transport",
        "source",
        "fingerprint",
        "scenario",
        "title",
        "sizes",
        "link",
        "flow",
        "host",
        "direction",
    }
)
"""Keys whose value is text, when it is there."""

_TABLES = frozenset({"drops", "acks", "application"})
"""Keys whose value is a table of numbers."""

_LARGEST = 1e30


def read(directory: str | Path) -> dict[str, Any]:
    """The document of a result directory: of one point, or `{"points": [...]}`. `ScenarioError`
    (exit code 2) if there is none, `CheckFailed` (3) if it is damaged."""
    file = Path(directory) / "summary.json"
    text = api.summary(file)
    try:
        data: dict[str, Any] = json.loads(text)
        _document(data)
    except (
        ValueError,
        RecursionError,
        _Damage,
    ) as damage:  # ValueError: a number of thousands of digits.
        raise series.damaged(file, damage) from None
    return data


class _Damage(Exception):
    """A place in the document, and what is wrong there."""


def _is(value: Any, kind: type | tuple[type, ...], at: str, what: str) -> None:
    if not isinstance(value, kind):
        raise _Damage(f"`{at}` is not {what}")


def _document(data: Any) -> None:
    _is(data, dict, "the document", "a table")
    if "points" not in data:
        _point(data, "")
        return
    _is(data["points"], list, "points", "a list")
    for i, point in enumerate(data["points"]):
        _is(point, dict, f"points[{i}]", "a table")
        _is(point.get("overrides"), dict, f"points[{i}].overrides", "a table")
        _point(point, f"points[{i}].")


def _point(point: dict[str, Any], at: str) -> None:
    if "error" in point and "flows" not in point:  # A run or a point that failed has no numbers.
        _is(point["error"], dict, f"{at}error", "a table")
        return
    _is(point.get("valid"), bool, f"{at}valid", "true or false")
    _is(point.get("fingerprint"), str, f"{at}fingerprint", "text")
    for kind in ("flows", "queues"):
        _is(point.get(kind), list, f"{at}{kind}", "a list")
        for i, row in enumerate(point[kind]):
            _row(row, f"{at}{kind}[{i}]")
    _is(point.get("sessions", []), list, f"{at}sessions", "a list")
    for i, session in enumerate(point.get("sessions", [])):
        _session(session, f"{at}sessions[{i}]")
    _is(point.get("markers", []), list, f"{at}markers", "a list")
    for i, marker in enumerate(point.get("markers", [])):
        _marker(marker, f"{at}markers[{i}]")
    _is(point.get("hosts", []), list, f"{at}hosts", "a list")
    for i, host in enumerate(point.get("hosts", [])):
        _host(host, f"{at}hosts[{i}]")
    _is(point.get("totals", {}), dict, f"{at}totals", "a table")
    _row({"name": "", **point.get("totals", {})}, f"{at}totals")
    for i, queue in enumerate(point["queues"]):
        _is(queue.get("kind"), str, f"{at}queues[{i}].kind", "text")
    for key in ("wall_s", "duration_s", "warmup_s", "packet_hops"):
        if key in point:
            _number(point[key], f"{at}{key}")
    if "runs" in point:
        _is(point["runs"], list, f"{at}runs", "a list")
        for i, run in enumerate(point["runs"]):
            _is(run, dict, f"{at}runs[{i}]", "a table")
            _point(run, f"{at}runs[{i}].")


def _session(session: Any, at: str) -> None:
    """A row that has rows for classes of size, and a list of numbers."""
    _is(session, dict, at, "a table")
    lists = ("by_size", "completion_percentiles_s")
    _row({key: value for key, value in session.items() if key not in lists}, at)
    for key in lists:
        _is(session.get(key), (list, type(None)), f"{at}.{key}", "a list")
    for i, number in enumerate(session.get(lists[1]) or []):
        _number(number, f"{at}.{lists[1]}[{i}]")
    for i, row in enumerate(session.get(lists[0]) or []):
        _row({"name": "", **row}, f"{at}.{lists[0]}[{i}]")


def _marker(marker: Any, at: str) -> None:
    """A row that is called by its link, and by its flow if it has one."""
    _is(marker, dict, at, "a table")
    for key in ("link", "kind"):
        _is(marker.get(key), str, f"{at}.{key}", "text")
    _row({"name": "", **marker}, at)


def _host(host: Any, at: str) -> None:
    """A row of a processor: whose it is, and which way."""
    _is(host, dict, at, "a table")
    for key in ("host", "direction"):
        _is(host.get(key), str, f"{at}.{key}", "text")
    _row(host, at)


def _row(row: Any, at: str) -> None:
    _is(row, dict, at, "a table")
    _is(row.get("name"), str, f"{at}.name", "text")
    for key, value in row.items():
        if key in _TEXT:
            _is(value, (str, type(None)), f"{at}.{key}", "text")
        elif key in _TABLES:
            _is(value, dict, f"{at}.{key}", "a table")
            for name, number in value.items():
                _number(number, f"{at}.{key}.{name}")
        else:
            _number(value, f"{at}.{key}")


def _number(value: Any, at: str) -> None:
    """A number or nothing, or the mean of several runs: `{"mean", "ci95": [low, high], "n"}`."""
    if not isinstance(value, dict):
        _plain(value, at)
        return
    _is(value.get("n"), int, f"{at}.n", "a number of runs")
    _plain(value.get("mean", ""), f"{at}.mean")
    interval = value.get("ci95")
    if interval is None:
        return
    if not isinstance(interval, list) or len(interval) != 2:
        raise _Damage(f"`{at}.ci95` is not two numbers")
    for bound in interval:
        _plain(bound, f"{at}.ci95")


def _plain(value: Any, at: str) -> None:
    _is(value, (int, float, type(None)), at, "a number")
    if value is not None and abs(value) > _LARGEST:
        raise _Damage(f"`{at}` is larger than anything that can be measured")
