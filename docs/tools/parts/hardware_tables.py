"""The generated parts of the pages on RED in hardware, from measurements in docs/gallery:

- red-hardware.json: `hardware.py` here
- red-on-netfpga-hardware.json: the report of `dumbbell reproduce red-on-netfpga`, by `gallery.py`
- red-hardware-synth.json: `dumbbell rtl red --synth --place --json`
- red-hardware-check.json: `dumbbell rtl red --check --json`

A file that is not there leaves a sentence that says so, and no number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from dumbbell.present.units import significant
from dumbbell.rtl import lags

GALLERY = Path(__file__).resolve().parents[2] / "gallery"
MISSING = "*Not measured yet.*"
Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]
SHOWN = (9, 13, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25, 30, 38, 40, 42, 60)
"""Clocks from packet to packet that the table has; the picture has all."""


def part(table: Table, name: str) -> str:
    """A part of the page by its name."""
    file, make = PARTS[name]
    if not (GALLERY / file).exists():
        return MISSING
    return make(table, json.loads((GALLERY / file).read_text())) or MISSING


def _lags(table: Table, n: dict[str, Any]) -> str:
    rows = []
    for i, clocks in enumerate(n["spacings"]):
        if clocks in SHOWN:
            low, high = lags.frame_bytes(clocks)
            rows.append(
                [
                    str(clocks),
                    f"{low} to {high}",
                    *(f"{n['again'][way.name][i]:.4f}" for way in lags.DRAWS),
                ]
            )
    return table(
        ["clocks", "frames, back to back [bytes]", *(way.label for way in lags.DRAWS)], rows
    )


def _cost(table: Table, n: dict[str, Any]) -> str:
    (place,) = (place for place in n["points"] if place["point"] == "red-36")
    wanted = ("total [Mbit/s]", "mean queue [packets]", "early drops", "forced drops")
    variants = ([f"`{row['id']}`", row["what"]] for row in place["rows"])
    header = ["variant", "against", "locked out", place["rows"][0]["gain"]["label"], *wanted]
    rows = (
        [f"`{row['id']}`", f"`{row['against']}`" if row["against"] else "–"]
        + [_locked(n, row["id"]), _gain(row["gain"])]
        + [_step(cell) for cell in row["measures"] if cell["label"] in wanted]
        for row in place["rows"]
    )
    return table(["variant", "what it is"], variants) + "\n\n" + table(header, rows)


def _equal(table: Table, n: dict[str, Any]) -> str:
    rows = []
    for place in n["points"]:
        for row in place["equal"]:
            told = ", ".join(f"seed {pair['seed']} `{pair['ours']}`" for pair in row["seeds"])
            word = {None: "not run", True: "equal", False: "NOT EQUAL"}[row["equal"]]
            rows.append(
                [
                    place["point"],
                    f"`{row['id']}`",
                    f"`{row['equals']}`",
                    f"{word}: {told or row['reason']}",
                ]
            )
    return table(["point", "variant", "its model", "whole runs"], rows)


def _locked(n: dict[str, Any], name: str) -> str:
    """Runs that carried next to nothing, at each buffer."""
    return " / ".join(
        str(row["locked_out"])
        for place in n["points"]
        for row in place["rows"]
        if row["id"] == name
    )


def _gain(cell: dict[str, Any]) -> str:
    low, high = cell["difference"]["ci95"]
    return f"{cell['difference']['mean']:+.3g} [{low:.3g} to {high:.3g}]".replace("-", "−")


def _step(cell: dict[str, Any]) -> str:
    """A mean, and its difference from the row named; bold where the interval does not hold 0."""
    told = significant(cell["mean"], 4)
    if "difference" not in cell:
        return told
    difference = f"{cell['difference']['mean']:+.3g}".replace("-", "−")
    return f"{told} ({difference})" if cell["sign"] == "0" else f"{told} (**{difference}**)"


_COLUMNS = {
    "ecp5": {"lut": "LUT4", "carry": "CCU2C", "lutram": "DPR16X4", "ff": "FF", "dsp": "MULT18X18D"},
    "xc7": {
        "lut": "LUT",
        "carry": "CARRY4",
        "lutram": "LUT RAM",
        "srl": "SRL",
        "ff": "FF",
        "dsp": "DSP48E1",
    },
}


def _cells(family: str) -> Callable[[Table, dict[str, Any]], str]:
    def make(table: Table, n: dict[str, Any]) -> str:
        columns, here = (
            _COLUMNS[family],
            [count for count in n["counts"] if count["family"] == family],
        )
        if not here:
            return ""
        rows = ([count["design"], *(str(count[key]) for key in columns)] for count in here)
        return table(["design", *columns.values()], rows) + f"\n\n{here[0]['tool']}."

    return make


def _clock(table: Table, n: dict[str, Any]) -> str:
    placed = n.get("fmax", [])
    if not placed:
        return ""
    rows = []
    for design, speed in dict.fromkeys((one["design"], one["speed"]) for one in placed):
        runs = [one for one in placed if (one["design"], one["speed"]) == (design, speed)]
        rates = ", ".join(f"{one['mhz']:.1f}" for one in runs)
        reached = f"{sum(one['reached'] for one in runs)} of {len(runs)}"
        rows.append(
            [design, str(speed), rates, f"{runs[0]['target_mhz']:g}", reached, str(runs[0]["comb"])]
        )
    seeds = ", ".join(str(seed) for seed in dict.fromkeys(one["seed"] for one in placed))
    header = [
        "design",
        "speed grade",
        f"MHz, seeds {seeds}",
        "target",
        "reached",
        "cells after packing (COMB)",
    ]
    return table(header, rows) + f"\n\n{placed[0]['device']}; {placed[0]['tool']}."


def _grouped(count: int) -> str:
    return f"{count:,}".replace(",", " ")


def _check(table: Table, n: dict[str, Any]) -> str:
    told = [
        f"Lockstep: {_grouped(n['packets'])} packets, {n['mismatches']} mismatches.",
        f"Lint: {len(n['lint']['findings'])} findings in {n['lint']['looks']} looks.",
    ]
    proofs: dict[tuple[str, str, str], list[str]] = {}
    for proof in n["proofs"]:
        key = (f"{proof['says']} (`{proof['module']}`)", proof["how"], proof["verdict"])
        sets = " ".join(f"{name}={value}" for name, value in proof["parameters"].items())
        proofs.setdefault(key, []).append(sets or "defaults")
    rows = ([says, "; ".join(sets), *rest] for (says, *rest), sets in proofs.items())
    header = ["property (module)", "parameters", "proved by", "verdict"]
    return " ".join(told) + "\n\n" + table(header, rows)


PARTS: dict[str, tuple[str, Callable[[Table, dict[str, Any]], str]]] = {
    "lags": ("red-hardware.json", _lags),
    "cost": ("red-on-netfpga-hardware.json", _cost),
    "equal": ("red-on-netfpga-hardware.json", _equal),
    "ecp5": ("red-hardware-synth.json", _cells("ecp5")),
    "xc7": ("red-hardware-synth.json", _cells("xc7")),
    "clock": ("red-hardware-synth.json", _clock),
    "check": ("red-hardware-check.json", _check),
}
