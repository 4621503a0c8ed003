"""A campaign on disk: `campaign.toml` beside a paper's `paper.toml`, as objects, checked before anything runs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...errors import ScenarioError
from ...reproduce.entries import Paper, Point

FILE = "campaign.toml"


@dataclass(frozen=True, slots=True)
class Effort:
    """Which points, how often and for how long. `rtts`: of the flow that is looked at, and of all others; none: those
    of the scenario."""

    buffers: Sequence[int]
    repeats: int
    duration: str
    warmup: str
    budget_min: float
    rtts: Sequence[tuple[str, str]] = ()

    @property
    def overrides(self) -> list[str]:
        """What every run has."""
        return [f"duration={self.duration}", f"warmup={self.warmup}"]


@dataclass(frozen=True, slots=True)
class Campaign:
    """The file. `baseline` and `scheme` name the paper's points; `simulated` is laid over the scenario where the
    simulator runs it; `flow` and `queue` are those that are looked at."""

    paper: Paper
    scenario: Path
    baseline: str
    scheme: str
    simulated: Sequence[str]
    record_every: str
    flow: str
    queue: str
    efforts: Mapping[str, Effort]

    def effort(self, quick: bool, grid: bool, repeats: int | None) -> Effort:
        """What a command asks for."""
        name = f"{'grid.' if grid else ''}{'quick' if quick else 'full'}"
        if name not in self.efforts:
            raise ScenarioError(f"{self.paper.folder / FILE} has no [{name}]")
        found = self.efforts[name]
        if repeats is None:
            return found
        if repeats < 2:
            raise ScenarioError("a campaign needs pairs: --replications 2 at least, 5 for a `reproduced`")
        return replace(found, repeats=repeats)

    def point(self, which: str, buffer: int) -> Point:
        """The paper's point of a scheme at a buffer."""
        return self.paper.points[which.format(buffer=buffer)]


@dataclass(frozen=True, slots=True)
class Spot:
    """A pair of conditions that differ in the scheme alone."""

    buffer: int
    rtt: tuple[str, str] | None
    baseline: Point
    scheme: Point

    @property
    def label(self) -> str:
        """Its name."""
        return (
            f"buffer {self.buffer}" if self.rtt is None else f"RTT {self.rtt[0]} / {self.rtt[1]}, buffer {self.buffer}"
        )


def read(paper: Paper) -> Campaign:
    """The campaign of a paper. `ScenarioError` if it has none, or the file contradicts the paper."""
    file = paper.folder / FILE
    if not file.exists():
        raise ScenarioError(
            f"{paper.name} has no experiment for real kernels ({FILE} in its folder)\nhelp: red-on-netfpga has one; "
            "for others use --on sim"
        )
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
        found = _campaign(paper, raw)
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise ScenarioError(f"{file}: {error}") from None
    wrong = list(_wrong(found))
    if wrong:
        raise ScenarioError(f"{file}:\n" + "\n".join(wrong))
    return found


def _campaign(paper: Paper, raw: Mapping[str, Any]) -> Campaign:
    grid = {f"grid.{name}": effort for name, effort in raw.get("grid", {}).items()}
    efforts = {name: raw[name] for name in ("full", "quick")} | grid
    return Campaign(
        paper=paper,
        scenario=paper.folder / raw["scenario"],
        baseline=raw["baseline"],
        scheme=raw["scheme"],
        simulated=tuple(raw.get("simulated", ())),
        record_every=raw["record_every"],
        flow=raw["flow"],
        queue=raw["queue"],
        efforts={name: _effort(effort) for name, effort in efforts.items()},
    )


def _effort(raw: Mapping[str, Any]) -> Effort:
    return Effort(**{**raw, "rtts": [(first, others) for first, others in raw.get("rtts", ())]})


def _wrong(found: Campaign) -> Iterator[str]:
    if not found.scenario.exists():
        yield f"there is no file {found.scenario}"
    for name, effort in found.efforts.items():
        for which in (found.baseline, found.scheme):
            missing = [b for b in effort.buffers if which.format(buffer=b) not in found.paper.points]
            yield from (f"[{name}]: the paper has no point `{which.format(buffer=b)}`" for b in missing)


def spots(found: Campaign, effort: Effort) -> list[Spot]:
    """Every pair of an effort."""
    pairs: Sequence[tuple[str, str] | None] = effort.rtts or [None]
    return [
        Spot(buffer, rtt, found.point(found.baseline, buffer), found.point(found.scheme, buffer))
        for rtt in pairs
        for buffer in effort.buffers
    ]
