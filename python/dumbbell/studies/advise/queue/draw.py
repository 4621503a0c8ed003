"""Figures of advice: those of a comparison, of the candidates that matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...compare.queues import small_multiples, tradeoff
from ...compare.queues.draw import NamedFigure
from ...compare.queues.metrics import GOODPUT

MOST = 8
"""Candidates that are drawn: more cannot be told apart."""


def figures_of(document: Mapping[str, Any], compared: Mapping[str, Any]) -> list[NamedFigure]:
    """Goodput against delay at each point, and each measurement at each point; of the recommended
    candidate, the first one, and those with the highest power."""
    document_of = shown(document, compared)
    if not any(row[GOODPUT] for row in document_of["rows"]):
        return []
    numbered = small_multiples.draw(_labelled(document_of, lambda number, _: str(number)))
    numbered = replace(
        numbered, caption=f"{numbered.caption} Points by their number in the grid below."
    )
    found = [
        tradeoff.draw(_labelled(document_of, lambda number, label: f"{number}: {label}")),
        numbered,
    ]
    kept = [one for one in found if one is not None]
    for one in kept:  # Laid out once, and not for each format again.
        one.figure.draw_without_rendering()
        one.figure.set_layout_engine("none")
    return kept


def _labelled(document: Mapping[str, Any], name: Callable[[int, str], str]) -> dict[str, Any]:
    """With other names of the points."""
    found = []
    for condition in document["conditions"]:
        label = name(condition["number"], next(iter(condition["over"].values())))
        found.append({**condition, "label": label, "over_label": label})
    return {**document, "conditions": found}


def shown(document: Mapping[str, Any], compared: Mapping[str, Any]) -> dict[str, Any]:
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
