"""The way of a packet's header through the hardware, clock by clock: the drawing of
docs/reference/red-hardware.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...figures import style
from ...figures.style import Figure, palette


@dataclass(frozen=True, slots=True)
class Stage:
    """One clock of the pipeline: its name, what it is, what is kept in it."""

    name: str
    does: str
    keeps: str = ""
    core: bool = True


STAGES = (
    Stage("parse", "header word:\none output\nport?", core=False),
    Stage("look up", "queue k,\nits length q", "lengths\n8 x U12.0", core=False),
    Stage("s1", "read avg[k],\nq - avg >> 9", "averages\n8 x U12.19"),
    Stage("s2", "add, write\navg[k]"),
    Stage("s3", "region;\nd = avg - min", "min, max, slope\nby queue (class)"),
    Stage("s4", "p = slope x d\n(18 x 18 bits)", "multiplier"),
    Stage("s5", "draw < p ?", "shift register\n21 bits"),
    Stage("s6", "drop, region,\navg, draw\nto the ports"),
    Stage("verdict", "one bit,\nin order", "verdicts\n16 x 1", core=False),
)
"""From the clock after the header word was on the bus, as `red_core.sv` and `red_nf_path.sv` have
it by default."""

_WIDE, _HIGH = 1.0, 1.15
_LANE = 2.2
"""Distance between the packet's path and that of its header."""


def draw() -> Figure:
    """The NetFPGA module: above the packet's words, below what is decided meanwhile."""
    figure, axes = style.new(1, 1, size=(12.6, 5.0))
    axes.set_axis_off()
    axes.set(xlim=(-1.25, len(STAGES) + 1.95), ylim=(-2.0, 3.75))
    for i, stage in enumerate(STAGES):
        color = palette.BLUE if stage.core else palette.BLACK
        _box(axes, i + 0.04, 0, _WIDE - 0.08, _HIGH, f"{stage.does}", color, stage.name)
        axes.text(i + 0.5, -0.14, f"{i + 1}", ha="center", va="top", fontsize=8.5, color="#606060")
        if stage.keeps:
            axes.text(
                i + 0.5,
                -0.78,
                stage.keeps,
                ha="center",
                va="center",
                fontsize=8,
                color=color,
                style="italic",
            )
    first, *_, last = (i for i, stage in enumerate(STAGES) if stage.core)
    axes.annotate(
        "",
        (first, -1.25),
        (last + 1, -1.25),
        arrowprops={"arrowstyle": "<->", "color": palette.BLUE, "shrinkA": 0, "shrinkB": 0},
    )
    core = "decision core (red_core): 6 clocks, a decision each clock, any order of queues; no bus"
    axes.text(
        (first + last + 1) / 2, -1.42, core, ha="center", va="top", fontsize=9.5, color=palette.BLUE
    )
    end = len(STAGES)
    _box(
        axes,
        0.04,
        _LANE,
        end - 0.9,
        0.75,
        "packet FIFO, 16 words of 72 bits: the packet waits for its verdict",
        palette.BLACK,
    )
    _box(
        axes,
        end + 0.04,
        _LANE - 0.35,
        1.3,
        1.2,
        "processor:\nkept: out_wr 1\ndropped: read\nout, out_wr 0",
        palette.BLACK,
    )
    middle = _LANE + 0.37
    _arrow(axes, (-1.2, middle), (0, middle), "in_data 64\nin_ctrl 8")
    _arrow(axes, (end - 0.86, middle), (end + 0.04, middle), "words")
    _arrow(axes, (end + 1.34, middle), (end + 1.95, middle), "out")
    axes.plot([-0.5, -0.5], [middle, _HIGH / 2], color=palette.BLACK, linewidth=1.1)
    _arrow(axes, (-0.5, _HIGH / 2), (0.04, _HIGH / 2), "")
    axes.plot([end, end + 0.69], [_HIGH / 2] * 2, color=palette.BLACK, linewidth=1.1)
    _arrow(axes, (end + 0.69, _HIGH / 2), (end + 0.69, _LANE - 0.35), "")
    axes.text(
        end / 2,
        1.5,
        "clock of the header's word is 0; a frame of 64 bytes takes clocks 0 to 8",
        ha="center",
        fontsize=9,
    )
    feedback = (
        "pkt_removed, pkt_dropped: pulses of the output queues, which keep the lengths correct"
    )
    _arrow(axes, (1.5, -1.75), (1.5, -1.12), "")
    axes.text(1.0, -1.78, feedback, ha="left", va="top", fontsize=8.5)
    axes.text(
        -1.2,
        3.6,
        "red_nf1g, between output_port_lookup and output_queues",
        fontsize=10.5,
        weight="bold",
        va="top",
    )
    return figure


def _box(
    axes: Any, x: float, y: float, wide: float, high: float, text: str, color: str, name: str = ""
) -> None:
    axes.fill(
        [x, x + wide, x + wide, x],
        [y, y, y + high, y + high],
        facecolor="white",
        edgecolor=color,
        linewidth=1.3,
    )
    shift = 0.08 if name else 0.0
    axes.text(
        x + wide / 2,
        y + high / 2 - shift,
        text,
        ha="center",
        va="center",
        fontsize=8.3,
        color=palette.BLACK,
    )
    if name:
        axes.text(
            x + wide / 2,
            y + high - 0.03,
            name,
            ha="center",
            va="top",
            fontsize=9,
            weight="bold",
            color=color,
        )


def _arrow(axes: Any, start: tuple[float, float], end: tuple[float, float], text: str) -> None:
    axes.annotate(
        "",
        end,
        start,
        arrowprops={"arrowstyle": "->", "color": palette.BLACK, "shrinkA": 0, "shrinkB": 0},
    )
    if text:
        axes.text(
            (start[0] + end[0]) / 2, start[1] + 0.1, text, ha="center", va="bottom", fontsize=8.5
        )
