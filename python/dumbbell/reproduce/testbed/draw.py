"""Figures of a campaign: what both schemes gave on kernels and in the simulator, and the
differences with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ...figures import style
from ...figures.style import palette
from ...figures.style.palette import Look
from ...files.declared import filled
from ...studies.frame.drawing import SOFT, NamedFigure
from .document import CampaignReport, EffectRow
from .entries import Campaign
from .judge import EFFECTS

_SHOWN = tuple(one.key for one in EFFECTS[:4])
_SIDES = {
    "kernel": Look(palette.VERMILLION, "s", "-"),
    "simulator": Look(palette.BLUE, "o", palette.DASHES[1]),
    "simulator, hosts of 2011": Look(palette.SKY, "D", palette.DASHES[2]),
}
Scheme = Literal["baseline", "scheme"]
_SCHEMES: dict[Scheme, tuple[str, Look]] = {
    "baseline": ("Drop Tail", palette.look("drop_tail")),
    "scheme": ("RED", palette.look("red")),
}


def figures_of(campaign: Campaign, summary: CampaignReport) -> list[NamedFigure]:
    """Every figure that there are numbers for."""
    rows = [row for row in summary["effects"] if row["measures"]]
    if not any(row["where"] == "kernel" for row in rows):
        return []
    drawn = [_differences(rows)]
    buffers = {row["buffer"] for row in rows}
    if not summary["grid"] and len(buffers) > 1:
        drawn.insert(0, _over_buffers(campaign, rows))
    return drawn


def _over_buffers(campaign: Campaign, rows: Sequence[EffectRow]) -> NamedFigure:
    """Four panels over the buffer: both schemes on kernels and in the simulator, and the print."""
    figure, grid = style.new(2, 2, size=(9.6, 6.6), sharex=True)
    for axes, key in zip(grid.flat, _SHOWN, strict=True):
        for which, (name, look) in _SCHEMES.items():
            for where, dash, alpha in (
                ("kernel", "-", 1.0),
                ("simulator", palette.DASHES[1], 0.65),
            ):
                _line(
                    axes,
                    [row for row in rows if row["where"] == where],
                    key,
                    which,
                    f"{name}, {where}",
                    look,
                    dash,
                    alpha,
                )
            printed = _printed(campaign, key, which)
            if printed:
                mark = "x" if which == "baseline" else "+"
                keywords = {
                    "color": look.color,
                    "markersize": 8,
                    "markeredgewidth": 1.6,
                    "linestyle": "none",
                    "zorder": 4,
                }
                axes.plot(
                    *zip(*printed, strict=True), marker=mark, label=f"{name}, printed", **keywords
                )
        measure = rows[0]["measures"][key]
        axes.set_ylabel(
            f"{measure['title']} [{measure['unit']}]" if measure["unit"] else measure["title"]
        )
        axes.set_xticks(sorted({row["buffer"] for row in rows}))
        if key != "total":
            axes.set_ylim(bottom=0)
    for axes in grid[-1]:
        axes.set_xlabel("buffer [packets]")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=3, frameon=False, fontsize=9)
    caption = (
        "Both schemes over the buffer: means of the paired runs with 95 % intervals, on real "
        "kernels (solid) and in the simulator with the same hosts (dashed). Crosses and pluses "
        "are the printed values."
    )
    return NamedFigure("over-buffers", figure, caption)


def _line(
    axes: Any,
    rows: Sequence[EffectRow],
    key: str,
    which: Scheme,
    label: str,
    look: Look,
    dash: Any,
    alpha: float,
) -> None:
    points = sorted(
        (row["buffer"], row["measures"][key][which]) for row in rows if key in row["measures"]
    )
    if not points:
        return
    xs, ys = [x for x, _ in points], [y["mean"] for _, y in points]
    arms = [0.0 if y["ci95"] is None else (y["ci95"][1] - y["ci95"][0]) / 2 for _, y in points]
    keywords = look.line() | {
        "linestyle": dash,
        "alpha": alpha,
        "linewidth": 1.5 if alpha == 1.0 else 1.0,
    }
    axes.errorbar(xs, ys, yerr=arms, capsize=2.5, label=label, **keywords)


def _printed(campaign: Campaign, key: str, which: Scheme) -> list[tuple[int, float]]:
    """The paper's values of this measure, by the buffer."""
    path = next(one.path for one in EFFECTS if one.key == key).format(
        flow=campaign.flow, queue=campaign.queue
    )
    pattern = campaign.baseline if which == "baseline" else campaign.scheme
    found = []
    for buffer in campaign.efforts["full"].buffers:
        point = filled(pattern, {"buffer": buffer})
        cells = [c for c in campaign.paper.cells.values() if c.point == point and c.measure == path]
        found += [(buffer, cell.published) for cell in cells]
    return found


def _differences(rows: Sequence[EffectRow]) -> NamedFigure:
    """A row for each spot, a panel for each measure: RED minus Drop Tail with its interval, kernel
    and simulator."""
    labels = list(dict.fromkeys(row["label"] for row in rows))
    places = [place for place in _SIDES if any(row["where"] == place for row in rows)]
    size = (10.4, 1.5 + (0.22 + 0.17 * len(places)) * len(labels))
    figure, grid = style.new(1, len(_SHOWN), size=size, sharey=True)
    for axes, key in zip(grid, _SHOWN, strict=True):
        axes.axvline(0, color=SOFT, linewidth=0.9)
        for k, place in enumerate(places):
            look = _SIDES[place]
            for y, label in enumerate(labels):
                row = next((r for r in rows if r["label"] == label and r["where"] == place), None)
                if row is None:
                    continue
                difference = row["measures"][key]["difference"]
                at = y + (k - (len(places) - 1) / 2) * 0.24
                if difference["ci95"]:
                    axes.plot(difference["ci95"], [at, at], color=look.color, linewidth=1.5)
                keywords = {
                    "color": look.color,
                    "markerfacecolor": "white",
                    "markeredgewidth": 1.3,
                    "markersize": 4.5,
                }
                axes.plot(
                    [difference["mean"]],
                    [at],
                    look.marker,
                    label=place if y == 0 else None,
                    **keywords,
                )
        measure = rows[0]["measures"][key]
        axes.set_xlabel(f"{measure['title']}\n[{measure['unit']}]", fontsize=9)
        axes.margins(x=0.08)
    grid[0].set_yticks(range(len(labels)), labels, fontsize=9)
    grid[0].set_ylim(len(labels) - 0.4, -0.6)
    figure.legend(
        *grid[0].get_legend_handles_labels(),
        loc="outside upper left",
        ncols=3,
        frameon=False,
        fontsize=9,
    )
    caption = (
        "RED minus Drop Tail, paired by run: mean and 95 % interval. If the interval includes "
        "the line, the effect is not significant."
    )
    return NamedFigure("differences", figure, caption)
