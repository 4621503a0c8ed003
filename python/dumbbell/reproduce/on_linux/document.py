"""The document of a reproduction on user-mode Linux, `report.json`."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from ..document import AssumptionRow, CellRow, ClaimRow, EvidenceRow, PointRow


class BesideCell(CellRow):
    """A printed number on Linux, and the simulator's from as many runs with the same seeds."""

    simulated: CellRow | None


class BesideClaim(ClaimRow):
    """A claim on Linux, and the simulator's verdict."""

    simulated: ClaimRow


class NotRun(TypedDict):
    """Points that the kernel did not run, and the first reason."""

    points: list[str]
    reason: str


class NumberRow(TypedDict):
    """A number of the claims in both places, at the points that both measured."""

    id: str
    linux: list[EvidenceRow]
    simulated: list[EvidenceRow]


class LinuxReport(TypedDict):
    """The whole; `publish` adds the path of the page."""

    paper: str
    title: str
    on: str
    kernel: str
    valid: bool
    altered: list[str]
    quick: bool
    replications: int
    finding: list[str]
    cells: list[BesideCell]
    claims: list[BesideClaim]
    not_run: list[NotRun]
    numbers: list[NumberRow]
    assumptions: list[AssumptionRow]
    points: list[PointRow]
    version: str
    wall_s: float
    report: NotRequired[str]
