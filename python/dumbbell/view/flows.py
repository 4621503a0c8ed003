"""The flows of a run: windows, round-trip times, goodput."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..data import series as saved
from ..figures import crowd, windows
from ..present.stats import Interval
from ..present.units import significant
from . import lines
from .contents import Contents
from .shapes import Panel
from .shown import BAND, Pen, Shown, pen

if TYPE_CHECKING:
    import polars

_BINS = 600
"""Periods of goodput, at most."""


def draw(contents: Contents, shown: Shown) -> dict[str, float]:
    """Draws the flows that were recorded: up to eight one by one, more as groups. Returns the bytes
    in a packet of each TCP flow that is drawn by itself."""
    frame = shown.source.find("flows")
    if frame is None:
        return {}
    names = saved.names(frame, "flow", shown.source.flow_order)
    members = crowd.members(names, shown.flows, shown.source.controls)
    sizes: dict[str, float] = {}
    every_s = _period(frame, shown.run.duration_s)
    for member in members:
        mine = pen(contents, shown, "flow", member, _detail(shown, member.label))
        rows = member.rows(frame, "flow")
        if member.grouped:
            _group(mine, member)
        elif rows["cwnd_packets"].drop_nulls().len():  # Datagrams have no window.
            sizes[member.label] = windows.packet_bytes(rows)
            _flow(mine, member.label, sizes[member.label])
        _goodput(mine, member, rows, every_s)
    return sizes


def _detail(shown: Shown, name: str) -> str:
    """The control and the goodput of a flow."""
    for flow in shown.source.summary.get("flows", []):
        if flow["name"] == name:
            goodput = Interval.read(flow.get("goodput_bps"))
            rate = f"{significant(goodput.mean / 1e6, 3)} Mbit/s" if goodput else ""
            return ", ".join(filter(None, (str(flow.get("cc") or ""), rate)))
    return ""


def _group(mine: Pen[Shown], member: crowd.Member) -> None:
    shown, contents = mine.shown, mine.contents
    file = shown.source.directory / "flows.parquet"
    name = shown.name("flows", member.label)
    shown_lines = [line for line in lines.FLOW if not line.detail]
    columns = [line.column for line in shown_lines]
    table = contents.band(name, file, columns, "flow", member.names)
    for line in shown_lines:
        mine.median(contents.panel(line.panel), member.label, table, line.column, line.scale)


def _flow(mine: Pen[Shown], name: str, packet_bytes: float) -> None:
    shown, contents = mine.shown, mine.contents
    table = contents.recorded(
        shown.name("flows", name),
        shown.source.directory / "flows.parquet",
        ["time_s", *(line.column for line in lines.FLOW)],
        {"flow": name},
    )
    contents.panel("cwnd")["range"] = {"robust": True}
    for line in lines.FLOW:
        mine.draw(line, name, table, per=packet_bytes)


def _goodput(
    mine: Pen[Shown], member: crowd.Member, rows: polars.DataFrame, every_s: float
) -> None:
    """Goodput as means over periods that a panel can show."""
    import polars as pl

    parts = [
        saved.means(part.select("time_s", "goodput_bps"), every_s).select("period", "goodput_bps")
        for part in rows.partition_by("flow")
    ]
    quantiles = [
        pl.col("goodput_bps").quantile(q, "linear").alias(f"goodput_bps_p{q * 100:.0f}")
        for q in (BAND if member.grouped else BAND[1:2])
    ]
    found = pl.concat(parts).group_by("period").agg(quantiles).sort("period")
    table = mine.contents.given(
        mine.shown.name("goodput", member.label),
        {"time_s": ((found["period"] + 0.5) * every_s).to_list()}
        | {name: found[name].to_list() for name in found.columns[1:]},
    )
    panel = goodput_panel(mine.contents, every_s)
    if member.grouped:
        mine.median(panel, member.label, table, "goodput_bps", lines.GOODPUT.scale)
    else:
        mine.line(panel, member.label, table, "goodput_bps_p50", lines.GOODPUT.scale)


def _period(frame: polars.DataFrame, duration_s: float) -> float:
    """A period of goodput that is not shorter than that of the record."""
    instants = frame["time_s"].unique().sort()
    every_s = float(instants[1] - instants[0]) if len(instants) > 1 else duration_s
    return period(every_s, duration_s)


def period(least_s: float, duration_s: float) -> float:
    """The shortest period of goodput (1, 2 or 5 times a power of ten) that gives at most 600 of
    them and is not shorter than `least_s`."""
    steps = (digit * 10.0**power for power in range(-6, 6) for digit in (1, 2, 5))
    return next(s for s in steps if s >= least_s * 0.999 and duration_s / s <= _BINS)


def goodput_panel(contents: Contents, every_s: float) -> Panel:
    """The panel of goodput, in Mbit/s."""
    return contents.panel("goodput", period=significant(every_s, 3))
