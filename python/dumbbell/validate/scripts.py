"""Scripts that test one end of a TCP step by step; docs/reference/scripts.md has their language.

import dumbbell

outcome = dumbbell.scripts.run("scripts/tcp/rfc6582-partial-ack.dbs")
assert outcome.ok, outcome
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import api
from ..errors import ScenarioError
from ..files import reading

ENDING = ".dbs"
"""Suffix of script files."""


@dataclass(frozen=True)
class Failure:
    """An expectation that did not hold. `at_s` is the script's time, seconds; `history` what
    happened before, the latest last; `str()` the text for people, with the line and a caret."""

    file: str
    line: int
    column: int
    at_s: float
    expected: str
    came: str
    history: Sequence[str]
    rendered: str

    def __str__(self) -> str:
        return self.rendered


@dataclass(frozen=True)
class Outcome:
    """Outcome of a script."""

    file: str
    failures: tuple[Failure, ...]

    @property
    def ok(self) -> bool:
        """True if everything held."""
        return not self.failures

    def __str__(self) -> str:
        return "\n".join(map(str, self.failures)) or f"{self.file}: ok"


def run(path: str | Path) -> Outcome:
    """Runs the script at `path`. `ScenarioError`: it cannot be read; the text says where, and the
    fix."""
    try:
        text = reading.text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from error
    return run_text(text, str(path))


def run_text(text: str, name: str = "script") -> Outcome:
    """Runs a script that is at hand as text; `name` is what messages call it."""
    outcome = api.call("script", {"text": text, "name": name})
    return Outcome(outcome["file"], tuple(Failure(**failure) for failure in outcome["failures"]))


def find(paths: Sequence[str | Path], endings: Sequence[str] = (ENDING,)) -> list[Path]:
    """The scripts that `paths` name: files, and every script with one of the endings in and below a
    directory."""
    found: list[Path] = []
    for path in map(Path, paths):
        inside = [path]
        if path.is_dir():
            inside = sorted(one for ending in endings for one in path.rglob(f"*{ending}"))
        if not inside:
            raise ScenarioError(f"{path} has no script (*{', *'.join(endings)})")
        found += inside
    return found
