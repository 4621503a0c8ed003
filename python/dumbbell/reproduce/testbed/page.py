"""A campaign's report as one HTML file that needs nothing else."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from ...studies.frame import pages
from ...studies.frame.publish import Shown
from . import narrative
from .document import CampaignReport
from .entries import Campaign


def html(campaign: Campaign, summary: CampaignReport, drawn: Sequence[Shown]) -> str:
    """The page."""
    last = max((run["at"] for run in summary["runs"]), default=0.0)
    files = (campaign.paper.folder / name for name in ("testbed.md", "rules.md"))
    return pages.render(
        Path(__file__).with_name("report.html.j2"),
        campaign.paper.title,
        drawn,
        paper=campaign.paper,
        s=summary,
        findings=narrative.findings(summary),
        rows=list(zip(summary["effects"], narrative.table(summary), strict=True)),
        keys=narrative.SHOWN,
        rules={f.name: f.read_text(encoding="utf-8") for f in files if f.exists()},
        scenario=campaign.scenario.read_text(encoding="utf-8"),
        day=time.strftime("%Y-%m-%d", time.gmtime(last)),
    )
