"""The measurement on disk, `gigabyte.toml` beside a paper's `paper.toml`, and the order of its runs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import ScenarioError
from ...reproduce import papers

FILE = "gigabyte.toml"


@dataclass(frozen=True, slots=True)
class Effort:
    """How often and for how long: `seconds` are with the warm-up, `idle_s` are for a look at the machine before."""

    repeats: int
    seconds: float
    warmup_s: float
    idle_s: float


@dataclass(frozen=True, slots=True)
class Print:
    """A saving that a paper prints, 'or more', in percent of the processors' time."""

    id: str
    text: str
    saving_percent: float


@dataclass(frozen=True, slots=True)
class Schedule:
    """The file. mtus_bytes: the usual frame, the large one. judged: the condition that stands for the paper's hosts."""

    folder: Path
    mtus_bytes: tuple[int, int]
    conditions: Sequence[str]
    judged: str
    prints: Sequence[Print]
    efforts: Mapping[str, Effort]

    def effort(self, quick: bool, repeats: int | None) -> Effort:
        """What a command asks for."""
        found = self.efforts["quick" if quick else "full"]
        if repeats is None:
            return found
        if repeats < 2:
            raise ScenarioError("a measurement needs pairs: --replications 2 at least, 5 for a `reproduced`")
        return replace(found, repeats=repeats)


@dataclass(frozen=True, slots=True)
class Slot:
    """One run."""

    condition: str
    mtu_bytes: int
    repeat: int


def has(name: str) -> bool:
    """Whether a paper has such a measurement."""
    return (papers.find(name) / FILE).exists()


def read(folder: Path) -> Schedule:
    """The measurement of a paper. `ScenarioError` if its file is wrong."""
    file = folder / FILE
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
        first, second = raw["mtus_bytes"]
        found = Schedule(
            folder=folder,
            mtus_bytes=(first, second),
            conditions=tuple(raw["conditions"]),
            judged=raw["judged"],
            prints=tuple(Print(**one) for one in raw["print"]),
            efforts={name: Effort(**raw[name]) for name in ("full", "quick")},
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise ScenarioError(f"{file}: {error}") from None
    if found.judged not in found.conditions:
        raise ScenarioError(f"{file}: `judged` is `{found.judged}`, which is none of `conditions`")
    return found


def slots(schedule: Schedule, effort: Effort) -> list[Slot]:
    """The order of the runs: the two of a pair next to each other, who is first changing from pair to pair and from
    repeat to repeat, every other repeat backwards."""
    found = []
    for repeat in range(effort.repeats):
        numbered = list(enumerate(schedule.conditions))
        for i, condition in numbered if repeat % 2 == 0 else reversed(numbered):
            both = schedule.mtus_bytes if (i + repeat) % 2 == 0 else schedule.mtus_bytes[::-1]
            found += [Slot(condition, mtu, repeat) for mtu in both]
    return found
