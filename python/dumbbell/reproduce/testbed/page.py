"""A campaign's report as one HTML file that needs nothing else."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ... import figures
from ...present import templates
from ...present.units import significant
from ..report import MARKS, printed
from . import narrative
from .draw import NamedFigure
from .entries import Campaign

_HERE = Path(__file__).parent


def tools() -> Any:
    """The Jinja environment of the page. `EnvironmentLacks` if it is not installed."""
    environment = templates.environment(_HERE)
    environment.filters |= {
        "mark": MARKS.__getitem__,
        "slug": _slug,
        "printed": printed,
        "number": lambda value, digits=4: (
            "–" if value is None else significant(value, digits).replace("-", "−")
        ),
        "span": lambda ends: (
            "–" if ends is None else " to ".join(significant(x, 4).replace("-", "−") for x in ends)
        ),
        "half": narrative.with_half,
        "hour": lambda at: time.strftime("%H:%M:%S", time.gmtime(at)),
    }
    return environment


def _slug(verdict: str | None) -> str:
    return (verdict or "fitted").replace(" ", "-")


def html(campaign: Campaign, summary: dict[str, Any], drawn: Sequence[NamedFigure]) -> str:
    """The page."""
    folder = campaign.paper.folder
    rules = {
        name: (folder / name).read_text(encoding="utf-8")
        for name in ("testbed.md", "rules.md")
        if (folder / name).exists()
    }
    return str(
        tools()
        .get_template("report.html.j2")
        .render(
            paper=campaign.paper,
            s=summary,
            findings=narrative.findings(summary),
            rows=list(zip(summary["effects"], narrative.table(summary), strict=True)),
            keys=narrative.SHOWN,
            figures=[(one, figures.svg(one.figure, f"figure-{one.name}")) for one in drawn],
            rules=rules,
            scenario=campaign.scenario.read_text(encoding="utf-8"),
            day=time.strftime(
                "%Y-%m-%d", time.gmtime(max((r["at"] for r in summary["runs"]), default=0.0))
            ),
            css=templates.css("report", "study"),
        )
    )
