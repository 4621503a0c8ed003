"""The drop probability of RED over the average queue, as its configuration says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import catalogue
from ..errors import ScenarioError
from . import style
from .style import Figure, lettering, palette


@dataclass(frozen=True, slots=True)
class Red:
    """RED's curve: thresholds in packets, max_p, and whether it is gentle (Floyd and Jacobson 1993;
    Floyd 2000)."""

    min_th: float
    max_th: float
    max_p: float
    gentle: bool = False

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Red:
        """From an algorithm's parameters as written in a scenario; RED's defaults for the others.
        `ScenarioError` if the thresholds are not packets, or not in order."""
        (red,) = catalogue.find("red")
        values = {p.name: p.default for p in red.parameters} | dict(parameters)
        if str(values.get("auto_th")).lower() == "true":
            raise ScenarioError(
                "with auto_th the thresholds depend on a link, which a curve does not have: draw "
                "the curve of a run, or write min_th and max_th"
            )
        curve = cls(
            min_th=_packets(values, "min_th"),
            max_th=_packets(values, "max_th"),
            max_p=float(values["max_p"]),
            gentle=str(values["gentle"]).lower() == "true",
        )
        if not 0 <= curve.min_th < curve.max_th:
            raise ScenarioError(
                f"min_th ({curve.min_th:g} pkt) must be below max_th ({curve.max_th:g} pkt)"
            )
        return curve

    def __call__(self, avg: float) -> float:
        """The probability p_b with which an arrival is signaled at this average queue."""
        if avg < self.min_th:
            return 0.0
        if avg < self.max_th:
            return self.max_p * (avg - self.min_th) / (self.max_th - self.min_th)
        if self.gentle and avg < 2 * self.max_th:
            return self.max_p + (1 - self.max_p) * (avg - self.max_th) / self.max_th
        return 1.0

    @property
    def corners(self) -> list[float]:
        """Averages at which the curve bends or jumps, from 0 to beyond the last."""
        last = 2 * self.max_th if self.gentle else self.max_th
        return [0.0, self.min_th, self.max_th, *([last] if self.gentle else []), 1.25 * last]


def _packets(values: Mapping[str, Any], key: str) -> float:
    match = re.fullmatch(r"\s*([0-9.]+)\s*(?:pkts?|packets?)\s*", str(values[key]))
    if match is None:
        raise ScenarioError(f"{key} = {values[key]!r}: a curve needs packets, as in {key}='5 pkt'")
    return float(match[1])


def drop_probability(curves: Sequence[tuple[str, Red]], title: str = "") -> Figure:
    """p_b over the average queue. The right panel shows the random region, which the scale of 1
    would hide."""
    figure, (whole, detail) = style.new(1, 2, size=(8.6, 3.4))
    for i, (label, red) in enumerate(curves):
        look = palette.nth(i)
        xs = [x for corner in red.corners[1:] for x in (corner - 1e-9, corner)]
        xs = [0.0, *xs]
        ys = [red(x) for x in xs]
        whole.plot(xs, ys, label=label, **look.trace() | {"linewidth": 1.8})
        detail.plot(xs, ys, label=label, **look.trace() | {"linewidth": 1.8})
    highest = max(red.max_p for _, red in curves)
    detail.set_ylim(0, 1.35 * highest)
    for axes in (whole, detail):
        axes.set(xlabel="average queue [packets]", ylabel="drop probability p_b")
        axes.set_xlim(left=0)
    whole.set_ylim(0, 1.05)
    pad = 22 if len(curves) > 1 else 6
    whole.set_title("whole range", loc="left", pad=pad)
    detail.set_title("random region", loc="left", pad=pad)
    if len(curves) > 1:
        lettering.legend(whole)
    if title:
        figure.suptitle(title, x=0.01, ha="left")
    return figure
