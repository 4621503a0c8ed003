"""How every command prints: how wide, and how much."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass

from ..present.grids import WIDTH


@dataclass(slots=True)
class Output:
    """What the options of every command ask for."""

    wide: bool = False
    quiet: bool = False


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
    if OUTPUT.wide:
        return None
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH
