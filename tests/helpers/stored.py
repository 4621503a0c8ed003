"""A scenario whose sweeps are kept, and what a store holds on the disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCENARIO = """
duration = "1 s"
queue = { kind = "red", limit = "36 pkt" }
[dumbbell.bottleneck]
rate = "10 Mbps"
delay = "10 ms"
[[flow]]
name = "s"
count = 2
start_spread = "100 ms"
"""


def rows(store: Path) -> dict[str, str]:
    """The whole rows on the disk by their key; each must be JSON."""
    out = {}
    for segment in sorted((store / "segments").glob("*.jsonl")):
        for line in segment.read_bytes().split(b"\n")[:-1]:
            row = json.loads(line)
            out[row["key"]] = json.dumps(timeless(row["result"]))
    return out


def timeless(value: Any) -> Any:
    """Without the time that a run took."""
    if isinstance(value, dict):
        return {key: timeless(inner) for key, inner in value.items() if key != "wall_s"}
    return [timeless(inner) for inner in value] if isinstance(value, list) else value


def without_place(result: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in timeless(result).items()
        if key not in ("from_store", "out", "files")
    }
