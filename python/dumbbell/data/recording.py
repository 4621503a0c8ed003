"""What records which series, and what `run --out` records without being asked, so that figures need
no second run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ..present.units import seconds

_INSTANTS = 600
"""Of a series, at least: a figure is about as many pixels wide."""
_MOST_ROWS = 100_000
"""Rows of the flows' series, of all runs together: about 6 MB."""


_BY = {
    "flows": ("every", "drops"),
    "queues": ("every", "drops"),
    "signals": ("drops",),
    "reactions": ("drops",),
    "packets": ("packets",),
    "hops": ("packets",),
    "acks": ("acks",),
    "delays": ("delays",),
    "completions": ("completions",),
    "markers": ("every", "markers"),
}
_OF_FLOWS = ("packets", "acks", "delays")
USUAL = "100 ms"
"""The period that messages propose."""


def overrides(series: Iterable[str], every: str = USUAL, flows: Sequence[str] = ()) -> list[str]:
    """The overrides that record these series: those of flows and queues with this period (and the
    reactions that windows show), packets, acknowledgments and delays of these flows (all if
    empty)."""
    keys = list(dict.fromkeys(key for name in series for key in _BY[name]))

    def value(key: str) -> str:
        if key == "every":
            return json.dumps(every)
        return json.dumps(list(flows)) if key in _OF_FLOWS and flows else "true"

    return [f"record.{key}={value(key)}" for key in keys]


def period(duration_s: float) -> str:
    """The longest period (1, 2 or 5 times a power of ten, at least 1 ms) that gives a run 600
    instants."""
    steps = (digit * 10**power for power in range(8) for digit in (1, 2, 5))
    return f"{max(ms for ms in steps if ms == 1 or ms * _INSTANTS <= duration_s * 1e3)} ms"


def unasked(size: dict[str, Any]) -> str | None:
    """The period with which `run --out` records the series of flows and queues of a scenario of
    this size (`api.plan` with `points=0`). None if the scenario has a period of its own, or if the
    series would have more than 100,000 rows."""
    if "every" in (size["scenario"].get("record") or {}):
        return None
    duration_s = seconds(str(size["duration"]))
    every = period(duration_s)
    rows = (duration_s / seconds(every) + 1) * size["flows"] * size["runs_total"]
    return every if rows <= _MOST_ROWS else None
