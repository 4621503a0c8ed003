"""The laboratory's door: Python values in, Python values out.

Everything that knows congestion control lives behind it, in Rust; this module turns JSON text into objects
and refusals into exceptions, and keeps Ctrl-C working while the simulator has the machine.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from .errors import of_code

if TYPE_CHECKING:
    from .own.base import Own

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
def catalogue(*uses: str) -> dict[str, Any]:
    """Every algorithm by kind: page, parameters, defaults. uses: files with algorithms of the user's own."""
    return _call("catalogue", _brought(uses))


@cache
def schema(*uses: str) -> dict[str, Any]:
    """JSON Schema of a scenario file. uses: files with algorithms of the user's own."""
    return _call("schema", _brought(uses))


def _brought(uses: Iterable[str]) -> list[Any]:
    from .own.load import described

    return [one for path in uses for one in described(path)]


def _described(own: Iterable[type[Own]]) -> list[Any]:
    from .own.describe import describe

    return [describe(cls) for cls in dict.fromkeys(own)]


def request(source: dict[str, Any], overrides: Iterable[str] = (), **options: Any) -> dict[str, Any]:
    """A request as the door reads it. `source` is `{"path"}`, `{"text", "name"}` or `{"value", "name"}`;
    options that are None are left out."""
    given = {key: value for key, value in options.items() if value is not None}
    return {"source": source, "overrides": list(overrides), **given}


def plan(wanted: dict[str, Any], own: Iterable[type[Own]] = ()) -> dict[str, Any]:
    """The points of a scenario with every default resolved: `{"points": [...], "notes": [...]}`.

    own: classes of algorithms that it names, beside the catalogue and the files that it uses.
    """
    return _call("plan", json.dumps(wanted), _described(own))


def examine(own: Iterable[type[Own]]) -> dict[str, Any]:
    """The conformance suite, applied to classes of the user's own: `{"ok", "algorithms": [...]}`."""
    return _call("test", _described(own))


def drive(wanted: dict[str, Any], own: Iterable[type[Own]] = ()) -> dict[str, Any]:
    """One algorithm under a trace, without a network: see `dumbbell.strategies.drive`."""
    return _call("drive", json.dumps(wanted), _described(own))


def run(wanted: dict[str, Any], progress: Progress | None = None, own: Iterable[type[Own]] = ()) -> dict[str, Any]:
    """Runs a scenario: the result of its one point, or `{"points": [...]}` of a sweep. own: as for `plan`.

    The simulator works in a thread of its own, so that Ctrl-C is heard at once: the run is then told to stop,
    which it does within a fraction of a second and without a half-written file, and `KeyboardInterrupt` goes
    on to the caller.
    """
    stop, ended = threading.Event(), threading.Event()
    described = _described(own)
    outcome: list[Any] = []

    def report(finished: int, runs: int, fraction: float) -> bool:
        if progress is not None:
            progress(finished, runs, fraction)
        return not stop.is_set()

    def work() -> None:
        try:
            outcome.append(_call("run", json.dumps(wanted), report, described))
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
        raise
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]
