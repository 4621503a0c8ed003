"""Metrics of a run: of all flows together, of one queue, and every measurement of the registry.

A metric is named by its key in the JSON, with or without its unit: `goodput_bps`, `goodput`. A
delay is the sojourn time in a queue: `p99_delay` is `p99_sojourn_s`. A key of queues is that of the
first queue, one of sessions that of the first session, one of flows the mean over the flows;
`queues.NAME.KEY`, `sessions.NAME.KEY` and `flows.NAME.KEY` are those of one row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import api
from ..errors import ScenarioError
from ..present import stats
from . import measurements

Run = Mapping[str, Any]
"""One run of a result's JSON."""
Queue = Mapping[str, Any]
"""The row of a queue in a run."""
ROUNDING = 1e-12
"""Relative differences up to this are rounding."""
_NOT_OF_THE_QUEUE = ("link", "mtu", "policed")
"""Reasons of drops that are the link's or a conditioner's: no scheme of queueing is to blame."""


def goodput_bps(run: Run, _: Queue) -> float:
    """The goodput of all flows together [bit/s], those of sessions too."""
    if "sessions" in run:
        return float(run["totals"]["goodput_bps"])
    return float(sum(flow["goodput_bps"] for flow in run["flows"]))


def jain(run: Run, _: Queue) -> float | None:
    """Jain's index of the goodputs, (sum x)^2 / (n sum x^2): 1 if all are equal, 1/n if one has
    everything (R. Jain, D. Chiu and W. Hawe, DEC-TR-301, 1984). None for a single flow, of which it
    says nothing."""
    return run["jain"] if len(run["flows"]) > 1 else None


def loss_share(_: Run, queue: Queue) -> float | None:
    """Drops by the queue over arrivals at it. None if nothing arrived."""
    dropped = sum(n for reason, n in queue["drops"].items() if reason not in _NOT_OF_THE_QUEUE)
    return dropped / queue["arrivals"] if queue["arrivals"] else None


def marks_share(_: Run, queue: Queue) -> float | None:
    """Marks by the queue over arrivals at it. None if nothing arrived."""
    return queue["marks"] / queue["arrivals"] if queue["arrivals"] else None


def rtos(run: Run, _: Queue) -> float:
    """Retransmission timeouts of all flows."""
    if "sessions" in run:
        return float(run["totals"]["rtos"])
    return float(sum(flow.get("rtos") or 0 for flow in run["flows"]))


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of a run: its key, its name in tables, its unit in the JSON, which values are better
    (`higher`, `lower`, None: neither), the value of a run, and its rank in a table
    (`present.columns.Shown`)."""

    key: str
    title: str
    unit: str
    better: str | None
    of: Callable[[Run], float | None]
    rank: int = 0
    resolution: float = ROUNDING

    @property
    def sign(self) -> float:
        """1 where more is better, -1 where less is."""
        return -1.0 if self.better == "lower" else 1.0


def defaults(runs: Iterable[Run]) -> list[Metric]:
    """The metrics of a table that asks for none: those that some of the runs have."""
    known = list(runs)
    found = (_by_key(key, rank) for key, rank in _DEFAULTS.items())
    return [one for one in found if one and any(one.of(run) is not None for run in known)]


_DEFAULTS = {
    "goodput_bps": 0,
    "p99_completion_s": 1,
    "jain": 3,
    "mean_sojourn_s": 5,
    "p99_sojourn_s": 1,
    "loss_share": 2,
    "utilization": 4,
}
"""Keys, each with its rank."""


def find(name: str) -> Metric:
    """The metric of this name. `ScenarioError` if there is none, with one that is spelled alike."""
    part, dot, rest = name.partition(".")
    if dot and part in _ROWS:
        row, _, key = rest.rpartition(".")
        known = _numbers(_ROWS[part])
        full = _meant(key, known)
        if not row or full is None:
            raise _unknown(key, known)
        one = _measured(known[full], _of_named(part, row, full))
        return replace(one, key=f"{part}.{row}.{full}", title=f"{row} {one.title}")
    every = _every()
    full = _meant(name, every)
    found = None if full is None else _by_key(full)
    if found is None:
        raise _unknown(name, every)
    return found


def _unknown(name: str, known: Iterable[str]) -> ScenarioError:
    near = api.nearest(name, list(known))
    which = f"did you mean `{near}`?" if near else "docs/reference/results.md lists them"
    return ScenarioError(f"there is no measurement `{name}`\nhelp: {which}")


_ROWS = {"flows": "flow", "queues": "queue", "sessions": "session"}
_UNITS = re.compile(r"_(bps|s|packets|bytes|share)$")


Known = Mapping[str, measurements.Measurement | None]
"""Keys, with their measurements if they are of the registry."""


def _meant(name: str, known: Known) -> str | None:
    """The key that a name means: itself, one without its unit or by its head in tables, with
    `delay` for `sojourn`."""
    wanted = name.replace("delay", "sojourn")
    named = ((key, (_UNITS.sub("", key), one.head if one else "")) for key, one in known.items())
    near = (key for key, names in named if wanted in names)
    return name if name in known else wanted if wanted in known else next(near, None)


def _every() -> Known:
    known: dict[str, measurements.Measurement | None] = dict.fromkeys(_SPECIAL)
    for row in ("queue", "totals", "session", "flow"):
        known |= {key: one for key, one in _numbers(row).items() if key not in known}
    return known


def _numbers(row: str) -> dict[str, measurements.Measurement]:
    """The measurements of a row that are numbers."""
    return {
        key: one for key, one in measurements.of(row).items() if one.annotation.startswith("Number")
    }


def _by_key(key: str, rank: int = 0) -> Metric | None:
    if key in _SPECIAL:
        title, unit, better, of = _SPECIAL[key]
        return Metric(key, title, unit, better, of, rank)
    if one := _numbers("queue").get(key):
        return _measured(one, lambda run: _first(run, "queues", key), rank)
    if one := _numbers("totals").get(key):
        return _measured(one, lambda run: run.get("totals", {}).get(key), rank)
    if one := _numbers("session").get(key):
        return _measured(one, lambda run: _first(run, "sessions", key), rank)
    if one := _numbers("flow").get(key):
        return _measured(one, lambda run: _mean(run["flows"], key), rank)
    return None


def _measured(
    one: measurements.Measurement, of: Callable[[Run], float | None], rank: int = 0
) -> Metric:
    title = one.title if one.title != one.name else _UNITS.sub("", one.name).replace("_", " ")
    title = title.replace("sojourn", "delay")
    return Metric(one.name, title, one.unit, one.better, of, rank, one.resolution or ROUNDING)


def _first(run: Run, part: str, key: str) -> float | None:
    rows: Sequence[Mapping[str, Any]] = run.get(part) or ()
    return rows[0].get(key) if rows else None


def _mean(rows: Sequence[Mapping[str, Any]], key: str) -> float | None:
    known = [row[key] for row in rows if row.get(key) is not None]
    return stats.mean(known) if known else None


def _of_named(part: str, name: str, key: str) -> Callable[[Run], float | None]:
    def value(run: Run) -> float | None:
        return next((row.get(key) for row in run.get(part, ()) if row["name"] == name), None)

    return value


def _of_queue(of: Callable[[Run, Queue], float | None]) -> Callable[[Run], float | None]:
    return lambda run: of(run, run["queues"][0]) if run.get("queues") else None


_SPECIAL: dict[str, tuple[str, str, str | None, Callable[[Run], float | None]]] = {
    "goodput_bps": ("goodput", "bps", "higher", lambda run: goodput_bps(run, {})),
    "jain": ("Jain", "", "higher", lambda run: jain(run, {})),
    "loss_share": ("loss", "1", "lower", _of_queue(loss_share)),
    "marks_share": ("marked", "1", None, _of_queue(marks_share)),
    "rtos": ("timeouts", "", "lower", lambda run: rtos(run, {})),
}
"""Metrics that are formed of several measurements."""
