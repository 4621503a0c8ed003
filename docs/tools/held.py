"""Measures and draws docs/gallery/held.png: where a controller holds its target, over a flow's
share and their number.

    python docs/tools/held.py          # measures what docs/gallery/held.json has not, then draws

A point is one run of 60 s (the first 20 s do not count) with the seed 1. All of them take ten
minutes on two cores; the file keeps what is done, so that an interrupted measurement goes on. Take
it away to measure anew.
"""

from __future__ import annotations

import itertools
import json
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from dumbbell.validate.checks.queues import disciplines
from dumbbell.validate.laws.tcp import control
from dumbbell.validate.runner import Runner
from PIL import Image

PICTURE = Path(__file__).resolve().parents[1] / "gallery" / "held"
SIZE = (1320, 860)
RTTS = (0.02, 0.05, 0.1)
SHARES = (2, 5, 10, 20, 50, 100, 200)
FLOWS = (2, 5, 10, 20, 50, 100, 200)
MOST = 10_000
"""Packets of all flows in a round trip: what is beyond is left white, since a run grows with it."""
KINDS = {
    "pie": "PIE: delay / 15 ms",
    "pi2": "PI2: delay / 15 ms",
    "codel": "CoDel: delay / 5 ms",
    "adaptive_red": "Adaptive RED: avg / middle of its band",
}
WITHIN = {"adaptive_red": 0.1}
"""What counts as held: the band of Adaptive RED is 10 % on either side of its middle; else 20 %,
our choice."""
Point = tuple[str, float, int, int]


def points() -> list[Point]:
    """Every kind, round trip, share and number of flows, the cheap ones first."""
    every = itertools.product(KINDS, RTTS, SHARES, FLOWS)
    return sorted((p for p in every if p[2] * p[3] <= MOST), key=lambda p: p[2] * p[3] / p[1])


def measured(point: Point) -> float:
    """What the queue keeps over what it is to keep: 1 where the controller holds."""
    kind, rtt, share, flows = point
    runner, link = Runner(seeds=1), control.rate(flows, share, rtt, disciplines.PACKET)
    words: dict[str, Any] = {"kind": kind, "limit": "1 s"}
    if kind != "adaptive_red":
        run = runner.run(disciplines.loop(words, flows, share, rtt))[0]
        return float(run["queues"][0]["mean_sojourn_s"]) / control.TARGET[kind]
    words["mean_packet_size"] = f"{disciplines.PACKET} B"
    scenario = disciplines.loop(words, flows, share, rtt, record={"every": "20 ms", "flows": False})
    rows = runner.recorded(scenario).table("queues")
    late = [
        avg for t, avg in zip(rows.numbers("time_s"), rows.numbers("avg"), strict=True) if t > 20.0
    ]
    middle = sum(control.red_band(*control.red_thresholds(link, disciplines.PACKET))) / 2
    return sum(late) / len(late) / middle


def measure(file: Path) -> dict[str, float]:
    """All points; the file is written anew after each of them."""
    known: dict[str, float] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    missing = [p for p in points() if _key(p) not in known]
    with ProcessPoolExecutor(2) as pool:
        running = {pool.submit(measured, p): p for p in missing}
        for done in as_completed(running):
            known[_key(running[done])] = round(done.result(), 4)
            file.write_text(json.dumps(known, indent=0, sort_keys=True), encoding="utf-8")
    return known


def _key(point: Point) -> str:
    return " ".join(map(str, point))


def draw(known: dict[str, float]) -> None:
    """A field for each queue and round trip: a column for each share, a row for each number of
    flows."""
    import numpy as np
    from dumbbell.figures import style
    from matplotlib.colors import TwoSlopeNorm

    figure, axes = style.new(len(RTTS), len(KINDS), (13.2, 8.6), sharex=True, sharey=True)
    for (i, rtt), (j, (kind, title)) in itertools.product(
        enumerate(RTTS), enumerate(KINDS.items())
    ):
        ax, field = axes[i][j], np.full((len(FLOWS), len(SHARES)), np.nan)
        for (a, flows), (b, share) in itertools.product(enumerate(FLOWS), enumerate(SHARES)):
            ratio = known.get(_key((kind, rtt, share, flows)))
            if ratio is None:
                continue
            field[a, b] = np.log2(max(ratio, 2**-4))
            bold = "bold" if abs(ratio - 1) <= WITHIN.get(kind, 0.2) else "normal"
            dark = not -1.3 < field[a, b] < 1.6
            text = f"{ratio:.2f}" if ratio < 9.95 else f"{ratio:.0f}"
            ax.text(
                b,
                a,
                text,
                ha="center",
                va="center",
                fontsize=7.5,
                weight=bold,
                color="white" if dark else "black",
            )
        image = ax.imshow(
            field,
            origin="lower",
            aspect="auto",
            cmap="PuOr_r",
            norm=TwoSlopeNorm(0, -2.5, 2.5),
            interpolation="nearest",
        )
        ax.grid(visible=False)
        ax.set_xticks(range(len(SHARES)), map(str, SHARES))
        ax.set_yticks(range(len(FLOWS)), map(str, FLOWS))
        if i == 0:
            ax.set_title(title)
        if i == len(RTTS) - 1:
            ax.set_xlabel("packets of a flow in a round trip")
        if j == 0:
            ax.set_ylabel(f"round trip {rtt * 1e3:g} ms\nflows")
    bar = figure.colorbar(image, ax=axes, shrink=0.5, pad=0.01, ticks=[-2, -1, 0, 1, 2])
    bar.ax.set_yticklabels(["1/4", "1/2", "held", "2", "4"])
    style.save(figure, PICTURE, ("png",))
    few = (
        Image.open(PICTURE.with_suffix(".png"))
        .convert("RGB")
        .resize(SIZE, Image.Resampling.LANCZOS)
    )
    few.quantize(255, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        PICTURE.with_suffix(".png"), optimize=True
    )


if __name__ == "__main__":
    draw(measure(PICTURE.with_suffix(".json")))
