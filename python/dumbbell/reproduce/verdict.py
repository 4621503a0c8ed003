"""The rules of a verdict on one printed number. Pure functions; nothing here knows a paper.

They are the rules that `rules.md` beside each paper commits to before any run:

- *reproduced*: the printed value, widened by half its last digit, meets our 95 % prediction
  interval for one new run; that interval comes from at least 5 seeds and is no wider than +-25 % of
  the printed value.
- *in part*: the effect - the difference from the same cell of the table's baseline - has the
  printed sign and half to twice the printed size; without a baseline, our mean is within +-25 % of
  the printed value.
- *contradicted*: neither. *not testable*: a datum is missing, and is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..present import stats

REPRODUCED, IN_PART, CONTRADICTED, NOT_TESTABLE = (
    "reproduced",
    "in part",
    "contradicted",
    "not testable",
)
VERDICTS = (REPRODUCED, IN_PART, CONTRADICTED, NOT_TESTABLE)

MIN_SEEDS = 5
TOLERANCE = 0.25


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as a paper prints it, with the decimals of the print (negative: 1200 to hundreds is
    -2). cut: the print is not rounded but cut off, so that what it stands for lies within a whole
    digit above it."""

    value: float
    decimals: int
    cut: bool = False

    @property
    def half_digit(self) -> float:
        """Half of the last printed digit."""
        return 0.5 * 10.0**-self.decimals

    def meets(self, low: float, high: float) -> bool:
        """True if the print, widened by half its last digit, has a point in common with [low,
        high]."""
        below, above = (
            (0.0, 2 * self.half_digit) if self.cut else (self.half_digit, self.half_digit)
        )
        return self.value - below <= high and low <= self.value + above


def of_cell(
    printed: Printed,
    ours: Sequence[float],
    baseline: tuple[float, Sequence[float]] | None = None,
    gain: bool = False,
) -> str:
    """The verdict on a cell: `ours` is one value a seed, `baseline` is (printed, one value a seed).
    gain: the value is an effect in itself, and *in part* asks of it, too, the printed sign and half
    to twice the size."""
    if _is_reproduced(printed, ours):
        return REPRODUCED
    if baseline is None:
        near = abs(stats.mean(ours) - printed.value) <= TOLERANCE * abs(printed.value)
        return IN_PART if near else CONTRADICTED
    printed_effect = printed.value - baseline[0]
    alike = same_effect(printed_effect, effect(ours, baseline[1]))
    return (
        IN_PART
        if alike and (not gain or same_effect(printed.value, stats.mean(ours)))
        else CONTRADICTED
    )


def _is_reproduced(printed: Printed, ours: Sequence[float]) -> bool:
    ends = stats.pi95(ours)
    if ends is None or len(ours) < MIN_SEEDS:
        return False
    low, high = ends
    return printed.meets(low, high) and (high - low) / 2 <= TOLERANCE * abs(printed.value)


def differences(ours: Sequence[float], baseline: Sequence[float]) -> list[float]:
    """Run by run with the same seed, ours minus the baseline; none where seeds differ in number."""
    return (
        [a - b for a, b in zip(ours, baseline, strict=True)] if len(ours) == len(baseline) else []
    )


def effect(ours: Sequence[float], baseline: Sequence[float]) -> float:
    """The mean of the differences of runs with the same seed; of the means where seeds differ in
    number."""
    paired = differences(ours, baseline)
    return stats.mean(paired) if paired else stats.mean(ours) - stats.mean(baseline)


def same_effect(printed: float, ours: float) -> bool:
    """Same sign, and half to twice the size. A printed effect of exactly zero has no sign to
    share."""
    return printed != 0 and 0.5 <= ours / printed <= 2
