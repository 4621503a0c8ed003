"""A scenario whose sweeps are kept, such a sweep, and what a store holds on the disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dumbbell import api
from dumbbell.language import overrides

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


def scenario_file(folder: Path) -> Path:
    path = folder / "small.toml"
    path.write_text(SCENARIO)
    return path


def request(file: Path, store: Path, **options: Any) -> dict[str, Any]:
    """24 runs: three limits of the queue, eight seeds each."""
    axis = overrides.axis("queue.limit", ["20 pkt", "30 pkt", "40 pkt"])
    return api.request({"path": str(file)}, [axis], replications=8, store=str(store), **options)


def here(file: Path, tmp_path: Path, **options: Any) -> dict[str, Any]:
    """The same sweep on this machine, in a store of its own."""
    return api.run(request(file, tmp_path / "here", **options))


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
