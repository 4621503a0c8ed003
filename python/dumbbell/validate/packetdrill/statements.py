"""The text of a packetdrill script as statements: each with its place, its time and its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...errors import ScenarioError


@dataclass(frozen=True, slots=True)
class Place:
    """A line and a column of a file, both from 1."""

    file: str
    line: int
    column: int

    def wrong(self, cause: str, fix: str) -> ScenarioError:
        """The error that is here."""
        return ScenarioError(f"{self.file}:{self.line}:{self.column}: {cause}\nhelp: {fix}")


@dataclass(frozen=True, slots=True)
class Statement:
    """What happens, and the range of its time [s] from the start of the script."""

    place: Place
    early: float
    late: float
    text: str
    kind: str

    def at(self, offset: int) -> Place:
        """The place of a character of `text`."""
        return Place(self.place.file, self.place.line, self.place.column + offset)


_NUMBER = r"\d*\.?\d+"
_TIME = re.compile(rf"(\+?)({_NUMBER})(?:~(\+?)({_NUMBER}))?(?=\s)")
_KINDS = {"<": "in", ">": "out", "`": "shell", "%": "python"}


def read(text: str, file: str) -> list[Statement]:
    """The statements in their order. `ScenarioError` with its line and column."""
    found: list[Statement] = []
    now = 0.0
    for place, line in _lines(_plain(text, file), file):
        time = _TIME.match(line)
        if time is None:
            raise place.wrong(
                f"`{line.split()[0]}` is not a time",
                "begin a statement with 0.1, +0.1 or +0~+0.1",
            )
        early = _seconds(time[1], time[2], now)
        late = early if time[4] is None else _seconds(time[3], time[4], now)
        if early < now - 1e-9 or late < early:
            raise place.wrong("time goes back", "write statements in the order of their times")
        now = (early + late) / 2
        rest = line[time.end() :]
        said = rest.strip()
        if not said:
            raise place.wrong("a time without a statement", "write what happens")
        offset = time.end() + len(rest) - len(rest.lstrip())
        kind = _KINDS.get(said[0], "call")
        here = Place(file, place.line, place.column + offset)
        found.append(Statement(here, early, late, said, kind))
    return found


def _seconds(plus: str, number: str, now: float) -> float:
    return round(float(number) + (now if plus else 0.0), 9)


def _plain(text: str, file: str) -> str:
    """The text with spaces instead of comments, so that every place stays."""

    def blank(found: re.Match[str]) -> str:
        if found[0].startswith(('"', "`")):
            return found[0]
        return re.sub(r"[^\n]", " ", found[0])

    plain = re.sub(r'"[^"\n]*"|`[^`]*`|//[^\n]*|/\*.*?\*/|^#[^\n]*', blank, text, flags=re.S | re.M)
    if "/*" in plain:
        before = plain[: plain.index("/*")]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise Place(file, line, column).wrong("a comment does not end", "write */")
    return plain


def _lines(text: str, file: str) -> Iterator[tuple[Place, str]]:
    """Each statement with its place; those of Python and of a shell may have several lines."""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        line, first = lines[number], number
        for opening, closing in (("%{", "}%"), ("`", "`")):
            start = line.find(opening)
            while start >= 0 and closing not in line[start + len(opening) :]:
                number += 1
                if number == len(lines):
                    raise Place(file, first + 1, start + 1).wrong(
                        f"`{opening}` does not end", f"write {closing}"
                    )
                line += "\n" + lines[number]
        if line.strip():
            column = len(line) - len(line.lstrip()) + 1
            yield Place(file, first + 1, column), line.strip() + " "
        number += 1
