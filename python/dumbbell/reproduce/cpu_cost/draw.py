"""The figure: what a gigabyte costs under each condition at both MTUs, and who pays for it."""

from __future__ import annotations

from typing import Any

from ...figures import style
from ...figures.style import palette
from ...studies.frame.drawing import NamedFigure
from .document import CostReport, EffectRow, Part
from .judge import sums
from .narrative import SHORT

_LAYERS: tuple[tuple[Part, str, str, str], ...] = (
    ("sender_s_per_gb", "sender (and the work charged to it)", palette.BLUE, ""),
    ("receiver_s_per_gb", "receiver", palette.SKY, "//"),
    ("soft_interrupts_s_per_gb", "the kernel's threads for soft interrupts", palette.ORANGE, ".."),
    ("router_s_per_gb", "our router (and the work charged to it)", palette.PURPLE, "xx"),
)


def figures_of(summary: CostReport) -> list[NamedFigure]:
    """Stacked bars, with the interval of the sum; none if nothing was measured."""
    rows = [row for row in summary["effects"] if row["costs"]]
    if not rows:
        return []
    figure, axes = style.new(size=(7.2, 4.2))
    labels, places = [], []
    for n, row in enumerate(rows):
        for i, mtu in enumerate(summary["mtus_bytes"]):
            x = n + 0.42 * (i - 0.5)
            places.append(x)
            labels.append(f"{mtu}\n{SHORT[row['condition']]}")
            _bar(axes, row, i, x, first=not n and not i)
    axes.set_xticks(places, labels)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("processor time for a gigabyte [s]")
    axes.set_xlabel("MTU [bytes]")
    axes.grid(axis="x", visible=False)
    axes.legend(frameon=False, fontsize=9)
    caption = (
        "Processor time for a gigabyte, by the process charged for it. Only the total height of "
        "a bar is a measure; it has a 95 % interval."
    )
    return [NamedFigure("gigabyte", figure, caption)]


def _bar(axes: Any, row: EffectRow, i: int, x: float, first: bool) -> None:
    bottom = 0.0
    for key, label, color, hatch in _LAYERS:
        block = row["costs"][key][i]
        height = 0.0 if block is None else block["mean"]
        named = {"label": label} if first else {}
        axes.bar(
            x,
            height,
            0.36,
            bottom,
            color=color,
            hatch=hatch,
            edgecolor="white",
            linewidth=0.6,
            **named,
        )
        bottom += height
    whole = sums(row)[i]
    if whole["ci95"]:
        arm = (whole["ci95"][1] - whole["ci95"][0]) / 2
        axes.errorbar(
            [x], [whole["mean"]], yerr=[arm], color=palette.BLACK, capsize=3, linewidth=1.1
        )
