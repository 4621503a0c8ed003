"""How every command prints: how wide, and how much."""

from __future__ import annotations

import os
import sys
from typing import TextIO

WIDTH = 140
"""Characters of a line of a table that is not printed on a terminal."""
MESSAGE_WIDTH = 100
"""Characters of a line of an error or a warning that is not printed on a terminal."""


class Output:
    """What the options of every command ask for."""

    def __init__(self) -> None:
        self.wide = False
        self.quiet = False


OUTPUT = Output()
"""That of this process."""


def taken(words: list[str]) -> list[str]:
    """Sets `OUTPUT` by the options of every command, and returns the other words. The words after
    `--` are not read, and of `shell` none after the first that is not an option: a program's."""
    OUTPUT.wide = OUTPUT.quiet = False
    rest: list[str] = []
    for i, word in enumerate(words):
        if word == "--" or (rest[:1] == ["shell"] and not word.startswith("-")):
            return [*rest, *words[i:]]
        if word == "--wide":
            OUTPUT.wide = True
        elif word in ("--quiet", "-q"):
            OUTPUT.quiet = True
        else:
            rest.append(word)
    return rest


def columns() -> int | None:
    """Characters of a line: those of `$COLUMNS` or of the terminal, `WIDTH` elsewhere; None with
    --wide."""
    return None if OUTPUT.wide else _asked() or _of_terminal(sys.stdout) or WIDTH


def message_columns() -> int | None:
    """As `columns`, for errors and warnings: the terminal is that of standard error, and elsewhere
    a line has `MESSAGE_WIDTH` characters."""
    return None if OUTPUT.wide else _asked() or _of_terminal(sys.stderr) or MESSAGE_WIDTH


def sentence_columns() -> int | None:
    """As `message_columns`, for messages of Python's, which stay in a line where no terminal and no
    `$COLUMNS` says how wide it is."""
    return None if OUTPUT.wide else _asked() or _of_terminal(sys.stderr) or None


def _asked() -> int:
    """`$COLUMNS`; 0 if it says nothing."""
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdecimal() else 0


def _of_terminal(stream: TextIO | None) -> int:
    """The columns of the terminal that the stream is (80 if it does not know); 0 if it is none."""
    if stream is None or not stream.isatty():
        return 0
    return os.get_terminal_size(stream.fileno()).columns or 80
