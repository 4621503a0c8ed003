"""Tables in a width: no line is wider, no word is split, and what is left out is named."""

from __future__ import annotations

import random
import re

import pytest
from dumbbell.present.fit import GAP
from dumbbell.present.grids import Grid, to_text
from rich.cells import cell_len

WORDS = (
    "goodput",
    "[Mbps]",
    "p99",
    "sojourn",
    "retransmits",
    "share",
    "drops",
    "mean",
    "[%]",
    "µs",
)


def random_grid(draw: random.Random) -> Grid:
    """A table with heads of several words, texts, numbers with intervals, and rows that end
    early."""
    text = draw.randint(1, 3)
    count = text + draw.randint(0, 9)
    heads = [" ".join(draw.choices(WORDS, k=draw.randint(1, 3))) + str(i) for i in range(count)]

    def cell(i: int) -> str:
        if i < text:
            return " ".join(
                draw.choices(("near.1", "drop_tail", "a", "漢字"), k=draw.randint(1, 6))
            )
        number = f"{draw.random() * 10 ** draw.randint(0, 5):.4g}"
        return draw.choice(
            [number, f"{number} ± {draw.random():.2g}", "-", f"early {number}, head 3"]
        )

    rows = [[cell(i) for i in range(count)] for _ in range(draw.randint(0, 6))]
    if draw.random() < 0.3:
        rows.append([cell(0), "error: something is out of range"][: max(text, 1) + 1])
    ranks = [0] * text + [draw.randint(0, 4) for _ in range(count - text)]
    return Grid(
        draw.choice(["", "A table"]),
        heads,
        [row for row in rows if len(row) <= count],
        text,
        draw.choice([(), ranks]),
        draw.choice([(), ["Means over 5 seeds, each with half its 95 % interval."]]),
    )


@pytest.mark.parametrize("seed", range(300))
def test_no_line_is_wider_no_word_is_split_and_what_is_left_out_is_named(seed: int) -> None:
    draw = random.Random(seed)
    grid, width = random_grid(draw), draw.choice([60, 80, 100, 140])
    lines = [line for line, _ in grid.lines(width)]
    cut = any("…" in line for line in lines)  # The columns of rank 0 alone were too wide.
    assert all(cell_len(line) <= width for line in lines)
    text = " ".join(" ".join(lines).split())
    note = re.search(rf"not shown at {width} columns: (.*)", text)
    missing = note[1] if note else ""
    for head in grid.columns:
        named = head.partition(" [")[0]
        words_there = all(word in text.split() for word in head.split())
        assert cut or words_there or named in missing
    if not note and not cut:
        for row in grid.rows:
            assert all(word in text.split() for value in row for word in value.split())


def test_without_a_width_every_column_is_there_in_one_line_each() -> None:
    grid = Grid("", ["flow", *[f"measurement {i} [pkt]" for i in range(30)]], [["x", *["1"] * 30]])
    lines = [line for line, _ in grid.lines(None)]
    assert len(lines) == 3
    assert lines[0].count("measurement") == 30
    assert "not shown" not in grid.text(None)


def test_the_highest_rank_gives_way_first_and_of_equal_ones_the_rightmost() -> None:
    heads = ["flow", "aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc", "dddddddddd"]
    grid = Grid("", heads, [["x", "1", "2", "3", "4"]], 1, [0, 1, 2, 2, 0])
    room = len("flow") + 4 * (GAP + 10)
    assert "not shown" not in grid.text(room)
    assert "not shown at 55 columns: cccccccccc" in grid.text(room - 1)
    assert "not shown at 50 columns: cccccccccc" in grid.text(50)
    narrow = grid.text(42)
    assert "not shown at 42 columns: bbbbbbbbbb,\ncccccccccc" in narrow
    assert narrow.splitlines()[0].split() == ["flow", "aaaaaaaaaa", "dddddddddd"]


def test_heads_wrap_before_a_column_is_left_out() -> None:
    grid = Grid("", ["flow", "goodput [Mbps]", "share [%]"], [["near", "3.815", "40.72"]])
    assert grid.text(24).splitlines()[:2] == ["       goodput   share", "flow    [Mbps]     [%]"]


def test_a_text_that_is_too_long_is_cut_and_says_so() -> None:
    grid = Grid("", ["name", "number"], [["x" * 60, "1"]], 1, [0, 0])
    (row,) = grid.text(30).splitlines()[2:]
    assert row.startswith("xxxx") and "…" in row and len(row) <= 30


def test_texts_and_tables_are_printed_in_the_same_width() -> None:
    grid = Grid("A title", ["name", "text"], [["a", "word " * 40]], 2)
    assert all(len(line) <= 50 for line in to_text([grid, "word " * 40], 50).splitlines())
