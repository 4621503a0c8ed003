"""The pages of `dumbbell explain`."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from .. import catalogue
from ..catalogue import Algorithm, Parameter
from ..tables import grid

PROVENANCE = {
    "vectors": "checked against vectors from an RFC, a paper or published code",
    "two_readings": "two independent readings of the source agree",
    "recollection": "written from a description; the source was not at hand",
    "reconstruction": "the source leaves parts open; each of our choices is a named option",
    "own": "your own; `dumbbell test FILE` examines it. Each decision calls Python: slow beside the catalogue's",
}

Page = tuple[dict[str, Any], list[RenderableType]]


def algorithm_page(algorithm: Algorithm) -> Page:
    """The page of an algorithm, for programs and for people."""
    lines: list[RenderableType] = [
        Text(f"{algorithm.name} ({algorithm.kind}): {algorithm.title}", style="bold"),
        algorithm.idea,
        "",
        Padding(algorithm.equations.strip("\n"), (0, 0, 1, 4)),
        _parameters(algorithm.parameters, "Parameters"),
        f"Sources: {'; '.join(algorithm.sources)}",
        f"Provenance: {PROVENANCE.get(algorithm.provenance, algorithm.provenance)}",
        *([f"Written in {algorithm.language}: {algorithm.file}"] if algorithm.file else []),
    ]
    return dataclasses.asdict(algorithm), lines


def tcp_page(profile: str) -> Page:
    """Every choice that a TCP makes, with the values of a profile (default `rfc`)."""
    name = profile or "rfc"
    fields = catalogue.tcp_fields(name)
    others = ", ".join(catalogue.profiles())
    lines: list[RenderableType] = [
        Text(f"tcp, profile {name}", style="bold"),
        f"Each choice of a sender and a receiver is a field of [tcp]. Profiles: {others} (`explain tcp/NAME`).",
        "",
        _parameters(fields, "Fields"),
    ]
    return {"profile": name, "parameters": [dataclasses.asdict(f) for f in fields]}, lines


def _parameters(parameters: tuple[Parameter, ...], title: str) -> RenderableType:
    if not parameters:
        return "It takes no parameters."
    return grid(title, ["name", "default", "meaning [range] (source of the default)"], map(_row, parameters), 3)


def _row(p: Parameter) -> list[str]:
    bounds = p.range or " | ".join(p.choices)
    parts = [p.doc, f"[{bounds}]" if bounds else "", f"({p.source})" if p.source else ""]
    return [p.name, _value(p.default), " ".join(part for part in parts if part)]


def _value(value: Any) -> str:
    return value if isinstance(value, str) else "-" if value is None else json.dumps(value)
