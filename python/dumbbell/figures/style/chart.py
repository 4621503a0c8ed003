"""A chart as numbers: what a figure is drawn from, and what a page draws again for its reader.

A figure that is data over an axis carries the charts of its panels (`Figure.charts`), so that the
file and the page show the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .palette import Look

Scale = Literal["linear", "log", "names"]


@dataclass(frozen=True, slots=True)
class Axis:
    """A horizontal axis. names: the places of a scale of names, at 0, 1, 2 and so on."""

    label: str
    unit: str = ""
    scale: Scale = "linear"
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A series `y` over `x`. low, high: the ends of its intervals, drawn as bars or as a band.
    opens: for each point the command that shows more of it."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    look: Look
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    shape: Literal["line", "marks"] = "line"
    interval: Literal["bar", "band"] = "bar"
    opens: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Level:
    """A horizontal line with its name."""

    value: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A panel: its title, the unit of its values, its axis and its lines. log: whether the vertical
    axis is logarithmic."""

    title: str
    unit: str
    x: Axis
    lines: Sequence[Line]
    levels: Sequence[Level] = field(default=())
    log: bool = False


def draw(axes: Any, chart: Chart, shift: float = 0.0) -> None:
    """Draws the lines of a chart into matplotlib's axes. shift: how far the lines of a scale of
    names stand from each other, so that their intervals do not cover each other."""
    count = len(chart.lines)
    for i, line in enumerate(chart.lines):
        aside = (i - (count - 1) / 2) * shift
        draw_line(axes, replace(line, x=[x + aside for x in line.x]) if aside else line)
    for level in chart.levels:
        axes.axhline(level.value, color="#5a5a5a", linewidth=0.9, linestyle=(0, (3, 2)), zorder=1)


def draw_line(axes: Any, line: Line) -> None:
    """Draws one line with its intervals."""
    style = line.look.line() if line.look.marker else line.look.trace()
    if line.shape == "marks":
        style |= {"linestyle": "none"}
    if line.low is None or line.high is None:
        axes.plot(line.x, line.y, label=line.label, **style)
    elif line.interval == "band":
        axes.plot(line.x, line.y, label=line.label, **style)
        axes.fill_between(
            line.x, line.low, line.high, color=line.look.color, alpha=0.18, linewidth=0
        )
    else:
        axes.errorbar(line.x, line.y, yerr=arms(line), capsize=3, label=line.label, **style)


def arms(line: Line) -> list[list[float]]:
    """The intervals as lengths below and above the values."""
    low, high = line.low or line.y, line.high or line.y
    return [
        [max(y - end, 0.0) for y, end in zip(line.y, low, strict=True)],
        [max(end - y, 0.0) for y, end in zip(line.y, high, strict=True)],
    ]


def named(label: str) -> tuple[str, str]:
    """`throughput [Mbit/s]` as a title and a unit."""
    title, bracket, unit = label.rpartition(" [")
    return (title, unit.removesuffix("]")) if bracket and label.endswith("]") else (label, "")


def to_json(chart: Chart) -> Any:
    """A chart as JSON."""
    import msgspec

    return msgspec.to_builtins(chart)


def of_json(data: Any) -> Chart:
    """The chart that `to_json` wrote; `msgspec.ValidationError` for anything else."""
    import msgspec

    read = msgspec.convert(data, Chart)
    lines = [replace(line, look=_solid(line.look)) for line in read.lines]
    return replace(read, lines=lines)


def _solid(look: Look) -> Look:
    """A look with its dash as matplotlib wants it."""
    if isinstance(look.dash, str):
        return look
    offset, lengths = look.dash
    return replace(look, dash=(offset, tuple(lengths)))
