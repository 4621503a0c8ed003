"""Many flows or queues in one figure: up to eight are drawn one by one, more as groups, each by its
median and the band from the 10th to the 90th percentile."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .style import lettering, palette

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars

    Array = npt.NDArray[np.float64]

MOST = 8
"""Flows that are drawn one by one, and groups of more."""
_OF_TEMPLATE = re.compile(r"(.+)\.\d+")
_UNNAMED = re.compile(r"flow\d+")
_BAND = (0.10, 0.50, 0.90)


@dataclass(frozen=True, slots=True)
class Member:
    """One flow of a figure, or a group of flows that are drawn together."""

    label: str
    names: tuple[str, ...]
    place: int
    """Its look is `palette.nth(place)`."""
    grouped: bool = False

    @property
    def look(self) -> palette.Look:
        """Color, marker and dash."""
        return palette.nth(self.place)

    def rows(self, frame: polars.DataFrame, column: str) -> polars.DataFrame:
        """The rows of a frame that are about it."""
        return frame.filter(frame[column].is_in(self.names))


def members(
    names: Sequence[str],
    wanted: Sequence[str] = (),
    controls: Callable[[], Mapping[str, str]] = dict,
    noun: str = "flows",
) -> list[Member]:
    """The flows or queues of a figure, in the scenario's order `names`.

    Of up to eight, those `wanted` (all if empty). Of more, their groups, and after them those
    wanted one by one. Groups are the named templates of the scenario (`bulk.1`, `bulk.2`, ...);
    where there are others, or more than eight templates, the congestion controls (`controls`, by
    name), and if these are more than eight, everything together.
    """
    if len(names) <= MOST:
        return [
            Member(name, (name,), i) for i, name in enumerate(names) if not wanted or name in wanted
        ]
    found = [
        Member(f"{label}, {len(of)} {noun}", tuple(of), i, grouped=True)
        for i, (label, of) in enumerate(_groups(names, controls).items())
    ]
    single = [name for name in names if name in wanted]
    return found + [Member(name, (name,), len(found) + i) for i, name in enumerate(single)]


def _groups(
    names: Sequence[str], controls: Callable[[], Mapping[str, str]]
) -> dict[str, list[str]]:
    templates = [_template(name) for name in names]
    counted = Counter(templates)
    if len(counted) <= MOST and None not in counted and min(counted.values()) > 1:
        return _by(names, [str(one) for one in templates])
    known = controls()
    kinds = [known.get(name, "others") for name in names]
    if 1 < len(set(kinds)) <= MOST or set(kinds) <= set(known.values()):
        return _by(names, kinds)
    return {"all": list(names)}


def _template(name: str) -> str | None:
    """The template that a flow is of: `bulk` of `bulk.7`; None if it has no name of its own."""
    found = _OF_TEMPLATE.fullmatch(name)
    return None if found is None or _UNNAMED.fullmatch(found[1]) else found[1]


def _by(names: Sequence[str], keys: Sequence[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, key in zip(names, keys, strict=True):
        groups.setdefault(key, []).append(name)
    return groups


def note(of: Sequence[Member]) -> str:
    """What the title says of bands; empty without groups."""
    groups = [m for m in of if m.grouped]
    if not groups:
        return ""
    alone = len(of) == 1  # Without a legend.
    return (
        f"{lettering.short(groups[0].label)}: median and 10-90 %"
        if alone
        else "median and 10-90 % of each group"
    )


def lines(
    axes: Any,
    runs: Sequence[polars.DataFrame],
    key: str,
    column: str,
    members: Sequence[Member],
    scale: float = 1.0,
) -> list[tuple[Array, Array]]:
    """Draws a column of each member over time: of a single flow the first run, of a group the
    median and the band of all runs. key: the column of names. Returns what was drawn, a band by its
    upper edge."""
    drawn = []
    for member in members:
        if member.grouped:
            time, low, middle, high = percentiles([member.rows(r, key) for r in runs], column)
            band(axes, member, time, low / scale, middle / scale, high / scale)
            drawn.append((time, high / scale))
        else:
            rows = member.rows(runs[0], key)
            time, values = (rows[c].to_numpy().astype(np.float64) for c in ("time_s", column))
            axes.plot(
                time, values / scale, label=lettering.short(member.label), **member.look.trace()
            )
            drawn.append((time, values / scale))
    return drawn


def percentiles(
    frames: Sequence[polars.DataFrame], column: str
) -> tuple[Array, Array, Array, Array]:
    """Instants, and the 10th, 50th and 90th percentile over the flows of a group at each."""
    import polars as pl

    value = pl.col(column).cast(pl.Float64)
    bands = (
        pl.concat([frame.select("time_s", column) for frame in frames])
        .group_by("time_s")
        .agg(*(value.quantile(q, "linear").alias(str(q)) for q in _BAND))
        .sort("time_s")
        .drop_nulls()
    )
    low, middle, high = (bands[str(q)].to_numpy() for q in _BAND)
    return bands["time_s"].to_numpy(), low, middle, high


def band(
    axes: Any,
    member: Member,
    time: Array,
    low: Array,
    middle: Array,
    high: Array,
    look: palette.Look | None = None,
) -> None:
    """A median with its band, in the member's look unless another is given."""
    look = look or member.look
    axes.plot(
        time, middle, label=lettering.short(member.label), **look.trace() | {"linewidth": 1.6}
    )
    axes.fill_between(time, low, high, color=look.color, alpha=0.2, linewidth=0)


def curves(times: Sequence[Array], values: Sequence[Array]) -> tuple[Array, Array, Array, Array]:
    """Instants, and the percentiles of several staircases at them: of counts that begin at 0."""
    ends = [float(t[-1]) for t in times if len(t)]
    grid = np.linspace(min((float(t[0]) for t in times if len(t)), default=0.0), max(ends), 400)
    there = []
    for t, v in zip(times, values, strict=True):
        at = np.searchsorted(t, grid, side="right") - 1
        there.append(np.where(at >= 0, v[np.maximum(at, 0)] if len(v) else 0.0, 0.0))
    low, middle, high = np.quantile(np.array(there), _BAND, axis=0)
    return grid, low, middle, high


__all__ = ["MOST", "Member", "band", "curves", "lines", "members", "note", "percentiles"]
