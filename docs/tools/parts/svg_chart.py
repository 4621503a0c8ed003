"""Small charts as SVG in a page: text and axes in the color of the page's text, and lines in colors
that a light and a dark page both show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

COLORS = ("#2f86d1", "#d2601a", "#2a9d6f")
"""Between light and dark: each has a contrast of 3 to 1 or more with white and with #1e2129."""
DASHES = ("", "7 3", "2 2.5")
_WIDTH, _HEIGHT = 400, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 26, 44
_MARGIN = 1.04
_LABEL = 7.0
"""The width of a character of the legend, about."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Values of one thing: a line, or points. `spans`: the interval of each."""

    label: str
    xs: Sequence[float]
    ys: Sequence[float]
    shape: Literal["line", "points"] = "line"
    look: int = 0
    spans: Sequence[tuple[float, float]] = ()


def chart(title: str, x: str, y: str, parts: Sequence[Drawn], top: float | None = None) -> str:
    """A chart from zero on, without blank lines, as Markdown needs it. title: for who does not see
    it; x, y: the axes; top: what the vertical axis shows at most."""
    across = _Axis(max(max(part.xs) for part in parts), _LEFT, _WIDTH - _RIGHT)
    highest = max(max((*part.ys, *(high for _, high in part.spans))) for part in parts)
    upward = _Axis(min(highest, top or highest) * _MARGIN or 1.0, _HEIGHT - _BOTTOM, _TOP)
    lines = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" class="chart" '
        'style="width: 100%; max-width: 520px; flex: 1 1 300px; font: 13px sans-serif">',
        f"<title>{escape(title)}</title>",
        *_axes(across, upward, x, y),
    ]
    for part in parts:
        lines += _drawn(part, across, upward)
    return "\n".join([*lines, *_legend(parts), "</svg>"])


def beside(charts: Sequence[str]) -> str:
    """Charts in a row, or on a narrow screen in a column."""
    style = "display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem"
    return "\n".join([f'<div data-search-exclude style="{style}">', *charts, "</div>"])


@dataclass(frozen=True, slots=True)
class _Axis:
    """From 0 to the greatest value, and where both are drawn."""

    most: float
    start: float
    end: float

    def at(self, value: float) -> float:
        return self.start + (self.end - self.start) * min(value, self.most) / self.most

    def ticks(self) -> list[float]:
        """Round values, four to eight of them."""
        power = 10.0 ** math.floor(math.log10(self.most / 4))
        step = max(s * power for s in (1, 2, 5, 10) if self.most / (s * power) >= 4)
        return [i * step for i in range(math.floor(self.most / step + 1e-9) + 1)]


def _axes(across: _Axis, upward: _Axis, x: str, y: str) -> list[str]:
    rule = 'stroke="currentColor" stroke-opacity="0.18"'
    found = []
    for value in upward.ticks():
        at = upward.at(value)
        found += [
            f'<path d="M{across.start} {at:.1f}H{across.end}" {rule}/>',
            _text(f"{value:.12g}", across.start - 6, at + 4, "end"),
        ]
    for value in across.ticks():
        at = across.at(value)
        found += [
            f'<path d="M{at:.1f} {upward.start}V{upward.end}" {rule}/>',
            _text(f"{value:.12g}", at, upward.start + 16, "middle"),
        ]
    middle = (across.start + across.end) / 2
    return [
        *found,
        f'<path d="M{across.start} {upward.end}V{upward.start}H{across.end}" fill="none" '
        'stroke="currentColor" stroke-opacity="0.7"/>',
        _text(x, middle, _HEIGHT - 8, "middle"),
        f'<g transform="translate(13 {(upward.start + upward.end) / 2:.0f}) rotate(-90)">'
        f"{_text(y, 0, 0, 'middle')}</g>",
    ]


def _text(words: str, x: float, y: float, anchor: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="currentColor">{escape(words)}</text>'


def _drawn(part: Drawn, across: _Axis, upward: _Axis) -> list[str]:
    color = COLORS[part.look % len(COLORS)]
    places = [(across.at(x), upward.at(y)) for x, y in zip(part.xs, part.ys, strict=True)]
    if part.shape == "line":
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        return [f'<path d="M{path}" fill="none" {_stroke(part.look)}/>']
    whiskers = "".join(
        f"M{x:.1f} {upward.at(low):.1f}V{upward.at(high):.1f}"
        for (x, _), (low, high) in zip(places, part.spans, strict=False)
    )
    dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    return [
        f'<path d="{whiskers}" stroke="{color}"/>',
        f'<path d="{dots}" stroke="{color}" stroke-width="5" stroke-linecap="round"/>',
    ]


def _stroke(look: int) -> str:
    dash = DASHES[look % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{COLORS[look % len(COLORS)]}" stroke-width="1.6"{dashed}'


def _legend(parts: Sequence[Drawn]) -> list[str]:
    found = []
    at = float(_LEFT)
    for part in parts:
        if not part.label:
            continue
        if part.shape == "line":
            key = f'<path d="M{at:.1f} 12h22" {_stroke(part.look)}/>'
        else:
            color = COLORS[part.look % len(COLORS)]
            key = (
                f'<path d="M{at + 11:.1f} 12h0" stroke="{color}" stroke-width="6" '
                'stroke-linecap="round"/>'
            )
        found += [key, _text(part.label, at + 27, 16, "start")]
        at += 45 + _LABEL * len(part.label)
    return found
