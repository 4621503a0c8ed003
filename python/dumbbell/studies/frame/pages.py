"""The page of a study: its template, with the charts of its figures for the reader's pointer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...present import templates
from .over_time import OverTime
from .publish import Shown


def render(
    template: Path,
    title: str,
    figures: Sequence[Shown],
    over_time: OverTime | None = None,
    **values: Any,
) -> str:
    """The page that a template makes of a study's values and figures, and of runs over time."""
    from ...view import charts, script
    from ...view.contents import Contents

    contents = Contents(title)
    part = None if over_time is None else over_time.draw(contents)
    for one in figures:
        charts.draw(contents, one.name, one.charts)
    return templates.render(
        template, figures=figures, over_time=part, script=script.pack(contents), **values
    )
