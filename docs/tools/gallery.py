"""Makes docs/gallery from a reproduction, a recorded run and a comparison: `gallery.py REPRODUCTION RUN COMPARISON`.

Thumbnails are 600 pixels wide (900 with several panels), in few colours; numbers.json has what README.md says of it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from PIL import Image

GALLERY = Path(__file__).resolve().parents[1] / "gallery"
WIDTH, WIDE = 600, 900
COLOURS = 64
_PANELS = 1750
"""Pixels: what is wider has several panels."""


def thumbnail(source: Path) -> None:
    """A small copy of a figure."""
    image = Image.open(source).convert("RGB")
    width = WIDE if image.width > 2.2 * image.height or image.width > _PANELS else WIDTH
    small = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
    few = small.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(GALLERY / source.name, optimize=True)


def numbers(report: dict) -> dict:
    """What README.md says of the paper *RED on NetFPGA*."""
    cells = {c["id"]: c for c in report["cells"]}
    buffers = (24, 30, 36, 42, 48, 54)
    gains = [
        {k: cells[f"t2-red-{b}-mbps"][k] - cells[f"t2-dt-{b}-mbps"][k] for k in ("value", "published")} for b in buffers
    ]
    queue = {c["id"]: c for c in report["claims"]}["claim-3"]["evidence"]["numbers"]
    means = [queue[f"mean queue, {scheme} [packets]"][0]["mean"] for scheme in ("Drop Tail", "RED")]
    point = report["points"][0]
    return {
        "version": report["version"],
        "seeds": [point["seeds"][0], point["seeds"][-1]],
        "runs": sum(p["n"] for p in report["points"]),
        "duration_s": point["duration_s"],
        "cells": Counter(c["verdict"] or "fitted" for c in report["cells"]),
        "claims": Counter(c["verdict"] for c in report["claims"]),
        "gain_mbps": [min(g["value"] for g in gains), max(g["value"] for g in gains)],
        "printed_gain_mbps": [min(g["published"] for g in gains), max(g["published"] for g in gains)],
        "queue": means,
    }


def main() -> None:
    """Draws everything anew."""
    directories = [Path(word) for word in sys.argv[1:4]]
    for figure in sorted(png for directory in directories for png in (directory / "figures").glob("*.png")):
        thumbnail(figure)
    reproduction = directories[0]
    report = json.loads((reproduction / "report.json").read_text())
    (GALLERY / "numbers.json").write_text(json.dumps(numbers(report), indent=1) + "\n")


if __name__ == "__main__":
    main()
