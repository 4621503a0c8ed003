"""The pages of `dumbbell explain` about keys of the scenario language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from ... import api, catalogue
from ...errors import ScenarioError
from ...language import keys
from ...language.keys import Key
from ...language.overrides import toml
from ...present.grids import Grid
from .explain import Page

_FEW = 4
"""Pages that are shown whole; more keys of one name are rows of a table."""
_MOST = 8
"""Places and algorithms that a page names."""


def pages(name: str, *uses: str) -> list[Page]:
    """The pages about a key; `scenario` stands for the whole language. `ScenarioError` with the
    nearest key if there is none."""
    if name == "scenario":
        top = keys.top(*uses)
        return [({"keys": [_facts(key) for key in top]}, [_grid("Keys of a scenario", top)])]
    if "." not in name and name not in keys.names(*uses):
        raise _unknown(name, catalogue.names(*uses) | keys.names(*uses))
    found = keys.find(name, *uses)
    if len(found) > _FEW:
        lines: list[RenderableType] = [_rules(name, found)]
        return [({"keys": [_facts(key) for key in found]}, lines)]
    return [_page(key, uses) for key in found]


def _unknown(name: str, known: set[str]) -> ScenarioError:
    near = api.nearest(name, sorted(known))
    hint = f"did you mean `{near}`?" if near else "`dumbbell list` shows every algorithm"
    return ScenarioError(
        f"there is no algorithm or key named `{name}`: {hint}",
        {"name": name, "nearest": [near] if near else []},
    )


def _page(key: Key, uses: tuple[str, ...]) -> Page:
    places, below = keys.places(key, *uses), _below(key, uses)
    facts = {**_facts(key), "places": places, "keys": [k.name for k in below]}
    example = key.example()
    lines: list[RenderableType] = [
        Text(f"{key.path} ({key.unit})" if key.unit else key.path, style="bold"),
        *([key.meaning] if key.meaning else []),
        *(f"{word}: {said}" for word, said in _said(key, places)),
        *([_choices(key)] if any(key.choices.values()) else []),
        *(["", Padding(example, (0, 0, 1, 4))] if example else [""]),
        *([_grid(f"Keys of {key.path}", below)] if below else []),
    ]
    if any(form.get("properties", {}).get("kind") for form in key.forms):
        lines.append("Each kind has its own keys: `dumbbell explain KIND` lists them.")
    return facts, lines


def _said(key: Key, places: list[str]) -> list[tuple[str, str]]:
    """What is known of a key, each fact with its word."""
    words = "" if any(key.choices.values()) else ", ".join(key.choices)
    known = [
        ("Values", words),
        ("Default", "" if key.default is None else toml(key.default)),
        ("Range", key.range),
        ("Source", key.source),
        ("Of", _some(key.kinds)),
        ("Stands at", _some(places) if len(places) > 1 else ""),
    ]
    return [(word, said) for word, said in known if said]


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST
    return ", ".join(names[:_MOST]) + (f" and {more} more" if more > 0 else "")


def _choices(key: Key) -> RenderableType:
    return Grid("Values", ["value", "meaning"], [list(pair) for pair in key.choices.items()], 2)


def _below(key: Key, uses: tuple[str, ...]) -> list[Key]:
    """The keys of its table, each once."""
    rows = {k.path: k for k in reversed(keys.every(*uses))}
    names = [f"{key.path}.{name}" for name in key.keys]
    return [rows[path] for path in names if path in rows]


def _grid(title: str, rows: list[Key]) -> RenderableType:
    return Grid(title, ["key", "value", "meaning"], [_row(key.name, key) for key in rows], 3)


def _rules(name: str, found: list[Key]) -> RenderableType:
    """Keys of one name, one row for each rule."""
    rows = [
        _row(key.path + (f" ({', '.join(key.kinds[:3])})" if key.kinds else ""), key)
        for key in found
    ]
    return Grid(f"Keys named {name}", ["key", "value", "meaning"], rows, 3)


def _row(name: str, key: Key) -> list[str]:
    return [name, key.unit.partition(", as in")[0], key.meaning]


def _facts(key: Key) -> dict[str, Any]:
    return {
        "key": key.path,
        "meaning": key.meaning,
        "unit": key.unit,
        "default": key.default,
        "range": key.range,
        "source": key.source,
        "choices": key.choices,
        "kinds": list(key.kinds),
        "example": key.example(),
    }
