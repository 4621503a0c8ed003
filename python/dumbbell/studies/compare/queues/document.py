"""The document of a comparison, `results.json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict, cast

from ...frame.design import Row, Scenario
from ...frame.paired import Cell, Difference
from ...frame.runs import Whole
from .metrics import MetricRow


class SchemeRow(TypedDict):
    """A scheme with every parameter of the first condition, defaults too."""

    name: str
    kind: str
    parameters: Mapping[str, object]
    capacity: object


class ConditionRow(TypedDict):
    """A condition; `over` is what makes it."""

    number: int
    label: str
    over_label: str
    cc: str | None
    over: Row


class Verdict(TypedDict):
    """The scheme that is best by a metric in a condition, or those that tie; the scheme with the
    second best mean, and the leader's value less that one's. Both are None if fewer than two
    schemes have values."""

    condition: NotRequired[int]
    metric: str
    best: str | None
    tied: list[str]
    runner_up: str | None
    difference: Difference | None


class PointRow(TypedDict):
    """A scheme in a condition. It also has each metric's mean by its key: `measured`."""

    scheme: str
    condition: int
    cc: str | None
    over: Row
    seeds: list[int]
    valid: bool
    fingerprint: str | None
    error: NotRequired[Mapping[str, object]]
    by_seed: Mapping[str, list[float]]
    versus: Mapping[str, Difference | None] | None


def measured(row: PointRow, key: str) -> Cell | None:
    """The mean of a metric; None if there is none."""
    return cast(Mapping[str, Cell | None], row).get(key)


class Facts(Whole):
    """All that is known, without the sentences."""

    scenario_name: str
    title: str | None
    queue: str
    schemes: list[SchemeRow]
    baseline: str
    conditions: list[ConditionRow]
    metrics: list[MetricRow]
    seeds: list[int]
    duration_s: float | None
    warmup_s: float | None
    flows: int
    rows: list[PointRow]
    best: list[Verdict]
    notes: list[str]
    scenario: Scenario


class Document(Facts):
    """The whole; its first sentence is the finding."""

    finding: list[str]
