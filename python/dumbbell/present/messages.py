"""Errors and warnings of the extension, wrapped for where they are printed.

The extension writes each cause and each fix in one line, in exceptions and documents alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_NEXT = {"  × ": "  │ ", "  │ ": "  │ ", "  warning[": "  │ ", "  help: ": "        "}
"""How lines of causes and fixes begin, and how the lines begin into which they continue."""

_LABELS = ("help: ", "note: ")
"""How sentences of Python's messages may begin."""

_WIDEST = 400
"""Characters of a line of a message; causes and fixes of the extension have their own bounds."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def wrapped(text: str, width: int | None) -> str:
    """The text with causes and fixes in lines of at most `width` characters, broken between words
    (None: as it is). Quoted lines stay whole, so that carets stand below what they are about."""
    if width is None:
        return text
    return "\n".join(part for line in text.split("\n") for part in _wrapped(line, width))


def flowed(text: str, width: int | None) -> str:
    """A message of Python's: sentences that are longer than `width` characters, broken between
    words, and indented where they continue. Whole stay lines that begin with a space, as quoted
    ones and code do, the columns of a table, and the head of a traceback (None: all)."""
    if width is None:
        return text
    return "\n".join(part for line in text.split("\n") for part in _flowed(line, width))


def _flowed(line: str, width: int) -> list[str]:
    is_sentence = not line[:1].isspace() and "  " not in line and not line.startswith("Traceback")
    if len(line) <= width or not is_sentence:
        return [line]
    label = next((each for each in _LABELS if line.startswith(each)), "  ")
    return _broken(line, width, " " * len(label))


def is_prose(line: str) -> bool:
    """True if a line is a cause or a fix that the extension wrote."""
    return line.startswith(tuple(_NEXT))


def _wrapped(line: str, width: int) -> list[str]:
    if not is_prose(line) or len(line) <= width:
        return [line]
    begins = next(begin for begin in _NEXT if line.startswith(begin))
    return _broken(line, width, _NEXT[begins])


def _broken(line: str, width: int, indent: str) -> list[str]:
    import textwrap

    return textwrap.wrap(
        line,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def narrow(text: str) -> str:
    """A message for a terminal, whatever it repeats of what was written: no wide lines and no
    control characters."""
    lines = (
        line if len(line) <= _WIDEST or is_prose(line) else f"{line[:_WIDEST]}..."
        for line in text.split("\n")
    )
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", "\n".join(lines))


def in_short(warnings: Iterable[Mapping[str, Any]]) -> list[str]:
    """Each kind of warning in a line: the first cause, and the most points that have one."""
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for one in warnings:
        kinds.setdefault(one["code"], []).append(one)
    lines = []
    for code, found in sorted(kinds.items()):
        points = max(one["points"] for one in found)
        where = f" (in {points} points)" if points > 1 else ""
        lines.append(f"warning[{code}]: {found[0]['message']}{where}")
    return lines
