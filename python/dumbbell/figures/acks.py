"""The reverse path of acknowledgments: how far apart the receiver sent them and the sender got
them, and when they came. When they come closer than they were sent, it is ACK compression: L.
Zhang, S. Shenker, D. D. Clark, "Observations on the dynamics of a congestion control algorithm",
SIGCOMM 1991."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from ..errors import ScenarioError
from . import crowd, style
from .crowd import Member
from .recorded_run import Source, View
from .style import Figure, lettering, palette

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars

    Array = npt.NDArray[np.float64]

_PS = 1e-12
_COLUMNS = (
    "sent_ps",
    "arrived_ps",
    "dropped_ps",
    "newly_acked_bytes",
    "spacing_sender_us",
    "pair_spacing_receiver_us",
)
_LEAST_US = 0.1
"""Less than this is drawn as this: two that left at one instant have no logarithm."""


@dataclass(frozen=True, slots=True)
class Spacings:
    """Distances of a flow's neighboring acknowledgments at the sender, microseconds, and arrivals
    over time."""

    flow: str
    place: int
    receiver_us: Array
    """Distance of the two at the receiver."""
    sender_us: Array
    """Distance of the two at the sender."""
    arrived_s: Array
    acked_bytes: Array
    """Acknowledged in all, at each arrival, since the first in view."""
    dropped_s: Array


def spacings(source: Source, view: View) -> list[Spacings]:
    """Data of each flow in view (of more than eight flows, of all), of the acknowledgments that the
    receiver sent in view."""
    rows, members = _acks(source, view)
    drawn = {name: member.place for member in reversed(members) for name in member.names}
    found = [
        _spacings(name, drawn[name], rows.filter(rows["flow"] == name))
        for name in source.names(rows, view)
        if name in drawn
    ]
    if not any(len(s.arrived_s) for s in found):
        raise ScenarioError(f"{source}: no acknowledgment arrived in this part of the run")
    return found


def _acks(source: Source, view: View) -> tuple[polars.DataFrame, list[Member]]:
    """The acknowledgments that were sent in view, and what is drawn of their flows."""
    rows = view.cut(source.need("acks", _COLUMNS), "sent_ps", _PS)
    return rows, source.members(rows, view)


def _spacings(name: str, place: int, mine: polars.DataFrame) -> Spacings:
    arrived = mine.filter(mine["arrived_ps"].is_not_null()).sort("arrived_ps", maintain_order=True)
    pairs = arrived.filter(arrived["pair_spacing_receiver_us"].is_not_null())
    return Spacings(
        flow=name,
        place=place,
        receiver_us=pairs["pair_spacing_receiver_us"].to_numpy(),
        sender_us=pairs["spacing_sender_us"].to_numpy(),
        arrived_s=arrived["arrived_ps"].to_numpy().astype(np.float64) * _PS,
        acked_bytes=np.cumsum(arrived["newly_acked_bytes"].to_numpy().astype(np.float64)),
        dropped_s=mine["dropped_ps"].drop_nulls().to_numpy().astype(np.float64) * _PS,
    )


def acks(source: Source, view: View) -> Figure:
    """Left the spacing at the sender by that at the receiver: below the lower line an
    acknowledgment is compressed, above the upper one stretched. Right what was acknowledged over
    time, and where acknowledgments of flows were lost that have a line of their own."""
    by_flow = {s.flow: s for s in spacings(source, view)}
    members = _acks(source, view)[1]
    figure, (ends, time) = style.new(1, 2, size=(9.6, 4.0))
    _pairs(ends, [(m, [by_flow[name] for name in m.names]) for m in members])
    lost = False
    for member in members:
        found = [by_flow[name] for name in member.names]
        if member.grouped:
            arrived, counted = [s.arrived_s for s in found], [s.acked_bytes / 1e6 for s in found]
            crowd.band(time, member, *crowd.curves(arrived, counted))
        else:
            lost = _stairs(time, member, found[0]) or lost
    if lost:
        time.plot([], [], linestyle="none", marker="x", color=palette.BLACK, label="one was lost")
    time.set(xlabel="time [s]", ylabel="acknowledged [MB]")
    lettering.legend(time)
    lettering.head(figure, crowd.note(members))
    return figure


def _stairs(axes: Any, member: Member, s: Spacings) -> bool:
    """What a flow had acknowledged over time. True if some of its acknowledgments were lost."""
    name, counted = lettering.short(member.label), s.acked_bytes / 1e6
    axes.plot(s.arrived_s, counted, drawstyle="steps-post", label=name, **member.look.trace())
    if not len(s.dropped_s):
        return False
    at = np.interp(s.dropped_s, s.arrived_s, counted) if len(counted) else 0 * s.dropped_s
    cross: dict[str, Any] = {"linestyle": "none", "marker": "x", "markersize": 4}
    axes.plot(s.dropped_s, at, color=palette.BLACK, **cross)
    return True


def _pairs(axes: Any, found: list[tuple[Member, list[Spacings]]]) -> None:
    """The scatter, with the lines between which spacing counts as kept."""
    for member, flows in found:
        there = np.maximum(np.concatenate([s.receiver_us for s in flows]), _LEAST_US)
        here = np.maximum(np.concatenate([s.sender_us for s in flows]), _LEAST_US)
        # Thousands of points are a picture, not thousands of shapes.
        axes.plot(
            there,
            here,
            linestyle="none",
            marker=member.look.marker,
            markersize=2.5,
            alpha=0.35,
            color=member.look.color,
            markeredgewidth=0,
            rasterized=len(there) > 2000,
            label=lettering.short(member.label),
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="spacing at the receiver [us]",
        ylabel="spacing at the sender [us]",
    )
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    ends = np.array([min(left, low), max(right, high)])
    for factor, text in ((2.0, "stretched"), (0.5, "compressed")):
        axes.plot(ends, factor * ends, color="#777777", linewidth=0.9, linestyle=(0, (3, 2)))
        middle = float(np.sqrt(ends[0] * ends[1]))
        above = factor > 1
        place = (0, 5) if above else (0, -11)
        lettering.label(axes, middle, factor * middle, text, "#555555", place)
    axes.set(xlim=ends, ylim=ends)
    if ends[1] < 100 * ends[0]:  # Powers of ten would name one place or two.
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 3)))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_formatter(NullFormatter())
    lettering.legend(axes)


__all__ = ["Spacings", "acks", "spacings"]
