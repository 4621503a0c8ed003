"""Figures of an edge that marks: tokens over time, throughput by reservation, best sizes over a
grid, the model."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from typing import Any

from ... import figures
from ...data import series
from ...errors import ScenarioError
from ...figures import style
from ...figures.style import palette
from ...files.declared import filled
from ...present import stats
from ..entries import Paper, Picture, Surface
from ..measures import buffer_size, buffer_size_grid
from ..predicate import Family
from ..runs import Runs

Table = tuple[list[str], list[list[str]]]


def tokens(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Any:
    """`points`: a point, `flow`: one flow's window, the tokens in its bucket and those lost, in
    the first run, from `from_s` until `until_s`, one below the other; `tops`: where the three
    axes end."""
    options = picture.options
    (point,) = options["points"].values()
    runs, flow = measured[point], options["flow"]
    low, high = options["from_s"], options["until_s"]
    windows = _rows(runs, "flows", flow, low, high)
    marker = _rows(runs, "markers", flow, low, high)
    lost = marker["tokens_lost"].to_list()
    panels = [
        (
            "congestion window [packets]",
            windows["time_s"].to_list(),
            windows["cwnd_packets"].to_list(),
        ),
        ("tokens in the bucket", marker["time_s"].to_list(), marker["tokens"].to_list()),
        ("tokens lost, cumulative", marker["time_s"].to_list(), [x - lost[0] for x in lost]),
    ]
    figure, axes = style.new(3, 1, size=(7.2, 5.6), sharex=True)
    for i, (axis, (label, times, values)) in enumerate(zip(axes, panels, strict=True)):
        axis.plot(times, values, **palette.nth(i).trace() | {"linestyle": "-"})
        axis.set_ylim(bottom=0, top=options.get("tops", [None] * 3)[i])
        axis.set_title(label, loc="left")
    axes[-1].set(xlabel="time [s]")
    return figure


def _rows(runs: Runs, name: str, flow: str, low: float, high: float) -> Any:
    frame = series.read(runs.directories[0], name) if runs.directories else None
    if frame is None:
        raise ScenarioError(
            f"point `{runs.point.id}` has no {name} series: its scenario must record them"
        )
    return frame.filter(
        (frame["flow"] == flow) & (frame["time_s"] >= low) & (frame["time_s"] < high)
    )


def classes(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Any:
    """`numbers`: reserved rate to a family over the size; a line for each of `sizes`, and the
    `targets`."""
    options = picture.options
    rates = [float(x) for x in options["numbers"]]
    families = [numbers[name] for name in options["numbers"].values()]
    lines = []
    for size in options["sizes"]:
        chosen = [stats.interval(family.values[family.at.index(size)]) for family in families]
        lines.append(figures.Line(None, f"{size:g} packets", rates, chosen))
    target = [stats.Interval(t, t, t) for t in options["targets"]]
    lines.append(figures.Line("drop_tail", "target", rates, target))
    return figures.over_parameter(lines, options["x"], options["y"])


def best_sizes(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> tuple[Any, str, Table]:
    """Best sizes over the grid (`definition`: best or nearest) with their intervals, the law that
    they follow."""
    grid = _grid(paper)
    fit = buffer_size_grid.fits(grid, numbers)[picture.options["definition"]]
    values = [[fit.sizes[1e3 * rate, 1e-3 * rtt] for rtt in grid.rtts] for rate in grid.rates]
    spans = [[fit.intervals[1e3 * rate, 1e-3 * rtt] for rtt in grid.rtts] for rate in grid.rates]
    figure, axes = style.new(size=(6.4, 3.6))
    axes.imshow(
        [[math.log2(1 + v) for v in row] for row in values],
        cmap="Greys",
        vmin=0,
        vmax=9,
        aspect="auto",
    )
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            low, high = spans[i][j]
            axes.text(j, i, f"{value:g}\n[{low:g}, {high:g}]", ha="center", va="center", size=8)
    axes.set_xticks(range(len(grid.rtts)), [f"{x:g}" for x in grid.rtts])
    axes.set_yticks(range(len(grid.rates)), [f"{x / 1e3:g}" for x in grid.rates])
    axes.grid(False)
    axes.set(xlabel="round-trip propagation time [ms]", ylabel="reserved rate [Mbit/s]")
    return figure, f"{picture.caption} {_told(fit)}", _law_table(fit)


def _told(fit: buffer_size.Fit) -> str:
    law, low, high = fit.law, fit.low, fit.high
    return (
        f"D = c r RTT / L with c = {law.coefficient:.2f} [{low.coefficient:.2f}, "
        f"{high.coefficient:.2f}]; with free exponents r^{law.rate:.2f} [{low.rate:.2f}, "
        f"{high.rate:.2f}], RTT^{law.rtt:.2f} [{low.rtt:.2f}, {high.rtt:.2f}]. A held-out rate is "
        f"predicted within a factor of {2**fit.held_rate:.2f} (root mean square), a held-out "
        f"round-trip time within {2**fit.held_rtt:.2f}."
    )


def _law_table(fit: buffer_size.Fit) -> Table:
    names = ("coefficient", "rate", "rtt")
    row = [
        f"{getattr(fit.law, n):.3f} [{getattr(fit.low, n):.3f}, {getattr(fit.high, n):.3f}]"
        for n in names
    ]
    held = [f"{2**fit.held_rate:.2f}", f"{2**fit.held_rtt:.2f}"]
    header = [
        "",
        "c",
        "exponent of r",
        "exponent of RTT",
        "factor, rate held out",
        "factor, RTT held out",
    ]
    return header, [["law", *row, *held]]


def model(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> tuple[Any, str, Table]:
    """The model's totals over the size beside the measured ones, a panel for each of `rates`; every
    cell's errors beside them."""
    grid = _grid(paper)
    tested = buffer_size_grid.examine(grid, numbers)
    by_cell = {one.cell: one for one in tested.cells}
    columns = min(len(grid.rates), 3)
    rows = -(-len(grid.rates) // columns)
    figure, axes = style.new(rows, columns, size=(9.6, 0.6 + 2.9 * rows), squeeze=False)
    for axis in axes.flat[len(grid.rates) :]:
        axis.set_visible(False)
    for axis, rate in zip(axes.flat, grid.rates, strict=False):
        for i, rtt in enumerate(grid.rtts):
            family, look = numbers[filled(grid.total, {"rate": rate, "rtt": rtt})], palette.nth(i)
            means = [stats.mean(runs) for runs in family.values]
            axis.plot(
                family.at, means, marker=look.marker, linestyle="", color=look.color, markersize=4
            )
            said = by_cell[1e3 * rate, 1e-3 * rtt].totals
            axis.plot(
                family.at,
                said,
                color=look.color,
                linestyle=look.dash,
                linewidth=1.2,
                label=f"{rtt:g} ms",
            )
        axis.set_title(f"{rate / 1e3:g} Mbit/s reserved", loc="left", pad=6)
        axis.set(xlabel="size [packets]")
    for axis in axes[:, 0]:
        axis.set(ylabel="total [Mbit/s]")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    also = buffer_size_grid.examine(grid, numbers, grid.timeout)
    count = len(tested.cells)
    told = (
        f"{picture.caption} kappa = {tested.kappa:g}; the model fails in {tested.failed} of "
        f"{count} cells."
    )
    told += (
        f" With timeouts as in Padhye and others, kappa = {also.kappa:g}, and it fails in "
        f"{also.failed}."
    )
    told_cells = [
        [
            f"{one.cell[0] / 1e6:g} Mbit/s, {1e3 * one.cell[1]:g} ms",
            f"{100 * one.total_error:.1f}",
            f"{100 * one.inside_error:.1f}",
            f"{one.predicted:g}",
            f"{one.measured:g}",
            "fails" if one.fails else "holds",
            f"{100 * other.total_error:.1f}",
            "fails" if other.fails else "holds",
        ]
        for one, other in zip(tested.cells, also.cells, strict=True)
    ]
    header = [
        "cell",
        "error of total [%]",
        "error of IN [%]",
        "best, model",
        "best, measured",
        "",
        "with timeouts [%]",
        "",
    ]
    return figure, told, (header, told_cells)


def fitted(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> tuple[Any, str, Table]:
    """`file`: the grid of a fit; for each value of `x` and `y` the least `error` over all else, and
    the `runners` best points."""
    options = picture.options
    with (paper.folder / options["file"]).open(newline="") as file:
        rows = list(csv.DictReader(file))
    least: dict[tuple[float, float], float] = {}
    for row in rows:
        place = float(row[options["x"]]), float(row[options["y"]])
        least[place] = min(least.get(place, math.inf), 100 * float(row[options["error"]]))
    xs, ys = (sorted({place[k] for place in least}) for k in (0, 1))
    drawn = figures.error_map(
        xs, ys, [[least[x, y] for x in xs] for y in ys], options["x_label"], options["y_label"]
    )
    best = sorted(rows, key=lambda row: float(row[options["error"]]))[: options["runners"]]
    header = list(rows[0])
    return drawn, picture.caption, (header, [[row[name] for name in header] for row in best])


def schemes(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Any:
    """`panels`: title to {label: number}; means with intervals, one bar each, and a line at the
    first one's mean."""
    panels = picture.options["panels"]
    height = 0.24 * max(len(bars) for bars in panels.values()) + 1.0
    figure, axes = style.new(
        1, len(panels), size=(2.7 * len(panels) + 1.4, height), sharey=True, squeeze=False
    )
    for axis, (title, bars) in zip(axes[0], panels.items(), strict=True):
        spans = [_one(numbers[name]) for name in bars.values()]
        means = [span.mean for span in spans]
        axis.barh(
            range(len(bars)),
            means,
            xerr=[span.half or 0.0 for span in spans],
            color="#b8c8d8",
            capsize=2,
        )
        axis.axvline(means[0], color=palette.BLACK, linewidth=0.9, linestyle=(0, (4, 2)))
        axis.set_title(title, loc="left")
        axis.set_yticks(range(len(bars)), list(bars))
        axis.set(xlabel=picture.options["x"])
        axis.grid(axis="y", visible=False)
    axes[0][0].invert_yaxis()
    return figure


def _one(family: Family) -> stats.Interval:
    (runs,) = family.values
    return stats.interval(runs)


def _grid(paper: Paper) -> Surface:
    if paper.surface is None:
        raise ScenarioError(f"{paper.name} has no surface")
    return paper.surface
