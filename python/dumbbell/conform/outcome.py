"""The outcome of a criterion: the number with its interval, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..present import stats
from ..present.units import significant
from .criterion import Criterion
from .sections import Section

Verdict = Literal["pass", "fail", "not applicable"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A criterion with what was measured, one value for each seed (`infinite` if nothing bounds it,
    NaN if the run has no such number); or with the reason why nothing was (`excuse`), or what went
    wrong (`error`)."""

    criterion: Criterion
    section: Section
    values: Sequence[float] = ()
    excuse: str | None = None
    error: str | None = None

    @property
    def value(self) -> float | None:
        """The mean over the seeds; None if nothing was measured or the mean is not finite."""
        return _finite(stats.mean(self.values)) if self.values else None

    @property
    def ci95(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean (Student's t)."""
        if len(self.values) < 2 or not all(map(math.isfinite, self.values)):
            return None
        ends = stats.ci95(self.values)
        return ends

    @property
    def verdict(self) -> Verdict:
        """`pass` if and only if the whole interval is within the bounds."""
        if self.excuse is not None:
            return "not applicable"
        ends = self.ci95
        if self.error is not None or ends is None:
            return "fail"
        least, most = self.criterion.least, self.criterion.most
        low_enough = most is None or ends[1] <= most
        return "pass" if low_enough and (least is None or ends[0] >= least) else "fail"

    @property
    def value_text(self) -> str:
        """The number with its interval, or why there is none."""
        if self.excuse is not None:
            return self.excuse
        if self.error is not None:
            return self.error.splitlines()[0]
        if self.value is None:
            return "the runs do not have this number"
        text = significant(self.value, 4)
        if self.ci95:
            text += " ({} to {})".format(*(significant(end, 4) for end in self.ci95))
        return f"{text} {self.criterion.unit}".strip()

    def as_dict(self) -> dict[str, Any]:
        """The outcome for the JSON report."""
        one = self.criterion
        return {
            "id": one.id,
            "document": self.section.document.name,
            "section": self.section.number,
            "title": self.section.title,
            "quote": self.section.quote,
            "runs": one.runs,
            "criterion": one.text,
            "reason": one.why,
            "measured": self.value,
            "ci95": self.ci95,
            "n": len(self.values),
            "unit": one.unit,
            "at_least": one.least,
            "at_most": one.most,
            "against": one.against,
            "verdict": self.verdict,
            "why_not": self.excuse,
            "error": self.error,
            "scenario": one.id if one.scenario is not None else None,
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
