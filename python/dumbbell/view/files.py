"""A file of another program on a page, beside results: what its reader says and draws of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..present.grids import Grid
from .contents import Contents
from .shown import Side


@dataclass(frozen=True, slots=True)
class Facts:
    """What a page says of a file: its title, how long it is, the finding, tables and a line below
    them, what identifies it, and the figures of `plot` for where scripts are off (empty: the usual
    ones)."""

    title: str
    duration_s: float
    findings: Sequence[str]
    grids: Sequence[Grid]
    line: str = ""
    about: Mapping[str, str] | None = None
    figures: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class File:
    """A file of another program: its name, its facts, and the function that draws it."""

    name: str
    facts: Facts
    command: str
    """The command that summarizes it; empty if there is none."""
    lines: Callable[[Contents, Side], None]

    def draw(self, contents: Contents, side: Side) -> None:
        """Draws it as one result among others."""
        contents.runs.append(
            {
                "label": side.label,
                "name": self.facts.title,
                "duration_s": self.facts.duration_s,
                "warmup_s": 0.0,
            }
        )
        self.lines(contents, side)
