"""The page of an attack: the runs over time, what is left of what was found, other controls in the
same scenario, and the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...figures import style
from ...figures.style import chart, palette
from ...present.grids import minus, titled
from ..frame import pages
from ..frame.drawing import NamedFigure
from ..frame.over_time import OverTime
from ..frame.publish import Shown, seeds_text
from .harm import Objective
from .space import FEATURES, Genome

Document = Mapping[str, Any]
_LOG_FROM = 10.0
"""The axis of a search is logarithmic if its last harm is so many times its first."""


def html(
    document: Document,
    objective: Objective,
    drawn: Sequence[Shown],
    over_time: OverTime | None = None,
) -> str:
    """The page."""
    return pages.render(
        Path(__file__).with_name("page.html.j2"),
        f"Attack on {document['cc']}",
        drawn,
        over_time,
        d=document,
        parameters=_parameters(document["found"]["genome"], document["shrunk"]["genome"]),
        controls=_controls(document, objective),
        seeds=seeds_text(document["other_seeds"]["seeds"]),
        seed_harms=", ".join(_text(objective, one) for one in document["other_seeds"]["harm"]),
        harm=titled(objective.title, objective.unit),
    )


def figures_of(document: Document, objective: Objective) -> list[NamedFigure]:
    """The greatest harm after each generation of the search."""
    known = [one for one in document["generations"] if one["harm"] is not None]
    harms = [one["harm"] * objective.scale for one in known]
    line = chart.Line("greatest harm", [one["runs"] for one in known], harms, palette.nth(0))
    is_log = min(harms) > 0 and harms[-1] > _LOG_FROM * harms[0]
    figure, axes = style.new(1, 1, size=(6.4, 3.4))
    figure.charts = [
        chart.Chart(objective.title, objective.unit, chart.Axis("runs", ""), [line], log=is_log)
    ]
    chart.draw(axes, figure.charts[0])
    axes.set(xlabel="runs", ylabel=titled(objective.title, objective.unit))
    if is_log:
        axes.set_yscale("log")
    return [NamedFigure("search", figure, "The greatest harm after each generation of the search.")]


def _text(objective: Objective, harm: float | None) -> str:
    return "–" if harm is None else minus(f"{harm * objective.scale:.3g}")


def _parameters(found: Genome, shrunk: Genome) -> list[list[str]]:
    """Every parameter of what was found, before and after the shrinker."""
    rows = [["parameter", "unit", "found", "shrunk", "mildest"]]
    for feature, values in found.items():
        for one in FEATURES[feature].parameters:
            left = shrunk.get(feature, {}).get(one.name)
            rows.append(
                [
                    f"{feature}.{one.name}",
                    one.unit,
                    f"{values[one.name]:g}",
                    "not needed" if left is None else f"{left:g}",
                    "–" if one.mild is None else f"{one.mild:g}",
                ]
            )
    return rows


def _controls(document: Document, objective: Objective) -> list[list[str]]:
    """The harm of the scenario to each control, the most hurt first; the one that was attacked
    leads."""
    others = document["other_controls"].items()
    ranked = sorted(others, key=lambda one: -1.0 if one[1] is None else one[1], reverse=True)
    rows = [(document["cc"], document["shrunk"]["harm"]), *ranked]
    head = ["control", titled(objective.title, objective.unit)]
    return [head, *([name, _text(objective, harm)] for name, harm in rows)]
