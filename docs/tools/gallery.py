"""Makes docs/gallery from five reproductions, a recorded run and a comparison:
`gallery.py RED-ON-NETFPGA RUN COMPARISON EA-RED TCP-CAE PACKET-BUFFERING-MARKER JUMBO-FRAMES`.

Thumbnails are 600 pixels wide (900 with several panels), in few colors; numbers.json has what
README.md says of the first reproduction, red-on-netfpga-hardware.json its comparison with the
hardware (docs/reference/red-hardware.md), ea-red.json, tcp-cae.json, packet-buffering-marker.json
and jumbo-frames.json the verdicts of the others, which the pages of their names show.
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
_PANELS = 1500
"""Pixels: what is wider has several panels."""


def thumbnail(source: Path, prefix: str = "") -> None:
    """A small copy of a figure."""
    image = Image.open(source).convert("RGB")
    width = WIDE if image.width > 2.2 * image.height or image.width > _PANELS else WIDTH
    small = image.resize(
        (width, round(image.height * width / image.width)), Image.Resampling.LANCZOS
    )
    few = small.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(GALLERY / f"{prefix}{source.name}", optimize=True)


def numbers(report: dict) -> dict:
    """What README.md says of the paper *RED on NetFPGA*."""
    cells = {c["id"]: c for c in report["cells"]}
    buffers = (24, 30, 36, 42, 48, 54)
    gains = [
        {
            k: cells[f"t2-red-{b}-mbps"][k] - cells[f"t2-dt-{b}-mbps"][k]
            for k in ("value", "published")
        }
        for b in buffers
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
        "printed_gain_mbps": [
            min(g["published"] for g in gains),
            max(g["published"] for g in gains),
        ],
        "queue": means,
    }


FIGURES = {
    "ea-red": ("fig-3", "fig-4", "mechanism", "thresholds", "family-s", "modern-s"),
    "tcp-cae": (
        "fig-5",
        "fig-5-others",
        "fig-6",
        "mechanism",
        "timeouts",
        "slow-reverse",
        "estimate",
    ),
    "packet-buffering-marker": (
        *("fig-3", "fig-4", "fig-5", "fig-6", "fig-7", "fig-8"),
        *(
            "fit",
            "bucket",
            "mechanism",
            "mechanism-in",
            "grid-best",
            "grid-nearest",
            "model",
            "schemes",
        ),
    ),
    "jumbo-frames": (
        *(
            "fig-2",
            "fig-3",
            "fig-4",
            "fig-5",
            "fig-6",
            "fig-7",
            "fig-8",
            "fig-9",
            "fig-10",
            "fig-11",
            "delays-155",
        ),
        *(
            "room",
            "room-7",
            "red",
            "red-7",
            "modern",
            "modern-7",
            "modern-wait",
            "streams",
            "mtu",
            "mtu-8",
        ),
    ),
}
"""Figures of the pages of these papers."""


def verdicts(report: dict) -> dict:
    """What a page says of its paper: every verdict, and those under each reading."""
    point = report["points"][0]
    cell = ("id", "what", "published", "decimals", "unit", "value", "pi95", "verdict")
    return {
        "version": report["version"],
        "seeds": [point["seeds"][0], point["seeds"][-1]],
        "points": len(report["points"]),
        "cells": [{key: c[key] for key in cell} for c in report["cells"]],
        "claims": [{key: c[key] for key in ("id", "text", "verdict")} for c in report["claims"]],
        "readings": [
            {
                key: row[key]
                for key in ("id", "choice", "what", "claims", "effect", "show", "fit_error")
            }
            | {
                "cells": {
                    name: {key: c[key] for key in ("value", "verdict")}
                    for name, c in row["cells"].items()
                }
            }
            for row in report["readings"]
        ],
        "tables": {
            figure["id"]: figure["table"] for figure in report["figures"] if "table" in figure
        },
        "captions": {figure["id"]: figure["caption"] for figure in report["figures"]},
        "readings_conclusion": report["readings_conclusion"],
        "predictions": report["predictions"],
    }


def paper(name: str, reproduction: Path) -> None:
    """Draws and writes what the page of a paper shows."""
    for figure in FIGURES[name]:
        thumbnail(reproduction / "figures" / f"{figure}.png", f"{name}-")
    report = json.loads((reproduction / "report.json").read_text())
    (GALLERY / f"{name}.json").write_text(json.dumps(verdicts(report), indent=1) + "\n")


def main() -> None:
    """Draws everything anew."""
    reproduction, run, comparison, *papers = map(Path, sys.argv[1:8])
    drawn = (reproduction, run, comparison)
    for figure in sorted(
        png for directory in drawn for png in (directory / "figures").glob("*.png")
    ):
        thumbnail(figure)
    report = json.loads((reproduction / "report.json").read_text())
    (GALLERY / "numbers.json").write_text(json.dumps(numbers(report), indent=1) + "\n")
    (GALLERY / "red-on-netfpga-hardware.json").write_text(
        json.dumps(report["hardware"], indent=1) + "\n"
    )
    for name, directory in zip(FIGURES, papers, strict=True):
        paper(name, directory)


if __name__ == "__main__":
    main()
