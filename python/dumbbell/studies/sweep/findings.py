"""What a sweep found, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...data import best
from ...data.metrics import Metric
from ...data.paired_seeds import BySeed
from ...present import stats
from ...present.grids import unit_of
from ...present.points import Point, axes_of, axis_heads, by_seed, value_text
from ...present.units import significant

_MOST = 3
"""Sentences, the one on the size included."""


def sentences(points: Sequence[Point], chosen: Sequence[Metric]) -> list[str]:
    """How many points have a result; then between which points the first metrics lie, and whether
    the seeds tell the best one from the others."""
    known = [point for point in points if any(by_seed(metric, point) for metric in chosen)]
    size = f"{len(points)} point{'s' if len(points) != 1 else ''} of the sweep"
    if len(known) < len(points):
        return [
            f"{len(known)} of {size} have a result.",
            *_ranges(points, chosen)[: _MOST - 1],
        ]
    found = _ranges(points, chosen)[:_MOST]
    return found or [f"The {size} have no numbers to compare."]


def _ranges(points: Sequence[Point], chosen: Sequence[Metric]) -> list[str]:
    return [text for metric in chosen if (text := _range(points, metric))]


def _range(points: Sequence[Point], metric: Metric) -> str:
    """Between which points a metric lies; empty with fewer than two that have it."""
    values = {i: of for i, point in enumerate(points) if (of := by_seed(metric, point))}
    means = {i: stats.mean(list(of.values())) for i, of in values.items()}
    if len(means) < 2:
        return ""
    low, high = min(means, key=lambda i: means[i]), max(means, key=lambda i: means[i])
    scale, unit = unit_of(metric.unit, abs(means[high]))
    texts = [f"{significant(means[i] * scale, 3)} {unit}".strip() for i in (low, high)]
    name = metric.title[0].upper() + metric.title[1:]
    if texts[0] == texts[1]:
        return f"{name} is {texts[0]} at every point."
    text = f"{name} is between {texts[0]} ({_place(points, low)}) and {texts[1]} "
    return f"{text}({_place(points, high)}).{_standing(points, metric, values)}"


def _standing(points: Sequence[Point], metric: Metric, values: Mapping[int, BySeed]) -> str:
    """Whether one point is better than every other, by pairs of the same seeds."""
    if metric.better is None or sum(len(one) > 1 for one in values.values()) < 2:
        return ""
    found = best.standing(values, metric.sign, metric.resolution)
    if found.best is not None:
        return f" The best is {_place(points, found.best)}, beyond the spread of the seeds."
    return f" {len(found.tied)} of {len(values)} points tie for the best."


def _place(points: Sequence[Point], i: int) -> str:
    """A point by the values of its axes, without its number."""
    axes = axes_of(points)
    heads = axis_heads(axes)
    at = points[i]["overrides"]
    return (
        ", ".join(
            f"{head} {value_text(at.get(axis))}" for axis, head in zip(axes, heads, strict=True)
        )
        or f"point {i + 1}"
    )
