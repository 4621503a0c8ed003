"""The report as one HTML file that needs nothing else: no script, no font, no picture from
elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import figures
from ..errors import EnvironmentLacks
from ..present import templates
from ..present.units import significant
from .papers import Paper

MARKS = {"reproduced": "✓", "in part": "~", "contradicted": "✗", "not testable": "?", None: "·"}


def html(paper: Paper, summary: dict[str, Any], drawn: Mapping[str, Any]) -> str:
    """The page."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise EnvironmentLacks("reports need jinja2: pip install 'dumbbell[reports]'") from None
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": _number,
        "span": _span,
        "printed": printed,
        "mark": MARKS.__getitem__,
        "slug": _slug,
        "by_points": _by_points,
        "percent": _percent,
    }
    rules = paper.folder / "rules.md"
    return environment.get_template("report.html.j2").render(
        paper=paper,
        summary=summary,
        cells={cell["id"]: cell for cell in summary["cells"]},
        tally=_tally(summary["cells"]),
        claim_tally=_tally(summary["claims"]),
        svgs={
            name: figures.svg(one.figure, f"figure-{name}")
            for name, one in drawn.items()
            if one.figure is not None
        },
        drawn=drawn,
        marks=MARKS,
        columns=_columns(summary["predictions"], paper),
        rules=rules.read_text(encoding="utf-8") if rules.exists() else "",
        css=templates.css("report"),
    )


def _tally(rows: list[dict[str, Any]]) -> list[tuple[str, int]]:
    counted = Counter(row["verdict"] or "fitted" for row in rows)
    order = ["reproduced", "in part", "contradicted", "not testable", "fitted"]
    return [(verdict, counted[verdict]) for verdict in order if counted[verdict]]


def printed(cell: dict[str, Any]) -> str:
    """The published value with the decimals of the print."""
    return f"{cell['published']:.{max(cell['decimals'], 0)}f}"


_Rows = list[dict[str, Any]]


def _by_points(
    numbers: dict[str, list[dict[str, Any]]],
) -> list[tuple[list[float | None], list[tuple[str, _Rows]]]]:
    """The numbers of a claim, those at the same points together: [(points, [(label, rows)])]."""
    groups: dict[tuple[float | None, ...], list[tuple[str, _Rows]]] = {}
    for label, rows in numbers.items():
        groups.setdefault(tuple(row.get("at") for row in rows), []).append((label, rows))
    return [(list(at), group) for at, group in groups.items()]


def _columns(predictions: list[dict[str, Any]], paper: Paper) -> dict[str, str]:
    """The cells of all predictions by the first text of their row in the paper's tables (the
    buffer, say)."""
    rows = {
        text[1:]: row[0]
        for table in paper.tables
        for row in table.rows
        for text in row
        if text.startswith("@")
    }
    return {name: rows.get(name, name) for p in predictions for name in p["relative_errors"]}


def _percent(value: float | None, signed: bool = True) -> str:
    """A ratio in %, with one decimal."""
    return "–" if value is None else f"{100 * value:{'+' if signed else ''}.1f} %".replace("-", "−")


def _number(value: float | None, digits: int = 4) -> str:
    return "–" if value is None else significant(value, digits).replace("-", "−")


def _span(ends: list[float] | None) -> str:
    return "–" if ends is None else f"{_number(ends[0])} to {_number(ends[1])}"


def _slug(verdict: str | None) -> str:
    return (verdict or "fitted").replace(" ", "-")
