"""The catalogue as Python sees it: every algorithm's page and parameters, as its own Rust file
states them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import api
from .errors import ScenarioError

QUEUES = ("aqm", "qdisc")
"""The kinds that a scenario may name as `queue`."""
PROVENANCE = {
    "vectors": "checked against vectors from an RFC, a paper or published code",
    "two_readings": "two independent implementations of the source agree",
    "recollection": "written from a description, without access to the source",
    "reconstruction": "the source leaves parts open; each of our choices is a named option",
    "own": (
        "your own; `dumbbell test FILE` checks it. Each decision calls Python, so it is slower "
        "than the catalogue's"
    ),
}
"""What the classes of provenance mean."""
UNVERIFIED = {
    "camera": "RFC 8593 describes coders, and has no vectors",
    "prague": "the draft has no vectors, and Linux has no Prague to compare with",
    "ledbat_pp": "the draft has no vectors, and Linux has no LEDBAT to compare with",
    "fq_cobalt": "RFC 8290 specifies the scheduler, and no RFC specifies COBALT",
    "fec": "RFC 5510 specifies the code, but not how a link uses it",
}
"""Why an algorithm that an RFC or a draft specifies is not verified against it."""
UNVERIFIED_CLASSES = ("recollection", "reconstruction")
"""The classes without an independent source that confirms each decision."""
_PYTHON = {"string": "str", "boolean": "bool", "integer": "int", "number": "float"}


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
    type: str = ""
    """The JSON type of a key that has no default of its own; `any` if it may be written in several
    ways."""

    @property
    def annotation(self) -> str:
        """Its type in a Python signature."""
        if self.choices:
            return f"Literal[{', '.join(map(repr, self.choices))}]"
        if self.type == "any":
            return "Any"
        if self.type in _PYTHON:
            return f"{_PYTHON[self.type]} | None"
        default = self.default.__class__.__name__
        return default if default in _PYTHON.values() else "Any"

    @property
    def facts(self) -> str:
        """Its meaning, default, range and source in one line."""
        known = [
            "" if self.default is None else f"default {self.default!r}",
            self.range,
            self.source,
        ]
        text = "; ".join(fact for fact in known if fact)
        return f"{self.doc} ({text})" if text else self.doc


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
    language: str = "Rust"
    file: str = ""
    presets: tuple[dict[str, Any], ...] = ()
    """Whole sets of parameters by name, each with where its numbers come from."""
    rule: str = ""
    """What it decides by, as the cell of a table."""
    needs: str = ""
    """What a congestion control needs of TCP and of its hosts, as the cell of a table."""
    family: str = ""
    look: Mapping[str, Any] | None = None
    """`color`, `marker` and `dash` in plots, if they were chosen by hand."""
    kernel: Mapping[str, Any] = field(default_factory=dict)
    """`name` and `note` of Linux's counterpart, or `why` there is none and the `fix`."""
    linux: tuple[tuple[str, Any], ...] = ()
    """Parameters, with their values, that differ from their defaults under the profile `linux`."""
    size: Mapping[str, str] = field(default_factory=dict)
    """What an AQM `measures`, its `byte_mode`, and how `signals` depend on the size."""
    law: Mapping[str, Any] = field(default_factory=dict)
    """The law of its response curve: `named` with `law` and `remark`, `over` a quantity, or the
    reason for `none`."""
    explained: Mapping[str, Any] = field(default_factory=dict)
    """How a decision is told: `clauses`, `story`, `remark`."""


def specified(algorithm: Algorithm) -> bool:
    """Whether an RFC or a draft of the IETF or the IRTF specifies the algorithm: it is the first
    source."""
    return bool(algorithm.sources) and algorithm.sources[0].startswith(("RFC ", "draft-"))


def kinds(*uses: str) -> dict[str, list[str]]:
    """The names of each kind: `{"aqm": [...], "cc": [...], ...}`. uses: files with algorithms of
    the user's own."""
    known = api.catalogue(*uses).items()
    return {kind: [e["name"] for e in entries] for kind, entries in known if _is_kind(entries)}


def algorithms(*uses: str) -> Iterator[Algorithm]:
    """Every algorithm. uses: files with algorithms of the user's own."""
    for kind, entries in api.catalogue(*uses).items():
        if _is_kind(entries):
            for entry in entries:
                yield read(kind, entry)


@functools.cache
def pages(*of: str) -> dict[str, Algorithm]:
    """The algorithms of these kinds by name, without those of the user's own."""
    return {a.name: a for a in algorithms() if a.kind in of}


def names(*uses: str) -> set[str]:
    """The names of all algorithms."""
    return {name for members in kinds(*uses).values() for name in members}


def find(name: str, *uses: str) -> list[Algorithm]:
    """The algorithms called `name` (two kinds may share one). `ScenarioError` with the nearest name
    if none is."""
    every = list(algorithms(*uses))
    found = [a for a in every if a.name == name]
    if found:
        return found
    near = api.nearest(name, [a.name for a in every])
    hint = f"did you mean `{near}`?" if near else "`dumbbell list` shows every name"
    raise ScenarioError(
        f"there is no algorithm named `{name}`: {hint}",
        {"name": name, "nearest": [near] if near else []},
    )


def keywords(algorithm: Algorithm) -> tuple[Parameter, ...]:
    """Its parameters, and the keys that its table in a scenario has besides, such as a queue's
    `limit`."""
    known = {p.name for p in algorithm.parameters} | {"kind"}
    defs = api.schema()["$defs"]
    rules: dict[str, dict[str, Any]] = next(
        (table["properties"] for table in defs.values() if _is_table_of(table, algorithm)), {}
    )
    shared = {key: rule.get("$ref", "").removeprefix("#/$defs/") for key, rule in rules.items()}
    return algorithm.parameters + tuple(
        Parameter(
            key,
            rule.get("description", ""),
            None,
            rule.get("x-unit", ""),
            "",
            "",
            type=rule.get("type", ""),
        )
        for key, own in rules.items()
        for rule in [{**defs.get(shared[key], {}), **own}]
        if key not in known
    )


def _is_table_of(table: dict[str, Any], algorithm: Algorithm) -> bool:
    kind = table.get("properties", {}).get("kind", {}).get("const")
    return kind == algorithm.name and table.get("title") == algorithm.title


def profiles() -> list[str]:
    """The names of TCP's profiles."""
    return list(api.catalogue()["profiles"])


def tcp_fields(profile: str) -> tuple[Parameter, ...]:
    """Every field of TCP, with the values of a profile as defaults. `ScenarioError` if there is
    none."""
    known = api.catalogue()["profiles"]
    if profile not in known:
        raise ScenarioError(f"there is no profile `{profile}`; there are {', '.join(known)}")
    values = known[profile]["tcp"]
    fields = (_parameter(field) for field in api.catalogue()["tcp"])
    return tuple(dataclasses.replace(field, default=values.get(field.name)) for field in fields)


def quic_fields() -> tuple[Parameter, ...]:
    """Every field of QUIC, with its default."""
    return tuple(_parameter(field) for field in api.catalogue()["quic"])


def scream_fields() -> tuple[Parameter, ...]:
    """Every field of SCReAM, with its default."""
    return tuple(_parameter(field) for field in api.catalogue()["scream"])


def _is_kind(entries: Any) -> bool:
    """True if these are algorithms: a page has a title, a field of a transport has none."""
    return isinstance(entries, list) and all("title" in entry for entry in entries)


def read(kind: str, entry: Mapping[str, Any]) -> Algorithm:
    """An algorithm from its entry in the catalogue's document."""
    return Algorithm(
        kind=kind,
        name=entry["name"],
        title=entry["title"],
        idea=entry["idea"],
        equations=entry["equations"],
        sources=tuple(entry["sources"]),
        provenance=entry["provenance"],
        parameters=tuple(_parameter(p) for p in entry["parameters"]),
        language=entry.get("language", "Rust"),
        file=entry.get("file", ""),
        presets=tuple(entry.get("presets", ())),
        **_facts(entry),
    )


def _facts(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What a page of the catalogue says besides; that of a user's algorithm says nothing of it."""
    names = ("rule", "needs", "family", "look", "size", "law", "explained")
    facts = {name: entry[name] for name in names if name in entry}
    facts["linux"] = tuple((name, value) for name, value in entry.get("linux", ()))
    kernel = entry.get("kernel")
    if isinstance(kernel, dict):  # `has` or `lacks`; else it is unknown.
        (facts["kernel"],) = kernel.values()
    return facts


def _parameter(entry: dict[str, Any]) -> Parameter:
    return Parameter(
        name=entry["name"],
        doc=" ".join((entry["doc"] or "").split()),
        default=entry["default"],
        unit=entry["unit"] or "",
        range=entry["range"] or "",
        source=entry["source"] or "",
        choices=tuple(entry["choices"] or ()),
        type=entry.get("type") or "",
    )
