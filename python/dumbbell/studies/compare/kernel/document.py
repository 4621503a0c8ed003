"""The document of a comparison with kernels, `results.json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from ...frame.design import Scenario
from ...frame.runs import Whole
from .agreement import Compared, Ratio, Side


class MeasureRow(Compared):
    """A measure: of which kind, of which flow or queue, its name and unit, and how it compares."""

    key: str
    kind: str
    of: str
    title: str
    unit: str


class After(Ratio):
    """A measure after an experiment."""

    sim: Side | None
    kernel: Side | None


class ExperimentRow(TypedDict):
    """An experiment on a difference."""

    measure: str
    side: str
    overrides: list[str]
    label: str
    before: Ratio
    after: After
    outcome: str


class CellRow(TypedDict):
    """A condition: every measure on both sides, and the experiments on those that differ."""

    label: str
    at: dict[str, str]
    overrides: list[str]
    sim_runs: int
    kernel_runs: int
    classes: list[str]
    measures: list[MeasureRow]
    experiments: list[ExperimentRow]


class NotValid(TypedDict):
    """A live run that was not valid, and was left out."""

    cell: str
    experiment: str | None
    seed: int | None
    reasons: list[str]


class Document(Whole):
    """The whole. on: whose kernel it was, `kernel` (this machine's, in real time) or `linux` (a
    user-mode kernel's, in virtual time)."""

    on: str
    scenario_name: str
    title: str | None
    profile: str
    profile_asked: str | None
    repeats: int
    seeds: list[int]
    not_valid: list[NotValid]
    tally: Mapping[str, int]
    cells: list[CellRow]
    notes: list[str]
    scenario: Scenario
