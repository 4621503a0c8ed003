"""A survey in a terminal: the controls with what each is summed up to, and every number on
request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...present.grids import number, plain, unit_of
from ...present.stats import Interval
from . import draw

Document = Mapping[str, Any]


def lines(document: Document) -> Iterator[str]:
    """A table of controls: their sums, and the first measurement at each condition; a table for
    each value of a second axis."""
    conditions = conditions_of(document)
    if len(document["axes"]) == 1:
        yield plain(table(document, conditions))
        return
    yield plain(table(document, []))
    for value in dict.fromkeys(at[1] for at in conditions):
        yield f"\n{document['metrics'][0]['title']} at {draw.place(document['axes'][1], value)}"
        yield plain(table(document, [at for at in conditions if at[1] == value], sums=False))


def table(
    document: Document, conditions: Sequence[tuple[Any, ...]], sums: bool = True
) -> list[list[str]]:
    """A row for each control, by its first sum; the head before them."""
    known = document["sums"] if sums else []
    summed = [(m, *_scale(m, [row[m["key"]] for row in document["summary"]])) for m in known]
    first = document["metrics"][0]
    scale, unit = _scale(first, [row[first["key"]] for row in document["rows"]])
    head = [
        "control",
        *(f"{m['title']}{f' [{name}]' if name else ''}" for m, _, name in summed),
        *(
            f"{_words(document, at, alone=not sums)}{f' [{unit}]' if unit else ''}"
            for at in conditions
        ),
    ]
    by_place = {(row["cc"], _at(document, row)): row[first["key"]] for row in document["rows"]}
    found = [head]
    for row in sorted(document["summary"], key=lambda row: _rank(row, document["sums"][0]["key"])):
        cells = [_cell(row[m["key"]], by) for m, by, _ in summed]
        cells += [_cell(by_place.get((row["cc"], at)), scale) for at in conditions]
        found.append([row["cc"], *cells])
    return found


def _rank(row: Mapping[str, Any], key: str) -> float:
    return float(row[key]["mean"]) if row[key] else float("inf")


def _scale(
    metric: Mapping[str, Any], cells: Sequence[Mapping[str, Any] | None]
) -> tuple[float, str]:
    return unit_of(metric["unit"], max((abs(cell["mean"]) for cell in cells if cell), default=0.0))


def _cell(cell: Mapping[str, Any] | None, scale: float) -> str:
    interval = Interval.read(dict(cell)) if cell else None
    return "-" if interval is None else number(interval, scale, 3)


def _at(document: Document, row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[axis["key"]] for axis in document["axes"])


def conditions_of(document: Document) -> list[tuple[Any, ...]]:
    """Every condition, in the order of the rows."""
    return list(dict.fromkeys(_at(document, row) for row in document["rows"]))


def _words(document: Document, at: tuple[Any, ...], alone: bool = False) -> str:
    """A condition in words; `alone`: its first axis."""
    said = [draw.place(axis, value) for axis, value in zip(document["axes"], at, strict=True)]
    return said[0] if alone else ", ".join(said)
