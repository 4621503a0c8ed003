"""Vectors: stimulus and expectation of a decision core as plain hex, for any simulator."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ... import api


def write(
    directory: str | os.PathLike[str],
    packets: int = 10_000,
    seed: int = 1,
    modes: Sequence[str] | str | None = None,
) -> dict[str, Any]:
    """Writes `stimulus.hex`, `expected.hex`, a bench that reads them (`red_vectors_tb.sv`) and a
    page about columns.

    modes: as in a lockstep; None: `sound`. Several have a directory each, by their names. A
    directory appears whole or
        not at all; vectors that stood there are replaced, and anything else is refused
        (`ScenarioError`).
    """
    asked = [modes] if isinstance(modes, str) else list(modes or ["sound"])
    base = Path(directory)
    places = {
        mode: base if len(asked) == 1 else base / mode.replace("+", "_").replace("=", "")
        for mode in asked
    }
    made = [
        api.call(
            "rtl_vectors", {"dir": os.fspath(place), "packets": packets, "seed": seed, "mode": mode}
        )
        for mode, place in places.items()
    ]
    files = [os.fspath(Path(one["dir"]) / name) for one in made for name in one["files"]]
    return {
        "dir": os.fspath(base),
        "files": files,
        "packets": sum(one["packets"] for one in made),
        "modes": made,
    }
