"""The axes of a sweep: which one goes along a figure, and which ones make its lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import ScenarioError
from ...present.points import Point, axes_of, axis_heads, value_text
from ...present.units import amount


@dataclass(frozen=True, slots=True)
class Axis:
    """A swept key with its head in tables, and its values in their order."""

    key: str
    head: str
    values: Sequence[str]
    numbers: Sequence[float] | None
    """The values as numbers with one unit; None if they are names or have several units."""
    unit: str = ""

    @property
    def label(self) -> str:
        """The label of an axis of a figure."""
        return f"{self.key} [{self.unit}]" if self.unit else self.key


def read(points: Sequence[Point]) -> list[Axis]:
    """The axes, in the order of the sweep."""
    keys = axes_of(points)
    return [_axis(key, head, points) for key, head in zip(keys, axis_heads(keys), strict=True)]


def _axis(key: str, head: str, points: Sequence[Point]) -> Axis:
    found = [point["overrides"].get(key) for point in points]
    values = list(dict.fromkeys(map(value_text, found)))
    try:
        amounts = [amount(value) for value in values]
    except ValueError:
        return Axis(key, head, values, None)
    units = {unit for _, unit in amounts}
    if len(units) > 1:
        return Axis(key, head, values, None)
    return Axis(key, head, values, [number for number, _ in amounts], *units)


def chosen(axes: Sequence[Axis], x: str | None, by: str | None) -> tuple[Axis, list[Axis]]:
    """The axis along a figure, and the others, `by` first. Without `x`: the axis of numbers with
    the most values, else the one with the most values. `ScenarioError` for an axis that the sweep
    does not have."""
    if not axes:
        raise ScenarioError("the sweep has a single point: there is no axis to draw along")
    first = _named(axes, "--by", by) if by is not None else None
    if x is not None:
        along = _named(axes, "--x", x)
    else:
        free = [axis for axis in axes if axis is not first] or list(axes)
        along = max(free, key=lambda axis: (axis.numbers is not None, len(axis.values)))
    if first is along:
        raise ScenarioError(f"--x and --by are both {along.key}: name two axes")
    rest = [axis for axis in axes if axis is not along and axis is not first]
    return along, [*([first] if first else []), *rest]


def _named(axes: Sequence[Axis], option: str, name: str) -> Axis:
    for axis in axes:
        if name in (axis.key, axis.head, axis.key.removesuffix(".kind")):
            return axis
    known = ", ".join(axis.key for axis in axes)
    raise ScenarioError(f"{option} {name}: the sweep has no such axis; it has {known}")
