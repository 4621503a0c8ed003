"""A metric of all rows of a comparison in the unit that it is drawn in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....present.grids import unit_of
from .document import Document, measured
from .metrics import Metric


@dataclass(frozen=True, slots=True)
class Spot:
    """A scheme in a condition: mean, the ends of its 95 % interval (the mean, if there is none),
    single seeds."""

    mean: float
    low: float
    high: float
    seeds: Sequence[float]

    def arms(self) -> list[list[float]]:
        """The interval as lengths below and above the mean, as matplotlib wants it. Nothing here is
        negative, and an axis may be logarithmic: it ends at half the least seed."""
        least = max(self.low, min([*self.seeds, self.mean]) / 2)
        return [[max(self.mean - least, 0.0)], [max(self.high - self.mean, 0.0)]]


@dataclass(frozen=True, slots=True)
class Scaled:
    """A metric of all rows in the unit that it is drawn in: its spots by scheme and condition's
    number."""

    metric: Metric
    unit: str
    spots: Mapping[tuple[str, int], Spot]

    def values(self) -> list[float]:
        """Means and single seeds."""
        return [value for s in self.spots.values() for value in (*s.seeds, s.mean)]


def scaled(document: Document, metric: Metric, relative: bool = False) -> Scaled:
    """A metric of all rows that have it. `relative`: in % of the best mean of its condition."""
    rows = [(row, cell) for row in document["rows"] if (cell := measured(row, metric.key))]
    scale, unit = unit_of(metric.unit, max((abs(cell["mean"]) for _, cell in rows), default=0.0))
    best: dict[int, float] = {}
    for row, cell in rows:
        best[row["condition"]] = max(best.get(row["condition"], 0.0), cell["mean"])
    spots = {}
    for row, cell in rows:
        by = 100 / (best[row["condition"]] or 1.0) if relative else scale
        low, high = cell["ci95"] or (cell["mean"],) * 2
        seeds = [value * by for value in row["by_seed"][metric.key]]
        place = row["scheme"], row["condition"]
        spots[place] = Spot(cell["mean"] * by, low * by, high * by, seeds)
    return Scaled(metric, "% of the best" if relative else unit, spots)
