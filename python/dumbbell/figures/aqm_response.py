"""Signals of an algorithm: measured points with their intervals, and the law that its page
states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..aqm_response.measure import Curve, Share
from ..aqm_response.theory import Over, Response
from ..present.units import significant
from . import style
from .style import Figure, lettering, palette

_LAW, _POINTS = palette.VERMILLION, palette.BLUE
_SMALL = 0.3
"""A law below this gets a second panel with a scale of its own."""


def signalling(curve: Curve) -> Figure:
    """One algorithm's figure: over the quantity that it looks at, or over time at a queue that is
    held."""
    match curve.theory:
        case Over():
            figure = _over(curve, curve.theory)
        case Response():
            figure = _response(curve, curve.theory)
        case _:
            figure = _instants(curve)
    changed = ", ".join(
        f"{key} {value}" for key, value in curve.parameters.items() if key != "kind"
    )
    lettering.head(
        figure, f"{curve.name}{': ' if changed else ''}{changed}\nlaw: {curve.theory.text}"
    )
    return figure


def _points(axes: Any, shares: Sequence[Share], color: str = _POINTS, of: str = "") -> None:
    """Measured shares with 95 % Wilson intervals."""
    lows, highs = zip(*(share.interval for share in shares), strict=True)
    measured = [share.measured for share in shares]
    below = [max(0.0, m - low) for m, low in zip(measured, lows, strict=True)]
    above = [max(0.0, high - m) for m, high in zip(measured, highs, strict=True)]
    axes.errorbar(
        [share.x for share in shares],
        measured,
        yerr=[below, above],
        fmt="o",
        markersize=3.5,
        color=color,
        elinewidth=0.9,
        label=f"{of}{' ' if of else ''}measured, 95 % interval",
    )


def _law(axes: Any, x: list[float], y: list[float], label: str = "law") -> None:
    axes.plot(x, y, color=_LAW, linestyle=palette.DASHES[1], linewidth=1.6, label=label, zorder=3)


def _over(curve: Curve, theory: Over) -> Figure:
    shares = curve.shares
    random = [s for s in shares if 0 < s.law < _SMALL]
    highest = max((s.law for s in random), default=0.0)
    panels = 2 if len(random) >= 4 and any(s.law > 2 * highest for s in shares) else 1
    figure, drawn = style.new(1, panels, size=(10.2 if panels == 2 else 7.6, 3.7))
    for axes, detail in zip([drawn] if panels == 1 else drawn, (False, True), strict=False):
        for number, of in enumerate(dict.fromkeys(s.of for s in shares)):
            part = [s for s in shares if s.of == of]
            _points(axes, part, (_POINTS, palette.GREEN, palette.BLACK)[number % 3], of)
            label = "law at the same decisions" if number == 0 else "_nolegend_"
            _law(axes, [s.x for s in part], [s.law for s in part], label)
        axes.set(xlabel=theory.label, ylabel="signals per packet")
        axes.set_ylim(0, 1.3 * highest if detail else 1.05 * max(0.05, *(s.law for s in shares)))
        axes.set_xlim(0, 1.05 * max(s.x for s in random) if detail else None)
        lettering.legend(axes)
    return figure


def _response(curve: Curve, theory: Response) -> Figure:
    figure, (left, right) = style.new(1, 2, size=(10.2, 3.7))
    left.plot(curve.times, curve.gauge, color=_POINTS, linewidth=2.6, alpha=0.5, label="measured")
    _law(left, list(curve.times), list(curve.law))
    left.set(xlabel="time at the held queue [s]", ylabel=theory.label)
    _points(right, curve.shares)
    _law(right, [s.x for s in curve.shares], [s.law for s in curve.shares])
    right.set(xlabel="time at the held queue [s]", ylabel="signals per packet")
    for axes in (left, right):
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        lettering.legend(axes)
    return figure


def _instants(curve: Curve) -> Figure:
    figure, (left, right) = style.new(1, 2, size=(10.2, 3.7))
    count = len(curve.times)
    left.plot(
        curve.times, range(1, count + 1), "o", markersize=3.5, color=_POINTS, label="measured"
    )
    _law(left, list(curve.law), list(range(1, len(curve.law) + 1)))
    left.set(xlabel="time at the held queue [s]", ylabel="signals so far")
    gaps = [b - a for a, b in zip(curve.times, curve.times[1:], strict=False)]
    laws = [b - a for a, b in zip(curve.law, curve.law[1:], strict=False)]
    right.plot(range(1, len(gaps) + 1), gaps, "o", markersize=3.5, color=_POINTS, label="measured")
    _law(right, [float(k) for k in range(1, len(laws) + 1)], laws)
    right.set(xlabel="signal k", ylabel="time to the next signal [s]")
    for axes in (left, right):
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        lettering.legend(axes)
    return figure


def differs(curve: Curve) -> str:
    """The distance between measurement and law, in a sentence."""
    if curve.shares:
        outside = [
            s for s in curve.shares if not s.interval[0] - 1e-9 <= s.law <= s.interval[1] + 1e-9
        ]
        return (
            f"{len(outside)} of {len(curve.shares)} measured shares differ from the law by more "
            "than their 95 % interval"
        )
    worst = max((abs(a - b) for a, b in zip(curve.times, curve.law, strict=False)), default=0.0)
    apart = (
        f"at most {significant(1e3 * worst)} ms from the law"
        if worst > 1e-9
        else "each at the time of the law"
    )
    return f"{len(curve.times)} signals, {apart}"
