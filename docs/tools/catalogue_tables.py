"""The generated parts on algorithms, the TCP and the per-hop behaviors, from the catalogue."""

from __future__ import annotations

from collections import Counter

from dumbbell import catalogue
from dumbbell.cli.algorithms.explain import PROVENANCE
from dumbbell.models import dscp
from markdown_table import shown, table


def algorithms(_: str) -> str:
    """The catalogue, kind by kind."""
    parts = []
    kind = None
    for a in catalogue.algorithms():
        if a.kind != kind:
            kind = a.kind
            parts.append(f"## {kind}")
        parts += [
            f"### {a.name}",
            f"**{a.title}.** {a.idea}",
            f"```text\n{_lines(a.equations)}\n```",
        ]
        if a.parameters:
            rows = (
                [
                    f"`{p.name}`",
                    shown(p.default) if p.default is not None else "–",
                    _range(p),
                    p.doc,
                    p.source,
                ]
                for p in a.parameters
            )
            parts.append(
                table(["parameter", "default", "range", "meaning", "source of the default"], rows)
            )
        else:
            parts.append("It takes no parameters.")
        parts.append(f"Sources: {'; '.join(a.sources)}.")
        parts.append(f"Provenance: *{a.provenance.replace('_', ' ')}*.")
    return "\n\n".join(parts)


def _lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def _range(p: catalogue.Parameter) -> str:
    return p.range or ", ".join(f"`{c}`" for c in p.choices)


PLACES = {
    "aqm": ("`queue`", "when a queue signals congestion"),
    "qdisc": ("`queue`", "which of several queues sends"),
    "cc": ("`cc` of a flow", "how much a sender may have on its way"),
    "source": ("`source` of a flow", "when an application hands over how much"),
    "impairment": ("`impairment` of a link", "what a wire does besides carrying"),
    "meter": ("`conditioner`", "which color a packet has"),
    "conditioner": ("`conditioner`", "which packets go on to the queue, now or later"),
    "service": ("`service` of a link", "how a transmitter takes the wire"),
}
"""Where a scenario names an algorithm of a kind, and what it decides."""


def kinds(_: str) -> str:
    """The kinds of the catalogue, with how many algorithms each has."""
    counts = Counter(a.kind for a in catalogue.algorithms())
    rows = ([f"[`{kind}`](#{kind})", *PLACES[kind], str(count)] for kind, count in counts.items())
    return table(["kind", "named by a scenario's", "decides", "algorithms"], rows)


def provenance(_: str) -> str:
    """What the classes mean."""
    return table(
        ["class", "meaning"], ([name.replace("_", " "), text] for name, text in PROVENANCE.items())
    )


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
