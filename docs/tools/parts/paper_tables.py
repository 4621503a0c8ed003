"""The generated parts on papers, from docs/gallery/*.json and papers/*/paper.toml: what a
reproduction found, and captions of figures."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dumbbell.present.units import significant
from dumbbell.reproduce import papers

from .markdown_table import table

ROOT = Path(__file__).resolve().parents[3]


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
        f"In our simulation RED gives sender 1 {gain} Mbit/s more than Drop Tail, depending on "
        f"the buffer.\nThe paper prints {printed}. With a buffer of 36 packets RED cuts the mean "
        f"queue from {queue} packets.\n"
        f"Of {sum(cells.values())} printed numbers {counted}; {cells['fitted']} served to fit "
        f"round-trip times that the paper lacks.\n"
        f"Of {sum(claims.values())} claims {of_claims}. "
        f"(Version {n['version']}, seeds {seeds}, {n['runs']} runs of {n['duration_s']:.0f} s.)"
    )


def _tally(verdicts: dict[str, int]) -> str:
    """How many have each verdict, in words."""
    kinds = {"reproduced": "reproduce", "in part": "do in part", "contradicted": "do not"}
    return ", ".join(
        f"{verdicts[verdict]} {words}" for verdict, words in kinds.items() if verdicts.get(verdict)
    )


def figures(name: str) -> str:
    """The figures of a paper that are in the gallery, with the captions of its report."""
    parts = []
    for figure in papers.load(name).pictures:
        number = re.fullmatch(r"fig-(\d+)(?:-(\d+))?", figure.id)
        if number:
            title = f"Figures {number[1]} and {number[2]}" if number[2] else f"Figure {number[1]}"
            short = re.split(r"[,:;(.]", figure.caption)[0].strip()
            parts.append(f"**{title}.** {figure.caption}\n\n![{short}]({figure.id}.png)")
    return "\n\n".join(parts)


def paper(name: str, part: str) -> str:
    """What the whole reproduction of a paper found: `cells`, `claims`, or `readings` under which a
    printed number holds."""
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
    holding = [row for row in others if _held(row["cells"])]
    same = [row for row in others if row["claims"] == base["claims"] and row not in holding]
    rows = (
        [f"`{row['id']}`", row["what"], _claims(row), _held(row["cells"])]
        for row in [base, *holding]
    )
    told = f"{len(same)} of {len(others)} readings give the verdicts of the base throughout."
    if changed := len(others) - len(holding) - len(same):
        told += f" {changed} more change verdicts of claims, but no printed gain holds under them."
    return (
        table(["reading", "what it assumes", "claims that hold", "printed gains that hold"], rows)
        + f"\n\n{told}"
    )


def _printed(cell: dict[str, Any]) -> str:
    return f"{cell['published']:.{max(cell['decimals'], 0)}f} {cell['unit']}"


def _span(ends: Sequence[float]) -> str:
    return " to ".join(map(significant, ends))


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
    told = ([f"`{place}`", *_counted(counted)] for place, counted in counts.items())
    return table(["background traffic", *_counted({name: name for name in counts["all"]})], told)


def _counted(counted: dict[str, Any]) -> list[str]:
    """The counts of one place; those of CAE against Reno in one cell."""
    against = ("CAE above Reno", "CAE as Reno", "CAE below Reno")
    cells = [str(value) for name, value in counted.items() if name not in against[1:]]
    place = list(counted).index(against[0])
    cells[place] = " / ".join(str(counted[name]) for name in against)
    return [cell.replace("CAE as Reno / CAE below Reno", "as Reno / below Reno") for cell in cells]


_FIT = [
    "RTT [ms]",
    "packet [B]",
    "bucket [r x RTT]",
    "tokens per, ACK for, window",
    "total [Mbit/s]",
    "IN [Mbit/s]",
    "best effort [Mbit/s]",
    "rms relative error",
]
"""Columns of the table `fit`, three of which are one here."""
_MODEL = [
    "cell",
    "error of total [%]",
    "error of IN [%]",
    "best size, model",
    "best size, measured",
    "model",
    "error of total with timeouts [%]",
    "model with timeouts",
]
"""Columns of the table `model`."""


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
            "what it assumes",
            "total [Mbit/s]",
            "gain [Mbit/s]",
            "fit [%]",
            "claims that hold",
        ]
        base, *others = n["readings"]
        differ = [row for row in others if row["claims"] != base["claims"]]
        gains = [row["effect"][0]["mean"] for row in others if row not in differ]
        return table(header, map(_reading, [base, *differ])) + (
            f"\n\nThe other {len(gains)} of {len(others)} readings give the verdicts of the base, "
            f"with gains of {min(gains):.3f} to {max(gains):.3f} Mbit/s."
        )
    told = n["tables"][part]
    if part == "fit":
        return table(_FIT, ([*row[:3], ", ".join(row[3:6]), *row[6:]] for row in told["rows"][:6]))
    return table(_MODEL if part == "model" else told["header"], told["rows"])


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


_SCAN = {
    "stage": "stage",
    "links of 10 to 12": "c_span",
    "their access [Mbit/s]": "c_style",
    "links of 0 to 5": "ab_span",
    "their access": "ab_style",
    "RED": "red",
    "UDP of node 0 [Mbit/s]": "u0",
    "score": "score",
}
"""Columns of the table of candidates, and of scan.csv."""
_NODES = ["8, 50 Mbit/s", "8, 155 Mbit/s", "7, 50 Mbit/s", "7, 155 Mbit/s"]
_BESIDE = {
    "red": ("RED counts", _NODES),
    "modern": ("queue", [*_NODES, "p99 wait, 50 [ms]", "p99 wait, 155 [ms]"]),
    "mtu": (
        "backbone [Mbit/s]",
        [f"{node}, MTU {size}" for node in (7, 8) for size in (576, 3000, 6000)],
    ),
}
"""Tables that stand beside each other: the heads of their columns."""


def jumbo(part: str) -> str:
    """The same of the paper on jumbo frames: `table-1`, `table-2`, `claims`, `readings`, `scan`,
    `predictions`, or the table beside a figure."""
    n = json.loads((ROOT / "docs" / "gallery" / "jumbo-frames.json").read_text())
    if part == "claims":
        return paper("jumbo-frames", part)
    if part in ("table-1", "table-2"):
        cells = {c["id"]: c for c in n["cells"]}
        (wanted,) = (one for one in papers.load("jumbo-frames").tables if one.id == part)
        rows = ([_jumbo_cell(cells, text) for text in row] for row in wanted.rows)
        return table(wanted.header, rows)
    if part == "readings":
        header = [
            "reading",
            "what it assumes",
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
        best = sorted(scored, key=lambda row: float(row["score"]))[:6]
        return table(list(_SCAN), ([row[name] for name in _SCAN.values()] for row in best))
    if part == "predictions":
        rows = (
            [p["what"], f"{len(p['relative_errors'])}", f"{100 * p['rms']:.0f} %"]
            for p in n["predictions"]
        )
        return table(["predicted", "numbers", "root mean square of the relative errors"], rows)
    if part in _BESIDE:
        first, columns = _BESIDE[part]
        return table([first, *columns], _beside(n["tables"], part, len(columns)))
    told = n["tables"][part]
    return table(told["header"], told["rows"])


def _beside(tables: dict[str, Any], part: str, columns: int) -> list[list[str]]:
    """The rows of the tables `PART`, `PART-...` beside each other."""
    found: dict[str, list[str]] = {}
    names = [name for name in tables if name == part or name.startswith(f"{part}-")]
    for number, name in enumerate(names):
        for first, *cells in tables[name]["rows"]:
            row = found.setdefault(first, ["–"] * columns)
            row[number * len(cells) : (number + 1) * len(cells)] = cells
    return [[first, *cells] for first, cells in found.items()]


def _jumbo_cell(cells: dict[str, Any], text: str) -> str:
    return _printed_and_ours(cells[text[1:]]) if text.startswith("@") else text


def _jumbo_reading(row: dict[str, Any]) -> list[str]:
    """How often the jumbo flow multiplies, and what its neighbor has; means over both rates."""
    show = row["show"]
    names = ("7 gains, times", "8 beside it [Mbit/s]", "8 without [Mbit/s]")
    return [f"{show[name]:.2f}" for name in names]


def _printed_and_ours(c: dict[str, Any]) -> str:
    """A printed number, ours, and the verdict in short."""
    mark = {"reproduced": "✓", "in part": "~", "contradicted": "✗", None: ""}[c["verdict"]]
    return f"{c['published']:.{c['decimals']}f}: {c['value']:.3f} {mark}".rstrip()
