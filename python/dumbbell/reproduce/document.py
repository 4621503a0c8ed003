"""The document of a reproduction, `report.json`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NotRequired, TypedDict

from ..present import stats
from .entries import Assumption

Ends = list[float] | None
"""Both ends of an interval; None if there is none."""


class Effect(TypedDict):
    """The difference of a cell from its baseline: the printed one, and ours."""

    baseline: str | None
    published: float
    value: float
    ci95: Ends


class CellRow(TypedDict):
    """A printed number beside ours, over n runs; a fitted one has no verdict."""

    id: str
    what: str
    published: float
    decimals: int
    value: float | None
    ci95: Ends
    pi95: Ends
    n: int
    unit: str
    fitted: bool
    verdict: str | None
    missing: NotRequired[str]
    point: NotRequired[str]
    fingerprint: NotRequired[str]
    effect: NotRequired[Effect]


class EvidenceRow(TypedDict):
    """A number behind a claim; `at` says the point if there are several. Not finite: None."""

    at: NotRequired[float]
    mean: float | None
    ci95: Ends
    n: int


class Evidence(TypedDict, total=False):
    """A claim's predicates by the verdict that they give, and the numbers behind them; or what is
    missing for a verdict."""

    rules: dict[str, str]
    numbers: dict[str, list[EvidenceRow]]
    not_measured: list[str]
    missing: str


class ClaimRow(TypedDict):
    """A claim with its verdict."""

    id: str
    text: str
    verdict: str
    evidence: Evidence


class PredictionRow(TypedDict):
    """The relative errors of a row of cells, and their root mean square."""

    id: str
    what: str
    relative_errors: dict[str, float]
    rms: float | None


class AssumptionRow(TypedDict):
    """What a paper does not print, and what was taken for it."""

    id: str
    what: str
    value: str
    chosen_by: str


class PointRow(TypedDict):
    """A point that was run."""

    id: str
    scenario: str
    overrides: list[str]
    scheme: bool
    fingerprint: str
    valid: bool
    n: int
    seeds: list[int]
    duration_s: float


class TableRow(TypedDict):
    """A table beside a figure."""

    header: list[str]
    rows: list[list[str]]


class FigureRow(TypedDict):
    """A figure's caption and table, or what is missing for it."""

    id: str
    caption: str
    table: NotRequired[TableRow]
    verdict: NotRequired[str]
    missing: NotRequired[str]


class Signed(TypedDict):
    """The effect at a point, and its sign: `0` where the interval holds 0."""

    at: float
    mean: float
    ci95: list[float]
    sign: str
    n: int


class ReadCell(TypedDict):
    """A printed number under a reading."""

    value: float | None
    ci95: Ends
    pi95: Ends
    verdict: str | None


class ReadingRow(TypedDict):
    """A reading: the effect that it is compared by, and the verdicts under it."""

    id: str
    choice: str
    what: str
    about: str
    changes: list[str]
    scheme_changes: list[str]
    effect: list[Signed]
    unit: str
    holds: int
    of: int
    show: dict[str, float | None]
    fit_error: float | None
    verdict: str
    valid: bool
    tagged: NotRequired[dict[str, list[str]]]
    claims: NotRequired[dict[str, str]]
    cells: NotRequired[dict[str, ReadCell]]
    sign_changes: NotRequired[bool]
    verdict_changes: NotRequired[bool]


class Mean(TypedDict):
    """A mean with its 95 % interval."""

    mean: float
    ci95: Ends


class Sample(Mean):
    """A mean over `values`, with its interval."""

    values: list[float]


class ComparedRow(Mean):
    """A measurement of a variant, and its difference from the variant that it is compared with."""

    label: str
    difference: NotRequired[Mean]
    sign: NotRequired[str]


class VariantRow(TypedDict):
    """A variant of the scheme at a point."""

    id: str
    what: str
    changes: list[str]
    against: str
    n: int
    valid: bool
    fingerprint: str
    locked_out: int
    gain: ComparedRow
    measures: list[ComparedRow]


class SeedPair(TypedDict):
    """The fingerprints of a variant and of its model."""

    seed: int
    ours: str
    model: str


class EqualRow(TypedDict):
    """A variant that is to equal another; `equal` is None if it was not run."""

    id: str
    what: str
    changes: list[str]
    equals: str
    equal: bool | None
    seeds: list[SeedPair]
    reason: NotRequired[str]


class HardwarePoint(TypedDict):
    """Every variant at a point."""

    point: str
    baseline: str
    rows: list[VariantRow]
    equal: list[EqualRow]
    valid: bool


class HardwareReport(TypedDict):
    """The cost of fixed point."""

    points: list[HardwarePoint]
    conclusion: list[str]
    valid: bool


class PerturbationRow(TypedDict):
    """An error that a simulator might have, and how many of the points it changes."""

    id: str
    what: str
    scale: dict[str, float]
    controls: dict[str, str]
    set: list[str]
    points_changed: int
    points: int


class PowerRow(TypedDict):
    """A verdict on a printed number (`cell`) or a claim, the verdicts `under` each perturbation,
    and which of these are not the same. `power` is `some`, `none` or `unsteady` (other seeds alone
    give another verdict), and None if the verdict is not *reproduced*."""

    kind: str
    id: str
    verdict: str
    power: str | None
    caught: list[str]
    other_seeds: str
    under: dict[str, str]


class PowerReport(TypedDict):
    """What each verdict would have noticed, from `n` runs of each point with these overrides."""

    n: int
    overrides: list[str]
    perturbations: list[PerturbationRow]
    rows: list[PowerRow]
    conclusion: list[str]
    valid: bool


class Report(TypedDict):
    """The whole; `publish` adds the path of the page."""

    paper: str
    title: str
    valid: bool
    altered: list[str]
    quick: bool
    finding: list[str]
    cells: list[CellRow]
    claims: list[ClaimRow]
    predictions: list[PredictionRow]
    readings: list[ReadingRow]
    readings_conclusion: list[str]
    hardware: HardwareReport | None
    power: PowerReport | None
    assumptions: list[AssumptionRow]
    points: list[PointRow]
    version: str
    wall_s: float
    figures: list[FigureRow]
    report: NotRequired[str]


def sample(values: Sequence[float]) -> Sample:
    """The mean of these values with its interval."""
    return {"mean": stats.mean(values), "ci95": ends(stats.ci95(values)), "values": list(values)}


def ends(interval: Sequence[float] | None) -> Ends:
    """An interval as JSON has it."""
    return None if interval is None else list(interval)


def assumption_rows(assumptions: Iterable[Assumption]) -> list[AssumptionRow]:
    """The assumptions of a paper."""
    return [
        {"id": a.id, "what": a.what, "value": a.value, "chosen_by": a.chosen_by}
        for a in assumptions
    ]
