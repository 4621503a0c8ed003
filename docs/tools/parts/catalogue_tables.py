"""The page of each algorithm, and the generated parts on kinds, TCP and the per-hop
behaviors, from the catalogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dumbbell import catalogue
from dumbbell.models import dscp

from .markdown_table import shown, table


def algorithm(a: catalogue.Algorithm, curve: str = "") -> str:
    """The page of an algorithm. curve: a part of it that a program drew."""
    parts = [
        f"# {a.name}",
        f"**{a.title}.** {a.idea}",
        f"```text\n{_lines(a.equations)}\n```",
        *([curve.rstrip("\n"), "## Parameters"] if curve else []),
        _parameters(a.parameters),
        f"Sources: {'; '.join(a.sources)}.",
        f"Kind: `{a.kind}`. Provenance: *{a.provenance.replace('_', ' ')}* "
        "([classes](../algorithms.md#provenance)).",
    ]
    return "\n\n".join(parts) + "\n"


def _parameters(parameters: Sequence[catalogue.Parameter]) -> str:
    if not parameters:
        return "It takes no parameters."
    rows = (
        [
            f"`{p.name}`",
            shown(p.default) if p.default is not None else "–",
            _range(p),
            p.doc,
            p.source,
        ]
        for p in parameters
    )
    return table(["parameter", "default", "range", "meaning", "source of the default"], rows)


def _lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def _range(p: catalogue.Parameter) -> str:
    return p.range or ", ".join(f"`{c}`" for c in p.choices)


PLACES = {
    "aqm": ("`queue`", "when a queue signals congestion"),
    "qdisc": ("`queue`", "which of several queues sends"),
    "cc": ("`cc` of a flow", "how much data a sender may have in flight"),
    "source": ("`source` of a flow", "when an application sends, and how much"),
    "impairment": ("`impairment` of a link", "what a wire does to packets: loss, delay, damage"),
    "meter": ("`conditioner`", "which color a packet has"),
    "conditioner": ("`conditioner`", "which packets reach the queue, now or later"),
    "service": ("`service` of a link", "how a transmitter uses the wire"),
}
"""Where a scenario names an algorithm of a kind, and what it decides."""


def kinds(_: str) -> str:
    """The kinds of the catalogue, with how many algorithms each has."""
    counts = Counter(a.kind for a in catalogue.algorithms())
    rows = ([f"`{kind}`", *PLACES[kind], str(count)] for kind, count in counts.items())
    return table(["kind", "named by a scenario's", "decides", "algorithms"], rows)


def provenance(_: str) -> str:
    """What the classes mean."""
    meanings = catalogue.PROVENANCE.items()
    return table(["class", "meaning"], ([name.replace("_", " "), text] for name, text in meanings))


def tcp(_: str) -> str:
    """Every field of TCP with its value in each profile."""
    names = catalogue.profiles()
    columns = [catalogue.tcp_fields(name) for name in names]
    rows = []
    for fields in zip(*columns, strict=True):
        first = fields[0]
        choices = f" One of {', '.join(f'`{c}`' for c in first.choices)}." if first.choices else ""
        limits = f" {first.range.capitalize()}." if first.range else ""
        values = ["of the path" if f.default is None else shown(f.default) for f in fields]
        rows.append([f"`{first.name}`", *values, f"{first.doc}{choices}{limits}", first.source])
    return table(["field", *(f"`{name}`" for name in names), "meaning", "source"], rows)


def quic(_: str) -> str:
    """Every field of QUIC with its default."""
    return _fields(catalogue.quic_fields())


def scream(_: str) -> str:
    """Every field of SCReAM with its default."""
    return _fields(catalogue.scream_fields())


def _fields(fields: tuple[catalogue.Parameter, ...]) -> str:
    rows = []
    for f in fields:
        choices = f" One of {', '.join(f'`{c}`' for c in f.choices)}." if f.choices else ""
        limits = f" {f.range.capitalize()}." if f.range else ""
        value = "of the path" if f.default is None else shown(f.default)
        rows.append([f"`{f.name}`", value, f"{f.doc}{choices}{limits}", f.source])
    return table(["field", "default", "meaning", "source"], rows)


def behaviours(_: str) -> str:
    """The per-hop behaviors of DiffServ: their codepoints, and the queues that give them."""
    rows = []
    for one in dscp.BEHAVIORS:
        points = ", ".join(f"`{name}` {number}" for name, number in one.codepoints.items())
        rows.append(
            [one.name, points, one.rfc, one.asks, ", ".join(f"`{queue}`" for queue in one.queues)]
        )
    return table(
        ["behavior", "codepoints", "RFC", "what a router promises", "queues that keep it"], rows
    )
