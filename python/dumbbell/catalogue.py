"""The catalogue as Python sees it: every algorithm's page and parameters, as its own Rust file states them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from . import door
from .errors import ScenarioError

_BOUNDS = (
    ("minimum", "at least"),
    ("exclusiveMinimum", "above"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "below"),
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an algorithm."""

    name: str
    doc: str
    default: Any
    unit: str
    range: str
    source: str
    choices: tuple[str, ...] = ()

    @property
    def annotation(self) -> str:
        """Its type in a Python signature."""
        if self.choices:
            return f"Literal[{', '.join(map(repr, self.choices))}]"
        kinds = {
            bool: "bool",
            int: "int",
            float: "float",
            str: "str",
            list: "list[Any]",
            dict: "dict[str, Any]",
        }
        kind = kinds.get(type(self.default), "Any")
        return kind if kind in ("bool", "Any") else f"{kind} | None" if self.default is None else kind


@dataclass(frozen=True, slots=True)
class Algorithm:
    """An algorithm's page."""

    kind: str
    name: str
    title: str
    idea: str
    equations: str
    sources: tuple[str, ...]
    provenance: str
    parameters: tuple[Parameter, ...]


def kinds() -> dict[str, list[str]]:
    """The names of each kind: `{"aqm": [...], "cc": [...], ...}`."""
    return {kind: [e["name"] for e in entries] for kind, entries in door.catalogue().items() if _is_kind(entries)}


def algorithms() -> Iterator[Algorithm]:
    """Every algorithm."""
    for kind, entries in door.catalogue().items():
        if _is_kind(entries):
            for entry in entries:
                yield _algorithm(kind, entry)


def find(name: str) -> list[Algorithm]:
    """The algorithms called `name` (two kinds may share one). `ScenarioError` with the nearest name if none is."""
    every = list(algorithms())
    found = [a for a in every if a.name == name]
    if found:
        return found
    near = difflib.get_close_matches(name, [a.name for a in every], n=1)
    hint = f"did you mean `{near[0]}`?" if near else "`dumbbell list` shows every name"
    raise ScenarioError(f"there is no algorithm named `{name}`: {hint}", {"name": name, "nearest": near})


def parameters(schema: dict[str, Any], defaults: dict[str, Any]) -> tuple[Parameter, ...]:
    """The parameters that a JSON Schema describes."""
    definitions = schema.get("$defs", {})
    return tuple(
        _parameter(name, rule, defaults.get(name), definitions) for name, rule in schema.get("properties", {}).items()
    )


def _is_kind(entries: Any) -> bool:
    return isinstance(entries, list) and all(isinstance(e, dict) and "schema" in e for e in entries)


def _algorithm(kind: str, entry: dict[str, Any]) -> Algorithm:
    return Algorithm(
        kind=kind,
        name=entry["name"],
        title=entry["title"],
        idea=entry["idea"],
        equations=entry["equations"],
        sources=tuple(entry["sources"]),
        provenance=entry["provenance"],
        parameters=parameters(entry["schema"], entry["defaults"] or {}),
    )


def _parameter(name: str, rule: dict[str, Any], default: Any, definitions: dict[str, Any]) -> Parameter:
    target = _target(rule, definitions)
    return Parameter(
        name=name,
        doc=rule.get("description", target.get("description", "")),
        default=default,
        unit=rule.get("x-unit", target.get("x-unit", "")),
        range=" and ".join(f"{words} {rule[key]:g}" for key, words in _BOUNDS if key in rule),
        source=rule.get("x-source", ""),
        choices=_choices(target),
    )


def _target(rule: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """The rule that a reference (perhaps one of several alternatives, the others being null) points to."""
    for option in (rule, *rule.get("anyOf", ()), *rule.get("allOf", ())):
        if "$ref" in option:
            return definitions.get(option["$ref"].rsplit("/", 1)[-1], {})
    return rule


def _choices(rule: dict[str, Any]) -> tuple[str, ...]:
    if "enum" in rule:
        return tuple(str(value) for value in rule["enum"])
    return tuple(option["const"] for option in rule.get("oneOf", ()) if "const" in option)
