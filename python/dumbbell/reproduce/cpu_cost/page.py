"""The report as one HTML file that needs nothing else."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ... import figures
from ...figures.style import Figure
from ...present import templates
from ...present.units import significant
from ..entries import Paper
from ..report import MARKS
from . import narrative
from .judge import PARTS
from .schedule import FILE

_HERE = Path(__file__).parent


def tools() -> Any:
    """The Jinja environment of the page. `EnvironmentLacks` if it is not installed."""
    environment = templates.environment(_HERE)
    environment.filters |= {
        "mark": MARKS.__getitem__,
        "slug": lambda verdict: verdict.replace(" ", "-"),
        "number": _number,
        "hour": lambda at: time.strftime("%H:%M:%S", time.gmtime(at)),
    }
    return environment


def _number(value: float | None) -> str:
    return "–" if value is None else significant(value, 3).replace("-", "−")


def html(paper: Paper, summary: dict[str, Any], figure: Figure | None) -> str:
    """The page."""
    template = tools().get_template("report.html.j2")
    return str(
        template.render(
            paper=paper,
            s=summary,
            findings=narrative.findings(summary),
            head=narrative.HEAD,
            rows=narrative.table(summary),
            conditions=narrative.CONDITIONS,
            parts=[key for key, _ in PARTS],
            svg=None if figure is None else figures.svg(figure, "figure-gigabyte"),
            rules={
                name: (paper.folder / name).read_text(encoding="utf-8")
                for name in ("testbed.md", FILE)
            },
            day=time.strftime("%Y-%m-%d", time.gmtime(max(run["at"] for run in summary["runs"]))),
            css=templates.css("report", "study"),
        )
    )
