"""Advice as one HTML file that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ....figures import style
from ....present import templates
from ...compare.queues.draw import NamedFigure
from ...compare.queues.page import minus
from . import table

_HERE = Path(__file__).parent


def tools() -> Any:
    """The Jinja environment of the page. `EnvironmentLacks` if it is not installed."""
    return templates.environment(_HERE)


def html(
    document: Mapping[str, Any], compared: Mapping[str, Any], drawn: Sequence[NamedFigure]
) -> str:
    """The page."""
    return str(
        tools()
        .get_template("page.html.j2")
        .render(
            d=document,
            expected=[[minus(cell) for cell in line] for line in table.expected(document)[1:]],
            points=table.points(document),
            ranked=table.ranked(document),
            parameters=_parameters(document["advice"]["parameters"]) if document["advice"] else "",
            figures=[(one, style.svg(one.figure, f"figure-{one.name}")) for one in drawn],
            failures=compared.get("failures") or [],
            css=templates.css("report", "study", "advice"),
        )
    )


def _parameters(config: Mapping[str, Any]) -> str:
    return (
        ", ".join(f"{k} = {v if isinstance(v, str) else json.dumps(v)}" for k, v in config.items())
        or "none"
    )
