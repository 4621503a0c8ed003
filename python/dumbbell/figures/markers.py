"""A marker over time: the window of its flow, the tokens in its bucket, those that it lost, the
packets that it holds. The third and the fourth figure of S. Choi, C. Kim, "TCP throughput guarantee
using packet buffering", KISS 28(2), 2001."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..data import series
from ..errors import ScenarioError
from . import style
from .recorded_run import Source, View
from .style import Figure, lettering, palette

if TYPE_CHECKING:
    import polars

_COLUMNS = (
    "time_s",
    "link",
    "rule",
    "flow",
    "tokens",
    "tokens_lost",
    "held",
    "in_packets",
    "out_packets",
)


def place(source: Source, view: View) -> tuple[str, polars.DataFrame]:
    """Name and rows of the marker of the flow in view; without a flow in view the first that has
    tokens. `ScenarioError` if there is none."""
    import polars as pl

    rows = source.need("markers", _COLUMNS)
    if view.flows:
        wanted = view.flows[0]
        known = [
            name for name, _ in series.parts(rows.filter(pl.col("flow").is_not_null()), "flow")
        ]
        if wanted not in known:
            there = (
                f"there are {', '.join(known[:20])}"
                if known
                else "no marker here belongs to a single flow"
            )
            raise ScenarioError(f"the flow `{wanted}` has no marker here; {there}")
        rows = rows.filter(pl.col("flow") == wanted)
    with_tokens = rows.filter(pl.col("tokens").is_not_null())
    chosen = (with_tokens if with_tokens.height else rows).head(1)
    if not chosen.height:
        raise ScenarioError(f"{source}: nothing was recorded of any marker")
    link, rule, flow = (chosen[name][0] for name in ("link", "rule", "flow"))
    mine = rows.filter(
        (pl.col("link") == link) & (pl.col("rule") == rule) & pl.col("flow").eq_missing(flow)
    )
    return (f"{flow}, before {link}" if flow else f"before {link}"), view.cut(mine)


def markers(source: Source, view: View) -> Figure:
    """The window of the flow (where flows were recorded), tokens in the bucket, tokens lost since
    the start, packets held (where any were): one below the other."""
    import polars as pl

    title, rows = place(source, view)
    if not rows.height:
        raise ScenarioError(f"{source}: nothing was recorded of the marker in this part of the run")
    flow = rows["flow"][0]
    windows = source.find("flows") if flow is not None else None
    window = None if windows is None else view.cut(windows.filter(pl.col("flow") == flow))
    panels: list[tuple[str, Any, Any, str]] = []
    if window is not None and window.height and "cwnd_packets" in window.columns:
        panels.append(("cwnd\n[packets]", window["time_s"], window["cwnd_packets"], palette.BLUE))
    if rows["tokens"].null_count() < rows.height:
        panels.append(("tokens", rows["time_s"], rows["tokens"], palette.GREEN))
        panels.append(("tokens lost", rows["time_s"], rows["tokens_lost"], palette.VERMILLION))
    if (rows["held"] > 0).any():
        panels.append(("held\n[packets]", rows["time_s"], rows["held"], palette.PURPLE))
    if len(panels) <= 1:
        panels.append(("IN\n[packets]", rows["time_s"], rows["in_packets"], palette.GREEN))
        panels.append(("OUT\n[packets]", rows["time_s"], rows["out_packets"], palette.ORANGE))
    figure, column = style.new(
        len(panels), 1, size=(7.2, 0.9 + 1.45 * len(panels)), sharex=True, squeeze=False
    )
    for (axes,), (name, time, values, color) in zip(column, panels, strict=True):
        axes.plot(time, values, color=color, linewidth=1.2)
        axes.set_ylabel(name)
        axes.set_ylim(bottom=0)
        axes.margins(x=0.01)
    column[-1][0].set_xlabel("time [s]")
    figure.align_ylabels()
    lettering.head(figure, title)
    return figure


__all__ = ["markers", "place"]
