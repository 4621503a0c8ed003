"""What records which series, and what `run --out` records without being asked, so that figures need
no second run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..present.units import seconds

INSTANTS = 600
"""Of a series, at least: a figure is about as many pixels wide."""
_TOO_COARSE = "W009"
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
    return f"{_periods_ms(duration_s)[0]} ms"


def _periods_ms(duration_s: float) -> list[int]:
    """The longest first."""
    steps = (digit * 10**power for power in range(8) for digit in (1, 2, 5))
    return [ms for ms in steps if ms == 1 or ms * INSTANTS <= duration_s * 1e3][::-1]


def at_least(plan: Callable[[str | None], dict[str, Any]]) -> str | None:
    """The period of `period`, however coarse it is; None if the scenario has a period of its own.
    plan: as for `unasked`."""
    size = plan(None)
    if "every" in (size["scenario"].get("record") or {}):
        return None
    return period(seconds(str(size["duration"])))


def without_period(data: dict[str, Any]) -> dict[str, Any]:
    """A result without warnings about a period of the record that nobody asked for."""
    left = [one for one in data.get("warnings", ()) if one["code"] != _TOO_COARSE]
    told = {key: value for key, value in data.items() if key != "warnings"}
    return told | ({"warnings": left} if left else {})


def unasked(plan: Callable[[str | None], dict[str, Any]]) -> str | None:
    """The period with which `run --out` records the series of flows and queues: the longest that
    gives 600 instants and is not too coarse for the round-trip times (warning W009). None if the
    scenario has a period of its own, or if the series would have more than 100,000 rows.

    plan: `api.plan` with `points=0` of the scenario with this period (None: as it is)."""
    size = plan(None)
    if "every" in (size["scenario"].get("record") or {}):
        return None
    duration_s = seconds(str(size["duration"]))
    for ms in _periods_ms(duration_s):
        if (duration_s / (ms * 1e-3) + 1) * size["flows"] * size["runs_total"] > _MOST_ROWS:
            return None
        every = f"{ms} ms"
        if all(one["code"] != _TOO_COARSE for one in plan(every)["warnings"]):
            return every
    return None
