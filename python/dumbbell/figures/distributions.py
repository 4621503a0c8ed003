"""Distributions of delays from recorded counts, losses over time, and two flows against each other:
figures 3, 4, 5 and 7 of the study of extended frames (docs/explanation/delays.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ScenarioError
from ..present.units import plain_rate
from . import crowd, style
from .crowd import Member
from .recorded_run import Source, View
from .style import Figure, lettering, palette

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars

    Array = npt.NDArray[np.float64]

_LOSS = ("time_s", "flow", "sent_packets", "lost_packets")


def delays(source: Source, view: View) -> Figure:
    """Left the distribution (CDF) of each flow's one-way delay, right its density by bins; the
    legend has the jitter of RFC 3550 where the results have it. A bin is as wide as the
    histogram's: a 32nd of what exceeds the propagation."""
    if view.from_s is not None or view.to_s is not None:
        raise ScenarioError(
            "delays.parquet has no times: leave out --from and --to, or draw `delay`"
        )
    bins = source.need("delays", ("from_s", "to_s", "packets"))
    jitter = _jitters(source)
    figure, (whole, parts) = style.new(1, 2, size=(9.2, 3.8))
    members = source.members(bins, view)
    for member in members:
        low, high, share = _histogram(member, bins)
        label = lettering.short(member.label)
        if member.label in jitter:
            label += f", jitter {jitter[member.label] * 1e3:.3g} ms"
        line: dict[str, Any] = {"color": member.look.color, "linestyle": member.look.dash}
        whole.plot(np.append(low[0], high), np.append(0.0, np.cumsum(share)), label=label, **line)
        edges, heights = _outline(low, high, share / np.maximum(high - low, 1e-9))
        parts.plot(edges, heights, **line)
    whole.set(xlabel="one-way delay [ms]", ylabel="share of packets, at most", ylim=(0, 1.01))
    parts.set(xlabel="one-way delay [ms]", ylabel="share of packets in a millisecond")
    parts.set_yscale("log")
    lettering.legend(whole)
    return figure


_GROUP_BINS = 60


def _histogram(member: Member, bins: polars.DataFrame) -> tuple[Array, Array, Array]:
    """Edges of bins in milliseconds, and the share of the packets in each. The flows of a group,
    whose bins differ, share 60 bins, and their packets spread evenly over theirs."""
    mine = member.rows(bins, "flow")
    low, high = (mine[c].to_numpy().astype(np.float64) * 1e3 for c in ("from_s", "to_s"))
    packets = mine["packets"].to_numpy().astype(np.float64)
    if member.grouped:
        edges = np.linspace(low.min(), high.max(), _GROUP_BINS + 1)
        width = np.maximum(high - low, 1e-9)
        below = [float((packets * np.clip((x - low) / width, 0, 1)).sum()) for x in edges]
        packets = np.diff(np.array(below))
        there = packets > 0
        low, high, packets = edges[:-1][there], edges[1:][there], packets[there]
    return low, high, packets / packets.sum()


def _outline(low: Array, high: Array, heights: Array) -> tuple[Array, Array]:
    """The edges of bins as one line; nothing is drawn over those that are empty."""
    x, y = [], []
    for i in range(len(low)):
        if i and low[i] - high[i - 1] > 1e-9:
            x.append(high[i - 1])
            y.append(np.nan)
        x += [low[i], high[i]]
        y += [heights[i], heights[i]]
    return np.array(x), np.array(y)


def _jitters(source: Source) -> dict[str, float]:
    """J of each flow in the results; none if they are means of several runs."""
    flows = source.summary.get("flows", [])
    return {f["name"]: f["jitter_s"] for f in flows if isinstance(f.get("jitter_s"), float)}


def loss(source: Source, view: View) -> Figure:
    """The share of packets that each flow had lost so far by all that it had sent, from its start:
    cumulative loss."""
    import polars as pl

    rows = view.cut(source.need("flows", _LOSS)).filter(pl.col("sent_packets") > 0)
    lost = 100 * pl.col("lost_packets") / pl.col("sent_packets")
    rows = rows.with_columns(lost_percent=lost)
    members = source.members(rows, view)
    figure, axes = style.new(1, 1, size=(7.2, 3.6))
    traces = crowd.lines(axes, [rows], "flow", "lost_percent", members)
    axes.set(xlabel="time [s]", ylabel="lost share of all sent so far [%]")
    axes.margins(x=0.01)
    lettering.from_zero(axes, traces, unit=" %")
    lettering.legend(axes)
    lettering.head(figure, crowd.note(members))
    return figure


def rates(source: Source, view: View, names: tuple[str, str]) -> tuple[Array, Array]:
    """Throughput of two flows in the same periods, bits per second: payload that arrived,
    repetitions included."""
    import polars as pl

    rows = view.cut(source.need("flows", ("time_s", "flow", "received_bytes")))
    two = [rows.filter(pl.col("flow") == name).select("time_s", "received_bytes") for name in names]
    both = two[0].join(two[1], on="time_s", suffix="_other").sort("time_s")
    if both.height < 3:
        raise ScenarioError(
            f"{source}: {names[0]} and {names[1]} have fewer than two periods in common in this "
            "part"
        )
    span = both["time_s"].diff().drop_nulls().to_numpy()
    x, y = (
        both[c].diff().drop_nulls().to_numpy() * 8.0 / span
        for c in ("received_bytes", "received_bytes_other")
    )
    return x, y


def scatter(source: Source, view: View) -> Figure:
    """The throughput of one flow by that of another, a point for each period. rho is their
    correlation; on the line both together are the rate of the slowest reported link that they
    share."""
    first = source.need("flows", ("time_s", "flow"))
    there = source.names(first, View())
    names = tuple(view.flows) if view.flows else tuple(there[:2])
    if len(set(names)) != 2:
        raise ScenarioError(
            "scatter draws two flows against each other: name them with --flow A --flow B"
        )
    for name in names:
        if name not in there:
            raise ScenarioError(
                f"there is no flow `{name}` here; there are {', '.join(there[:20])}"
            )
    x, y = rates(source, view, (names[0], names[1]))
    scale, unit = (1e-6, "Mbit/s") if max(x.max(), y.max()) >= 1e6 else (1e-3, "kbit/s")
    figure, axes = style.new(1, 1, size=(4.9, 4.6))
    axes.plot(
        x * scale,
        y * scale,
        linestyle="none",
        marker="o",
        markersize=3,
        alpha=0.45,
        color=palette.BLUE,
    )
    axes.plot(
        x.mean() * scale,
        y.mean() * scale,
        linestyle="none",
        marker="+",
        markersize=12,
        color=palette.VERMILLION,
    )
    capacity = _capacity(source, (names[0], names[1]))
    top = max(float(x.max()), float(y.max())) * scale * 1.05 or 1.0
    if capacity is not None:
        end = capacity * scale
        axes.plot([0, end], [end, 0], color=palette.BLACK, linewidth=1.0, linestyle=(0, (5, 2)))
    axes.set(
        xlabel=f"{lettering.short(names[0])} [{unit}]",
        ylabel=f"{lettering.short(names[1])} [{unit}]",
        xlim=(0, top),
        ylim=(0, top),
    )
    line = "" if capacity is None else f"; dashed: together {capacity * scale:.4g} {unit}"
    lettering.head(figure, f"{len(x)} periods, rho = {correlation(x, y)}{line}")
    return figure


def correlation(x: Array, y: Array) -> str:
    """Pearson's, as text; none if one of them never changes."""
    if x.std() == 0 or y.std() == 0:
        return "none"
    return f"{float(np.corrcoef(x, y)[0, 1]):+.2f}"


def _capacity(source: Source, names: tuple[str, str]) -> float | None:
    """The rate of the slowest reported link that both flows take; None if that is not known."""
    from .. import api

    file = source.directory / "scenario.toml"
    if not file.is_file():
        return None
    try:
        plan = api.plan(api.request({"path": str(file)}, points=1))["points"][0]["plan"]
    except (ScenarioError, IndexError):
        return None
    ways = [set(f["forward"]) for f in plan["flows"] if f["name"] in names]
    if len(ways) != 2:
        return None
    links = [plan["links"][i] for i in ways[0] & ways[1] if plan["links"][i].get("report")]
    known = [r for link in links if (r := plain_rate(link.get("rate")))]
    return min(known, default=None)


__all__ = ["correlation", "delays", "loss", "rates", "scatter"]
