"""The report as one HTML file that needs nothing else: no script, no font, no picture from
elsewhere."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..present import templates
from ..studies.frame import pages
from ..studies.frame.over_time import OverTime
from ..studies.frame.publish import Shown
from .document import CellRow, ClaimRow, EvidenceRow, PowerRow, PredictionRow, Report
from .papers import Paper
from .power import said


def html(
    paper: Paper, summary: Report, drawn: Sequence[Shown], over_time: OverTime | None = None
) -> str:
    """The page."""
    rules = paper.folder / "rules.md"
    return pages.render(
        Path(__file__).with_name("report.html.j2"),
        paper.title,
        drawn,
        over_time,
        paper=paper,
        summary=summary,
        cells={cell["id"]: cell for cell in summary["cells"]},
        tally=_tally(summary["cells"]),
        claim_tally=_tally(summary["claims"]),
        drawn={one.name: one for one in drawn},
        described={row["id"]: row for row in summary["figures"]},
        marks=templates.MARKS,
        by_points=_by_points,
        powers=_powers(summary),
        noticed=partial(_noticed, summary),
        columns=_columns(summary["predictions"], paper),
        rules=rules.read_text(encoding="utf-8") if rules.exists() else "",
    )


def _powers(summary: Report) -> dict[str, str]:
    """The power of each verdict, by the id of its printed number or claim; "" without one."""
    found: dict[str, str] = defaultdict(str)
    for row in summary["power"]["rows"] if summary["power"] else ():
        found[row["id"]] = row["power"] or ""
    return found


def _noticed(summary: Report, row: PowerRow) -> str:
    """What a verdict caught, in words."""
    assert summary["power"] is not None
    return said(row, summary["power"]["perturbations"])


def _tally(rows: Sequence[CellRow] | Sequence[ClaimRow]) -> list[tuple[str, int]]:
    counted = Counter(row["verdict"] or "fitted" for row in rows)
    order = ["reproduced", "in part", "contradicted", "not testable", "fitted"]
    return [(verdict, counted[verdict]) for verdict in order if counted[verdict]]


def _by_points(
    numbers: dict[str, list[EvidenceRow]],
) -> list[tuple[list[float | None], list[tuple[str, list[EvidenceRow]]]]]:
    """The numbers of a claim, those at the same points together: [(points, [(label, rows)])]."""
    groups: dict[tuple[float | None, ...], list[tuple[str, list[EvidenceRow]]]] = {}
    for label, rows in numbers.items():
        groups.setdefault(tuple(row.get("at") for row in rows), []).append((label, rows))
    return [(list(at), group) for at, group in groups.items()]


def _columns(predictions: Sequence[PredictionRow], paper: Paper) -> dict[str, str]:
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
