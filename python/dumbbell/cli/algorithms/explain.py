"""The pages of `dumbbell explain`."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from ... import api, catalogue
from ...catalogue import PROVENANCE, Algorithm, Parameter
from ...errors import ScenarioError
from ...language.overrides import toml
from ...present.grids import Grid

Page = tuple[dict[str, Any], list[RenderableType]]


FEW = 5
"""Parameters that a page repeats rather than to send its reader to another one."""
WIDEST = 20
"""Letters: a longer default stands with the meaning, so that its column stays narrow."""


def warning_page(code: str) -> Page:
    """The page of a warning, for programs and for people. `ScenarioError`: there is none with this
    code."""
    known = {one["code"]: one for one in api.warnings()}
    if code.upper() not in known:
        near = api.nearest(code.upper(), known)
        help = f"did you mean `{near}`?" if near else "docs/reference/warnings.md lists the codes"
        raise ScenarioError(f"there is no warning `{code}`\nhelp: {help}")
    page = known[code.upper()]
    lines: list[RenderableType] = [
        Text(f"{page['code']} ({page['name']}): {page['title']}", style="bold"),
        page["explanation"],
        "",
        "A scenario that has it:",
        "",
        Padding(page["example"], (0, 0, 1, 4)),
        f'To silence it, write allow = ["{page["code"]}"] in the scenario.',
        f"Since {page['since']}.",
    ]
    return page, lines


def algorithm_page(algorithm: Algorithm, every: bool = False) -> Page:
    """The page of an algorithm, for programs and for people.

    A variant of RED names in one paragraph what it shares with RED to the letter, unless `every` is
    true.
    """
    shared = () if every else shared_with_red(algorithm)
    own = tuple(p for p in algorithm.parameters if p not in shared)
    lines: list[RenderableType] = [
        Text(f"{algorithm.name} ({algorithm.kind}): {algorithm.title}", style="bold"),
        algorithm.idea,
        "",
        Padding(algorithm.equations.strip("\n"), (0, 0, 1, 4)),
        _parameters(own, "Parameters"),
        *([_as_in_red(algorithm.name, shared), ""] if shared else []),
        *_presets(algorithm, every),
        f"Sources: {'; '.join(algorithm.sources)}",
        f"Provenance: {PROVENANCE.get(algorithm.provenance, algorithm.provenance)}",
        *([f"Written in {algorithm.language}: {algorithm.file}"] if algorithm.file else []),
    ]
    return dataclasses.asdict(algorithm), lines


def _presets(algorithm: Algorithm, every: bool) -> list[RenderableType]:
    """Its presets, by name or one by one."""
    if every or not algorithm.presets:
        return [line for preset in algorithm.presets for line in _preset(preset, algorithm)]
    names = ", ".join(preset["name"] for preset in algorithm.presets)
    return [f"Presets: {names} (`explain {algorithm.name} --all` describes each)", ""]


def _preset(preset: dict[str, Any], algorithm: Algorithm) -> list[RenderableType]:
    """A set of parameters: its name, what it is, what differs from the defaults, and where that
    comes from."""
    defaults = {p.name: p.default for p in algorithm.parameters}
    numbers = {name: value for name, value in preset["cpu"].items() if value != defaults.get(name)}
    values = ", ".join(
        f"{name} {_value(value)}" for name, value in {**numbers, "ring": preset["ring"]}.items()
    )
    lines = [f"{preset['title']}: {values}", *preset["sources"]]
    return [f"Preset {preset['name']}", *(Padding(line, (0, 0, 0, 4)) for line in lines), ""]


def shared_with_red(algorithm: Algorithm) -> tuple[Parameter, ...]:
    """The parameters that RED has with the same default, range, source and meaning, word for word,
    if they are many."""
    if algorithm.kind != "aqm" or algorithm.name == "red" or algorithm.file:
        return ()
    red = next(a for a in catalogue.find("red") if a.kind == "aqm")
    shared = tuple(p for p in algorithm.parameters if p in red.parameters)
    return shared if len(shared) > FEW else ()


def _as_in_red(name: str, shared: tuple[Parameter, ...]) -> RenderableType:
    values = ", ".join(f"{p.name} {_value(p.default)}" for p in shared)
    text = (
        f"As in red, default and meaning (`explain red`; `explain {name} --all` has a row "
        f"for each): {values}"
    )
    return Padding(text, (0, 0, 0, 1))


def tcp_page(profile: str) -> Page:
    """Every choice that a TCP makes, with the values of a profile (default `rfc`)."""
    name = profile or "rfc"
    fields = catalogue.tcp_fields(name)
    others = ", ".join(catalogue.profiles())
    lines: list[RenderableType] = [
        Text(f"tcp, profile {name}", style="bold"),
        f"Each choice of a sender and a receiver is a field of [tcp]. Profiles: {others} "
        f"(`explain tcp/NAME`).",
        "",
        _parameters(fields, "Fields"),
    ]
    return {"profile": name, "parameters": [dataclasses.asdict(f) for f in fields]}, lines


def transport_page(name: str, fields: tuple[Parameter, ...]) -> Page:
    """Every choice that the ends of a transport make, with its default."""
    lines: list[RenderableType] = [
        Text(name, style="bold"),
        f"Each choice of a sender and a receiver is a field of [{name}]; a flow has it by "
        f'`transport = "{name}"`.',
        "",
        _parameters(fields, "Fields"),
    ]
    return {"parameters": [dataclasses.asdict(f) for f in fields]}, lines


def _parameters(parameters: tuple[Parameter, ...], title: str) -> RenderableType:
    if not parameters:
        return "It takes no parameters."
    return Grid(
        title,
        ["name", "default", "meaning [range] (source of the default)"],
        [_row(parameter) for parameter in parameters],
        3,
    )


def _row(p: Parameter) -> list[str]:
    bounds, value, doc = bounded(p), _value(p.default), p.doc
    if p.source.startswith("reconstructed"):
        doc = doc.removesuffix("Reconstructed.").rstrip()  # Its source says it.
    parts = [doc, f"[{bounds}]" if bounds else "", f"({p.source})" if p.source else ""]
    if len(value) > WIDEST:
        value, more = "as said", f"Default: {value}"
        parts.insert(1, more)
    return [p.name, value, " ".join(part for part in parts if part)]


def bounded(p: Parameter) -> str:
    """What values it may have, in few words: `0 to 1`, `above 0 to 1`, `linear | constant`."""
    return re.sub(r"(?:at least )?(\S+) and at most ", r"\1 to ", p.range) or " | ".join(p.choices)


def _value(value: Any) -> str:
    plain = value if isinstance(value, str) else "-" if value is None else toml(value)
    return re.sub(r'"(\w+)" = ', r"\1 = ", plain)
