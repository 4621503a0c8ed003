"""Phase plots: the windows of two flows against each other, or a window against the queue."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import colormaps
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap

from ..errors import ScenarioError
from . import style
from .recorded_run import Source, View
from .style import Figure, lettering, palette

if TYPE_CHECKING:
    import polars

_MAP = colormaps["cividis"].resampled(256)(np.linspace(0.0, 0.87, 256))
"""Without the lightest colors, which a white page swallows."""


def phase(source: Source, view: View) -> Figure:
    """The windows of the first two flows in view against each other (D.-M. Chiu, R. Jain, Computer
    Networks and ISDN Systems 17, 1989, figure 3), or of a single flow its window against the queue.
    Color is time, from the end of the warm-up unless the view says otherwise."""
    if view.from_s is None:  # The slow start would hide all that follows.
        view = replace(view, from_s=source.warmup_s)
    flows = view.cut(source.need("flows", ("time_s", "flow", "cwnd_packets")))
    names = source.names(flows, view)
    chosen = [name for name in names if not view.flows or name in view.flows]
    if not chosen:
        raise ScenarioError(f"{source}: nothing was recorded of any flow")
    first, *others = chosen
    if others:
        second = others[0]
        a, b = (flows.filter(flows["flow"] == name) for name in (first, second))
        both = a.select("time_s", x="cwnd_packets").join(
            b.select("time_s", y="cwnd_packets"), on="time_s"
        )
        return _draw(both, _label(first), _label(second), fair=True)
    name, flow = first, flows.filter(flows["flow"] == first)
    queues = view.cut(source.need("queues", ("time_s", "queue", "queue_packets")))
    if not queues.height:
        raise ScenarioError(f"{source}: no queue was recorded to draw the window of {name} against")
    queue = str(queues["queue"][0])
    lengths = queues.filter(queues["queue"] == queue).select("time_s", y="queue_packets")
    both = flow.select("time_s", x="cwnd_packets").join(lengths, on="time_s")
    return _draw(both, _label(name), f"queue at {lettering.short(queue, 24)} [packets]", fair=False)


def _label(name: str) -> str:
    return f"cwnd of {lettering.short(name, 24)} [packets]"


def _draw(both: polars.DataFrame, x_label: str, y_label: str, fair: bool) -> Figure:
    both = both.drop_nulls().sort("time_s")
    if both.height < 2:
        raise ScenarioError(
            "a line needs at least two times: record more often, or widen --from and --to"
        )
    figure, axes = style.new(size=(5.4, 4.4))
    points = np.column_stack([both["x"].to_numpy(), both["y"].to_numpy()]).astype(float)
    line = LineCollection(
        list(np.stack([points[:-1], points[1:]], axis=1)),
        cmap=ListedColormap(_MAP),
        linewidths=1.1,
        alpha=0.9,
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
            *place, marker, color=palette.BLACK, markerfacecolor="white", markersize=6, zorder=4
        )
        lettering.label(axes, float(place[0]), float(place[1]), word, offset=(5, below))
    axes.set(xlabel=x_label, ylabel=y_label)
    figure.colorbar(line, ax=axes, label="time [s]", shrink=0.85, pad=0.02)
    return figure
