"""`linux.toml` beside a paper's `paper.toml`: which points a Linux kernel runs, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from ...errors import ScenarioError
from ...files import declared
from ...files.declared import Shape
from ..checks import is_file
from ..entries import Count, Paper, Point

FILE, RULES = "linux.toml", "linux.md"


class LinuxEffort(Shape, frozen=True):
    """Points by their names or patterns, runs of each, and overrides of all."""

    points: Annotated[tuple[str, ...], Meta(min_length=1)]
    replications: Count
    overrides: tuple[str, ...] = ()


class LinuxFile(Shape, frozen=True):
    """The shape of the file. scenarios: by the name of the paper's file, the one that stands for
    it; overrides: of every point on the kernel, applied before the point's own."""

    full: LinuxEffort
    quick: LinuxEffort
    scenarios: dict[str, str] = msgspec.field(default_factory=dict)
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OnLinux:
    """The file of a paper, and its effort."""

    effort: LinuxEffort
    scenarios: Mapping[str, str]
    overrides: Sequence[str]

    def points(self, paper: Paper) -> dict[str, Point]:
        """The paper's points that are run, as the paper has them."""
        return {
            name: point
            for name, point in paper.points.items()
            if any(fnmatchcase(name, pattern) for pattern in self.effort.points)
        }

    def on_kernel(self, paper: Paper, point: Point) -> Point:
        """A point as the kernel runs it."""
        name = self.scenarios.get(point.scenario.name, point.scenario.name)
        own = (*self.overrides, *point.overrides)
        return replace(point, scenario=paper.folder / name, overrides=own)


def read(paper: Paper, quick: bool, replications: int | None) -> OnLinux:
    """The file of a paper. `ScenarioError` if it has none, or the file is wrong."""
    file = paper.folder / FILE
    if not is_file(file):
        raise ScenarioError(
            f"{paper.name} has no experiment for a Linux kernel ({FILE} in its folder): the kernel "
            "has no algorithm of it to run\nhelp: write --on sim"
        )
    said = declared.toml(file, LinuxFile)
    effort = said.quick if quick else said.full
    if replications is not None:
        if replications < 2:
            raise ScenarioError(
                "a reproduction needs intervals: --replications 2 at least, 5 for a `reproduced`"
            )
        effort = msgspec.structs.replace(effort, replications=replications)
    found = OnLinux(effort, said.scenarios, said.overrides)
    _check(file, found, paper)
    return found


def _check(file: Path, found: OnLinux, paper: Paper) -> None:
    missing = [name for name in found.scenarios.values() if not is_file(paper.folder / name)]
    wrong = [f"there is no file {declared.cut(name, 300)}" for name in missing]
    wrong += [
        f"no point of the paper is `{pattern}`"
        for pattern in found.effort.points
        if not any(fnmatchcase(name, pattern) for name in paper.points)
    ]
    if wrong:
        raise declared.refusal(file, wrong)
