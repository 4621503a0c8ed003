"""The results of the validation suite as one page, for a reader who has to judge the simulator."""

from __future__ import annotations

import datetime
import fnmatch
import os
import platform
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import __version__, catalogue
from ..present import templates
from .check import CheckResult
from .report import Section, sections
from .runner import Runner

HERE = Path(__file__).parent
UNVERIFIED = ("recollection", "reconstruction")
"""Classes of provenance without an independent source that agrees to the last decision."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A mistake that was put into the source, and the results of the lines that must fail with
    it."""

    id: str
    what: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A section, the results of those of its checks that ran, and what is counted of them."""

    section: Section
    results: Sequence[CheckResult]

    @property
    def passed(self) -> int:
        """Checks that pass."""
        return sum(result.verdict == "pass" for result in self.results)

    @property
    def exact(self) -> int:
        """Checks without a tolerance."""
        return sum(result.check.tolerance == 0 for result in self.results)

    @property
    def loosest(self) -> float | None:
        """The largest tolerance that is a fraction of the expected value; None if there is none."""
        relative = (
            result.check.tolerance
            for result in self.results
            if result.check.tolerance and not result.check.absolute
        )
        return max(relative, default=None)

    @property
    def seeded(self) -> int:
        """Checks with an interval over seeds."""
        return sum(bool(result.measured and result.measured.ci95) for result in self.results)


def faults(ids: Iterable[str]) -> list[Fault]:
    """The seeded faults whose lines are among the checks with these ids."""
    names = list(ids)
    known = tomllib.loads((HERE / "faults.toml").read_text(encoding="utf-8"))["fault"]
    found = [
        Fault(
            one["id"],
            one["what"],
            tuple(dict.fromkeys(n for p in one["turns"] for n in fnmatch.filter(names, p))),
        )
        for one in known
    ]
    return [fault for fault in found if fault.lines]


def html(results: Sequence[CheckResult], runner: Runner, command: str) -> str:
    """The page. command: the command line that makes it again."""
    by_id = {result.check.id: result for result in results}
    every = sections()
    parts = [
        Part(section, [by_id[check.id] for check in section.checks if check.id in by_id])
        for section in every
    ]
    known = faults(by_id)
    return templates.render(
        HERE / "passport.html.j2",
        finding=finding(results, known),
        parts_run=[part for part in parts if part.results],
        left_out=sum(len(section.checks) for section in every) - len(results),
        quick=runner.quick,
        seeds=runner.seeds,
        failed=[result for result in results if result.verdict != "pass"],
        known=known,
        failing=len({line for fault in known for line in fault.lines}),
        total=len(results),
        unverified=_unverified(),
        provenance=catalogue.PROVENANCE,
        place=_place(),
        command=command,
    )


def finding(results: Sequence[CheckResult], known: Sequence[Fault]) -> list[str]:
    """What the run says, in sentences."""
    total = len(results)
    passed = sum(result.verdict == "pass" for result in results)
    exact = sum(result.check.tolerance == 0 for result in results)
    return [
        f"All {total} checks pass." if passed == total else f"{total - passed} of {total} fail.",
        f"{exact} allow no deviation at all. The others have a tolerance that was fixed before the "
        "first measurement, and their whole 95 % interval must lie within it.",
        f"{len(known)} seeded faults make lines of this run fail: the suite can fail.",
    ]


def _unverified() -> Mapping[str, list[str]]:
    """The algorithms of each class without an independent check of every decision."""
    return {
        name: [a.name for a in catalogue.algorithms() if a.provenance == name]
        for name in UNVERIFIED
    }


def _place() -> list[tuple[str, Any]]:
    """What ran, where and when."""
    now = datetime.datetime.now(datetime.UTC)
    return [
        ("Dumbbell", __version__),
        ("Day", f"{now:%Y-%m-%d}"),
        ("Machine", f"{platform.machine()}, {os.cpu_count()} processors, {platform.system()}"),
        ("Python", platform.python_version()),
    ]
