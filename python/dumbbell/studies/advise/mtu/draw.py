"""The figure of an advice on an MTU: throughput, host, neighbors and datagrams over the size of
packets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....figures import style
from ....figures.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION
from ....present.units import prefix
from ...frame.drawing import SOFT, NamedFigure, arms, settled
from ...frame.paired import Cell
from .document import Candidate, Document

_LAWS = {"cubic": "CUBIC's law", "mathis": "square root law", "pftk": "Padhye et al."}


def figures_of(d: Document) -> list[NamedFigure]:
    """All panels in one figure."""
    figure, axes = style.new(2, 2, size=(10.0, 6.6), sharex=True)
    rows = d["candidates"]
    _throughput(axes[0][0], d, rows)
    _host(axes[0][1], d, rows)
    _neighbors(axes[1][0], rows)
    _datagrams(axes[1][1], d, rows)
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
        "Throughput of one flow, cycles of the host, what calls beside it meet, and datagrams "
        "lost, over the MTU. Means over the seeds with 95 % intervals; the dotted upright line is "
        "the advice; where it is gray, a frame is longer than CRC-32 guards with a Hamming "
        "distance of 4."
    )
    return settled([NamedFigure("mtu", figure, caption)])


def _shown(sizes: Sequence[int], advised: int) -> list[int]:
    """Returns the sizes whose labels fit beside each other, always with the advised one."""
    shown = [advised]
    for size in reversed(sizes):
        if all(max(size, other) >= 1.6 * min(size, other) for other in shown):
            shown.append(size)
    return sorted(shown)


def _throughput(axis: Any, d: Document, rows: Sequence[Candidate]) -> None:
    unit, letter = prefix(max(row["throughput_bps"]["mean"] for row in rows))
    _measured(axis, rows, [row["throughput_bps"] for row in rows], unit, "simulated")
    for (law, label), color in zip(_LAWS.items(), (GREEN, SKY, PURPLE), strict=True):
        if law in rows[0]["laws_bps"]:
            dash = (0, (1, 1.5)) if law == "pftk" else (0, (5, 2))
            _plain(
                axis, rows, [row["laws_bps"][law] / unit for row in rows], color, label, dash=dash
            )
    if any(row["host_limit_bps"] < 3 * row["throughput_bps"]["mean"] for row in rows):
        _plain(
            axis,
            rows,
            [row["host_limit_bps"] / unit for row in rows],
            ORANGE,
            "one core of the host",
        )
    means = [row["throughput_bps"]["mean"] for row in rows]
    axis.set_yscale("log" if max(means) > 5 * min(means) else "linear")
    axis.set_ylabel(f"a flow's payload [{letter}bit/s]")


def _host(axis: Any, d: Document, rows: Sequence[Candidate]) -> None:
    _plain(
        axis,
        rows,
        [row["host_cycles_per_bit"] for row in rows],
        ORANGE,
        "cycles for a bit of payload",
        "o",
    )
    _plain(
        axis,
        rows,
        [1 - row["efficiency_share"] for row in rows],
        BLACK,
        "part of the wire that is no payload",
        "s",
    )
    axis.set_yscale("log")
    axis.set_ylabel("cycles per bit, part of the wire")


def _neighbors(axis: Any, rows: Sequence[Candidate]) -> None:
    jitters = [cell for row in rows if (cell := row["call_jitter_s"])]
    if len(jitters) == len(rows):
        least = [(row["call_jitter_least_s"] or 0.0) / 1e-3 for row in rows]
        most = [cell["mean"] / 1e-3 for cell in jitters]
        if any(low < 0.999 * high for low, high in zip(least, most, strict=True)):
            sizes = [row["mtu_bytes"] for row in rows]
            shade = {"color": BLUE, "alpha": 0.12, "linewidth": 0}
            axis.fill_between(sizes, least, most, label="its range at full rate", **shade)
        _measured(axis, rows, jitters, 1e-3, "a call's jitter (RFC 3550)")
    _plain(axis, rows, [row["frame_s"] / 1e-3 for row in rows], BLACK, "one frame on the wire")
    axis.set_yscale("log")
    axis.set_ylabel("time [ms]")


def _datagrams(axis: Any, d: Document, rows: Sequence[Candidate]) -> None:
    axis.set_yscale("log" if d["standard_frame_loss_share"] else "linear")
    _plain(axis, rows, [row["frame_loss_share"] for row in rows], BLACK, "full packets lost")
    label = f"datagrams of {d['datagram_bytes']} B lost"
    _plain(axis, rows, [row["datagram_loss_share"] for row in rows], VERMILLION, label, "o")
    axis.set_ylabel("share lost")


def _measured(
    axis: Any, rows: Sequence[Candidate], cells: Sequence[Cell], unit: float, label: str
) -> None:
    means = [cell["mean"] / unit for cell in cells]
    low, high = arms(cells, unit)
    axis.errorbar(
        [row["mtu_bytes"] for row in rows],
        means,
        yerr=[[min(arm, 0.95 * mean) for arm, mean in zip(low, means, strict=True)], high],
        color=BLUE,
        marker="o",
        linestyle="-",
        markersize=4.5,
        capsize=2.5,
        markerfacecolor="white",
        label=label,
    )


def _plain(
    axis: Any,
    rows: Sequence[Candidate],
    values: Sequence[float],
    color: str,
    label: str,
    mark: str = "",
    dash: Any = (0, (5, 2)),
) -> None:
    dash = "-" if mark else dash
    axis.plot(
        [row["mtu_bytes"] for row in rows],
        values,
        color=color,
        marker=mark,
        linestyle=dash,
        linewidth=1.3,
        markersize=4.5,
        markerfacecolor="white",
        label=label,
    )
