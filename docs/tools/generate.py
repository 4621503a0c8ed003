"""Writes the generated parts of README.md and docs/*.md from the product itself.

    python docs/tools/generate.py

A page has `<!-- generated: PART -->` and `<!-- end -->`; what stands between them is made here: the
keys of the scenario language from the JSON Schema, the TCP's fields and the catalogue from the
catalogue, the checks of the passport from its checks, findings of papers from docs/gallery/*.json
(which `make gallery` writes), captions of figures from papers/*/paper.toml. tests/docs/test_docs.py
fails when a page is behind.
"""

from __future__ import annotations

import csv
import functools
import importlib
import importlib.util
import inspect
import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import hardware_tables
from dumbbell import api, catalogue
from dumbbell.cli.algorithms.explain import PROVENANCE
from dumbbell.models import dscp
from dumbbell.present.units import significant
from dumbbell.validate import report

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "docs" / "gallery" / "README.md",
]
_PART = re.compile(
    r"(<!-- generated: (?P<name>[\w:-]+) -->\n).*?(?=^<!-- end -->)", re.DOTALL | re.MULTILINE
)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(_cell(text) for text in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _code(value: Any) -> str:
    return "–" if value is None else f"`{json.dumps(value, ensure_ascii=False)}`"


def keys(name: str) -> str:
    """The keys of one table of the scenario language; `Scenario` is the file itself."""
    schema = api.schema()
    rules = schema if name == "Scenario" else schema["$defs"][name]
    rows = []
    for key, rule in rules["properties"].items():
        rows.append([f"`{key}`", _value(rule), _default(rule), rule["description"]])
    return table(["key", "value", "default", "meaning"], rows)


def _default(rule: dict[str, Any]) -> str:
    """A plain default; others are in the meaning, and what can neither be left out nor be null is
    required."""
    default = rule.get("default")
    if isinstance(default, str | bool | int | float):
        return _code(default)
    nullable = "null" in rule.get("type", []) or {"type": "null"} in rule.get("anyOf", [])
    return "–" if nullable or "default" in rule else "required"


def _value(rule: dict[str, Any]) -> str:
    """What may be written, in words."""
    defs = api.schema()["$defs"]
    options = [o for o in rule.get("anyOf", [rule]) if o.get("type") != "null"]
    (first, *_) = options
    if "anyOf" in first:  # A law of chance: its quantity, or a table.
        return f"{_value(first['anyOf'][0])}, or a [law](traffic.md#laws)"
    if "$ref" in first:
        name = first["$ref"].removeprefix("#/$defs/")
        target = defs[name]
        if "x-unit" in target:
            return f"{target['x-unit']}, as {_code(target['examples'][0])}"
        if name == "cpu":
            return "a [processor](hosts.md)"
        if "anyOf" in target and all("type" in option for option in target["anyOf"]):
            return " or ".join(_value(option) for option in target["anyOf"])
        if "oneOf" in target:
            return ", ".join(_code(o["const"]) for o in target["oneOf"])
        if name == "stop":
            return 'a rule, as `"ci95 < 2%"`, or a table with `rule` and `most`'
        if name == "framing":
            return '`"ethernet"`, `"vlan"`, `"pppoe"`, `"none"` or a size'
        return f"a [{name}](#{_anchor(name)})"
    if "enum" in first:
        return ", ".join(_code(value) for value in first["enum"])
    kind = next(
        t
        for t in ([first["type"]] if isinstance(first["type"], str) else first["type"])
        if t != "null"
    )
    if kind == "array":
        return f"list of {_value(first['items']).removeprefix('a ')}"
    return {
        "integer": "whole number",
        "boolean": "true or false",
        "object": "table",
        "string": "text",
    }.get(kind, kind)


_ANCHORS = {
    "Dumbbell": "dumbbell",
    "Wire": "a-bottleneck",
    "Access": "access-links",
    "Reverse": "the-other-direction",
    "ParkingLot": "parking-lot",
    "Station": "a-network-of-your-own",
    "Link": "a-network-of-your-own",
    "LinkReverse": "a-network-of-your-own",
    "Flow": "flows",
    "Word": "what-hosts-know",
    "Radio": "what-hosts-know",
    "Session": "sessions",
    "Reassembly": "fragments",
    "Testbed": "real-hosts",
    "Record": "records",
    "Sweep": "sweeps",
    "queue": "queues",
    "cc": "algorithms",
    "source": "algorithms",
    "impairment": "algorithms",
    "conditioner": "algorithms",
    "service": "services",
    "tcp": "tcp",
    "stop": "replications",
}


def _anchor(name: str) -> str:
    return _ANCHORS[name]


def behaviours(_: str) -> str:
    """The per-hop behaviours of DiffServ: their codepoints, and the queues that give them."""
    rows = []
    for one in dscp.BEHAVIORS:
        points = ", ".join(f"`{name}` {number}" for name, number in one.codepoints.items())
        rows.append(
            [one.name, points, one.rfc, one.asks, ", ".join(f"`{queue}`" for queue in one.queues)]
        )
    return table(
        ["behaviour", "codepoints", "RFC", "what a router promises", "queues that keep it"], rows
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
        values = ["of the path" if f.default is None else _text(f.default) for f in fields]
        rows.append([f"`{first.name}`", *values, f"{first.doc}{choices}{limits}", first.source])
    return table(["field", *(f"`{name}`" for name in names), "meaning", "source"], rows)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


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
                    _text(p.default) if p.default is not None else "–",
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


def guard(_: str) -> str:
    """What a packet-hop costs, as bench/instructions.json has it."""
    costs = json.loads((ROOT / "bench" / "instructions.json").read_text())["rustc"]
    cases = dict.fromkeys(case for of_compiler in costs.values() for case in of_compiler)
    rows = (
        [case, *(f"{of_compiler.get(case, 0):.0f}" for of_compiler in costs.values())]
        for case in cases
    )
    return table(["case", *(f"Rust {version}" for version in costs)], rows)


def kinds(_: str) -> str:
    """The kinds of the catalogue, with how many algorithms each has."""
    counts = Counter(a.kind for a in catalogue.algorithms())
    rows = ([f"[`{kind}`](#{kind})", *PLACES[kind], str(count)] for kind, count in counts.items())
    return table(["kind", "named by a scenario's", "decides", "algorithms"], rows)


def _lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def _range(p: catalogue.Parameter) -> str:
    return p.range or ", ".join(f"`{c}`" for c in p.choices)


def provenance(_: str) -> str:
    """What the classes mean."""
    return table(
        ["class", "meaning"], ([name.replace("_", " "), text] for name, text in PROVENANCE.items())
    )


def finding(_: str) -> str:
    """What the whole reproduction found, in a paragraph."""
    n = json.loads((ROOT / "docs" / "gallery" / "numbers.json").read_text())
    cells, claims = n["cells"], n["claims"]
    counted, of_claims = _tally(cells), _tally(claims)
    gain, printed, queue = (
        " to ".join(f"{x:.1f}" for x in n[k]) for k in ("gain_mbps", "printed_gain_mbps", "queue")
    )
    seeds = " to ".join(map(str, n["seeds"]))
    return (
        f"In our simulation sender 1 gains {gain} Mbit/s from RED, depending on the buffer "
        f"(printed: {printed}), and\n"
        f"the mean queue at 36 packets falls from {queue} packets. Of the {sum(cells.values())} "
        f"printed numbers\n"
        f"{cells['fitted']} were used to fit the round-trip times, which the paper does not "
        f"print, and have no\n"
        f"verdict; the others: {counted}. Of {sum(claims.values())} claims: {of_claims}.\n"
        f"The report says what was assumed, and by which rules it judges. (`dumbbell reproduce "
        f"red-on-netfpga`,\n"
        f"version {n['version']}, seeds {seeds}, {n['runs']} runs of {n['duration_s']:.0f} s.)"
    )


def paper(name: str, part: str) -> str:
    """What the whole reproduction of a paper found: `cells`, `claims`, or `readings` that
    differ."""
    n = json.loads((ROOT / "docs" / "gallery" / f"{name}.json").read_text())
    if part == "cells":
        rows = (
            [c["what"], _printed(c), significant(c["value"]), _span(c["pi95"]), c["verdict"]]
            for c in n["cells"]
        )
        told = (
            f"Seeds {n['seeds'][0]} to {n['seeds'][1]}, {n['points']} points, version "
            f"{n['version']}."
        )
        return (
            table(["printed of", "printed", "ours", "95 % of new runs", "verdict"], rows)
            + f"\n\n{told}"
        )
    if part == "claims":
        return table(
            ["claim", "text", "verdict"], ([c["id"], c["text"], c["verdict"]] for c in n["claims"])
        )
    base, *others = n["readings"]
    differ = [row for row in others if row["claims"] != base["claims"] or _held(row["cells"])]
    rows = (
        [f"`{row['id']}`", row["what"], _claims(row), _held(row["cells"])]
        for row in [base, *differ]
    )
    same = (
        f"The other {len(others) - len(differ)} of {len(others)} readings give the verdicts "
        "of the base throughout."
    )
    return (
        table(["reading", "what it reads", "claims that hold", "printed gains that hold"], rows)
        + f"\n\n{same}"
    )


def tcp_cae(part: str) -> str:
    """The same of the paper on TCP CAE; and `search`, where in its grid the printed order is."""
    if part != "search":
        return paper("tcp-cae", part)
    folder = ROOT / "papers" / "tcp-cae"
    spec = importlib.util.spec_from_file_location("search", folder / "search.py")
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    with (folder / "search.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    places = dict.fromkeys(row["place"] for row in rows)
    counts = {
        place: module.count([row for row in rows if row["place"] == place]) for place in places
    }
    counts["all"] = module.count(rows)
    told = ([f"`{place}`", *map(str, counted.values())] for place, counted in counts.items())
    return table(["where the background runs", *counts["all"]], told)


def buffering(part: str) -> str:
    """The same of the paper on the data buffer: `table-1`, `claims`, `readings`, or the table
    beside a figure."""
    n = json.loads((ROOT / "docs" / "gallery" / "packet-buffering-marker.json").read_text())
    if part == "claims":
        return paper("packet-buffering-marker", part)
    if part == "table-1":
        cells = {c["id"]: c for c in n["cells"]}
        columns = [(half, kind) for half in ("tb", "db") for kind in ("total", "in")]
        ids = ([f"t1-{half}-{flow}-{kind}" for half, kind in columns] for flow in range(12))
        rows = (
            [str(flow), *(_printed_and_ours(cells[name]) for name in names)]
            for flow, names in enumerate(ids)
        )
        told = (
            f"Seeds {n['seeds'][0]} to {n['seeds'][1]}, {n['points']} points, version "
            f"{n['version']}."
        )
        header = ["flow", "total", "IN", "total, buffer of 3", "IN, buffer of 3"]
        return table(header, rows) + f"\n\n{told}"
    if part == "readings":
        header = [
            "reading",
            "what it reads",
            "total [Mbit/s]",
            "gain [Mbit/s]",
            "fit [%]",
            "claims that hold",
        ]
        return table(header, (_reading(row) for row in n["readings"]))
    told = n["tables"][part]
    return table(told["header"], told["rows"])


def jumbo(part: str) -> str:
    """The same of the paper on jumbo frames: `table-1`, `table-2`, `claims`, `readings`, `scan`,
    `predictions`, or the table beside a figure."""
    n = json.loads((ROOT / "docs" / "gallery" / "jumbo-frames.json").read_text())
    if part == "claims":
        return paper("jumbo-frames", part)
    if part in ("table-1", "table-2"):
        cells = {c["id"]: c for c in n["cells"]}
        raw = tomllib.loads((ROOT / "papers" / "jumbo-frames" / "paper.toml").read_text())
        (wanted,) = (one for one in raw["table"] if one["id"] == part)
        rows = ([_jumbo_cell(cells, text) for text in row] for row in wanted["rows"])
        return table(wanted["header"], rows)
    if part == "readings":
        header = [
            "reading",
            "what it reads",
            "7 gains, times",
            "8 beside it [Mbit/s]",
            "8 without",
            "claims that hold",
        ]
        return table(
            header,
            ([f"`{r['id']}`", r["what"], *_jumbo_reading(r), _claims(r)] for r in n["readings"]),
        )
    if part == "scan":
        with (ROOT / "papers" / "jumbo-frames" / "scan.csv").open(newline="") as file:
            scored = [row for row in csv.DictReader(file) if row["score"]]
        best = sorted(scored, key=lambda row: float(row["score"]))[:12]
        header = [
            name
            for name in best[0]
            if name not in ("I_max_50", "II_max_50", "I_max_155", "II_max_155")
        ]
        return table(header, ([row[name] for name in header] for row in best))
    if part == "predictions":
        rows = (
            [p["what"], f"{len(p['relative_errors'])}", f"{100 * p['rms']:.0f} %"]
            for p in n["predictions"]
        )
        return table(["predicted", "numbers", "root mean square of the relative errors"], rows)
    told = n["tables"][part]
    return table(told["header"], told["rows"])


def _jumbo_cell(cells: dict[str, Any], text: str) -> str:
    return _printed_and_ours(cells[text[1:]]) if text.startswith("@") else text


def _jumbo_reading(row: dict[str, Any]) -> list[str]:
    """How often the jumbo flow multiplies, and what its neighbour has; means over both rates."""
    show = row["show"]
    names = ("7 gains, times", "8 beside it [Mbit/s]", "8 without [Mbit/s]")
    return [f"{show[name]:.2f}" for name in names]


def _printed_and_ours(c: dict[str, Any]) -> str:
    """A printed number, ours, and the verdict in short."""
    mark = {"reproduced": "✓", "in part": "~", "contradicted": "✗", None: ""}[c["verdict"]]
    return f"{c['published']:.{c['decimals']}f}: {c['value']:.3f} {mark}".rstrip()


def _reading(row: dict[str, Any]) -> list[str]:
    """A reading of the data buffer's paper: its effect with its interval, how it fits, what
    holds."""
    (effect,) = row["effect"]
    gain = f"{effect['mean']:+.3f} [{effect['ci95'][0]:.3f}, {effect['ci95'][1]:.3f}]"
    fit = f"{100 * row['fit_error']:.1f}"
    return [
        f"`{row['id']}`",
        row["what"],
        f"{row['show']['total [Mbit/s]']:.3f}",
        gain,
        fit,
        _claims(row),
    ]


def _claims(row: dict[str, Any]) -> str:
    """The claims that a reading leaves standing."""
    held = (
        f"{name} ({verdict})"
        for name, verdict in row["claims"].items()
        if verdict in ("reproduced", "in part")
    )
    return ", ".join(held) or "none"


def _held(cells: dict[str, Any]) -> str:
    return ", ".join(
        f"{k} {c['value']:+.0f} %"
        for k, c in cells.items()
        if c["verdict"] in ("reproduced", "in part")
    )


def _printed(cell: dict[str, Any]) -> str:
    return f"{cell['published']:.{max(cell['decimals'], 0)}f} {cell['unit']}"


def _span(ends: Sequence[float]) -> str:
    return " to ".join(map(significant, ends))


def _tally(verdicts: dict[str, int]) -> str:
    return ", ".join(
        f"{verdicts[v]} {v}" for v in ("reproduced", "in part", "contradicted") if verdicts.get(v)
    )


def figures(name: str) -> str:
    """The figures of a paper that are in the gallery, with the captions of its report."""
    raw = tomllib.loads((ROOT / "papers" / name / "paper.toml").read_text())
    parts = []
    for figure in raw["figure"]:
        number = re.fullmatch(r"fig-(\d+)(?:-(\d+))?", figure["id"])
        if number:
            title = f"Figures {number[1]} and {number[2]}" if number[2] else f"Figure {number[1]}"
            short = re.split(r"[,:;(.]", figure["caption"])[0].strip()
            parts.append(f"**{title}.** {figure['caption']}\n\n![{short}]({figure['id']}.png)")
    return "\n\n".join(parts)


def checks(_: str) -> str:
    """Every line of the passport, section by section, each under what its module says of it."""
    parts = []
    for section, place in report.SECTIONS.items():
        module = importlib.import_module(f"dumbbell.validate.{place}")
        title, _, about = inspect.getdoc(module).partition("\n\n")  # type: ignore[union-attr]
        rows = (
            [f"`{o.id}`", o.law, o.claim, "" if o.quick else "whole only"] for o in module.CHECKS
        )
        parts += [f"### {section}", title, *([about] if about else [])]
        parts.append(table(["check", "law and source", "expected", ""], rows))
    return "\n\n".join(parts)


PARTS: dict[str, Callable[[str], str]] = {
    "keys": keys,
    "tcp": tcp,
    "algorithms": algorithms,
    "provenance": provenance,
    "finding": finding,
    "figures": figures,
    "guard": guard,
    "kinds": kinds,
    "ea-red": functools.partial(paper, "ea-red"),
    "tcp-cae": tcp_cae,
    "buffering": buffering,
    "jumbo": jumbo,
    "hardware": functools.partial(hardware_tables.part, table),
    "oracles": checks,
    "phb": behaviours,
}


def filled(text: str) -> str:
    """A page with its generated parts made anew."""

    def part(match: re.Match[str]) -> str:
        name, _, argument = match["name"].partition(":")
        return f"{match[1]}{PARTS[name](argument)}\n"

    return _PART.sub(part, text)


def main() -> None:
    """Writes every page."""
    for page in PAGES:
        page.write_text(filled(page.read_text()))


if __name__ == "__main__":
    main()
