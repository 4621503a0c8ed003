"""The laboratory's door: Python values in, Python values out.

Everything that knows congestion control lives behind it, in Rust; this module turns JSON text into objects
and refusals into exceptions, and keeps Ctrl-C working while the simulator has the machine.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from .errors import of_code

Progress = Callable[[int, int, float], Any]
"""Called as `progress(finished, runs, fraction)`: runs that ended, all runs, share of all simulated time."""


def _native() -> Any:
    from . import _native

    return _native


def _call(function: str, *args: Any) -> Any:
    native = _native()
    try:
        return json.loads(getattr(native, function)(*args))
    except native.Problem as problem:
        code, rendered, detail = problem.args
        raise of_code(code, rendered, json.loads(detail)) from None


@cache
def catalogue() -> dict[str, Any]:
    """Every algorithm by kind: page, parameters, defaults."""
    return _call("catalogue")


@cache
def schema() -> dict[str, Any]:
    """JSON Schema of a scenario file."""
    return _call("schema")


def request(source: dict[str, Any], overrides: Iterable[str] = (), **options: Any) -> dict[str, Any]:
    """A request as the door reads it. `source` is `{"path"}`, `{"text", "name"}` or `{"value", "name"}`;
    options that are None are left out."""
    given = {key: value for key, value in options.items() if value is not None}
    return {"source": source, "overrides": list(overrides), **given}


def plan(wanted: dict[str, Any]) -> dict[str, Any]:
    """The points of a scenario with every default resolved: `{"points": [...], "notes": [...]}`."""
    return _call("plan", json.dumps(wanted))


def store(wanted: dict[str, Any]) -> dict[str, Any]:
    """Looks after a store: `{"do": "check" | "list" | "repair" | "gc", "dir"}`."""
    return _call("store", json.dumps(wanted))


def jobs(wanted: dict[str, Any]) -> dict[str, Any]:
    """The runs of a request that its store has not, each with all that a worker needs."""
    return _call("jobs", json.dumps(wanted))


def work(order: dict[str, Any]) -> list[dict[str, Any]]:
    """Makes the runs of an order on this machine: a line for each, and its row where there is no store."""
    return _call("work", json.dumps(order))


def keep(rows: dict[str, Any]) -> dict[str, Any]:
    """Keeps rows that workers sent: `{"store", "rows"}`."""
    return _call("keep", json.dumps(rows))


def run(wanted: dict[str, Any], progress: Progress | None = None) -> dict[str, Any]:
    """Runs a scenario: the result of its one point, or `{"points": [...]}` of a sweep.

    The simulator works in a thread of its own, so that Ctrl-C is heard at once: the run is then told to stop,
    which it does within a fraction of a second and without a half-written file, and `KeyboardInterrupt` goes
    on to the caller.
    """
    stop, ended = threading.Event(), threading.Event()
    outcome: list[Any] = []

    def report(finished: int, runs: int, fraction: float) -> bool:
        if progress is not None:
            progress(finished, runs, fraction)
        return not stop.is_set()

    def work() -> None:
        try:
            outcome.append(_call("run", json.dumps(wanted), report))
        except BaseException as error:
            outcome.append(error)
        finally:
            ended.set()

    threading.Thread(target=work, name="dumbbell-run", daemon=True).start()
    try:
        # An event, and no join: a join that Ctrl-C interrupts takes the thread for ended in Python 3.11.
        while not ended.wait(0.1):
            pass
    except KeyboardInterrupt:
        stop.set()
        ended.wait()
        if isinstance(outcome[0], KeyboardInterrupt):
            raise outcome[0] from None  # It says what was kept.
        raise
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]
