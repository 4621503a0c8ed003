"""Errors and warnings in the width where they are printed."""

from __future__ import annotations

import pytest
from dumbbell.present.messages import flowed, in_short, wrapped

CAUSE = "the buffer of `bottleneck` is 0.045 BDP, too small for its flows to fill the link"
QUOTED = """   ╭─[net.toml:4:39]
 3 │ dumbbell.bottleneck = { rate = "100 Mbps", delay = "10 ms" }
 4 │ queue = { kind = "drop_tail", limit = "15 pkt" }
   ·                                       ────────
   ╰────
"""
WARNING = f'  warning[W002]: {CAUSE}\n{QUOTED}  help: write limit = "1 BDP" (333 packets)\n'


def test_causes_and_fixes_are_wrapped_between_words_and_quoted_lines_are_not() -> None:
    expected = f"""  warning[W002]: the buffer of
  │ `bottleneck` is 0.045 BDP, too small
  │ for its flows to fill the link
{QUOTED}  help: write limit = "1 BDP" (333
        packets)
"""
    assert wrapped(WARNING, 40) == expected


@pytest.mark.parametrize("width", [98, 1000, None])
def test_where_all_fits_the_text_is_as_it_was(width: int | None) -> None:
    assert wrapped(WARNING, width) == WARNING


def test_an_error_of_several_lines_keeps_them() -> None:
    text = "  × one two three four\n  │ five six seven eight\nTraceback: " + "word " * 20
    assert wrapped(text, 16).splitlines() == [
        "  × one two",
        "  │ three four",
        "  │ five six",
        "  │ seven eight",
        "Traceback: " + "word " * 20,
    ]


def test_a_word_that_is_too_long_stays_whole() -> None:
    name = "/a-very-long/path-with-hyphens/" * 4
    assert wrapped(f"  × {name} is damaged", 20) == f"  ×\n  │ {name}\n  │ is damaged"


def test_sentences_of_python_continue_indented_and_code_is_left_alone() -> None:
    table = "algorithm    goodput    utilization"
    code = "    raise ValueError('of a plugin of my own')"
    text = f"one two three four five six\nhelp: one two three four\n{table}\n{code}\n{QUOTED}"
    assert flowed(text, 16) == (
        f"one two three\n  four five six\nhelp: one two\n      three four\n{table}\n{code}\n"
        f"{QUOTED}"
    )
    assert flowed(text, None) == text


def test_in_short_each_kind_has_a_line() -> None:
    def warning(code: str, key: str, points: int) -> dict[str, object]:
        return {"code": code, "key": key, "points": points, "message": f"{key} is odd"}

    found = [
        warning("W012", "duration", 1),
        warning("W001", "flow.0.cc", 2),
        warning("W001", "flow.1.cc", 3),
    ]
    assert in_short(found) == [
        "warning[W001]: flow.0.cc is odd (in 3 points)",
        "warning[W012]: duration is odd",
    ]
    assert in_short([]) == []
