"""A quantity over two parameters, printed in each cell: how flat an optimum is."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.patches import Rectangle

from . import style
from .style import Figure, palette


def error_map(
    x: Sequence[float],
    y: Sequence[float],
    percent: Sequence[Sequence[float]],
    x_label: str,
    y_label: str,
    title: str = "",
) -> Figure:
    """Errors in % as a map, `percent[row of y][column of x]`, darker where larger and each printed.

    The least of all is framed, the least of each column underlined.
    """
    figure, axes = style.new(size=(max(6.4, 0.62 * len(x) + 1.2), 0.27 * len(y) + 1.2))
    worst = 100.0
    axes.imshow(
        [[min(v, worst) for v in row] for row in percent],
        cmap="Greys",
        vmin=0,
        vmax=1.5 * worst,
        aspect="auto",
    )
    columns = list(zip(*percent, strict=True))
    lowest = [column.index(min(column)) for column in columns]
    for j, column in enumerate(columns):
        for i, value in enumerate(column):
            weight = "bold" if i == lowest[j] else "normal"
            axes.text(
                j,
                i,
                f"{value:.1f}" if value < worst else f"{value:.0f}",
                ha="center",
                va="center",
                weight=weight,
                size=8,
            )
        axes.plot([j - 0.32, j + 0.32], [lowest[j] + 0.36] * 2, color=palette.BLACK, linewidth=1)
    best = min(range(len(x)), key=lambda j: columns[j][lowest[j]])
    axes.add_patch(
        Rectangle(
            (best - 0.5, lowest[best] - 0.5),
            1,
            1,
            fill=False,
            linewidth=2.4,
            edgecolor=palette.BLACK,
        )
    )
    axes.set_xticks(range(len(x)), [f"{v:g}" for v in x])
    axes.set_yticks(range(len(y)), [f"{v:g}" for v in y])
    axes.grid(False)
    axes.set(xlabel=x_label, ylabel=y_label)
    if title:
        figure.suptitle(title, x=0.01, ha="left")
    return figure
