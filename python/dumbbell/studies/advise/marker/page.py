"""An advice on a marker as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ....figures import style
from ...compare.queues import page as comparison
from ...compare.queues.draw import NamedFigure
from ...compare.queues.page import minus
from . import table

_HERE = Path(__file__).parent


def html(document: Mapping[str, Any], drawn: Sequence[NamedFigure]) -> str:
    """The page."""
    parts = Path(comparison.__file__).parent
    sheets = (parts.parent / "reproduce" / "report.css", parts / "page.css", _HERE.parent / "page.css")
    known = bool(document["sentence"])
    return str(
        comparison.tools(_HERE)
        .get_template("page.html.j2")
        .render(
            d=document,
            facts=_words(table.facts(document)) if known else [],
            candidates=_words(table.candidates(document)) if known else [],
            conditions=_words(table.conditions(document, inside=True)) if known else [],
            figures=[(one, style.svg(one.figure, f"figure-{one.name}")) for one in drawn],
            css="".join(sheet.read_text(encoding="utf-8") for sheet in sheets),
        )
    )


def _words(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Words of a first column as they are, numbers with the sign that is as wide as a plus."""
    return [[row[0], *(minus(text) for text in row[1:])] for row in rows]
