"""Frequency of RED's signals at each average queue, against the curve that it was configured
with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..aqm_response.laws import frequency
from ..errors import ScenarioError
from ..present.stats import wilson95
from ..present.units import plain_packets
from . import style
from .curve import Red
from .recorded_run import Source, View
from .style import Figure, lettering, palette

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

_PS = 1e-12
_REASONS = ("early", "forced", "head")
_FEWEST = 20
_BINS = 24


@dataclass(frozen=True, slots=True)
class Bin:
    """Packets that arrived while the average was from `low` to `high` packets, and how many got a
    signal."""

    low: float
    high: float
    arrivals: int
    signals: int


@dataclass(frozen=True, slots=True)
class Measured:
    """One queue's bins, and its configuration."""

    queue: str
    kind: str
    red: Red
    spacing: str
    bins: tuple[Bin, ...]


def measured(source: Source, view: View) -> Measured:
    """Arrivals and signals by the average queue, at the first queue whose algorithm has such a
    curve.

    An arrival belongs to the average recorded nearest to it in time, a signal to the one that its
    decision saw; packets of all flows and the series are needed. Drops of a full queue are no
    signals.
    """
    import polars as pl

    hops = source.need("hops", ("link", "arrived_ps"))
    queues = view.cut(source.need("queues", ("time_s", "queue", "queue_packets")))
    signals = view.cut(source.need("signals", ("time_s", "queue", "reason")))
    link = _curved(source)
    _all_recorded(source)
    name, config = str(link["name"]), link["aqm"]["config"]
    average = (
        queues.filter(pl.col("queue") == name).select("time_s", "avg").drop_nulls().sort("time_s")
    )
    if not average.height:
        raise ScenarioError(
            f"{source}: the average of {name} was not recorded in this part of the run"
        )
    arrived = view.cut(
        hops.filter(pl.col("link") == name).select(time_s=pl.col("arrived_ps") * _PS)
    ).sort("time_s")
    at = arrived.join_asof(average, on="time_s", strategy="nearest")["avg"].drop_nulls().to_numpy()
    given = signals.filter((pl.col("queue") == name) & pl.col("reason").is_in(_REASONS))
    saw = given["avg"].drop_nulls().to_numpy() if "avg" in given.columns else np.array([])
    low, high = plain_packets(config["min_th"]), plain_packets(config["max_th"])
    if config.get("auto_th"):  # They follow from the link, and only the run says them.
        low, high = (
            float(queues.filter(pl.col("queue") == name)[key].drop_nulls()[0])
            for key in ("min_th", "max_th")
        )
    red = Red(
        min_th=low,
        max_th=high,
        max_p=float(config["max_p"]),
        gentle=bool(config.get("gentle")),
    )
    return Measured(
        name,
        str(link["aqm"]["kind"]),
        red,
        str(config.get("spacing", "uniform")),
        _bins(at, saw, red),
    )


def _curved(source: Source) -> dict[str, Any]:
    links = (source.plan or {}).get("links", [])
    for link in links:
        config = (link.get("aqm") or {}).get("config") or {}
        if link.get("report", True) and {"min_th", "max_th", "max_p"} <= config.keys():
            found: dict[str, Any] = link
            return found
    kinds = sorted({str((k.get("aqm") or {}).get("kind")) for k in links if k.get("report")})
    raise ScenarioError(
        f"no queue of {source} has a curve of a drop probability over an average queue "
        f"({', '.join(kinds)}); "
        "`dumbbell plot curve red` draws RED's"
    )


def _all_recorded(source: Source) -> None:
    plan = source.plan or {}
    if len(plan.get("record", {}).get("packets", [])) < len(plan.get("flows", [])):
        raise ScenarioError(
            "a frequency needs all arrivals, but only the packets of some flows were recorded: "
            "run it again with -s record.packets=true"
        )


def _bins(arrivals: Array, signals: Array, red: Red) -> tuple[Bin, ...]:
    top = max(
        [
            red.max_th,
            *arrivals[-1:],
            float(arrivals.max(initial=0.0)),
            float(signals.max(initial=0.0)),
        ]
    )
    width = max(0.25, round(top / _BINS * 4) / 4)
    # A bin begins at each threshold, so that no bin is half outside.
    first = red.min_th - np.ceil(red.min_th / width) * width
    edges = np.arange(first, top + width, width)
    come, _ = np.histogram(arrivals, edges)
    given, _ = np.histogram(signals, edges)
    # A signal's average is exact and an arrival's is not, so near a steep place a bin may count
    # more signals.
    return tuple(
        Bin(float(low), float(low + width), int(max(n, k)), int(k))
        for low, n, k in zip(edges, come, given, strict=False)
        if n or k
    )


def measured_curve(source: Source, view: View) -> Figure:
    """The figure: a point and its 95 % Wilson interval for each bin of the average with at least 20
    arrivals."""
    m = measured(source, view)
    figure, axes = style.new(size=(6.8, 4.0))
    shown = [b for b in m.bins if b.arrivals >= _FEWEST]
    if not shown:
        raise ScenarioError(
            f"fewer than {_FEWEST} packets arrived at {m.queue} at any average queue in this part "
            f"of the run"
        )
    random = [b for b in shown if b.low < m.red.max_th]
    look = palette.look(m.kind)
    x = [(b.low + b.high) / 2 for b in shown]
    y = [b.signals / b.arrivals for b in shown]
    bounds = [wilson95(b.signals, b.arrivals) for b in shown]
    low = [max(0.0, v - a) for v, (a, _) in zip(y, bounds, strict=True)]
    high = [max(0.0, b - v) for v, (_, b) in zip(y, bounds, strict=True)]
    grid = np.unique(
        np.concatenate([np.linspace(0, max(x[-1], m.red.max_th) * 1.12, 600), m.red.corners[1:3]])
    )
    p_b = [m.red(a) for a in grid]
    axes.plot(grid, p_b, color="#777777", linestyle=(0, (5, 2)), linewidth=1.3, label="p_b")
    if m.spacing != "bernoulli":
        expected = [frequency(p, m.spacing) for p in p_b]
        label = f"expected, {m.spacing} spacing"
        axes.plot(grid, expected, color=palette.BLACK, linewidth=1.3, label=label)
    bars = {
        "linestyle": "none",
        "marker": look.marker,
        "color": look.color,
        "markerfacecolor": "white",
        "capsize": 2,
    }
    axes.errorbar(x, y, yerr=[low, high], label="measured, 95 % interval", zorder=3, **bars)
    ceiling = max(
        [
            *(b for (_, b), bin_ in zip(bounds, shown, strict=True) if bin_ in random),
            m.red.max_p,
            0.0,
        ]
    )
    axes.set_ylim(0, min(1.02, 1.25 * max(ceiling, frequency(m.red.max_p, m.spacing))))
    axes.set_xlim(0, grid[-1])
    axes.set(
        xlabel=f"average queue at {lettering.short(m.queue)} [packets]",
        ylabel="signals per arriving packet",
    )
    for name, value in (("min_th", m.red.min_th), ("max_th", m.red.max_th)):
        axes.axvline(value, color="#bbbbbb", linewidth=0.9, zorder=1)
        axes.annotate(
            name,
            (value, 0.97),
            xycoords=("data", "axes fraction"),
            xytext=(3, 0),
            textcoords="offset points",
            va="top",
            color="#555555",
            fontsize=9,
        )
    lettering.legend(axes)
    return figure
