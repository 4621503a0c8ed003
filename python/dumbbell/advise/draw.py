"""Figures of advice: those of a comparison, of the candidates that matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..schemes import draw as comparison
from ..schemes.draw import Drawn

MOST = 8
"""Candidates that are drawn: more cannot be told apart."""


def figures_of(document: Mapping[str, Any], compared: Mapping[str, Any]) -> list[Drawn]:
    """Goodput against delay at each point, and each measurement at each point; of the recommended candidate, the first
    one, and those with the highest power."""
    return comparison.figures_of(shown(document, compared))


def shown(document: Mapping[str, Any], compared: Mapping[str, Any]) -> dict[str, Any]:
    """The comparison without the candidates that are not drawn."""
    ranked = sorted(document["candidates"], key=lambda c: (not c["chosen"], -(c["relative_power"] or 0.0)))
    names = [c["name"] for c in ranked][:MOST]
    first = compared["baseline"]
    if first not in names:
        names[-1] = first
    return {
        **compared,
        "schemes": [scheme for scheme in compared["schemes"] if scheme["name"] in names],
        "rows": [row for row in compared["rows"] if row["scheme"] in names],
    }
