"""The figures of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import small_multiples, tradeoff
from .draw import NamedFigure
from .metrics import GOODPUT


def figures_of(document: Mapping[str, Any]) -> list[NamedFigure]:
    """Every figure that the document has numbers for."""
    if not any(row[GOODPUT] for row in document["rows"]):
        return []
    found = [
        one for one in (tradeoff.draw(document), small_multiples.draw(document)) if one is not None
    ]
    for one in found:  # Laid out once, and not for each format again.
        one.figure.draw_without_rendering()
        one.figure.set_layout_engine("none")
    return found
