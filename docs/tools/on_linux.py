"""Keeps what reproductions on Linux found, for the pages of the papers:

    python docs/tools/on_linux.py results/red-on-netfpga-linux ...
    python docs/tools/generate.py

The arguments are folders that `dumbbell reproduce PAPER --on linux` wrote. What the pages show of a
report goes to docs/gallery/PAPER-linux.json, with the day of the report.
"""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path
from typing import Any

GALLERY = Path(__file__).resolve().parents[1] / "gallery"
_CELL = ("id", "what", "published", "decimals", "unit", "fitted")
_PLACE = ("value", "ci95", "verdict")

JSON = dict[str, Any]


def kept(report: JSON, day: str) -> JSON:
    """What the pages show of a report."""
    first = report["points"][0]
    return {
        "day": day,
        **{key: report[key] for key in ("kernel", "version", "valid", "altered", "quick")},
        "seeds": [first["seeds"][0], first["seeds"][-1]],
        "points": len(report["points"]),
        "duration_s": first["duration_s"],
        "cells": [
            {key: cell[key] for key in _CELL}
            | {"linux": _place(cell), "simulated": _place(cell["simulated"])}
            for cell in report["cells"]
            if "missing" not in cell
        ],
        "untested_cells": sum("missing" in cell for cell in report["cells"]),
        "claims": [
            {"id": one["id"], "text": one["text"], "linux": one["verdict"]}
            | {"simulated": one["simulated"]["verdict"], "evidence": _evidence(one)}
            for one in report["claims"]
        ],
        "not_run": report["not_run"],
        "numbers": report["numbers"],
    }


def _place(cell: JSON | None) -> JSON | None:
    return None if cell is None else {key: cell[key] for key in _PLACE}


def _evidence(claim: JSON) -> JSON:
    """The numbers behind a claim in both places."""
    both = {"linux": claim, "simulated": claim["simulated"]}
    return {place: one["evidence"].get("numbers", {}) for place, one in both.items()}


def main() -> None:
    """Reads the folders, and writes the files."""
    for folder in map(Path, sys.argv[1:]):
        file = folder / "report.json"
        report = json.loads(file.read_text(encoding="utf-8"))
        if report["altered"] or not report["valid"]:
            raise SystemExit(f"{folder}: this is not the paper's experiment, or it is not valid")
        written = datetime.datetime.fromtimestamp(file.stat().st_mtime, datetime.UTC).date()
        text = json.dumps(kept(report, str(written)), indent=1, ensure_ascii=False)
        (GALLERY / f"{report['paper']}-linux.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
