"""The document of a survey, `results.json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict, cast

from ..frame.design import Scenario
from ..frame.paired import Cell
from ..frame.runs import Whole

Value = float | str
"""A value of an axis; text where it has no number."""


class Title(TypedDict):
    """A varied quantity or a measurement: its key in rows, its name, its unit (empty: none)."""

    key: str
    title: str
    unit: str


class ControlRow(TypedDict):
    """A control by its name in tables, with the catalogue's."""

    name: str
    kind: str


class SummaryRow(TypedDict):
    """A control. It also has what it is summed up to, by key: `measured`."""

    cc: str


class PointRow(SummaryRow):
    """A control at a condition. It also has the value of each axis (`place`) and each measurement
    (`measured`) by key."""

    by_seed: Mapping[str, list[float]]
    seeds: list[int]
    duration_s: float | None
    warmup_s: float | None
    valid: bool
    fingerprint: str | None
    error: NotRequired[Mapping[str, object]]


class Laws(TypedDict):
    """Shares of the link that the laws of Reno have at each loss; None without loss."""

    mathis: list[float | None]
    pftk: list[float | None]


class Facts(TypedDict, total=False):
    """Further numbers for sentences and figures."""

    against: str
    rate_bps: float
    rates_bps: list[float]
    rtt_s: float
    buffer: str
    queue: str
    flows: int
    best_bps: float
    laws: Laws


class Measured(Whole):
    """All that is known, without the sentences."""

    table: str
    title: str
    definition: list[str]
    controls: list[ControlRow]
    against: str | None
    axes: list[Title]
    metrics: list[Title]
    sums: list[Title]
    facts: Facts
    summary: list[SummaryRow]
    rows: list[PointRow]
    seeds: list[int]
    quick: bool
    notes: list[str]
    scenario: Scenario


class Document(Measured):
    """The whole; its first sentence is the finding."""

    finding: list[str]


def measured(row: SummaryRow, key: str) -> Cell | None:
    """A measurement of a row; None if there is none."""
    return cast(Mapping[str, Cell | None], row)[key]


def place(row: SummaryRow, axis: str) -> Value:
    """The value of an axis in a row."""
    return cast(Mapping[str, Value], row)[axis]


def means(document: Measured, key: str) -> list[float]:
    """The absolute means of a measurement in all rows that have it."""
    return [abs(cell["mean"]) for row in document["rows"] if (cell := measured(row, key))]


def known_sums(document: Measured, key: str) -> list[tuple[str, Cell]]:
    """The controls that have this sum, with it."""
    return [(row["cc"], cell) for row in document["summary"] if (cell := measured(row, key))]


def ranked(document: Measured, key: str) -> list[tuple[str, Cell]]:
    """The same by their means, the smallest first."""
    return sorted(known_sums(document, key), key=lambda pair: pair[1]["mean"])
