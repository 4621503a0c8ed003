"""A measured value with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..present import stats


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured value: of several runs the mean with its 95 % interval (Student's t), else the
    value alone."""

    value: float
    ci95: tuple[float, float] | None = None
    n: int = 1

    @classmethod
    def of(cls, values: Sequence[float]) -> Measured:
        """The mean of independent runs, at least five of them: fewer say too little about their own
        spread."""
        if len(values) < 5:
            raise ValueError(
                f"{len(values)} runs are too few for an interval; a check measures at least 5"
            )
        return cls(stats.mean(values), stats.ci95(values), len(values))
