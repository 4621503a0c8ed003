"""Labels of overlaid results: what differs in their scenarios, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_MOST_KEYS = 3
_UNSAID = ("name", "title", "record", "use", "overrides", "out")
"""Keys that change nothing in a run."""


def labels(
    scenarios: Sequence[Mapping[str, Any] | None], names: Sequence[str]
) -> tuple[list[str], str]:
    """A label for each result, and the line over the figure: `red`, `codel` and
    `queue.kind: red / codel`. scenarios: the tables of each, None where there are none. names: what
    the user called each, its label where nothing, or more than three keys, differ."""
    flat = [None if one is None else dict(_flat(one)) for one in scenarios]
    known = [one for one in flat if one is not None]
    keys = _different(known)
    if not keys or len(keys) > _MOST_KEYS:
        return list(names), ""
    found = [
        name if one is None else _label(one, keys) for name, one in zip(names, flat, strict=True)
    ]
    if len(set(found)) < len(found):
        found = [
            label if found.count(label) == 1 else f"{label}, {name}"
            for label, name in zip(found, names, strict=True)
        ]
    title = "; ".join(
        f"{key}: {' / '.join(dict.fromkeys(one.get(key, '-') for one in known))}" for key in keys
    )
    return found, title


def _label(scenario: Mapping[str, str], keys: Sequence[str]) -> str:
    if len(keys) == 1:
        return scenario.get(keys[0], "-")
    return ", ".join(f"{key}: {scenario.get(key, '-')}" for key in keys)


def _different(scenarios: Sequence[Mapping[str, str]]) -> list[str]:
    """The keys whose values differ; of an algorithm of another kind not its parameters, too."""
    keys = dict.fromkeys(key for one in scenarios for key in one)
    found = [key for key in keys if len({one.get(key) for one in scenarios}) > 1]
    kinds = [key.removesuffix("kind") for key in found if key.endswith(".kind")]
    return [
        key
        for key in found
        if key.endswith(".kind") or not any(key.startswith(kind) for kind in kinds)
    ]


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Keys and values as text. An algorithm by its name alone is a table with its kind."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if path or key not in _UNSAID:
                yield from _flat(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and any(isinstance(inner, Mapping) for inner in value):
        for i, inner in enumerate(value, 1):
            name = inner.get("name", i) if isinstance(inner, Mapping) else i
            yield from _flat(inner, f"{path}.{name}")
    elif path.rpartition(".")[2] in ("queue", "cc", "source", "service"):
        yield f"{path}.kind", str(value)
    else:
        yield path, str(value)
