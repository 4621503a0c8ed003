"""Time-sequence graphs as W. R. Stevens drew them (TCP/IP Illustrated, volume 1, 1994, chapters 20
and 21) and tcptrace does: what the sender saw, segment by segment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ScenarioError
from ..present import network, units
from . import style
from .recorded_run import Source, View
from .style import Figure, lettering, palette

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars

    Array = npt.NDArray[np.float64]

_PS = 1e-12
_COLUMNS = ("sent_ps", "delivered_ps", "seq", "ack", "payload_bytes", "retransmit", "dropped_ps")
_MANY = 4000
_SAMPLES_PER_RTT = 10
_FEW_DROPS = 24
_SENT, _AGAIN, _ACK, _SACK, _WINDOW = (
    palette.BLUE,
    palette.VERMILLION,
    palette.GREEN,
    palette.PURPLE,
    palette.ORANGE,
)
_BLOCK = re.compile(r"(\d+)-(\d+)")


@dataclass(frozen=True, slots=True)
class Segments:
    """Data segments: when sent, seconds; first byte and byte after the last."""

    time_s: Array
    low: Array
    high: Array


@dataclass(frozen=True, slots=True)
class Sequence:
    """The arrays behind a time-sequence graph of one flow. Bytes are offsets in its stream."""

    flow: str
    sent: Segments
    again: Segments
    """Repetitions."""
    dropped: Segments
    """The dropped segments of both."""
    acks: tuple[Array, Array]
    """Arrival of an acknowledgment at the sender, and the byte that it expected."""
    sacks: Segments
    """SACK ranges, when their acknowledgment reached the sender."""
    window: tuple[Array, Array]
    """The first byte beyond the advertised window."""
    allowed: tuple[Array, Array]
    """The first byte beyond the congestion window, where it was recorded at least ten times in a
    round trip: SND.UNA + cwnd."""
    note: str = ""
    """Why `allowed` is empty, if its series is too coarse."""


def sequence(source: Source, view: View) -> Sequence:
    """Data of the first flow in view."""
    packets = source.need("packets", _COLUMNS)
    _, name, mine = source.one_flow(packets.filter(packets["seq"].is_not_null()), view)
    data = view.cut(
        mine.filter((mine["from"] == "sender") & (mine["payload_bytes"] > 0)), "sent_ps", _PS
    )
    back = mine.filter(
        (mine["from"] == "receiver")
        & mine["delivered_ps"].is_not_null()
        & mine["ack"].is_not_null()
    )
    back = _with_last_before(back.sort("delivered_ps"), view)
    if not data.height and not back.height:
        raise ScenarioError(f"{name} sent nothing in this part of the run: widen --from and --to")
    acked = np.maximum.accumulate(_numbers(back, "ack"))
    acks = (_numbers(back, "delivered_ps") * _PS, acked)
    offered = (
        _numbers(back, "window_bytes")
        if "window_bytes" in back.columns
        else np.full(len(acked), np.nan)
    )
    allowed, note = _allowed(source, view, name, acks)
    return Sequence(
        flow=name,
        sent=_segments(data.filter(~data["retransmit"])),
        again=_segments(data.filter(data["retransmit"])),
        dropped=_segments(data.filter(data["dropped_ps"].is_not_null())),
        acks=acks,
        sacks=_sacks(back),
        window=(acks[0], acked + offered),
        allowed=allowed,
        note=note,
    )


def _with_last_before(acks: polars.DataFrame, view: View) -> polars.DataFrame:
    """Those in view, and the last one before: the line begins at the edge."""
    times = _numbers(acks, "delivered_ps") * _PS
    low = 0 if view.from_s is None else max(0, int(np.searchsorted(times, view.from_s)) - 1)
    high = len(times) if view.to_s is None else int(np.searchsorted(times, view.to_s, side="right"))
    return acks[low:high]


def _numbers(frame: polars.DataFrame, column: str) -> Array:
    return frame[column].to_numpy().astype(np.float64)


def _segments(rows: polars.DataFrame) -> Segments:
    low = _numbers(rows, "seq")
    return Segments(_numbers(rows, "sent_ps") * _PS, low, low + _numbers(rows, "payload_bytes"))


def _sacks(acks: polars.DataFrame) -> Segments:
    """The first block of each acknowledgment: what its segment just brought (RFC 2018, section
    4)."""
    found = []
    if "options" in acks.columns:
        said = acks.filter(acks["options"].str.starts_with("sack "))
        for time, text in zip(said["delivered_ps"], said["options"], strict=True):
            block = _BLOCK.search(text)
            if block:
                found.append((time * _PS, float(block[1]), float(block[2])))
    columns = np.array(found, dtype=np.float64).reshape(-1, 3).T
    return Segments(*columns)


def _allowed(
    source: Source, view: View, flow: str, acks: tuple[Array, Array]
) -> tuple[tuple[Array, Array], str]:
    """SND.UNA + cwnd, and why it is left out where it is: a window that was recorded a good part of
    a round trip ago would lie below data that it allowed since."""
    flows = source.find("flows")
    empty = (np.array([], dtype=np.float64), np.array([], dtype=np.float64))
    if flows is None or "cwnd_bytes" not in flows.columns or not len(acks[0]):
        return empty, ""
    rows = view.cut(flows.filter(flows["flow"] == flow))
    time = _numbers(rows, "time_s")
    period, rtt = float(np.median(np.diff(time))) if len(time) > 1 else 0.0, _rtt(source, flow)
    if rtt is not None and period > rtt / _SAMPLES_PER_RTT * (1 + 1e-6):
        return empty, (
            f"no ACK + cwnd: cwnd was recorded every {units.time_text(period)}, "
            f"the RTT is {units.time_text(rtt)}"
        )
    at = np.searchsorted(acks[0], time, side="right") - 1
    return (time[at >= 0], (acks[1][at] + _numbers(rows, "cwnd_bytes"))[at >= 0]), ""


def _rtt(source: Source, flow: str) -> float | None:
    """The round-trip time of the empty path, without transmission; None if it is not known."""
    planned = (f for f in (source.plan or {}).get("flows", []) if f["name"] == flow)
    found = next(planned, None)
    return None if found is None else network.base_rtt(source.plan or {}, found)


def timeseq(source: Source, view: View) -> Figure:
    """The graph: segments as vertical ticks, the ACK line below them, the window line above, SACK
    ranges, repetitions in another color, and a cross on each segment that was dropped."""
    s = sequence(source, view)
    figure, axes = style.new(size=(7.6, 4.6))
    bottom, top = _range(s)
    scale, unit = (1e6, "MB") if top - bottom > 3e6 else (1e3, "kB")
    thin = min(1.6, max(0.7, 900 / max(1, len(s.sent.time_s))))
    raster = len(s.sent.time_s) > _MANY
    axes.step(
        s.acks[0], s.acks[1] / scale, where="post", color=_ACK, linewidth=1.2, label="acknowledged"
    )
    _ticks(axes, s.sent, scale, _SENT, "segment", thin, raster)
    _ticks(axes, s.sacks, scale, _SACK, "SACK range", max(1.2, thin), raster)
    _ticks(axes, s.again, scale, _AGAIN, "sent again", max(2.2, thin), raster)
    if len(s.again.time_s):
        axes.plot(s.again.time_s, s.again.high / scale, "^", color=_AGAIN, markersize=4.5, zorder=4)
    if len(s.dropped.time_s):
        middle = (s.dropped.low + s.dropped.high) / 2 / scale
        axes.plot(
            s.dropped.time_s,
            middle,
            "x",
            color=palette.BLACK,
            markersize=6.5 if len(middle) <= _FEW_DROPS else 4,
            markeredgewidth=1.5,
            label="dropped",
            zorder=5,
        )
    hidden = _upper(axes, s, scale, bottom, top)
    axes.set(xlabel="time [s]", ylabel=f"stream offset [{unit}]")
    margin = 0.03 * (top - bottom)
    axes.set_ylim((bottom - margin) / scale, (top + margin) / scale)
    times = np.concatenate([s.sent.time_s, s.again.time_s, s.acks[0]])
    pad = 0.01 * (times.max() - times.min()) + 1e-9
    axes.set_xlim(
        times.min() - pad if view.from_s is None else view.from_s,
        times.max() + pad if view.to_s is None else view.to_s,
    )
    lettering.legend(axes)
    head = f"{lettering.short(s.flow)}, at its sender"
    lettering.head(figure, " · ".join(filter(None, (head, hidden, s.note))))
    return figure


def _ticks(
    axes: Any, s: Segments, scale: float, color: str, label: str, width: float, raster: bool
) -> None:
    if len(s.time_s):
        axes.vlines(
            s.time_s,
            s.low / scale,
            s.high / scale,
            color=color,
            linewidth=width,
            label=label,
            rasterized=raster,
        )


def _range(s: Sequence) -> tuple[float, float]:
    """From the lowest byte that was acknowledged or sent to the highest that was sent."""
    low = [part.min() for part in (s.acks[1], s.sent.low, s.again.low) if len(part)]
    high = [part.max() for part in (s.acks[1], s.sent.high, s.again.high) if len(part)]
    return float(min(low)), float(max(high))


def _upper(axes: Any, s: Sequence, scale: float, bottom: float, top: float) -> str:
    """The lines above: what the windows allowed. Says what lies beyond the picture."""
    hidden = []
    limit = top + 0.35 * (top - bottom)
    for (time, byte), color, dash, words in (
        (s.window, _WINDOW, "-", "advertised window"),
        (s.allowed, "#777777", (0, (4, 2)), "ACK + cwnd"),
    ):
        if not len(byte) or np.isnan(byte).all():
            continue
        if np.nanmin(byte) > limit:
            hidden.append(f"the {words} is outside of the figure")
            continue
        axes.step(
            time,
            byte / scale,
            where="post",
            color=color,
            linestyle=dash,
            linewidth=1.0,
            label=words,
            zorder=1.5,
        )
    return ", ".join(hidden)
