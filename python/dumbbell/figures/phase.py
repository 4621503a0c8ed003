"""Phase plots: the windows of two flows against each other, or a window against the queue."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import LineCollection

from ..errors import ScenarioError
from ..present import units
from . import style
from .recorded_run import Source, View
from .style import Figure

if TYPE_CHECKING:
    import polars

_MAP = "cividis"


def phase(source: Source, view: View) -> Figure:
    """The windows of the first two flows in view against each other (D.-M. Chiu, R. Jain, Computer
    Networks and ISDN Systems 17, 1989, figure 3), or of a single flow its window against the queue.
    Color is time, from the end of the warm-up unless the view says otherwise."""
    if view.from_s is None and source.plan is not None:
        # The slow start would hide all that follows.
        view = replace(view, from_s=units.seconds(str(source.plan.get("warmup", "0 s"))))
    flows = view.cut(source.need("flows", ("time_s", "flow", "cwnd_packets")))
    chosen = source.chosen(flows, view)
    if len(chosen) >= 2:
        (_, first, a), (_, second, b) = chosen[:2]
        both = a.select("time_s", x="cwnd_packets").join(
            b.select("time_s", y="cwnd_packets"), on="time_s"
        )
        return _draw(both, f"cwnd of {first} [packets]", f"cwnd of {second} [packets]", fair=True)
    _, name, flow = source.one_flow(flows, view)
    queues = view.cut(source.need("queues", ("time_s", "queue", "queue_packets")))
    if not queues.height:
        raise ScenarioError(
            f"{source.directory}: no queue was recorded to draw the window of {name} against"
        )
    queue = str(queues["queue"][0])
    lengths = queues.filter(queues["queue"] == queue).select("time_s", y="queue_packets")
    both = flow.select("time_s", x="cwnd_packets").join(lengths, on="time_s")
    return _draw(both, f"cwnd of {name} [packets]", f"queue at {queue} [packets]", fair=False)


def _draw(both: polars.DataFrame, x_label: str, y_label: str, fair: bool) -> Figure:
    both = both.drop_nulls().sort("time_s")
    if both.height < 2:
        raise ScenarioError(
            "there are no two instants to draw a line between: record more often, or widen --from "
            "and --to"
        )
    figure, axes = style.new(size=(5.4, 4.4))
    points = np.column_stack([both["x"].to_numpy(), both["y"].to_numpy()]).astype(float)
    line = LineCollection(
        list(np.stack([points[:-1], points[1:]], axis=1)), cmap=_MAP, linewidths=1.1, alpha=0.9
    )
    line.set_array(both["time_s"].to_numpy()[:-1])
    axes.add_collection(line)
    highest = points.max(axis=0) * 1.06 + 1e-9
    if fair:
        axes.set(xlim=(0, highest.max()), ylim=(0, highest.max()), aspect="equal")
        axes.plot(
            [0, highest.max()],
            [0, highest.max()],
            color="#777777",
            linewidth=1,
            linestyle=(0, (4, 2)),
        )
        at = 0.82 * highest.max()
        axes.annotate(
            "equal",
            (at, at),
            xytext=(5, -5),
            textcoords="offset points",
            rotation=45,
            ha="center",
            va="top",
            color="#555555",
        )
    else:
        axes.set(xlim=(0, highest[0]), ylim=(0, highest[1]))
    for place, marker, word, below in ((points[0], "o", "start", -15), (points[-1], "s", "end", 7)):
        axes.plot(
            *place, marker, color=style.BLACK, markerfacecolor="white", markersize=6, zorder=4
        )
        style.label(axes, float(place[0]), float(place[1]), word, offset=(5, below))
    axes.set(xlabel=x_label, ylabel=y_label)
    figure.colorbar(line, ax=axes, label="time [s]", shrink=0.85, pad=0.02)
    return figure
