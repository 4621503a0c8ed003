"""The live page of a study: the table of its points, a row for each that has a finished run."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from ... import result
from ...present import templates
from ...present.grids import Grid
from ...present.points import sweep_grid
from ..contents import Contents
from . import script
from .news import News

WATCH = {"results": True}
"""What the request of a study watches."""
_SHARE = 0.05
"""Of the time, at most, that goes into the table."""


def first_page(title: str, heading: str, command: str) -> str:
    """The page of a study that begins. heading: of the table."""
    return templates.render(
        templates.PAGES / "live.html.j2",
        title=title,
        command=command,
        grid=heading,
        live=json.dumps({"kind": "points"}),
        time_page=script.pack(Contents(title)),
    )


class Points:
    """The points of a study as their runs end. names: the metrics of the table, the usual ones
    without any."""

    def __init__(self, news: News, names: Sequence[str] = ()) -> None:
        self._news, self._names = news, names
        self._overrides: dict[int, dict[str, Any]] = {}
        self._runs: dict[int, dict[int, Any]] = {}
        self._next = 0.0

    def piece(self, text: str) -> None:
        """Takes the results of runs that the verb `run` tells of."""
        for ended in json.loads(text).get("ended", ()):
            self._overrides[ended["point"]] = ended["overrides"]
            self._runs.setdefault(ended["point"], {})[ended["seed"]] = ended["run"]
        began = time.monotonic()
        if began < self._next:
            return
        self._news.table(shown(self.grid()))
        # A large table is made less often, so that the runs do not wait for it.
        ended_at = time.monotonic()
        self._next = ended_at + (ended_at - began) / _SHARE

    def grid(self) -> Grid:
        """The table of the points with finished runs."""
        points = [
            {
                "overrides": self._overrides[number],
                "valid": all(run.get("valid") for run in runs.values()),
                "runs": [runs[seed] for seed in sorted(runs)],
                **({"error": failed} if (failed := _error(runs)) else {}),
            }
            for number, runs in sorted(self._runs.items())
        ]
        return sweep_grid(result.Sweep({"points": points}), self._names)


def _error(runs: dict[int, Any]) -> Any:
    return next((run["error"] for run in runs.values() if "error" in run), None)


def shown(grid: Grid) -> dict[str, Any]:
    """A table as the page takes it."""
    return {
        "columns": list(grid.columns),
        "rows": [list(row) for row in grid.rows],
        "text_columns": grid.text_columns,
        "notes": list(grid.notes),
    }
