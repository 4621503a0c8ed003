"""Tables of text: aligned columns, numbers in the unit in which they read best."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import fit
from .stats import Interval
from .units import TIMES, prefix, significant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segments

WIDTH = 140
"""Columns of characters of a table that no terminal shows."""
UNBOUNDED = 100_000
"""Columns of characters of a console that wraps nothing."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as words: the first `text_columns` columns are text, the others numbers.

    On a console it fits the width: heads and text wrap between words, and columns are left out by
    rank, the highest first; a note below names them. Rank 0 is never left out. Without `ranks`,
    columns of numbers are left out from the right. A row may end early: its last cell then has the
    rest of the line. `notes` are lines below the table.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int = 1
    ranks: Sequence[int] = ()
    notes: Sequence[str] = ()

    def lines(self, width: int | None = WIDTH, hint: str = "") -> Iterator[tuple[str, bool]]:
        """The lines in at most `width` columns of characters (None: as wide as the table is), and
        whether each belongs to the title or the head. hint: how to see the columns that are left
        out."""
        rows = [[_printable(cell) for cell in row] for row in self.rows]
        indent = " " if self.title else ""
        room = None if width is None else max(width - len(indent), 1)
        layout = fit.fitted(
            self.columns, rows, self.text_columns, self.ranks or self._by_place(), room
        )
        count = len(self.columns)
        if self.title:
            yield from ((line, True) for line in self._wrapped(self.title, width))
            yield "", False
        for line in fit.head(self.columns, layout, self.text_columns):
            yield f"{indent}{line}".rstrip(), True
        yield f"{indent}{'─' * layout.width}", False
        for row in rows:
            for line in fit.lines(row, layout, self.text_columns, count):
                yield f"{indent}{line}".rstrip(), False
        remarks = [*self.notes]
        if layout.left_out:
            names = ", ".join(self.columns[i].partition(" [")[0].strip() for i in layout.left_out)
            remarks.append(f"not shown at {width} columns: {names}{hint}")
        for remark in remarks:
            for line in self._wrapped(remark, room):
                yield f"{indent}{line}", False
        if self.title:
            yield "", False

    def text(self, width: int | None = WIDTH) -> str:
        """The table as plain text."""
        return "\n".join(line for line, _ in self.lines(width))

    def _by_place(self) -> list[int]:
        return [max(i - self.text_columns + 1, 0) for i in range(len(self.columns))]

    @staticmethod
    def _wrapped(text: str, width: int | None) -> list[str]:
        return [text] if width is None else fit.wrapped(text, width, True)

    def drawn(self, width: int | None = WIDTH, hint: str = "") -> Segments:
        """The table for a console: title and head stand out."""
        from rich.segment import Segment, Segments
        from rich.style import Style

        heavy = Style(bold=True)
        styled = (
            (line, heavy if bold and line else None) for line, bold in self.lines(width, hint)
        )
        return Segments(
            part for line, style in styled for part in (Segment(line, style), Segment.line())
        )

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[Segments]:
        yield self.drawn(options.max_width)


_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def _printable(cell: str) -> str:
    """A cell in one line, without characters that a terminal would obey."""
    return cell if cell.isprintable() else _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", cell)


def verbatim(lines: Iterable[str]) -> list[RenderableType]:
    """Lines to copy, such as commands: printed as they are, however wide."""
    from rich.segment import Segment, Segments

    return [Segments([Segment(line), Segment.line()]) for line in lines]


def laid_out(each: RenderableType, width: int | None, hint: str = "") -> RenderableType:
    """A table at this width; a line that is wider and begins with spaces, indented throughout."""
    if isinstance(each, Grid):
        return each.drawn(width, hint)
    if isinstance(each, str) and width and len(each) > width and "\n" not in each:
        from rich.padding import Padding

        indent = len(each) - len(each.lstrip())
        return Padding(each.lstrip(), (0, 0, 0, indent))
    return each


def headed(rows: Sequence[Sequence[str]], text_columns: int = 1, ranks: Sequence[int] = ()) -> Grid:
    """A table without a title, whose first row is its head."""
    return Grid("", rows[0], rows[1:], text_columns, ranks)


def to_text(
    renderables: Iterable[RenderableType], width: int | None = WIDTH, hint: str = ""
) -> str:
    """Tables and texts as plain text; `width` and `hint` as for `Grid.lines`."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(
        file=out, width=width or UNBOUNDED, no_color=True, highlight=False, markup=False
    )
    for each in renderables:
        console.print(laid_out(each, width, hint), crop=False)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).rstrip("\n")


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
