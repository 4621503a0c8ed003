"""Figures of advice: those of a comparison, of the candidates that matter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...compare.queues import figures
from ...compare.queues.document import ConditionRow, measured
from ...compare.queues.document import Document as Compared
from ...compare.queues.metrics import GOODPUT
from ...frame.drawing import NamedFigure, settled
from .document import Document

MOST = 8
"""Candidates that are drawn: more cannot be told apart."""


def figures_of(document: Document, compared: Compared) -> list[NamedFigure]:
    """Goodput against delay at each point, and each measurement at each point; of the recommended
    candidate, the first one, and those with the highest power."""
    kept = shown(document, compared)
    if not any(measured(row, GOODPUT) for row in kept["rows"]):
        return []
    labelled = figures.tradeoff(_labelled(kept, lambda number, label: f"{number}: {label}"))
    numbered = figures.multiples(_labelled(kept, lambda number, _: str(number)))
    caption = f"{numbered.caption} Points have their numbers in the grid below."
    both = [labelled, replace(numbered, caption=caption)]
    return settled([one for one in both if one is not None])


def _labelled(document: Compared, name: Callable[[int, object], str]) -> Compared:
    """With other names of the points."""

    def renamed(condition: ConditionRow) -> ConditionRow:
        label = name(condition["number"], next(iter(condition["over"].values())))
        return {**condition, "label": label, "over_label": label}

    return {**document, "conditions": [renamed(one) for one in document["conditions"]]}


def shown(document: Document, compared: Compared) -> Compared:
    """The comparison without the candidates that are not drawn."""
    ranked = sorted(
        document["candidates"], key=lambda c: (not c["chosen"], -(c["relative_power"] or 0.0))
    )
    names = [c["name"] for c in ranked][:MOST]
    first = compared["baseline"]
    if first not in names:
        names[-1] = first
    return {
        **compared,
        "schemes": [scheme for scheme in compared["schemes"] if scheme["name"] in names],
        "rows": [row for row in compared["rows"] if row["scheme"] in names],
    }
