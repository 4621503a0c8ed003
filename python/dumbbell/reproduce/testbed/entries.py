"""A campaign on disk: `campaign.toml` beside a paper's `paper.toml`, as objects, checked before
anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta, field, structs

from ...errors import ScenarioError
from ...files import declared
from ...files.declared import Real, Shape, filled
from ..checks import is_file
from ..entries import Count, Paper, Point

FILE = "campaign.toml"


class Effort(Shape, frozen=True):
    """Points, repeats and durations. `rtts`: of the flow that is looked at, and of all others;
    none: those of the scenario."""

    buffers: Annotated[tuple[int, ...], Meta(min_length=1, max_length=1000)]
    repeats: Count
    duration: str
    warmup: str
    budget_min: Real
    rtts: Annotated[tuple[tuple[str, str], ...], Meta(max_length=1000)] = ()

    @property
    def overrides(self) -> list[str]:
        """Overrides of every run."""
        return [f"duration={self.duration}", f"warmup={self.warmup}"]


class Efforts(Shape, frozen=True):
    """Both efforts of a grid; one may be missing."""

    full: Effort | None = None
    quick: Effort | None = None


class CampaignFile(Shape, frozen=True):
    """The shape of the file."""

    scenario: str
    baseline: str
    scheme: str
    record_every: str
    flow: str
    queue: str
    full: Effort
    quick: Effort
    grid: Efforts = field(default_factory=Efforts)
    simulated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Campaign:
    """The file. `baseline` and `scheme` name the paper's points; `simulated` overrides the
    scenario where the simulator runs it; `flow` and `queue` are those that are looked at."""

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
        """Options of a command."""
        name = f"{'grid.' if grid else ''}{'quick' if quick else 'full'}"
        if name not in self.efforts:
            raise ScenarioError(f"{self.paper.folder / FILE} has no [{name}]")
        found = self.efforts[name]
        if repeats is None:
            return found
        if repeats < 2:
            raise ScenarioError(
                "a campaign needs pairs: --replications 2 at least, 5 for a `reproduced`"
            )
        return structs.replace(found, repeats=repeats)

    def point(self, which: str, buffer: int) -> Point:
        """The paper's point of a scheme at a buffer."""
        return self.paper.points[filled(which, {"buffer": buffer})]


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
            f"buffer {self.buffer}"
            if self.rtt is None
            else f"RTT {self.rtt[0]} / {self.rtt[1]}, buffer {self.buffer}"
        )


def read(paper: Paper) -> Campaign:
    """The campaign of a paper. `ScenarioError` if it has none, or the file contradicts the
    paper."""
    file = paper.folder / FILE
    if not is_file(file):
        raise ScenarioError(
            f"{paper.name} has no experiment for real kernels ({FILE} in its folder)\nhelp: "
            "red-on-netfpga has one; use --on sim for others"
        )
    found = _campaign(paper, declared.toml(file, CampaignFile))
    try:
        wrong = list(_wrong(found))
    except ScenarioError as error:
        raise declared.refusal(file, [str(error)]) from None
    if wrong:
        raise declared.refusal(file, wrong)
    return found


def _campaign(paper: Paper, said: CampaignFile) -> Campaign:
    efforts = {
        "full": said.full,
        "quick": said.quick,
        "grid.full": said.grid.full,
        "grid.quick": said.grid.quick,
    }
    return Campaign(
        paper=paper,
        scenario=paper.folder / said.scenario,
        baseline=said.baseline,
        scheme=said.scheme,
        simulated=said.simulated,
        record_every=said.record_every,
        flow=said.flow,
        queue=said.queue,
        efforts={name: effort for name, effort in efforts.items() if effort is not None},
    )


def _wrong(found: Campaign) -> Iterator[str]:
    if not is_file(found.scenario):
        yield f"there is no file {declared.cut(str(found.scenario), 300)}"
    for name, effort in found.efforts.items():
        for which in (found.baseline, found.scheme):
            points = (filled(which, {"buffer": buffer}) for buffer in effort.buffers)
            yield from (
                f"[{name}]: the paper has no point `{p}`"
                for p in points
                if p not in found.paper.points
            )


def spots(found: Campaign, effort: Effort) -> list[Spot]:
    """Every pair of an effort."""
    pairs: Sequence[tuple[str, str] | None] = effort.rtts or [None]
    return [
        Spot(buffer, rtt, found.point(found.baseline, buffer), found.point(found.scheme, buffer))
        for rtt in pairs
        for buffer in effort.buffers
    ]
