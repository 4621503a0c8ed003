"""The generated part of docs/explanation/performance.md, from bench/instructions.json: cost of a
packet-hop."""

from __future__ import annotations

import json
from pathlib import Path

from .markdown_table import table

ROOT = Path(__file__).resolve().parents[3]


def guard(_: str) -> str:
    """What a packet-hop costs, as bench/instructions.json has it."""
    costs = json.loads((ROOT / "bench" / "instructions.json").read_text())["rustc"]
    cases = dict.fromkeys(case for of_compiler in costs.values() for case in of_compiler)
    rows = (
        [case, *(f"{of_compiler.get(case, 0):.0f}" for of_compiler in costs.values())]
        for case in cases
    )
    return table(["case", *(f"Rust {version}" for version in costs)], rows)
