"""Tables of text: aligned columns, numbers in the unit in which they read best."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table

from .stats import Interval
from .units import TIMES, prefix, significant


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as words: the first `text_columns` columns are text, the others numbers."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int = 1


def grid(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], text_columns: int = 1
) -> Table:
    """A plain table; the first `text_columns` columns are words, the others numbers."""
    table = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i < text_columns else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def to_text(renderables: Iterable[RenderableType], width: int = 140) -> str:
    """Tables as plain text."""
    out = io.StringIO()
    console = Console(file=out, width=width, no_color=True, highlight=False, markup=False)
    for renderable in renderables:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).rstrip("\n")


def plain(rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """Aligned columns; the first row is the head, the first `text_columns` columns are words, the
    others numbers."""
    count = len(rows[0])
    widths = [
        max((len(row[i]) for row in rows if i < len(row) - (len(row) < count)), default=0)
        for i in range(count)
    ]
    lines = []
    for row in rows:
        cells = [
            c.ljust(w) if i < text_columns else c.rjust(w)
            for i, (c, w) in enumerate(zip(row, widths, strict=False))
        ]
        lines.append("   ".join(cells).rstrip())
    return "\n".join([lines[0], "─" * len(lines[0]), *lines[1:]])


def unit_of(unit: str, largest: float) -> tuple[float, str]:
    """The scale and the unit in which a column's largest number reads well."""
    if unit == "1":
        return 100.0, "%"
    if unit == "s":
        return next(((1 / scale, name) for scale, name in TIMES if largest >= scale), (1e6, "us"))
    if unit == "bps":
        scale, name = prefix(largest)
        return 1 / scale, f"{name}bps"
    return 1.0, unit


def scaled(value: float, unit: str) -> str:
    """A number of the JSON in the unit in which it reads best: `5.13 ms`, `2.4 %`."""
    scale, name = unit_of(unit, abs(value))
    return f"{significant(value * scale, 3 if name else 4)}{f' {name}' if name else ''}"


def number(x: Interval, scale: float = 1.0, digits: int = 4) -> str:
    """The mean times `scale`, and half the width of its interval if there is one."""
    text = significant(x.mean * scale, digits)
    if x.half is None:
        return text
    half = (
        x.half if x.half > 1e-12 * abs(x.mean) else 0.0
    )  # Equal runs: less is the rounding of their mean.
    return f"{text} ± {significant(half * scale, 2)}"


def cell(block: Mapping[str, Any] | None, scale: float = 1.0, digits: int = 4) -> str:
    """A mean with half its interval, of `{"mean", "ci95"}` or of `{"difference", "ci95"}`; a dash
    for none."""
    if block is None:
        return "–"
    low, high = block["ci95"] or (None, None)
    mean = block["mean"] if "mean" in block else block["difference"]
    return number(Interval(mean, low, high), scale, digits)


def minus(text: str) -> str:
    """With the sign that is as wide as a plus."""
    return text.replace("-", "−")


def minuses(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    """Rows whose numbers have that sign; the words of the first column are as they are."""
    return [[row[0], *map(minus, row[1:])] for row in rows]


def titled(title: str, unit: str) -> str:
    """The head of a column: its name, and its unit if it has one."""
    return f"{title} [{unit}]" if unit else title
