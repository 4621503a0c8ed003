"""What a perturbation changes at a point: overrides with the point's own values, moved.

A key with `*` stands for every item of its list: `flow.*.rtt`. A point that does not have a value,
or whose queue does not have such a parameter, is left as it is.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..catalogue import algorithms
from ..errors import ScenarioError
from ..files import declared
from .entries import Perturbation, Point

_AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")
_OF_PORT = ("kind", "limit", "count_in_service")
"""Keys of a queue that every queue has."""


def changes(wanted: Perturbation, point: Point, overrides: Iterable[str] = ()) -> tuple[str, ...]:
    """The overrides of a perturbation at a point. overrides: those of every point."""
    document = _overridden(_file(point.scenario), (*point.overrides, *overrides))
    return (
        *_scaled(wanted, document),
        *_replaced(wanted, document),
        *_set(wanted, document),
    )


def _scaled(wanted: Perturbation, document: dict[str, Any]) -> Iterator[str]:
    for pattern, factor in wanted.scale.items():
        for key in _keys(document, pattern):
            value = _value(document, key)
            if value is not None and _applies(document, key):
                yield f"{key}={_times(key, value, factor)}"


def _replaced(wanted: Perturbation, document: dict[str, Any]) -> Iterator[str]:
    for index, flow in enumerate(document.get("flow", ())):
        control = flow.get("cc")
        kind = control.get("kind") if isinstance(control, dict) else control
        if kind in wanted.controls:
            yield f"flow.{index}.cc.kind={wanted.controls[kind]}"


def _set(wanted: Perturbation, document: dict[str, Any]) -> Iterator[str]:
    for override in wanted.set:
        pattern, _, value = override.partition("=")
        yield from (f"{key}={value}" for key in _keys(document, pattern) if _applies(document, key))


def _times(key: str, value: Any, factor: float) -> str:
    """A value times a factor, with its unit; packets are whole."""
    found = _AMOUNT.fullmatch(str(value))
    if not found or isinstance(value, bool):
        raise ScenarioError(f"`{key}`: `{declared.cut(str(value), 80)}` is not an amount to scale")
    number = float(found[1]) * factor
    if found[2] == "pkt":
        number = max(1, round(number))
    return f"{number:.10g} {found[2]}".strip()


def _keys(document: Any, pattern: str) -> Iterator[str]:
    """The keys that a pattern stands for."""
    head, star, tail = pattern.partition(".*.")
    if not star:
        yield pattern
        return
    items = _value(document, head)
    if isinstance(items, list):
        for index in range(len(items)):
            yield from (f"{head}.{index}.{key}" for key in _keys(items[index], tail))


def _applies(document: dict[str, Any], key: str) -> bool:
    """True if a key of a queue is a parameter of the queue that is there."""
    above, _, last = key.rpartition(".")
    if above.rpartition(".")[2] != "queue" or last in _OF_PORT:
        return True
    queue = _value(document, above)
    return isinstance(queue, dict) and last in _parameters(str(queue.get("kind", "")))


@functools.cache
def _parameters(kind: str) -> frozenset[str]:
    return frozenset(
        parameter.name
        for algorithm in algorithms()
        if algorithm.kind in ("aqm", "qdisc") and algorithm.name == kind
        for parameter in algorithm.parameters
    )


def _value(document: Any, key: str) -> Any:
    """The value at a key; None if there is none."""
    for part in key.split("."):
        document = _item(document, part)
    return document


def _item(value: Any, part: str) -> Any:
    if isinstance(value, dict):
        return value.get(part)
    if isinstance(value, list):
        index = _index(value, part)
        return None if index is None else value[index]
    return None


def _index(items: list[Any], part: str) -> int | None:
    """The place of an item in a list, by its number or its name."""
    if part.isdecimal():
        return int(part) if int(part) < len(items) else None
    named = (i for i, item in enumerate(items) if isinstance(item, dict) and "name" in item)
    return next((i for i in named if items[i]["name"] == part), None)


@functools.cache
def _text(file: Path) -> str:
    return declared.text(file)


def _file(file: Path) -> dict[str, Any]:
    """A scenario file with what it extends."""
    document = tomllib.loads(_text(file))
    if isinstance(document.get("extends"), str):
        document = _merged(_file(file.parent / document["extends"]), document)
    return document


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    both = dict(base)
    for key, value in over.items():
        inner = both.get(key)
        tables = isinstance(inner, dict) and isinstance(value, dict)
        both[key] = _merged(inner, value) if tables and inner is not None else value
    return both


def _overridden(document: dict[str, Any], overrides: Iterable[str]) -> dict[str, Any]:
    """A document with overrides, as far as amounts, kinds and controls go."""
    for override in overrides:
        key, _, text = override.partition("=")
        _put(document, key.strip().split("."), _read(text.strip()))
    return document


def _put(document: Any, parts: list[str], value: Any) -> None:
    *above, last = parts
    for part in above:
        if isinstance(document, dict):
            inner = document.get(part)
            if not isinstance(inner, dict | list):  # A kind by its name alone, or nothing.
                inner = document[part] = {} if inner is None else {"kind": inner}
            document = inner
        else:
            document = _item(document, part)
        if not isinstance(document, dict | list):
            return
    if isinstance(document, list):
        index = _index(document, last)
        if index is not None:
            document[index] = value
        return
    old = document.get(last)
    if isinstance(old, dict) and isinstance(value, str):
        old["kind"] = value
    else:
        document[last] = value


def _read(text: str) -> Any:
    """The value of an override: TOML, or else a text."""
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text
