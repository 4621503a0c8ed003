"""Fits a table into a width: which columns are shown, how wide each is, and where its text wraps.

No word of a head or a cell is split. A head wraps between its words, a cell of text between its
words, a cell of numbers after a comma. Where that is not enough, columns are left out by rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

GAP = 3
"""Spaces between two columns."""
_NARROWEST = 20
"""A column of text is not made narrower than this, if its text is that long."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The columns that are shown, by place, with their widths, and those that are left out."""

    shown: Sequence[int]
    widths: Sequence[int]
    left_out: Sequence[int]

    @property
    def width(self) -> int:
        """The width of a line of cells."""
        return sum(self.widths) + GAP * (len(self.widths) - 1)


def fitted(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    text_columns: int,
    ranks: Sequence[int],
    width: int | None,
) -> Fitted:
    """The layout of a table in at most `width` columns of characters; None: as wide as it is.

    A column of rank 0 is always shown; of the others, the one with the highest rank is left out
    first, and the rightmost of equal ones. If the columns of rank 0 alone are too wide, the widest
    one is cut, and ends in `…`.
    """
    full = [_longest(columns, rows, i) for i in range(len(columns))]
    shown = list(range(len(columns)))
    if width is None or _line(full) <= width:
        return Fitted(shown, full, [])
    least = [_least(columns[i], _cells(rows, i, len(columns)), i < text_columns) for i in shown]
    left_out: list[int] = []
    while _line([least[i] for i in shown]) > width and any(ranks[i] for i in shown):
        last = max(shown, key=lambda i: (ranks[i], i))
        shown.remove(last)
        left_out.append(last)
    unsplit = {
        i: _least(columns[i], _cells(rows, i, len(columns)), i < text_columns, 0) for i in shown
    }
    widths = _with_low_head(columns, {i: least[i] for i in shown}, width)
    _shrink(widths, unsplit, width)
    _shrink(widths, dict.fromkeys(shown, 1), width)
    spare = width - _line(list(widths.values()))
    for i in sorted(shown, key=lambda i: full[i] - widths[i]):
        if i < text_columns:
            more = min(max(spare, 0), full[i] - widths[i])
            widths[i] += more
            spare -= more
    return Fitted(shown, [widths[i] for i in shown], sorted(left_out))


def _shrink(widths: dict[int, int], floor: Mapping[int, int], width: int) -> None:
    """Takes from the widest column that is above its floor, as far as a line is too wide."""
    while _line(list(widths.values())) > width:
        above = [i for i in widths if widths[i] > floor[i]]
        if not above:
            return
        widths[max(above, key=lambda i: widths[i])] -= 1


def _with_low_head(columns: Sequence[str], least: dict[int, int], width: int) -> dict[int, int]:
    """The widths with which the head has as few lines as it can."""
    for height in range(1, max((len(columns[i].split()) for i in least), default=0)):
        widths = {
            i: next(
                w for w in range(narrow, 1 << 16) if len(wrapped(columns[i], w, True)) <= height
            )
            for i, narrow in least.items()
        }
        if _line(list(widths.values())) <= width:
            return widths
    return least


def lines(row: Sequence[str], layout: Fitted, text_columns: int, count: int) -> Iterator[str]:
    """The lines of a row of a table with `count` columns. The last cell of a shorter row may be as
    wide as the rest of the line."""
    shown, widths = list(layout.shown), list(layout.widths)
    if len(row) < count:
        before = [i for i in shown if i < len(row) - 1]
        widths = [*widths[: len(before)], 0]
        widths[-1] = max(layout.width - _line(widths), 1)
        shown = [*before, len(row) - 1]
        text_columns = max(text_columns, len(row))
    yield from _side_by_side(
        [wrapped(row[i], w, i < text_columns) for i, w in zip(shown, widths, strict=True)],
        widths,
        [i < text_columns for i in shown],
    )


def head(columns: Sequence[str], layout: Fitted, text_columns: int) -> Iterator[str]:
    """The lines of the head; all columns end in the last one."""
    cells = [wrapped(columns[i], w, True) for i, w in zip(layout.shown, layout.widths, strict=True)]
    height = max(map(len, cells), default=1)
    cells = [[""] * (height - len(cell)) + cell for cell in cells]
    yield from _side_by_side(cells, layout.widths, [i < text_columns for i in layout.shown])


def wrapped(text: str, width: int, is_text: bool) -> list[str]:
    """The text in lines of at most `width`, broken between its pieces; a piece that is longer is
    cut and ends in `…`."""
    if cell_len(text) <= width:
        return [text]
    tail = text[len(text.rstrip()) :]  # Room for a mark that other cells have.
    room = max(width - len(tail), 1)
    out: list[str] = []
    for piece in _pieces(text.rstrip(), is_text):
        if out and cell_len(out[-1]) + 1 + cell_len(piece) <= room:
            out[-1] += f" {piece}"
        else:
            out.append(_cut(piece, room))
    return [f"{line}{tail}" for line in out] or [""]


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    return f"{set_cell_size(text, width - 1).rstrip()}…" if width > 1 else "…"


def _side_by_side(
    cells: Sequence[Sequence[str]], widths: Sequence[int], left: Sequence[bool]
) -> Iterator[str]:
    for at in range(max(map(len, cells), default=0)):
        parts = []
        for cell, width, is_left in zip(cells, widths, left, strict=True):
            text = cell[at] if at < len(cell) else ""
            room = " " * (width - cell_len(text))
            parts.append(text + room if is_left else room + text)
        yield (" " * GAP).join(parts).rstrip()


def _pieces(text: str, is_text: bool) -> list[str]:
    """What is never split."""
    if is_text:
        return text.split()
    first, *others = text.split(", ")
    return [f"{piece}," for piece in [first, *others][:-1]] + [[first, *others][-1]]


def _cells(rows: Sequence[Sequence[str]], i: int, count: int) -> Iterator[str]:
    """The cells of a column, but for the last one of a shorter row."""
    return (row[i] for row in rows if i < len(row) - (len(row) < count))


def _longest(columns: Sequence[str], rows: Sequence[Sequence[str]], i: int) -> int:
    cells = _cells(rows, i, len(columns))
    return max(cell_len(columns[i]), max(map(cell_len, cells), default=0))


def _least(head: str, cells: Iterator[str], is_text: bool, narrowest: int = _NARROWEST) -> int:
    """The least width in which no piece is split. A text that is longer than `narrowest` has that
    much room to wrap in."""
    words = max(map(cell_len, head.split()), default=0)
    longest = 0
    for cell in cells:
        pieces = max(map(cell_len, _pieces(cell, is_text)), default=0)
        longest = max(longest, pieces, min(cell_len(cell), narrowest) if is_text else 0)
    return max(words, longest)


def _line(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)
