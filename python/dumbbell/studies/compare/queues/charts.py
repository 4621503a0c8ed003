"""The charts of a comparison's figures, from the same scaled metrics that these are drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....figures.style.chart import Axis, Chart, Line, Scale
from ....figures.style.palette import Look
from ...frame.drawing import is_log
from .document import ConditionRow
from .scaled import Scaled, Spot

_ARROWS = {"higher": "↑", "lower": "↓"}


def tradeoff(
    condition: ConditionRow, drawn: Mapping[str, Look], goodput: Scaled, delay: Scaled
) -> Chart:
    """Goodput over delay in a condition, a point for each scheme."""
    lines = [
        _marks(name, look, [(delay.spots[at].mean, goodput.spots[at])])
        for name, look in drawn.items()
        if (at := (name, condition["number"])) in goodput.spots and at in delay.spots
    ]
    scale: Scale = "log" if is_log(delay.values()) else "linear"
    axis = Axis("p99 queueing delay (less is better)", delay.unit, scale)
    label = condition["label"]
    return Chart(f"Goodput over delay{': ' if label else ''}{label}", goodput.unit, axis, lines)


def over_conditions(
    row: Scaled,
    conditions: Sequence[ConditionRow],
    labels: Sequence[str],
    drawn: Mapping[str, Look],
    cc: str | None,
) -> Chart:
    """A metric over these conditions, a line of marks for each scheme."""
    numbers = [condition["number"] for condition in conditions]
    lines = [
        _marks(
            name,
            look,
            [
                (float(place), row.spots[name, number])
                for place, number in enumerate(numbers)
                if (name, number) in row.spots
            ],
        )
        for name, look in drawn.items()
    ]
    metric = row.metric
    title = f"{metric.title} {_ARROWS.get(metric.better or '', '')}".strip()
    log = metric.unit == "s" and is_log(row.values())
    axis = Axis(
        "condition" if any(labels) else "", "", "names", [label or "all" for label in labels]
    )
    return Chart(f"{title}, {cc}" if cc else title, row.unit, axis, lines, log=log)


def _marks(name: str, look: Look, spots: Sequence[tuple[float, Spot]]) -> Line:
    return Line(
        name,
        [x for x, _ in spots],
        [spot.mean for _, spot in spots],
        look,
        low=[spot.low for _, spot in spots],
        high=[spot.high for _, spot in spots],
        shape="marks",
    )
