"""Small drawings that stand in a line of a table, as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from .stats import Interval

_WIDTH, _HEIGHT = 160, 26
_COLOR = "#0060a0"


def line(points: Sequence[tuple[float, float]], title: str) -> str:
    """A line through (x, y) from y = 0; of many points the least and the largest of each column of
    pixels."""
    points = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
    if len(points) < 2:
        return ""
    first, last = points[0][0], points[-1][0]
    top = max(y for _, y in points) or 1.0
    columns: dict[int, list[float]] = {}
    for x, y in points:
        columns.setdefault(round(_WIDTH * (x - first) / ((last - first) or 1.0)), []).append(y)
    path = " ".join(
        f"{x},{_HEIGHT - 1 - (_HEIGHT - 2) * y / top:.1f}"
        for x, ys in columns.items()
        for y in ([ys[0]] if len(ys) == 1 else [min(ys), max(ys)])
    )
    drawn = f'<polyline points="{path}" fill="none" stroke="{_COLOR}" stroke-width="1"/>'
    return _svg(drawn, f"{title}, from 0 to {top:g}")


def bar(value: Interval, largest: float) -> str:
    """A bar from 0 to the mean, of `largest` as the whole width, with a line across the 95 %
    interval."""
    scale = (_WIDTH - 2) / largest if largest > 0 else 0.0
    middle = _HEIGHT / 2
    drawn = (
        f'<rect x="0" y="{middle - 5}" width="{value.mean * scale:.1f}" height="10" '
        f'fill="{_COLOR}" opacity="0.55"/>'
    )
    if value.low is not None and value.high is not None:
        ends = f'x1="{max(value.low, 0.0) * scale:.1f}" x2="{value.high * scale:.1f}"'
        drawn += (
            f'<line {ends} y1="{middle}" y2="{middle}" stroke="currentColor" stroke-width="1.5"/>'
        )
    return _svg(drawn, f"{value.mean:g}")


def _svg(drawn: str, title: str) -> str:
    size = f'width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
    return f'<svg {size} role="img"><title>{escape(title)}</title>{drawn}</svg>'
