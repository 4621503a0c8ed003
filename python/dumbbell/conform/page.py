"""The pages: the passport of one algorithm, and the table of several."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

from ..files.write import write_json, write_text
from ..present import templates
from . import report
from .report import Report

HERE = Path(__file__).parent
RULE = (
    "A criterion passes only if the whole 95 % interval of its number is within the bound. A "
    "number that is right on average but imprecise fails; more seeds (--seeds) make it more "
    "precise."
)


def html(reports: Sequence[Report], document: dict[str, object]) -> str:
    """The page of what a command found."""
    from .. import __version__

    one = reports[0] if len(reports) == 1 else None
    return templates.render(
        HERE / ("page.html.j2" if one else "table.html.j2"),
        title=f"Conformance of {one.subject.text}" if one else "Conformance of queues",
        finding=one.sentences if one else _finding(reports),
        report=one,
        reports=reports,
        columns=report.columns(reports),
        cell=report.cell,
        rule=RULE,
        command=document["command"],
        seeds=document["seeds"],
        place=[
            ("Dumbbell", __version__),
            ("Day", f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"),
            ("Seeds of each scenario", str(document["seeds"])),
        ],
    )


def _finding(reports: Sequence[Report]) -> list[str]:
    whole = [one.subject.text for one in reports if not one.failed]
    return [
        f"{len(reports)} algorithms were judged.",
        f"{', '.join(whole)} pass every criterion that applies to them."
        if whole
        else "Each fails at least one criterion.",
    ]


def write(reports: Sequence[Report], document: dict[str, object], directory: Path) -> None:
    """Writes `index.html` and `conform.json` into a directory; their paths join the document."""
    document["page"] = str((directory / "index.html").resolve())
    write_json(directory / "conform.json", document)
    write_text(directory / "index.html", html(reports, document))
