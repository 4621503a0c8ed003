"""Figures of surveys: lines over a condition, a map of controls by conditions, controls in a
row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...figures import style
from ...figures.style import Figure, Look
from ...present.grids import unit_of
from ...present.units import prefix, significant
from ..compare.queues.draw import FAINT, SMALL, SOFT, delay_axis, legend, looks, mark

MOST_LINES = 8
"""More cannot be told apart: others are thin and grey."""

Guide = tuple[Callable[[float], float], str]
Curve = tuple[Sequence[float], Sequence[float | None], str]
Document = Mapping[str, Any]


def place(axis: Mapping[str, Any], value: Any) -> str:
    """A condition's value in words: `0.5 BDP`, `20 Mbps`, `0.1 %`."""
    if isinstance(value, str):
        return value
    if axis["unit"] == "bps":
        scale, name = prefix(value)
        return f"{significant(value / scale, 3)} {name}bps"
    if axis["key"] == "loss":
        return f"{significant(100 * value, 2)} %"
    return f"{value:g}{' ' + axis['unit'] if axis['unit'] else ''}"


def lines(
    document: Document,
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
    shown, drawn = _shown(document), looks({"schemes": document["controls"]})
    title = next(one for one in document["axes"] if one["key"] == axis)
    places = list(dict.fromkeys(row[axis] for row in document["rows"]))
    for panel, key in zip(grid[0], keys, strict=True):
        metric = next(m for m in document["metrics"] if m["key"] == key)
        means = [abs(row[key]["mean"]) for row in document["rows"] if row[key]]
        scale, unit = unit_of(metric["unit"], max(means, default=0.0))
        for one in document["controls"]:
            name = one["name"]
            rows = [row for row in document["rows"] if row["cc"] == name and row[key]]
            _line(panel, rows, key, axis, places, scale, drawn[name] if name in shown else None)
        panel.set_ylabel(f"{metric['title']}{f' [{unit}]' if unit else ''}")
        _name(panel, title, places, document)
        if logy:
            panel.set_yscale("log")
            delay_axis(panel, [mean * scale for mean in means], "y")  # Plain numbers at its ticks.
    for guide, text in guides:
        xs = [x for x in places if isinstance(x, float)]
        _guide(grid[0][0], xs, [guide(x) * _scale(document, keys[0]) for x in xs], text)
    for points, values, text in curves:
        pairs = [(x, y) for x, y in zip(points, values, strict=True) if y is not None and x > 0]
        _guide(
            grid[0][0],
            [x for x, _ in pairs],
            [y * _scale(document, keys[0]) for _, y in pairs],
            text,
        )
    for panel in grid[0]:
        if not logy:
            panel.set_ylim(bottom=min(0.0, panel.get_ylim()[0]))
    legend(figure, {name: drawn[name] for name in shown})
    return figure


def _scale(document: Document, key: str) -> float:
    """The factor of a measurement in figures."""
    metric = next(m for m in document["metrics"] if m["key"] == key)
    means = [abs(row[key]["mean"]) for row in document["rows"] if row[key]]
    return unit_of(metric["unit"], max(means, default=0.0))[0]


def _guide(panel: Any, xs: Sequence[float], ys: Sequence[float], text: str) -> None:
    """A grey line with its name beside its end."""
    if not xs:
        return
    panel.plot(xs, ys, color=SOFT, linewidth=0.9, linestyle=(0, (3, 2)), zorder=1)
    style.beside(panel, ys[-1], text, SOFT)


def _line(
    panel: Any,
    rows: Sequence[Any],
    key: str,
    axis: str,
    places: Sequence[Any],
    scale: float,
    look: Look | None,
) -> None:
    numeric = all(isinstance(x, float) for x in places)
    rows = [row for row in rows if not numeric or row[axis] > 0]
    xs = [row[axis] if numeric else places.index(row[axis]) for row in rows]
    ys = [row[key]["mean"] * scale for row in rows]
    if look is None:
        panel.plot(xs, ys, color=FAINT, linewidth=0.8, zorder=1)
        return
    ends = [row[key]["ci95"] or (row[key]["mean"],) * 2 for row in rows]
    arms = [
        [
            min(max(y - low * scale, 0.0), 0.95 * abs(y))
            for y, (low, _) in zip(ys, ends, strict=True)
        ],
        [max(high * scale - y, 0.0) for y, (_, high) in zip(ys, ends, strict=True)],
    ]
    panel.errorbar(xs, ys, yerr=arms, **{**mark(look, 5.5), "linestyle": look.dash})


def _name(panel: Any, title: Mapping[str, Any], places: Sequence[Any], document: Document) -> None:
    """The axis of the condition: logarithmic if it is numbers, ticks where there are points."""
    from matplotlib.ticker import NullFormatter, NullLocator

    panel.set_xlabel(f"{title['title']}{' [' + title['unit'] + ']' if title['unit'] else ''}")
    if all(isinstance(x, float) for x in places):
        shown = [x for x in places if x > 0]
        panel.set_xscale("log")
        panel.xaxis.set_minor_locator(NullLocator())
        panel.xaxis.set_minor_formatter(NullFormatter())
        labels = [f"{100 * x:g} %" if title["key"] == "loss" else f"{x:g}" for x in shown]
        panel.set_xticks(shown, labels)
    else:
        panel.set_xticks(range(len(places)), [place(title, x) for x in places])
    if len(places) > 6:
        for text in panel.get_xticklabels():
            text.set(rotation=40, ha="right", rotation_mode="anchor")


def _shown(document: Document) -> list[str]:
    """The controls that are drawn in colour: all, or some from end to end of their rank by the
    first sum."""
    names = [one["name"] for one in document["controls"]]
    if len(names) <= MOST_LINES:
        return names
    key = document["sums"][0]["key"]
    known = {row["cc"]: row[key]["mean"] for row in document["summary"] if row[key]}
    ranked = sorted(names, key=lambda name: known.get(name, float("inf")))
    step = (len(ranked) - 1) / (MOST_LINES - 1)
    picked = {ranked[round(i * step)] for i in range(MOST_LINES)}
    return [name for name in names if name in picked]


def heat(
    document: Document, key: str, middle: float, span: float, diverging: bool = True
) -> Figure:
    """A map of controls by the first condition, a panel for each value of the second; colours from
    `middle` - `span` to `middle` + `span`, the mean in each field."""
    axes = document["axes"]
    columns = list(dict.fromkeys(row[axes[0]["key"]] for row in document["rows"]))
    panels = (
        list(dict.fromkeys(row[axes[1]["key"]] for row in document["rows"]))
        if len(axes) > 1
        else [None]
    )
    names = _by_mean(document, key)
    size = (max(6.4, (1.3 + 0.62 * len(columns)) * len(panels) + 1.0), 0.30 * len(names) + 1.5)
    figure, grid = style.new(1, len(panels), size=size, squeeze=False, sharey=True)
    for panel, wanted in zip(grid[0], panels, strict=True):
        _map(
            panel,
            document,
            key,
            names,
            columns,
            wanted,
            (middle, span, "RdBu" if diverging else "Blues"),
        )
        panel.set_xlabel(
            f"{axes[0]['title']}{' [' + axes[0]['unit'] + ']' if axes[0]['unit'] else ''}"
        )
        if wanted is not None:
            panel.set_title(place(axes[1], wanted), fontsize=SMALL, loc="left")
    grid[0][0].set_yticks(range(len(names)), names)
    return figure


def _by_mean(document: Document, key: str) -> list[str]:
    """Controls by the mean over all conditions."""
    of: dict[str, list[float]] = {one["name"]: [] for one in document["controls"]}
    for row in document["rows"]:
        if row[key]:
            of[row["cc"]].append(row[key]["mean"])
    return sorted(of, key=lambda name: sum(of[name]) / len(of[name]) if of[name] else float("inf"))


def _map(
    panel: Any,
    document: Document,
    key: str,
    names: Sequence[str],
    columns: Sequence[Any],
    wanted: Any,
    colors: tuple[float, float, str],
) -> None:
    import numpy as np

    middle, span, cmap = colors
    axes = document["axes"]
    table = np.full((len(names), len(columns)), np.nan)
    for row in document["rows"]:
        if row[key] and (wanted is None or row[axes[1]["key"]] == wanted):
            table[names.index(row["cc"]), columns.index(row[axes[0]["key"]])] = row[key]["mean"]
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
            panel.text(
                j, i, text, ha="center", va="center", fontsize=8, color="white" if dark else "black"
            )
    labels = [place(axes[0], x).removesuffix(" BDP") for x in columns]
    panel.set_xticks(range(len(columns)), labels)
    if max(map(len, labels)) > 5:
        for text in panel.get_xticklabels():
            text.set(rotation=40, ha="right", rotation_mode="anchor")
    panel.grid(visible=False)
    panel.tick_params(length=0)
    for spine in panel.spines.values():
        spine.set_visible(False)


def ranks(document: Document, key: str, marks: Mapping[float, str]) -> Figure:
    """The controls one below the other by a number of each, with its interval; `marks`: lines with
    their names."""
    known = [(row["cc"], row[key]) for row in document["summary"] if row[key]]
    known.sort(key=lambda pair: pair[1]["mean"])
    figure, panel = style.new(size=(6.4, 0.30 * len(known) + 1.5))
    drawn = looks({"schemes": document["controls"]})
    title = next(m["title"] for m in document["sums"] if m["key"] == key)
    for i, (name, cell) in enumerate(known):
        low, high = cell["ci95"] or (cell["mean"], cell["mean"])
        arms = [[cell["mean"] - low], [high - cell["mean"]]]
        panel.errorbar(cell["mean"], i, xerr=arms, **mark(drawn[name], 6))
    panel.set_yticks(range(len(known)), [name for name, _ in known])
    panel.set(xlabel=title, ylim=(-0.7, len(known) - 0.3))
    for x, text in marks.items():
        panel.axvline(x, color=SOFT, linewidth=0.9, linestyle=(0, (3, 2)), zorder=1)
        style.label(panel, x, len(known) - 0.55, text, SOFT, (3, 2))
    return figure
