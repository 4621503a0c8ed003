"""The figure of an advice on a marker: the data buffer, the bucket, and the gain in other
networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from ....figures import style
from ....figures.style import chart
from ....figures.style.chart import Axis, Chart, Level, Line
from ....figures.style.palette import BLACK, BLUE, GREEN, ORANGE, VERMILLION, Look
from ....present.grids import titled
from ....present.units import prefix
from ...frame.drawing import FAINT, SMALL, SOFT, NamedFigure, settled
from ...frame.paired import Cell
from .document import Candidate, Document
from .judge import NEAR

_DASHED = (0, (5, 2))
_COLORS = {"holds": GREEN, "no_gain": SOFT, "beaten": ORANGE, "harms": VERMILLION}
_MARKS = {"holds": "o", "no_gain": "D", "beaten": "^", "harms": "X"}
_WORDS = {
    "holds": "holds",
    "no_gain": "no gain",
    "beaten": "another size is better",
    "harms": "harms",
}


def figures_of(d: Document) -> list[NamedFigure]:
    """Total and IN over the data buffer and over the bucket; the gain in every network."""
    return settled([_sizes(d), _elsewhere(d)])


def _sizes(d: Document) -> NamedFigure:
    figure, (left, right) = style.new(1, 2, size=(10.0, 3.7), sharey=True)
    unit, letter = prefix(d["target_bps"])
    by_size = [one for one in d["candidates"] if one["round"] == "size"]
    by_burst = sorted(
        (one for one in d["candidates"] if one["size_packets"] == d["size_packets"]), key=_burst
    )
    alone = sorted((one for one in d["candidates"] if one["size_packets"] == 0), key=_burst)
    over_size = [
        *_line(left, by_size, _size, "total_bps", unit, Look(BLUE, "o", "-"), "total"),
        *_line(left, by_size, _size, "in_bps", unit, Look(GREEN, "s", _DASHED), "IN"),
    ]
    left.axvline(d["size_packets"], color=VERMILLION, linewidth=1.0, linestyle=":")
    largest = max(one["total_bps"]["mean"] for one in by_size) / unit
    left.axhspan(
        (1 - NEAR) * largest,
        largest,
        color=BLUE,
        alpha=0.12,
        linewidth=0,
        label="within 1 % of the largest",
    )
    left.set_xscale("symlog", linthresh=max(1, by_size[1]["size_packets"]), linscale=0.5)
    _ticks(left, [one["size_packets"] for one in by_size], d["simulated"]["rate_scale"])
    left.set_xlabel("data buffer [packets]")
    over_bucket: list[Line] = []
    if d["size_packets"]:
        with_buffer = "with the data buffer"
        total, inside = Look(BLUE, "o", "-"), Look(GREEN, "s", _DASHED)
        over_bucket += [
            *_line(right, by_burst, _burst, "total_bps", unit, total, f"total, {with_buffer}"),
            *_line(right, by_burst, _burst, "in_bps", unit, inside, f"IN, {with_buffer}"),
        ]
    look = Look(BLACK, "D", (0, (1, 1.5)))
    over_bucket += _line(right, alone, _burst, "total_bps", unit, look, "total, token bucket alone")
    right.axvline(d["burst_bdp"], color=VERMILLION, linewidth=1.0, linestyle=":")
    right.set_xscale("log", base=2)
    right.set_xticks([_burst(one) for one in alone], [f"{_burst(one):.2g}" for one in alone])
    right.minorticks_off()
    right.set_xlabel("bucket [r x RTT]")
    for axis in (left, right):
        axis.axhline(d["target_bps"] / unit, color=SOFT, linewidth=1.0, linestyle=(0, (6, 2)))
        axis.axhline(d["rate_bps"] / unit, color=SOFT, linewidth=0.8, linestyle=(0, (1, 2)))
    for word, rate in (("target", d["target_bps"]), ("reserved", d["rate_bps"])):
        place = (0.99, rate / unit)
        right.annotate(
            word,
            place,
            xycoords=("axes fraction", "data"),
            ha="right",
            va="bottom",
            fontsize=8,
            color=SOFT,
        )
    levels = [
        Level(d["target_bps"] / unit, "target"),
        Level(d["rate_bps"] / unit, "reserved"),
    ]
    title, named = "a customer", f"{letter}bit/s"
    figure.charts = [
        Chart(title, named, Axis("data buffer", "packets"), over_size, levels),
        Chart(title, named, Axis("bucket", "r x RTT", "log"), over_bucket, levels),
    ]
    left.set_ylabel(titled(title, named))
    for axis in (left, right):
        axis.legend(fontsize=8, loc="best", frameon=False)
    caption = (
        "A customer's throughput over the data buffer at the deepest bucket that is allowed "
        "(left), and over the bucket (right). Means over the seeds with 95 % intervals; the "
        "dotted vertical line is the advice."
    )
    return NamedFigure("sizes", figure, caption)


def _elsewhere(d: Document) -> NamedFigure:
    base = ("as asked", d["gain_total_bps"], d["token_bucket"]["total_bps"], "holds")
    rows: list[tuple[str, Cell | None, Cell, str]] = [
        base,
        *(
            (row["text"], row["gain_total_bps"], row["token_bucket_total_bps"], row["verdict"])
            for row in d["fails"]
        ),
    ]
    figure, axis = style.new(1, 1, size=(10.0, 0.31 * len(rows) + 1.1))
    seen: set[str] = set()
    for place, (_, gain, alone, word) in enumerate(rows):
        if gain is None:
            continue
        scale = 100 / alone["mean"]
        low, high = gain["ci95"] or (gain["mean"], gain["mean"])
        axis.errorbar(
            gain["mean"] * scale,
            place,
            xerr=[[(gain["mean"] - low) * scale], [(high - gain["mean"]) * scale]],
            color=_COLORS[word] if place else BLACK,
            marker=_MARKS[word] if place else "s",
            markersize=6,
            capsize=3,
            linestyle="none",
            label=None if word in seen or not place else _WORDS[word],
        )
        seen |= {word} if place else set()
    axis.axvline(0, color=BLACK, linewidth=0.9)
    axis.axhline(0.5, color=FAINT, linewidth=0.8)
    axis.set_yticks(range(len(rows)), [_wrapped(text) for text, *_ in rows], fontsize=8.5)
    axis.invert_yaxis()
    axis.grid(visible=False, axis="y")
    axis.set_xlabel("gain in total over the token bucket alone [%]", fontsize=SMALL)
    axis.legend(fontsize=8, loc="best", frameon=False)
    caption = (
        "Gain of the advised data buffer over the token bucket alone in other networks, as "
        "paired differences with 95 % intervals. The color is the verdict of the rule."
    )
    return NamedFigure("elsewhere", figure, caption)


def _line(
    axis: Any,
    rows: Sequence[Candidate],
    x: Callable[[Candidate], float],
    key: Literal["total_bps", "in_bps"],
    unit: float,
    look: Look,
    label: str,
) -> list[Line]:
    """Draws the candidates that have results as a line, if there are any; returns it."""
    known = [(x(row), block) for row in rows if (block := row[key]) is not None]
    if not known:
        return []
    ends = [block["ci95"] or (block["mean"], block["mean"]) for _, block in known]
    line = Line(
        label,
        [place for place, _ in known],
        [block["mean"] / unit for _, block in known],
        look,
        low=[low / unit for low, _ in ends],
        high=[high / unit for _, high in ends],
    )
    chart.draw_line(axis, line)
    return [line]


def _size(row: Candidate) -> float:
    return float(row["size_packets"])


def _burst(row: Candidate) -> float:
    return float(row["burst_bdp"])


def _ticks(axis: Any, sizes: Sequence[int], scale: float) -> None:
    """A word at each size, as far as words do not meet."""
    shown: list[int] = []
    for size in sizes:
        if not shown or len(shown) == 1 or size >= 1.35 * shown[-1]:
            shown.append(size)
    axis.set_xticks(shown, [f"{size}" for size in shown], fontsize=8.5 if scale < 100 else 7.5)
    axis.minorticks_off()
    axis.set_xlim(-0.15 * max(1, sizes[1]), 1.25 * sizes[-1])


def _wrapped(text: str) -> str:
    if len(text) <= 46:
        return text
    cut = text.rfind(" ", 0, 48)
    return f"{text[:cut]}\n{text[cut + 1 :]}"
