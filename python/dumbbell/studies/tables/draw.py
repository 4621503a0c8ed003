"""Figures of surveys: lines over a condition, a map of controls by conditions, controls in a
row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...figures import style
from ...figures.style import Figure, lettering
from ...figures.style.chart import Axis, Chart, Level, Line, arms
from ...figures.style.palette import Look
from ...present.grids import titled, unit_of
from ...present.units import prefix, significant
from ..frame.drawing import FAINT, SMALL, SOFT, delay_axis, legend, looks, mark, slanted
from ..frame.paired import Cell
from .document import Measured, Title, Value, known_sums, means, measured, place, ranked

MOST_LINES = 8
"""More cannot be told apart: others are thin and gray."""

_GRAY = Look(SOFT, "", (0, (3, 2)))

Guide = tuple[Callable[[float], float], str]
Curve = tuple[Sequence[float], Sequence[float | None], str]


def words(axis: Title, value: Value) -> str:
    """A condition's value in words: `0.5 BDP`, `20 Mbps`, `0.1 %`."""
    if isinstance(value, str):
        return value
    if axis["unit"] == "bps":
        scale, name = prefix(value)
        return f"{significant(value / scale, 3)} {name}bps"
    if axis["key"] == "loss":
        return f"{significant(100 * value, 2)} %"
    return f"{value:g}{' ' + axis['unit'] if axis['unit'] else ''}"


def _looks(document: Measured) -> dict[str, Look]:
    return looks({one["name"]: one["kind"] for one in document["controls"]})


def lines(
    document: Measured,
    axis: str,
    keys: Sequence[str],
    logy: bool = False,
    guides: Sequence[Guide] = (),
    curves: Sequence[Curve] = (),
) -> Figure:
    """A panel for each measurement, a line for each control over the condition `axis`; guides and
    curves are drawn in the first panel."""
    width = 6.4 if len(keys) == 1 else 4.2 * len(keys)
    figure, grid = style.new(1, len(keys), size=(width, 4.2), squeeze=False)
    shown, drawn = _shown(document), _looks(document)
    title = next(one for one in document["axes"] if one["key"] == axis)
    places = list(dict.fromkeys(place(row, axis) for row in document["rows"]))
    numbers = [x for x in places if isinstance(x, float)]
    scales = []
    charts: list[Chart] = []
    for panel, key in zip(grid[0], keys, strict=True):
        metric = next(m for m in document["metrics"] if m["key"] == key)
        scale, unit = unit_of(metric["unit"], max(means(document, key), default=0.0))
        scales.append(scale)
        found = []
        for name, look in drawn.items():
            cells = [
                (place(row, axis), cell)
                for row in document["rows"]
                if row["cc"] == name and (cell := measured(row, key))
            ]
            line = _points(name, cells, places, scale, look)
            _line(panel, line, name in shown)
            found += [line] if line.x else []
        across = _axis(title, places)
        charts.append(Chart(metric["title"], unit, across, found, log=logy))
        panel.set_ylabel(titled(metric["title"], unit))
        _name(panel, title, places)
        if logy:
            panel.set_yscale("log")
            # Plain numbers at its ticks.
            delay_axis(panel, [mean * scale for mean in means(document, key)], "y")
    drawn_guides = [
        (numbers, [guide(x) * scales[0] for x in numbers], text) for guide, text in guides
    ]
    for points, values, text in curves:
        pairs = [(x, y) for x, y in zip(points, values, strict=True) if y is not None and x > 0]
        drawn_guides.append(([x for x, _ in pairs], [y * scales[0] for _, y in pairs], text))
    for xs, ys, text in drawn_guides:
        _guide(grid[0][0], xs, ys, text)
    gray = [Line(text, xs, ys, _GRAY) for xs, ys, text in drawn_guides if xs]
    charts[0] = replace(charts[0], lines=[*charts[0].lines, *gray])
    figure.charts = charts
    for panel in grid[0]:
        if not logy:
            panel.set_ylim(bottom=min(0.0, panel.get_ylim()[0]))
    legend(figure, {name: drawn[name] for name in shown})
    return figure


def _guide(panel: Any, xs: Sequence[float], ys: Sequence[float], text: str) -> None:
    """A gray line with its name beside its end."""
    if not xs:
        return
    panel.plot(xs, ys, color=SOFT, linewidth=0.9, linestyle=(0, (3, 2)), zorder=1)
    lettering.beside(panel, ys[-1], text, SOFT)


def _points(
    name: str,
    cells: Sequence[tuple[Value, Cell]],
    places: Sequence[Value],
    scale: float,
    look: Look,
) -> Line:
    """A control's means with their intervals, over numbers or over the places of names."""
    numeric = all(isinstance(x, float) for x in places)
    known = [
        (float(x) if isinstance(x, float) else float(places.index(x)), cell)
        for x, cell in cells
        if not numeric or _above(x)
    ]
    ends = [cell["ci95"] or (cell["mean"], cell["mean"]) for _, cell in known]
    return Line(
        name,
        [x for x, _ in known],
        [cell["mean"] * scale for _, cell in known],
        look,
        low=[low * scale for low, _ in ends],
        high=[high * scale for _, high in ends],
    )


def _axis(title: Title, places: Sequence[Value]) -> Axis:
    """The axis of a condition for charts."""
    if all(isinstance(x, float) for x in places):
        return Axis(title["title"], title["unit"], "log")
    return Axis(title["title"], title["unit"], "names", [words(title, x) for x in places])


def _line(panel: Any, line: Line, shown: bool) -> None:
    if not shown:
        panel.plot(line.x, line.y, color=FAINT, linewidth=0.8, zorder=1)
        return
    low, high = arms(line)
    cut = [min(arm, 0.95 * abs(y)) for arm, y in zip(low, line.y, strict=True)]
    style = {**mark(line.look, 5.5), "linestyle": line.look.dash}
    panel.errorbar(line.x, line.y, yerr=[cut, high], **style)


def _above(x: Value) -> bool:
    return isinstance(x, float) and x > 0


def _name(panel: Any, title: Title, places: Sequence[Value]) -> None:
    """The axis of the condition: logarithmic if it is numbers, ticks where there are points."""
    from matplotlib.ticker import NullFormatter, NullLocator

    panel.set_xlabel(titled(title["title"], title["unit"]))
    numbers = [x for x in places if isinstance(x, float)]
    if len(numbers) == len(places):
        shown = [x for x in numbers if x > 0]
        panel.set_xscale("log")
        panel.xaxis.set_minor_locator(NullLocator())
        panel.xaxis.set_minor_formatter(NullFormatter())
        labels = [f"{100 * x:g} %" if title["key"] == "loss" else f"{x:g}" for x in shown]
        panel.set_xticks(shown, labels)
    else:
        panel.set_xticks(range(len(places)), [words(title, x) for x in places])
    if len(places) > 6:
        slanted(panel, 40)


def _shown(document: Measured) -> list[str]:
    """The controls that are drawn in color: all, or some from end to end of their rank by the
    first sum."""
    names = [one["name"] for one in document["controls"]]
    if len(names) <= MOST_LINES:
        return names
    known = {cc: cell["mean"] for cc, cell in known_sums(document, document["sums"][0]["key"])}
    order = sorted(names, key=lambda name: known.get(name, float("inf")))
    step = (len(order) - 1) / (MOST_LINES - 1)
    picked = {order[round(i * step)] for i in range(MOST_LINES)}
    return [name for name in names if name in picked]


def heat(
    document: Measured, key: str, middle: float, span: float, diverging: bool = True
) -> Figure:
    """A map of controls by the first condition, a panel for each value of the second; colors from
    `middle` - `span` to `middle` + `span`, the mean in each field."""
    axis, *more = document["axes"]
    cells = {
        (row["cc"], *(place(row, one["key"]) for one in document["axes"])): cell["mean"]
        for row in document["rows"]
        if (cell := measured(row, key))
    }
    columns = list(dict.fromkeys(place(row, axis["key"]) for row in document["rows"]))
    panels: list[tuple[Value, ...]] = [()]
    if more:
        panels = list(dict.fromkeys((place(row, more[0]["key"]),) for row in document["rows"]))
    names = _by_mean(document, key)
    size = (max(6.4, (1.3 + 0.62 * len(columns)) * len(panels) + 1.0), 0.30 * len(names) + 1.5)
    figure, grid = style.new(1, len(panels), size=size, squeeze=False, sharey=True)
    for panel, wanted in zip(grid[0], panels, strict=True):
        means_of = [[cells.get((name, x, *wanted)) for x in columns] for name in names]
        _map(panel, means_of, (middle, span, "RdBu" if diverging else "Blues"))
        labels = [words(axis, x).removesuffix(" BDP") for x in columns]
        panel.set_xticks(range(len(columns)), labels)
        if max(map(len, labels)) > 5:
            slanted(panel, 40)
        panel.set_xlabel(titled(axis["title"], axis["unit"]))
        if wanted:
            panel.set_title(words(more[0], wanted[0]), fontsize=SMALL, loc="left")
    grid[0][0].set_yticks(range(len(names)), names)
    if len(names) <= MOST_LINES:
        figure.charts = _as_charts(document, key, columns, panels)
    return figure


def _as_charts(
    document: Measured, key: str, columns: Sequence[Value], panels: Sequence[tuple[Value, ...]]
) -> list[Chart]:
    """The fields of a map as charts over its first condition, one for each value of the second."""
    axis, *more = document["axes"]
    title = next(m["title"] for m in document["metrics"] if m["key"] == key)
    names = Axis(axis["title"], axis["unit"], "names", [words(axis, x) for x in columns])
    found = []
    for wanted in panels:
        cells: dict[str, list[tuple[Value, Cell]]] = {}
        for row in document["rows"]:
            here = tuple(place(row, one["key"]) for one in more[: len(wanted)])
            if here == wanted and (cell := measured(row, key)):
                spot = float(columns.index(place(row, axis["key"])))
                cells.setdefault(row["cc"], []).append((spot, cell))
        lines = [
            replace(_places(name, cells.get(name, []), look), shape="marks")
            for name, look in _looks(document).items()
        ]
        where = f", {words(more[0], wanted[0])}" if wanted else ""
        found.append(Chart(f"{title}{where}", "", names, lines))
    return found


def _places(name: str, cells: Sequence[tuple[Value, Cell]], look: Look) -> Line:
    """The means of a control at places of names."""
    ends = [cell["ci95"] or (cell["mean"], cell["mean"]) for _, cell in cells]
    return Line(
        name,
        [float(x) for x, _ in cells],
        [cell["mean"] for _, cell in cells],
        look,
        low=[low for low, _ in ends],
        high=[high for _, high in ends],
    )


def _by_mean(document: Measured, key: str) -> list[str]:
    """Controls by the mean over all conditions."""
    of: dict[str, list[float]] = {one["name"]: [] for one in document["controls"]}
    for row in document["rows"]:
        if cell := measured(row, key):
            of[row["cc"]].append(cell["mean"])
    return sorted(of, key=lambda name: sum(of[name]) / len(of[name]) if of[name] else float("inf"))


def _map(
    panel: Any, means_of: Sequence[Sequence[float | None]], colors: tuple[float, float, str]
) -> None:
    import numpy as np

    middle, span, cmap = colors
    table = np.array(means_of, dtype=float)
    panel.imshow(
        table,
        aspect="auto",
        cmap=cmap,
        vmin=middle - span,
        vmax=middle + span,
        interpolation="none",
    )
    for i, j in np.ndindex(table.shape):
        if np.isfinite(table[i, j]):
            away = (table[i, j] - middle) / span
            dark = abs(away) > 0.62 if cmap == "RdBu" else away > 0.2
            text = f"{100 * table[i, j]:.0f}".replace("-", "\N{MINUS SIGN}")
            color = "white" if dark else "black"
            panel.text(j, i, text, ha="center", va="center", fontsize=8, color=color)
    panel.grid(visible=False)
    panel.tick_params(length=0)
    for spine in panel.spines.values():
        spine.set_visible(False)


def ranks(document: Measured, key: str, marks: Mapping[float, str]) -> Figure:
    """The controls one below the other by a number of each, with its interval; `marks`: lines with
    their names."""
    known, drawn = ranked(document, key), _looks(document)
    figure, panel = style.new(size=(6.4, 0.30 * len(known) + 1.5))
    title = next(m["title"] for m in document["sums"] if m["key"] == key)
    found = []
    for i, (name, cell) in enumerate(known):
        line = _places(name, [(float(i), cell)], drawn[name])
        panel.errorbar(line.y, line.x, xerr=arms(line), **mark(drawn[name], 6))
        found.append(replace(line, shape="marks"))
    names = Axis("", "", "names", [name for name, _ in known])
    levels = [Level(value, text) for value, text in marks.items()]
    figure.charts = [Chart(title, "", names, found, levels)]
    panel.set_yticks(range(len(known)), [name for name, _ in known])
    panel.set(xlabel=title, ylim=(-0.7, len(known) - 0.3))
    for x, text in marks.items():
        panel.axvline(x, color=SOFT, linewidth=0.9, linestyle=(0, (3, 2)), zorder=1)
        lettering.label(panel, x, len(known) - 0.55, text, SOFT, (3, 2))
    return figure
