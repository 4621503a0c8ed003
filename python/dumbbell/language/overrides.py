"""Overrides as the scenario language takes them: `KEY=VALUE` with a TOML value, or text as it
is."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from typing import Any


def toml(value: Any) -> str:
    """A plain value as inline TOML."""
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{_plain(key)} = {toml(inner)}" for key, inner in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return _plain(value)


def _plain(value: Any) -> str:
    """A string, a number or a truth value. JSON's escapes are TOML's, but for characters beyond 16
    bits and DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def literal(value: Any) -> str:
    """A plain value as an override takes it: text as it is, else TOML."""
    return value if isinstance(value, str) else toml(value)


def word(text: str) -> Any:
    """The value of a word of the command line: a TOML value if it is one, else the text."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
        json.dumps(value, allow_nan=False)
    except (
        ValueError,
        TypeError,
        RecursionError,
    ):  # No TOML, or a number or a date that no scenario has.
        return text
    return value


def axis(key: str, values: Iterable[Any]) -> str:
    """The override that gives a scenario's sweep one more axis."""
    return f"sweep.grid.{_plain(key)}={toml(list(values))}"
