"""Coexistence: one control against another over buffer sizes, as BBR against CUBIC."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from ... import catalogue
from ...present.grids import scaled
from ...present.units import significant
from ..frame.drawing import NamedFigure
from . import draw, pairs
from .controls import opponent
from .document import Measured, PointRow, measured, place
from .grid import UTILIZATION, Metric, Plan, Sums, Survey, Values, nothing, of_control, seeds_of
from .options import Options, single
from .pairs import DELAY, MEASURED, SHARE

RATE, RTT, AGAINST = "20Mbps", "40ms", "cubic"
BUFFERS, QUICK_BUFFERS = ("0.25", "0.5", "1", "2", "4", "8", "16"), ("0.5", "2", "8")
FIRST = ("bbr", "bbr3", "sack")
"""Controls compared with `cubic` if none is named: those that there are of the first two, else the
third."""
MEAN = Metric("mean_share", "mean share", "1", nothing)
EVEN = Metric("even_bdp", "buffer of equal shares", "BDP", nothing)


def lay(options: Options) -> Plan:
    """Each control against the other over buffers."""
    rate = single("--rate", options.rate, RATE)
    buffers = options.buffer or (QUICK_BUFFERS if options.quick else BUFFERS)
    against = opponent(options.against or AGAINST, options.use)
    return pairs.lay(options, against, [rate], buffers, options.rtt or RTT, 1, reference=False)


def default_controls(use: Sequence[str]) -> list[str]:
    """The controls if none is named."""
    known = catalogue.kinds(*use)["cc"]
    rate_based = [name for name in FIRST[:-1] if name in known]
    return rate_based or [FIRST[-1]]


def even(points: Sequence[tuple[float, float]]) -> float | None:
    """The buffer at which the share is a half, between two at which it is on either side: the first
    such place, logarithmic in the buffer. None if there is none."""
    ordered = sorted(points)
    for (x0, y0), (x1, y1) in itertools.pairwise(ordered):
        if (y0 - 0.5) * (y1 - 0.5) <= 0 and y0 != y1:
            part = (0.5 - y0) / (y1 - y0)
            return math.exp(math.log(x0) + part * (math.log(x1) - math.log(x0)))
    return None


def sum_up(values: Values, names: Sequence[str], plan: Plan) -> Sums:
    """The mean share over all buffers, and where it is a half."""
    found = pairs.means(values, names, [SHARE.key])
    for name in names:
        mine = {
            at: of
            for at, of in of_control(values, name).items()
            if isinstance(dict(at)["buffer"], float)
        }
        crossings = {}
        for seed in seeds_of(mine, SHARE.key):
            place = even(
                [(float(dict(at)["buffer"]), of[SHARE.key][seed]) for at, of in mine.items()]
            )
            if place is not None:
                crossings[seed] = place
        found[name][EVEN.key] = crossings
    return found


def say(document: Measured) -> list[str]:
    """The share of each control at the smallest and largest buffer, and the buffer where it is
    even."""
    against, found = document["facts"]["against"], []
    for row in document["summary"]:
        mine = [
            _share(r) for r in document["rows"] if r["cc"] == row["cc"] and measured(r, SHARE.key)
        ]
        if not mine:
            continue
        (least, small), (most, large) = mine[0], mine[-1]
        text = (
            f"{row['cc']} gets {least} in competition with {against} at {small}, and {most} at "
            f"{large}"
        )
        even_at = measured(row, EVEN.key)
        if even_at and even_at["n"] == len(document["seeds"]):
            text += f"; their shares are equal at about {significant(even_at['mean'], 2)} BDP"
        found.append(text + ".")
    return found or ["No run has a result."]


def _share(row: PointRow) -> tuple[str, str]:
    """The share in words, and the buffer where it is."""
    cell, buffer = measured(row, SHARE.key), place(row, "buffer")
    text = buffer if isinstance(buffer, str) else f"{buffer:g} BDP"
    return scaled(cell["mean"] if cell else 0.0, "1"), text


def figures(document: Measured) -> list[NamedFigure]:
    """The share over buffers, and what it costs in delay and use of the link."""
    against = document["facts"]["against"]
    caption = (
        f"Share of the goodput in competition with {against} (50 % is even), utilization and 99th "
        "percentile of the queueing delay, over the buffer; means over the seeds with 95 % "
        "intervals."
    )
    keys = [SHARE.key, UTILIZATION.key, DELAY.key]
    lines = draw.lines(document, "buffer", keys, guides=[(lambda x: 0.5, "even")])
    return [NamedFigure("coexistence", lines, caption)]


SURVEY = Survey(
    name="coexistence",
    title="Coexistence over buffers",
    definition=(
        "Flows of one congestion control share a link with as many flows of another at the same "
        "round-trip time, over buffers in bandwidth-delay products. The share is that of all "
        "goodput: 50 % is even.",
        "The buffer of equal shares is interpolated between the two buffers on either side of "
        "it, for each seed. BBR (version 1) takes more than its share in shallow buffers, and "
        "less in deep ones (Hock, Bless and Zitterbart, ICNP 2017; Ware and others, IMC 2019).",
    ),
    metrics=MEASURED,
    shown=(SHARE, UTILIZATION, DELAY),
    summary=(MEAN, EVEN),
    lay=lay,
    derive=lambda values, plan: None,
    sum_up=sum_up,
    say=say,
    draw=figures,
    default=default_controls,
)
