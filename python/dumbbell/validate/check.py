"""A law with the measurement that must agree with it, and the rule by which it passes or fails."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..present.units import significant
from .measured import Measured

if TYPE_CHECKING:
    from .runner import Measurement

Verdict = Literal["pass", "fail"]


@dataclass(frozen=True, slots=True)
class Check:
    """A law and the measurement that must agree with it.

    id: stable, subject first, parts joined by dots: `mm1.rho-0.8.L`. law: one line with its source.
    expected: from `validate.laws`. tolerance: the law's own accuracy, as a fraction of `expected`,
    or in its unit if `absolute`; fixed before anything is measured. 0: exact. quick: True if
    `--quick` includes the check.
    """

    id: str
    law: str
    expected: float
    tolerance: float
    measure: Measurement
    unit: str = ""
    absolute: bool = False
    quick: bool = True

    def __post_init__(self) -> None:
        if not math.isfinite(self.expected) or not 0 <= self.tolerance < math.inf:
            raise ValueError(
                f"{self.id}: {self.expected} within {self.tolerance} is not a valid expectation"
            )
        if self.expected == 0 and self.tolerance > 0 and not self.absolute:
            raise ValueError(
                f"{self.id}: a relative tolerance needs an expectation other than 0; write "
                "`absolute=True`"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value that agree with the law."""
        width = self.tolerance if self.absolute else self.tolerance * abs(self.expected)
        return self.expected - width, self.expected + width

    @property
    def expected_text(self) -> str:
        """The expected value in words: `4 packets ± 2 %`, `37 packets, exact`."""
        text = f"{significant(self.expected, 6)} {self.unit}".strip()
        if self.tolerance == 0:
            return f"{text}, exact"
        width = self.tolerance if self.absolute else 100 * self.tolerance
        return f"{text} ± {width:.3g}{'' if self.absolute else ' %'}"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of a check. If it could not be measured, `measured` is None and `error` is the
    cause. seconds: the time that it took."""

    check: Check
    measured: Measured | None
    seconds: float
    error: str | None = None

    @property
    def verdict(self) -> Verdict:
        """`pass` if and only if the whole interval is within the bounds; NaN never is."""
        if self.measured is None:
            return "fail"
        low, high = self.check.bounds
        least, greatest = self.measured.ci95 or (self.measured.value, self.measured.value)
        return "pass" if low <= least and greatest <= high else "fail"

    def as_dict(self) -> dict[str, Any]:
        """The result for the JSON report; numbers that are not finite are null."""
        measured = self.measured
        ci95 = measured.ci95 if measured else None
        return {
            "id": self.check.id,
            "law": self.check.law,
            "expected": self.check.expected,
            "measured": _finite(measured.value) if measured else None,
            "ci95": [_finite(x) for x in ci95] if ci95 else None,
            "tolerance": self.check.tolerance,
            "verdict": self.verdict,
            "unit": self.check.unit,
            "bounds": list(self.check.bounds),
            "n": measured.n if measured else 0,
            "seconds": round(self.seconds, 3),
            "error": self.error,
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
