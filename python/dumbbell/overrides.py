"""Overrides as the scenario language takes them: `KEY=VALUE` with a TOML value, or text as it is."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from typing import Any


def toml(value: Any) -> str:
    """A plain value as inline TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def literal(value: Any) -> str:
    """A plain value as an override takes it: text as it is, else TOML."""
    return value if isinstance(value, str) else toml(value)


def word(text: str) -> Any:
    """What a word of the command line means: a TOML value if it is one, else the text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def axis(key: str, values: Iterable[Any]) -> str:
    """The override that gives a scenario's sweep one more axis."""
    return f"sweep.grid.{json.dumps(key)}={toml(list(values))}"
