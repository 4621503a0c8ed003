"""The measurement on disk, `gigabyte.toml` beside a paper's `paper.toml`, and the order of its
runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, structs

from ...errors import ScenarioError
from ...files import declared
from ...files.declared import Real, Shape
from ...testbed.live_runs import interleaved, turned
from .. import checks, papers
from ..entries import Count

FILE = "gigabyte.toml"


Seconds = Annotated[float, Meta(ge=0, le=3600)]
Mtu = Annotated[int, Meta(ge=68, le=65535)]


class Effort(Shape, frozen=True):
    """Repeats and durations: `seconds` are with the warm-up, `idle_s` are for a look at the machine
    before."""

    repeats: Count
    seconds: Seconds
    warmup_s: Seconds
    idle_s: Seconds


class Print(Shape, frozen=True):
    """A saving that a paper prints, 'or more', in percent of the processors' time."""

    id: str
    text: str
    saving_percent: Real


class ScheduleFile(Shape, frozen=True):
    """The shape of the file."""

    mtus_bytes: tuple[Mtu, Mtu]
    conditions: tuple[Literal["plain", "offloads", "router"], ...]
    judged: str
    print: tuple[Print, ...]
    full: Effort
    quick: Effort


@dataclass(frozen=True, slots=True)
class Schedule:
    """The file. mtus_bytes: the usual frame, the large one. judged: the condition that stands for
    the paper's hosts."""

    folder: Path
    mtus_bytes: tuple[int, int]
    conditions: Sequence[str]
    judged: str
    prints: Sequence[Print]
    efforts: Mapping[str, Effort]

    def effort(self, quick: bool, repeats: int | None) -> Effort:
        """Options of a command."""
        found = self.efforts["quick" if quick else "full"]
        if repeats is None:
            return found
        if repeats < 2:
            raise ScenarioError(
                "a measurement needs pairs: --replications 2 at least, 5 for a `reproduced`"
            )
        return structs.replace(found, repeats=repeats)


@dataclass(frozen=True, slots=True)
class Slot:
    """One run."""

    condition: str
    mtu_bytes: int
    repeat: int


def has(name: str) -> bool:
    """True if a paper has such a measurement."""
    return checks.is_file(papers.find(name) / FILE)


def read(folder: Path) -> Schedule:
    """The measurement of a paper. `ScenarioError` if its file is wrong."""
    file = folder / FILE
    said = declared.toml(file, ScheduleFile)
    found = Schedule(
        folder=folder,
        mtus_bytes=said.mtus_bytes,
        conditions=said.conditions,
        judged=said.judged,
        prints=said.print,
        efforts={"full": said.full, "quick": said.quick},
    )
    if found.judged not in found.conditions:
        raise declared.refusal(
            file, [f"`judged` is `{found.judged}`, which is not in `conditions`"]
        )
    return found


def slots(schedule: Schedule, effort: Effort) -> list[Slot]:
    """The order of the runs: the two of a pair next to each other, who is first changing from pair
    to pair and from repeat to repeat, every other repeat backwards."""
    numbered = list(enumerate(schedule.conditions))
    return [
        Slot(condition, mtu, repeat)
        for (i, condition), repeat in interleaved(numbered, effort.repeats)
        for mtu in turned(schedule.mtus_bytes, i + repeat)
    ]
