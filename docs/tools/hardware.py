"""Measures and draws what the pages about RED in hardware show:
`python docs/tools/hardware.py`, some minutes.

docs/gallery/red-hardware.json has the numbers: the memory of each random draw, by its whole period,
and the drops that the simulated core makes (`rtl/red/tests/figures`). Needs Icarus Verilog.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from dumbbell.figures import style
from dumbbell.figures.style import Figure
from dumbbell.rtl import lags
from dumbbell.rtl.drawings import curve, pipeline, random_draw, waveform
from PIL import Image

GALLERY = Path(__file__).resolve().parents[1] / "gallery"
NUMBERS = GALLERY / "red-hardware.json"
FAR = (191, 1538)
"""Clocks at which full frames follow each other: on NetFPGA's bus (1 + 1514 / 8), on an access link
of 1 Gbit/s."""


def measure() -> dict[str, object]:
    """What the page says in numbers."""
    paper = next(way for way in lags.DRAWS if way.name == "paper")
    return {
        "p": lags.MAX_P,
        "period": lags.PERIOD,
        "spacings": list(lags.SPACINGS),
        "again": {name: [round(x, 6) for x in row] for name, row in lags.table().items()},
        "far": {str(clocks): round(lags.again(paper, clocks), 6) for clocks in FAR},
        "after_packets": [round(x, 6) for x in lags.after_packets()],
        "curve": {
            "geometric": [dataclasses.astuple(one) for one in curve.count()],
            "uniform": [dataclasses.astuple(one) for one in curve.count(gap=True)],
        },
    }


def save(figure: Figure, name: str, width: int) -> None:
    """A picture of the page, in few colors."""
    path = GALLERY / f"red-hardware-{name}.png"
    style.save(figure, path.with_suffix(""), ("png",))
    image = Image.open(path).convert("RGB")
    small = image.resize(
        (width, round(image.height * width / image.width)), Image.Resampling.LANCZOS
    )
    small.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def main() -> None:
    """Everything anew."""
    numbers = measure()
    NUMBERS.write_text(json.dumps(numbers) + "\n")
    again, counted = numbers["again"], numbers["curve"]
    assert isinstance(again, dict) and isinstance(counted, dict)
    save(pipeline.draw(), "pipeline", 1500)
    save(waveform.draw(), "waveform", 1500)
    save(random_draw.bursts(again), "bursts", 1000)
    geometric, uniform = (
        [curve.Counted(*row) for row in counted[kind]] for kind in ("geometric", "uniform")
    )
    save(random_draw.drop_curve(geometric, uniform), "drop-curve", 900)


if __name__ == "__main__":
    main()
