"""A measured value with its confidence interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..present import stats


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured value: the mean of `n` runs with its 95 % confidence interval (Student's t), or a
    single value without an interval."""

    value: float
    ci95: tuple[float, float] | None = None
    n: int = 1

    @classmethod
    def of(cls, values: Sequence[float]) -> Measured:
        """The mean of independent runs. Raises `ValueError` for fewer than five: their spread would
        be too uncertain."""
        if len(values) < 5:
            raise ValueError(
                f"{len(values)} runs are too few for an interval; a check measures at least 5"
            )
        return cls(stats.mean(values), stats.ci95(values), len(values))
