"""Pictures of the hardware's random draw: what it remembers of itself, and how often it drops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...figures import style
from ...figures.style import Figure, lettering, palette
from ...figures.style.palette import Look
from .. import lags
from .curve import MAX_P, WIDTH, Counted, theory

_LOOKS = {
    "paper": Look(palette.VERMILLION, "o", "-"),
    "dense": Look(palette.BLUE, "^", (0, (5, 2))),
    "sound": Look(palette.GREEN, "s", "-"),
}


def bursts(table: Mapping[str, Sequence[float]] | None = None, p: float = lags.MAX_P) -> Figure:
    """P(drop | drop) over the clocks from one packet to the next, for each draw; its table if that
    is at hand."""
    shown = lags.table(p) if table is None else table
    spacings = list(lags.SPACINGS)
    figure, axes = style.new(1, 1, size=(8.8, 4.2))
    for draw in lags.DRAWS:
        look = _LOOKS[draw.name]
        axes.plot(spacings, shown[draw.name], label=draw.label, **look.line() | {"markersize": 4.2})
    axes.axhline(p, color=palette.BLACK, linewidth=0.8)
    lettering.beside(axes, p, f"p = {p:g}", palette.BLACK)
    axes.set_yscale("log")
    ticks = [p / 2, p, 2.5 * p, 5 * p, 0.25]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set(
        xlabel="clocks from one packet to the next",
        ylabel="P(drop | the previous packet was dropped)",
    )
    axes.set_xticks(range(spacings[0], spacings[-1] + 1, 3))
    worst = max(range(len(spacings)), key=lambda i: shown["paper"][i])
    low, high = lags.frame_bytes(spacings[worst])[0], lags.frame_bytes(spacings[worst + 1])[1]
    ratio = shown["paper"][worst] / p
    text = (
        f"frames of {low} to {high} bytes, back to back:\na drop is {ratio:.1f} times as likely "
        "after a drop"
    )
    lettering.label(
        axes, spacings[worst + 1], shown["paper"][worst], text, palette.VERMILLION, (10, -14)
    )
    lettering.legend(axes)
    return figure


def drop_curve(geometric: Sequence[Counted], uniform: Sequence[Counted]) -> Figure:
    """Drops counted in the simulated core with their 95 % intervals, over RED's equation."""
    figure, axes = style.new(1, 1, size=(7.4, 4.2))
    kinds = (
        ("geometric gaps", geometric, False, _LOOKS["paper"]),
        ("uniform gaps (GAP)", uniform, True, _LOOKS["dense"]),
    )
    for label, counted, gap, look in kinds:
        inside = [one for one in counted if 0 <= one.above < WIDTH]
        xs = [i * (WIDTH - 1) / 60 for i in range(61)]
        axes.plot(
            [x / 1024 for x in xs],
            [100 * theory(int(x), gap) for x in xs],
            color=look.color,
            linewidth=1.2,
            label=f"equation, {label}",
        )
        middle = [100 * one.share for one in inside]
        ends = [one.interval for one in inside]
        spread = [
            [m - 100 * low for m, (low, _) in zip(middle, ends, strict=True)],
            [100 * high - m for m, (_, high) in zip(middle, ends, strict=True)],
        ]
        axes.errorbar(
            [one.above / 1024 for one in inside],
            middle,
            spread,
            color=look.color,
            marker=look.marker,
            markerfacecolor="white",
            linestyle="none",
            capsize=2.5,
            label=f"counted, {label}",
        )
    axes.axhline(100 * MAX_P, color=palette.BLACK, linewidth=0.8)
    lettering.beside(axes, 100 * MAX_P, "max_p", palette.BLACK)
    axes.set(xlabel="average above min_th [packets]; max_th is at 6", ylabel="packets dropped [%]")
    axes.set_xlim(0, WIDTH / 1024 + 0.15)
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper left", frameon=False)  # Inside: there is nothing over the lines.
    return figure
