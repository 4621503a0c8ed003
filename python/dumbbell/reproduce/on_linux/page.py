"""The report of a reproduction on user-mode Linux as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...studies.frame import pages
from ...studies.frame.publish import Shown
from ..entries import Paper
from . import plan_file
from .document import LinuxReport


def html(paper: Paper, report: LinuxReport, drawn: Sequence[Shown]) -> str:
    """The page."""
    files = (paper.folder / name for name in (plan_file.RULES, "rules.md", plan_file.FILE))
    return pages.render(
        Path(__file__).with_name("report.html.j2"),
        paper.title,
        drawn,
        paper=paper,
        s=report,
        rules={f.name: f.read_text(encoding="utf-8") for f in files if f.exists()},
    )
