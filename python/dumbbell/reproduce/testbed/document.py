"""The document of a campaign on real kernels, `report.json`."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from ...process.machine import Machine
from ..document import AssumptionRow, CellRow, ClaimRow, Sample


class MeasureRow(TypedDict):
    """A measure under both schemes, and its differences in pairs."""

    title: str
    unit: str
    baseline: Sample
    scheme: Sample
    difference: Sample


Measures = dict[str, MeasureRow]
"""Measures by their keys; none if there are too few pairs."""


class Effect(TypedDict):
    """What a scheme changes, in how many pairs, and the verdict."""

    pairs: int
    verdict: str
    measures: Measures


class EffectRow(Effect):
    """The effect under one condition, on kernels or in the simulator (`where`)."""

    label: str
    buffer: int
    rtt: list[str] | None
    where: str


class EffortRow(TypedDict):
    """Repeats and durations."""

    repeats: int
    duration: str
    warmup: str
    budget_min: float


_Class = TypedDict("_Class", {"class": str | None})


class RunRow(_Class):
    """A run; it has measures if it has a result."""

    number: int
    at: float
    point: str
    label: str
    scheme: bool
    repeat: int
    attempt: int
    valid: bool
    reasons: list[str]
    lateness_p99_us: float | None
    rate_error: float | None
    mbps: NotRequired[float]
    share: NotRequired[float]
    total: NotRequired[float]
    queue: NotRequired[float]


class CampaignReport(TypedDict):
    """The whole; `publish` adds the path of the page."""

    paper: str
    title: str
    on: str
    valid: bool
    altered: list[str]
    quick: bool
    grid: bool
    cells: list[CellRow]
    claims: list[ClaimRow]
    assumptions: list[AssumptionRow]
    effects: list[EffectRow]
    effort: EffortRow
    runs: list[RunRow]
    not_valid: int
    machine: Machine
    version: str
    wall_s: float
    report: NotRequired[str]
