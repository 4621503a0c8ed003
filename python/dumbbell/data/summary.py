"""Reads `summary.json` of a result directory: whole, or not at all.

What a full disk cut short, an editor changed or another program wrote is refused with the file, the
place in it and what is wrong there; what is given out has the shape that `dumbbell.result` relies
on.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from .. import api
from . import series

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


def _point(point: Any, at: str) -> None:
    """A point or a run: the keys that `Result` needs are there, and those that the schema knows
    have its types."""
    _is(point, dict, at.removesuffix("."), "a table")
    if "error" in point and "flows" not in point:  # A run or a point that failed has no numbers.
        _is(point["error"], dict, f"{at}error", "a table")
        return
    rules = _definitions()["point"]["properties"]
    for key in ("valid", "fingerprint", "flows", "queues"):
        _value(point.get(key), rules[key], f"{at}{key}")
    for key, value in point.items():
        if key in rules:
            _value(value, rules[key], f"{at}{key}")


@cache
def _definitions() -> dict[str, Any]:
    definitions: dict[str, Any] = api.result_schema()["$defs"]
    return definitions


def _value(value: Any, rule: dict[str, Any], at: str) -> None:
    """A value against its rule in the schema. Numbers may be null: some that are always there now
    were not in earlier releases."""
    if "$ref" in rule:
        name = rule["$ref"].removeprefix("#/$defs/")
        if name == "run":
            _point(value, f"{at}.")
        elif "anyOf" in _definitions()[name]:
            _number(value, at)
        else:
            _table(value, _definitions()[name], at)
        return
    kind, *others = [rule["type"]] if isinstance(rule["type"], str) else rule["type"]
    if value is None and "null" in others:
        return
    if kind == "array":
        _is(value, list, at, "a list")
        for i, item in enumerate(value):
            _value(item, rule["items"], f"{at}[{i}]")
    elif kind == "object":
        _table(value, rule, at)
    elif kind in ("integer", "number"):
        _plain(value, at)
    else:
        words, what = _WORDS[kind]
        _is(value, words, at, what)


_WORDS = {"string": (str, "text"), "boolean": (bool, "true or false")}


def _table(value: Any, rule: dict[str, Any], at: str) -> None:
    """A table. A row of measurements has its labels, and what an earlier release measured besides
    is a number."""
    _is(value, dict, at, "a table")
    known = rule.get("properties", {})
    others = rule.get("additionalProperties")
    if any("x-statistic" in one for one in known.values()):
        others = {"$ref": "#/$defs/maybe_real"}
        for key in (key for key, one in known.items() if one.get("type") == "string"):
            _is(value.get(key), str, f"{at}.{key}", "text")
    for key, item in value.items():
        if one := known.get(key, others):
            _value(item, one, f"{at}.{key}")


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
