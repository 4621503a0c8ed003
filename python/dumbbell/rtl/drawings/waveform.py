"""Figure 8 of *RED on NetFPGA* as our hardware draws it: the waveform of a packet that is dropped,
and of the next.

`rtl/red/tests/figures/figure8.sv` drives the NetFPGA module in Icarus Verilog and writes what the
signals did; nothing here knows what they should be, but for the checks that the picture is the
paper's.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...figures import style
from ...figures.style import Figure, palette
from ...files.write import temporary_folder
from . import vcd
from .icarus import simulate
from .vcd import Signal

CAPTION = (
    "Waveform of our hardware, `rtl/red` in paper mode on NetFPGA's bus at 125 MHz, simulated: "
    "{queue} packets in an output queue for 36, thresholds 6 and 12. avg_pkts = {avg} "
    "({packets:.3f} packets) is in the random-drop region. The draw {draw} is below p = {p}, so "
    "the first packet is read out with out_wr low. The draw of the second is {next}, and it is "
    "forwarded."
)
SLOPE, MIN = 27962, 6144
"""Registers of the bench: max_p = 0.02 over thresholds of 6 and 12 packets."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the picture: a signal, and how a value of several bits is written."""

    name: str
    form: str = ""
    """The range as in `format`; empty for one bit."""
    digits: int = 0
    """At most so many of its last digits."""


ROWS = (
    *(
        Row("clk"),
        Row("in_wr"),
        Row("in_ctrl", "02x"),
        Row("in_data", "016x", 2),
        Row("queue", "d"),
    ),
    *(Row("valid"), Row("avg_pkts", "d"), Row("draw", "d"), Row("drop")),
    *(Row("out_wr"), Row("out_ctrl", "02x"), Row("out_data", "016x", 2)),
)


def record() -> dict[str, Signal]:
    """Runs the bench, and returns its signals. `EnvironmentLacks` without Icarus Verilog or the
    sources."""
    with temporary_folder() as scratch:
        dump = Path(scratch) / "figure8.vcd"
        simulate("figure8", "module", arguments=[f"+vcd={dump}"])
        return vcd.read(dump.read_text(encoding="utf-8"))


def caption(signals: dict[str, Signal]) -> str:
    """Data of the picture, from the signals."""
    first, second = (t + 1 for t in decided(signals))
    avg, draw, after = (
        _value(signals, name, at)
        for name, at in (("avg_pkts", first), ("draw", first), ("draw", second))
    )
    p = (SLOPE * (avg - MIN)) >> 12
    queue = _value(
        signals, "queue", signals["in_wr"].rises()[0] if signals["in_wr"].rises() else first
    )
    return CAPTION.format(queue=queue, avg=avg, packets=avg / 1024, draw=draw, p=p, next=after)


def decided(signals: dict[str, Signal]) -> list[int]:
    """The edges of the clock at which a decision is taken over."""
    return [t for t in signals["clk"].rises() if signals["valid"].at(t - 1) == 1]


def _value(signals: dict[str, Signal], name: str, time: int) -> int:
    value = signals[name].at(time)
    if value is None:
        raise ValueError(f"`{name}` is unknown at {time}")
    return value


def draw(signals: dict[str, Signal] | None = None) -> Figure:
    """The picture of what `record` gave, or of a new recording."""
    shown = record() if signals is None else signals
    edges = shown["clk"].rises()
    period = edges[1] - edges[0]
    start, end = edges[0] - period // 2, edges[-1] + period // 2
    figure, axes = style.new(1, 1, size=(12.4, 5.6))
    for place, row in enumerate(ROWS):
        low = -1.25 * place
        signal = shown[row.name]
        if row.form:
            _bus(axes, signal, row, low, start, end, period)
        else:
            _bit(axes, signal, low, start, end)
        axes.text(
            start - 0.6 * period,
            low + 0.4,
            row.name,
            ha="right",
            va="center",
            fontsize=10,
            family="monospace",
        )
    bottom = -1.25 * (len(ROWS) - 1) - 0.35
    for edge in edges:
        axes.axvline(edge, color="#e2e2e2", linewidth=0.6, zorder=0)
    _mark(axes, shown, period)
    axes.set(xlim=(start, end), ylim=(bottom, 2.4), yticks=[], xlabel="clocks of 8 ns")
    ticks = edges[::5]
    axes.set_xticks(ticks, [str(5 * i) for i in range(len(ticks))])
    axes.grid(False)
    axes.spines["left"].set_visible(False)
    return figure


def _spans(signal: Signal, start: int, end: int) -> list[tuple[int, int, int | None]]:
    """Pieces in which it does not change, within the picture."""
    times = [start, *(t for t in signal.times if start < t < end), end]
    pieces = [(a, b, signal.at(a)) for a, b in itertools.pairwise(times)]
    joined: list[tuple[int, int, int | None]] = []
    for a, b, value in pieces:
        if joined and joined[-1][2] == value:
            joined[-1] = (joined[-1][0], b, value)
        else:
            joined.append((a, b, value))
    return joined


_HIGH = 0.8


def _bit(axes: Any, signal: Signal, low: float, start: int, end: int) -> None:
    xs, ys = [], []
    for a, b, value in _spans(signal, start, end):
        xs += [a, b]
        ys += [low + _HIGH * (value or 0)] * 2
    axes.plot(
        xs,
        ys,
        color=palette.BLACK if signal.name == "clk" else palette.BLUE,
        linewidth=1.1 + 0.4 * (signal.name != "clk"),
    )


def _bus(
    axes: Any, signal: Signal, row: Row, low: float, start: int, end: int, period: int
) -> None:
    """Two lines that cross where the value changes, and the value between them where there is room
    for it."""
    slant = 0.15 * period
    for a, b, value in _spans(signal, start, end):
        left, right = a + slant * (a > start), b - slant * (b < end)
        middle = low + _HIGH / 2
        xs = [a, left, right, b, right, left, a]
        ys = [middle, low + _HIGH, low + _HIGH, middle, low, low, middle]
        axes.fill(
            xs,
            ys,
            facecolor="white" if value else "#f0f0f0",
            edgecolor=palette.BLUE,
            linewidth=1.0,
            zorder=2,
        )
        text = "?" if value is None else format(value, row.form)[-row.digits :]
        if len(text) * 0.42 * period < b - a + 0.2 * period:
            axes.text(
                (a + b) / 2, middle, text, ha="center", va="center", fontsize=8, family="monospace"
            )


def _mark(axes: Any, shown: dict[str, Signal], period: int) -> None:
    """Over the picture: the packets as they come, what becomes of each, and when."""
    ctrl = shown["in_ctrl"]
    heads = [t for t, value in zip(ctrl.times, ctrl.values, strict=True) if value == 0xFF]
    for start, label in zip(heads, ("first packet", "second packet"), strict=False):
        arrow = {"arrowstyle": "<->", "color": palette.BLACK}
        axes.annotate("", (start, 1.2), (start + 9 * period, 1.2), arrowprops=arrow)
        axes.text(
            start + 4.5 * period, 1.35, f"{label} comes", ha="center", va="bottom", fontsize=9.5
        )
    for edge in decided(shown):
        dropped = shown["drop"].at(edge + 1) == 1
        color = palette.VERMILLION if dropped else palette.GREEN
        axes.axvline(edge, color=color, linewidth=1.4, linestyle=(0, (4, 2)), ymax=0.93, zorder=1)
        word = "dropped" if dropped else "forwarded"
        axes.text(
            edge, 2.0, word, ha="center", va="bottom", color=color, fontsize=10, weight="bold"
        )
    writes = shown["out_wr"].rises()
    if writes:
        low = -1.25 * [row.name for row in ROWS].index("out_wr")
        words = "first packet: read out, not written"
        axes.text(
            writes[0] - 5.5 * period,
            low + 0.25,
            words,
            ha="center",
            va="bottom",
            color=palette.VERMILLION,
            fontsize=9,
        )
