"""The report as one HTML file that needs nothing else."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from ...studies.frame import pages
from ...studies.frame.publish import Shown
from ..entries import Paper
from . import narrative
from .document import CostReport
from .judge import PARTS
from .schedule import FILE


def html(paper: Paper, summary: CostReport, drawn: Sequence[Shown]) -> str:
    """The page."""
    files = (paper.folder / name for name in ("testbed.md", FILE))
    return pages.render(
        Path(__file__).with_name("report.html.j2"),
        paper.title,
        drawn,
        paper=paper,
        s=summary,
        findings=narrative.findings(summary),
        table=[
            [narrative.CONDITIONS[row[0]] if i else row[0], *row[1:]]
            for i, row in enumerate([narrative.HEAD, *narrative.table(summary)])
        ],
        conditions=narrative.CONDITIONS,
        parts_of_costs=[key for key, _ in PARTS],
        rules={file.name: file.read_text(encoding="utf-8") for file in files},
        day=time.strftime("%Y-%m-%d", time.gmtime(max(run["at"] for run in summary["runs"]))),
    )
