"""The tables of docs/reference that have a row for each algorithm: in queues.md, queue-units.md,
controls.md and kernel-names.md. They come from the algorithm's page in the catalogue and from the
instructions in costs.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from dumbbell.catalogue import QUEUES, Algorithm, algorithms

from .markdown_table import table

COSTS = Path(__file__).with_name("costs.json")
"""Instructions for each packet-hop, in the order in which pages list the algorithms."""
NONE = "–"
Table = tuple[Sequence[str], list[list[str]]]
"""Columns and rows."""

_SIGNALS = {"none": NONE, "constant": "no", "square": "size²"}
_OPTIONS = ("mean_packet_size", "byte_mode", "byte_drop", "bytemode")


def part(name: str) -> str:
    """One of the tables of `TABLES`, as Markdown."""
    return table(*TABLES[name](list(algorithms()), json.loads(COSTS.read_text(encoding="utf-8"))))


def queues(known: Iterable[Algorithm], costs: Mapping[str, Any]) -> Table:
    """Every queue, family by family."""
    rows = [
        [family, f"`{a.name}`", a.rule or a.idea, _provenance(a), str(cost or NONE)]
        for family, a, cost in _listed((a for a in known if a.kind in QUEUES), costs["queues"])
    ]
    return ["family", "queue", "decides by", "provenance", "instructions"], rows


def sizes(known: Iterable[Algorithm], costs: Mapping[str, Any]) -> Table:
    """What every AQM counts, and what the size of a packet is to it."""
    rows = [
        [
            f"`{a.name}`",
            a.size.get("measures") or NONE,
            a.size.get("byte_mode") or NONE,
            _SIGNALS[a.size.get("signals", "none")],
            _options(a),
        ]
        for _, a, _ in _listed((a for a in known if a.kind == "aqm"), costs["queues"])
    ]
    return ["queue", "measures", "byte mode: in", "signal depends on size", "options"], rows


def controls(known: Iterable[Algorithm], costs: Mapping[str, Any]) -> Table:
    """Every congestion control, family by family."""
    rows = [
        [
            family,
            f"`{a.name}`",
            a.rule or a.idea,
            a.needs or NONE,
            _provenance(a),
            *map(str, cost or (NONE, NONE)),
        ]
        for family, a, cost in _listed((a for a in known if a.kind == "cc"), costs["controls"])
    ]
    columns = ["family", "name", "decides by", "needs", "provenance", "instructions", "`linux`"]
    return columns, rows


def kernel(known: Iterable[Algorithm], costs: Mapping[str, Any]) -> Table:
    """The congestion controls that the kernel has, and its names for them."""
    rows = [
        [f"`{a.name}`", f"`{a.kernel['name']}`", a.kernel["note"] or NONE, _settings(a)]
        for _, a, _ in _listed((a for a in known if a.kind == "cc"), costs["controls"])
        if "name" in a.kernel
    ]
    return ["Dumbbell", "Linux", "note", "profile `linux`"], rows


def _settings(algorithm: Algorithm) -> str:
    """What the profile `linux` changes of its parameters."""
    settings = (f"`{name} = {json.dumps(value)}`" for name, value in algorithm.linux)
    return ", ".join(settings) or NONE


TABLES: dict[str, Callable[[Iterable[Algorithm], Mapping[str, Any]], Table]] = {
    "queues": queues,
    "sizes": sizes,
    "controls": controls,
    "kernel": kernel,
}


def _listed(
    known: Iterable[Algorithm], costs: Mapping[str, Any]
) -> Iterable[tuple[str, Algorithm, Any]]:
    """Algorithms with the family, where one begins, and the cost. Those without a cost are the
    last of their family, those without a family stand alone."""
    places = {name: place for place, name in enumerate(costs)}
    ordered = sorted(known, key=lambda a: places.get(a.name, len(places)))
    families = {_family(a): place for place, a in reversed(list(enumerate(ordered)))}
    ordered.sort(key=lambda a: families[_family(a)])
    for _, members in groupby(ordered, _family):
        for place, a in enumerate(members):
            yield "" if place else a.family, a, costs.get(a.name)


def _family(a: Algorithm) -> tuple[str, str]:
    return (a.family, "" if a.family else a.name)


def _provenance(a: Algorithm) -> str:
    return a.provenance.replace("_", " ")


def _options(a: Algorithm) -> str:
    known = {p.name for p in a.parameters}
    return " ".join(f"`{name}`" for name in _OPTIONS if name in known) or NONE
