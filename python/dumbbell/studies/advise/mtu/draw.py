"""The figure of an advice on an MTU: throughput, host, neighbors and datagrams over the size of
packets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....figures import style
from ....figures.style import chart
from ....figures.style.chart import Axis, Chart, Line
from ....figures.style.palette import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION, Look
from ....present.grids import titled
from ....present.units import prefix
from ...frame.drawing import SOFT, NamedFigure, arms, settled
from ...frame.paired import Cell
from .document import Candidate, Document

_LAWS = {"cubic": "CUBIC's law", "mathis": "square root law", "pftk": "Padhye et al."}


def figures_of(d: Document) -> list[NamedFigure]:
    """All panels in one figure."""
    figure, axes = style.new(2, 2, size=(10.0, 6.6), sharex=True)
    rows = d["candidates"]
    figure.charts = [
        _throughput(axes[0][0], d, rows),
        _host(axes[0][1], rows),
        _neighbors(axes[1][0], rows),
        _datagrams(axes[1][1], d, rows),
    ]
    sizes = [row["mtu_bytes"] for row in rows]
    shown = _shown(sizes, d["mtu_bytes"])
    for axis in (*axes[0], *axes[1]):
        axis.set_xscale("log", base=2)
        axis.set_xticks(shown, [str(size) for size in shown], fontsize=8.5)
        axis.minorticks_off()
        axis.axvline(d["mtu_bytes"], color=VERMILLION, linewidth=1.0, linestyle=":")
        if sizes[-1] > d["crc"]["guarded_mtu_bytes"]:
            axis.axvspan(
                d["crc"]["guarded_mtu_bytes"], sizes[-1] * 1.15, color=SOFT, alpha=0.13, linewidth=0
            )
        axis.set_xlim(sizes[0] / 1.15, sizes[-1] * 1.15)
        axis.legend(
            fontsize=8, loc="best" if axis is not axes[1][1] else "upper right", frameon=False
        )
    for axis in axes[1]:
        axis.set_xlabel("MTU [bytes]")
    caption = (
        "Throughput of one flow, cycles of the host, delay of concurrent calls, and datagrams "
        "lost, over the MTU. Means over the seeds with 95 % intervals. The dotted vertical line "
        "is the advice. In the gray area, frames are too long for a Hamming distance of 4 under "
        "CRC-32."
    )
    return settled([NamedFigure("mtu", figure, caption)])


def _shown(sizes: Sequence[int], advised: int) -> list[int]:
    """Returns the sizes whose labels fit beside each other, always with the advised one."""
    shown = [advised]
    for size in reversed(sizes):
        if all(max(size, other) >= 1.6 * min(size, other) for other in shown):
            shown.append(size)
    return sorted(shown)


def _throughput(axis: Any, d: Document, rows: Sequence[Candidate]) -> Chart:
    unit, letter = prefix(max(row["throughput_bps"]["mean"] for row in rows))
    lines = [_measured(rows, [row["throughput_bps"] for row in rows], unit, "simulated")]
    for (law, label), color in zip(_LAWS.items(), (GREEN, SKY, PURPLE), strict=True):
        if law in rows[0]["laws_bps"]:
            dash = (0, (1, 1.5)) if law == "pftk" else (0, (5, 2))
            values = [row["laws_bps"][law] / unit for row in rows]
            lines.append(_plain(rows, values, color, label, dash=dash))
    if any(row["host_limit_bps"] < 3 * row["throughput_bps"]["mean"] for row in rows):
        limits = [row["host_limit_bps"] / unit for row in rows]
        lines.append(_plain(rows, limits, ORANGE, "one core of the host"))
    means = [row["throughput_bps"]["mean"] for row in rows]
    far = max(means) > 5 * min(means)
    return _drawn(axis, "a flow's payload rate", f"{letter}bit/s", lines, far)


def _host(axis: Any, rows: Sequence[Candidate]) -> Chart:
    cycles = [row["host_cycles_per_bit"] for row in rows]
    overhead = [1 - row["efficiency_share"] for row in rows]
    lines = [
        _plain(rows, cycles, ORANGE, "cycles per bit of payload", "o"),
        _plain(rows, overhead, BLACK, "overhead: share of the wire's capacity", "s"),
    ]
    return _drawn(axis, "cycles per bit, share of the wire", "", lines, True)


def _neighbors(axis: Any, rows: Sequence[Candidate]) -> Chart:
    lines = []
    jitters = [cell for row in rows if (cell := row["call_jitter_s"])]
    if len(jitters) == len(rows):
        least = [(row["call_jitter_least_s"] or 0.0) / 1e-3 for row in rows]
        most = [cell["mean"] / 1e-3 for cell in jitters]
        if any(low < 0.999 * high for low, high in zip(least, most, strict=True)):
            sizes = [row["mtu_bytes"] for row in rows]
            shade = {"color": BLUE, "alpha": 0.12, "linewidth": 0}
            axis.fill_between(sizes, least, most, label="its range at full rate", **shade)
        lines.append(_measured(rows, jitters, 1e-3, "a call's jitter (RFC 3550)"))
    frames = [row["frame_s"] / 1e-3 for row in rows]
    lines.append(_plain(rows, frames, BLACK, "one frame on the wire"))
    return _drawn(axis, "time", "ms", lines, True)


def _datagrams(axis: Any, d: Document, rows: Sequence[Candidate]) -> Chart:
    label = f"datagrams of {d['datagram_bytes']} B lost"
    lines = [
        _plain(rows, [row["frame_loss_share"] for row in rows], BLACK, "full packets lost"),
        _plain(rows, [row["datagram_loss_share"] for row in rows], VERMILLION, label, "o"),
    ]
    return _drawn(axis, "share lost", "", lines, bool(d["standard_frame_loss_share"]))


def _measured(rows: Sequence[Candidate], cells: Sequence[Cell], unit: float, label: str) -> Line:
    """Means with their intervals, which end above 0: the axis may be logarithmic."""
    means = [cell["mean"] / unit for cell in cells]
    low, high = arms(cells, unit)
    cut = [min(arm, 0.95 * mean) for arm, mean in zip(low, means, strict=True)]
    return Line(
        label,
        [row["mtu_bytes"] for row in rows],
        means,
        Look(BLUE, "o", "-"),
        low=[mean - arm for mean, arm in zip(means, cut, strict=True)],
        high=[mean + arm for mean, arm in zip(means, high, strict=True)],
    )


def _plain(
    rows: Sequence[Candidate],
    values: Sequence[float],
    color: str,
    label: str,
    mark: str = "",
    dash: Any = (0, (5, 2)),
) -> Line:
    look = Look(color, mark, "-" if mark else dash)
    return Line(label, [row["mtu_bytes"] for row in rows], values, look)


def _drawn(axis: Any, title: str, unit: str, lines: Sequence[Line], log: bool) -> Chart:
    """Draws the lines of a panel; returns it as a chart."""
    found = Chart(title, unit, Axis("MTU", "bytes", "log"), lines, log=log)
    chart.draw(axis, found)
    axis.set_yscale("log" if log else "linear")
    axis.set_ylabel(titled(title, unit))
    return found
