"""The reverse path of acknowledgments: how far apart the receiver sent them and the sender got
them, and when they came. When they come closer than they were sent, it is ACK compression: L.
Zhang, S. Shenker, D. D. Clark, "Observations on the dynamics of a congestion control algorithm",
SIGCOMM 1991."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ScenarioError
from . import style
from .recorded_run import Source, View
from .style import Figure

if TYPE_CHECKING:
    import numpy.typing as npt

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
    """Data of each flow in view, of the acknowledgments that the receiver sent in view."""
    rows = view.cut(source.need("acks", _COLUMNS), "sent_ps", _PS)
    found = []
    for place, name, mine in source.chosen(rows, view):
        arrived = mine.filter(mine["arrived_ps"].is_not_null()).sort(
            "arrived_ps", maintain_order=True
        )
        pairs = arrived.filter(arrived["pair_spacing_receiver_us"].is_not_null())
        dropped = mine["dropped_ps"].drop_nulls().to_numpy().astype(np.float64) * _PS
        found.append(
            Spacings(
                flow=name,
                place=place,
                receiver_us=pairs["pair_spacing_receiver_us"].to_numpy(),
                sender_us=pairs["spacing_sender_us"].to_numpy(),
                arrived_s=arrived["arrived_ps"].to_numpy().astype(np.float64) * _PS,
                acked_bytes=np.cumsum(arrived["newly_acked_bytes"].to_numpy().astype(np.float64)),
                dropped_s=dropped,
            )
        )
    if not any(len(s.arrived_s) for s in found):
        raise ScenarioError(
            f"{source.directory}: no acknowledgment arrived in this part of the run"
        )
    return found


def acks(source: Source, view: View) -> Figure:
    """Left the spacing at the sender by that at the receiver: below the lower line an
    acknowledgment is compressed, above the upper one stretched. Right what was acknowledged over
    time, and where acknowledgments were lost."""
    found = spacings(source, view)
    figure, (ends, time) = style.new(1, 2, size=(9.6, 4.0))
    _pairs(ends, found)
    for s in found:
        look = style.nth(s.place)
        time.plot(
            s.arrived_s, s.acked_bytes / 1e6, drawstyle="steps-post", **look.trace(), label=s.flow
        )
        if len(s.dropped_s):
            behind = (
                np.interp(s.dropped_s, s.arrived_s, s.acked_bytes)
                if len(s.arrived_s)
                else 0 * s.dropped_s
            )
            time.plot(
                s.dropped_s,
                behind / 1e6,
                linestyle="none",
                marker="x",
                color=style.BLACK,
                markersize=4,
            )
    if any(len(s.dropped_s) for s in found):
        time.plot([], [], linestyle="none", marker="x", color=style.BLACK, label="one was lost")
    time.set(xlabel="time [s]", ylabel="acknowledged [MB]")
    style.legend(time)
    return figure


def _pairs(axes: Any, found: list[Spacings]) -> None:
    """The scatter, with the lines between which spacing counts as kept."""
    for s in found:
        look = style.nth(s.place)
        there, here = np.maximum(s.receiver_us, _LEAST_US), np.maximum(s.sender_us, _LEAST_US)
        # Thousands of points are a picture, not thousands of shapes.
        axes.plot(
            there,
            here,
            linestyle="none",
            marker=look.marker,
            markersize=2.5,
            alpha=0.35,
            color=look.color,
            markeredgewidth=0,
            rasterized=len(there) > 2000,
            label=s.flow,
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
        style.label(axes, middle, factor * middle, text, "#555555", place)
    axes.set(xlim=ends, ylim=ends)
    style.legend(axes)


__all__ = ["Spacings", "acks", "spacings"]
