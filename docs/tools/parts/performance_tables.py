"""The generated parts of docs/explanation/performance.md: the cost of a packet-hop, from
bench/instructions.json, and the benchmark of fabrics, from bench/fabric.json."""

from __future__ import annotations

import json
from pathlib import Path

from .markdown_table import table

ROOT = Path(__file__).resolve().parents[3]

GOALS = {
    "drop_tail, 10 flows": "130",
    "red, 10 flows": "155",
    "drop_tail held, 10 flows": "260",
    "codel, 10 flows": "280",
    "profile linux, 10 flows": "220",
    "drop_tail, fat tree k=8": "300",
}
"""Instructions for each packet-hop that a case should cost."""


def guard(_: str) -> str:
    """What a packet-hop costs, as bench/instructions.json has it."""
    costs = json.loads((ROOT / "bench" / "instructions.json").read_text())["rustc"]
    cases = dict.fromkeys(case for of_compiler in costs.values() for case in of_compiler)
    rows = (
        [
            case,
            *(f"{of_compiler.get(case, 0):.0f}" for of_compiler in costs.values()),
            GOALS.get(case, ""),
        ]
        for case in cases
    )
    return table(["case", *(f"Rust {version}" for version in costs), "goal"], rows)


def fabrics(_: str) -> str:
    """What fat trees take, as bench/fabric.json has it."""
    runs = json.loads((ROOT / "bench" / "fabric.json").read_text())["runs"]
    head = [
        "k",
        "hosts",
        "simulated",
        "threads",
        "transfers",
        "wall",
        "processor time",
        "packet-hops",
        "ns per hop",
        "peak memory",
    ]
    rows = (
        [
            str(run["k"]),
            f"{run['hosts']:,}",
            f"{run['duration_s']:g} s",
            str(run["threads"]),
            f"{run['flows']:,}",
            f"{run['wall_s']:.0f} s",
            f"{run['cpu_s']:.1f} s",
            f"{run['packet_hops'] / 1e6:.0f} million",
            f"{run['ns_per_hop']:.0f}",
            f"{run['peak_mb'] / 1000:.2f} GB",
        ]
        for run in runs
    )
    return table(head, rows)
