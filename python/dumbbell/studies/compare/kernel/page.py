"""The comparison as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ....figures import style
from ....present import templates
from ..queues import page as schemes
from . import table
from .agreement import NOTHING
from .draw import MARKS, NamedFigure

_HERE = Path(__file__).parent


def tools() -> Any:
    """The Jinja environment of the page. `EnvironmentLacks` if it is not installed."""
    environment = templates.environment(_HERE)
    environment.filters |= {
        "sides": table.sides,
        "ratio": table.ratio_text,
        "mark": MARKS.__getitem__,
    }
    return environment


def html(document: Mapping[str, Any], drawn: Sequence[tuple[NamedFigure, str]]) -> str:
    """The page; each figure comes with the text of its SVG file."""
    return str(
        tools()
        .get_template("page.html.j2")
        .render(
            d=document,
            tried=[
                (row["label"], e)
                for row in document["cells"]
                for e in row["experiments"]
                if e["outcome"] != NOTHING
            ],
            idle=sum(
                e["outcome"] == NOTHING for row in document["cells"] for e in row["experiments"]
            ),
            sentence=table.sentence(document),
            figures=[(one, style.inline(text, f"figure-{one.name}")) for one, text in drawn],
            scenario=schemes.toml_text(document["scenario"]),
            rules=(_HERE / "rules.md").read_text(encoding="utf-8"),
            css=templates.css("report", "study"),
        )
    )
