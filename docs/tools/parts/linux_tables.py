"""The generated parts on papers whose points ran on Linux in virtual time, from
docs/gallery/PAPER-linux.json (docs/tools/on_linux.py) and papers/red-on-netfpga/jitter.csv."""

from __future__ import annotations

import csv
import datetime
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dumbbell.present.units import significant

from .markdown_table import table

ROOT = Path(__file__).resolve().parents[3]
JSON = Mapping[str, Any]
UNTESTED = "not testable"
_CELLS = ["printed of", "printed", "simulator", "Linux", "verdict, simulator", "verdict, Linux"]


def part(name: str) -> str:
    """`PAPER:cells` or `PAPER:claims`, both with the verdicts of simulator and Linux;
    `PAPER:differing`, the cells whose verdicts differ; `PAPER:numbers`, means in both places;
    `jitter`, the table of jitter.csv."""
    if name == "jitter":
        return _jitter()
    paper, _, what = name.partition(":")
    file = ROOT / "docs" / "gallery" / f"{paper}-linux.json"
    kept = json.loads(file.read_text(encoding="utf-8"))
    made = {"cells": _cells, "differing": _differing, "claims": _claims, "numbers": _numbers}
    return f"{made[what](kept)}\n\n{_source(kept)}"


def _source(kept: JSON) -> str:
    """What was run, and when."""
    day = datetime.date.fromisoformat(kept["day"])
    first, last = kept["seeds"]
    quick = " (quick)" if kept["quick"] else ""
    return (
        f"Linux {kept['kernel']}, {day.day} {day:%B %Y}; version {kept['version']};\n"
        f"{kept['points']} points{quick}, seeds {first} to {last} in both places, "
        f"{kept['duration_s']:g} s each."
    )


def _cells(kept: JSON) -> str:
    return _of_cells(kept["cells"])


def _differing(kept: JSON) -> str:
    return _of_cells(cell for cell in kept["cells"] if _differs(cell))


def _differs(cell: JSON) -> bool:
    return cell["linux"]["verdict"] != cell["simulated"]["verdict"]


def _of_cells(cells: Iterable[JSON]) -> str:
    """Printed numbers, and both places."""
    rows = (
        [
            f"{cell['what']} [{cell['unit']}]",
            f"{cell['published']:.{max(cell['decimals'], 0)}f}",
            *(significant(cell[place]["value"]) for place in ("simulated", "linux")),
            *(cell[place]["verdict"] or "fitted" for place in ("simulated", "linux")),
        ]
        for cell in cells
    )
    return table(_CELLS, rows)


def _claims(kept: JSON) -> str:
    """The claims that either place can judge."""
    judged = [one for one in kept["claims"] if {one["linux"], one["simulated"]} != {UNTESTED}]
    return table(
        ["claim", "text", "simulator", "Linux"],
        ([one["id"], one["text"], one["simulated"], one["linux"]] for one in judged),
    )


def _numbers(kept: JSON) -> str:
    """Means with half their 95 % intervals."""
    rows = (
        [number["id"], "" if ours.get("at") is None else f"{ours['at']:g}", _mean(ours), _mean(his)]
        for number in kept["numbers"]
        for ours, his in zip(number["simulated"], number["linux"], strict=True)
    )
    return table(["number", "at", "simulator", "Linux"], rows)


def _mean(row: JSON) -> str:
    if row["mean"] is None:
        return "–"
    low, high = row["ci95"]
    return f"{significant(row['mean'])} ± {significant((high - low) / 2, 2)}"


def _jitter() -> str:
    """Sender 1 with each TCP and each jitter."""
    file = ROOT / "papers" / "red-on-netfpga" / "jitter.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        found = list(csv.DictReader(lines))
    buffers = list(dict.fromkeys(row["buffer"] for row in found))
    places = dict.fromkeys((row["hosts"], row["jitter_us"]) for row in found)
    by_place = {(row["hosts"], row["jitter_us"], row["buffer"]): row for row in found}
    header = ["TCP of the hosts", "jitter [us]", *(f"{buffer} packets" for buffer in buffers)]
    rows = ([*place, *(_gain(by_place[*place, buffer]) for buffer in buffers)] for place in places)
    return table(header, rows)


def _gain(row: Mapping[str, str]) -> str:
    """Drop Tail, RED, and the gain with its interval."""
    drop_tail, red, gain, low, high = (
        float(row[name]) for name in ("dt_mbps", "red_mbps", "gain_mbps", "gain_low", "gain_high")
    )
    half = significant((high - low) / 2, 2)
    return f"{drop_tail:.1f}, {red:.1f}: {gain:+.1f} ± {half}".replace("-", "−")
