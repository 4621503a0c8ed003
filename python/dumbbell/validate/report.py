"""Collects the checks, runs them, and says what came of each."""

from __future__ import annotations

import fnmatch
import importlib
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .. import api
from ..errors import DumbbellError, ScenarioError
from .check import Check, Line
from .measured import Measured
from .runner import Runner

SECTIONS = {
    "queues": "checks.queues.queues",
    "red": "checks.queues.red",
    "links": "checks.network.links",
    "frames": "checks.network.frames",
    "fragments": "checks.network.fragments",
    "losses": "checks.network.losses",
    "wireless": "checks.network.wireless",
    "measuring": "checks.network.measuring",
    "throughput": "checks.tcp.throughput",
    "cubic": "checks.tcp.cubic",
    "bbr": "checks.tcp.bbr",
    "timers": "checks.tcp.timers",
    "recovery": "checks.tcp.recovery",
    "thresholds": "checks.tcp.thresholds",
    "windows": "checks.tcp.windows",
    "signals": "checks.tcp.signals",
    "sawtooth": "checks.tcp.sawtooth",
    "fairness": "checks.tcp.fairness",
    "disciplines": "checks.queues.disciplines",
    "droppers": "checks.queues.droppers",
    "markers": "checks.queues.markers",
    "traffic": "checks.network.traffic",
    "two_way": "checks.tcp.two_way",
    "hosts": "checks.network.hosts",
}
"""The sections in the order of the report, each with the module that has its `CHECKS`."""

Heard = Callable[[Line], None]


def checks() -> list[Check]:
    """Every check, in the order of the report. `ValueError` if two have one name."""
    found: list[Check] = []
    for module in SECTIONS.values():
        found += importlib.import_module(f".{module}", __package__).CHECKS
    names = [check.id for check in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"two checks are called {', '.join(sorted(twice))}")
    return found


def chosen(every: Sequence[Check], only: Iterable[str] = (), *, quick: bool = False) -> list[Check]:
    """Those whose id matches one of the patterns `only` (`mm1.*`), or all; with `quick` those that
    are quick.

    `ScenarioError` if a pattern matches nothing, with the nearest names.
    """
    patterns = list(only)
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(check.id, pattern) for check in every):
            raise ScenarioError(_unknown(pattern, every))
    picked = [
        o for o in every if not patterns or any(fnmatch.fnmatchcase(o.id, p) for p in patterns)
    ]
    left = [o for o in picked if o.quick or not quick]
    if picked and not left:
        raise ScenarioError(
            f"--quick leaves out all that {' '.join(patterns)} matches: run it without --quick"
        )
    return left


def _unknown(pattern: str, every: Sequence[Check]) -> str:
    heads = dict.fromkeys(check.id.split(".")[0] + ".*" for check in every)
    near = api.nearest(pattern, [*(check.id for check in every), *heads])
    hint = f"did you mean `{near}`?" if near else "`dumbbell validate --list` shows every one"
    return f"no check is called `{pattern}`: {hint}"


def validate(
    picked: Iterable[Check], runner: Runner, heard: Heard = lambda line: None
) -> list[Line]:
    """Measures checks one after another; `heard` is told of each line at once."""
    lines = []
    for check in picked:
        line = _measured(check, runner)
        heard(line)
        lines.append(line)
    return lines


def _measured(check: Check, runner: Runner) -> Line:
    """A line, whatever happens: what cannot be measured fails, and says why. An interrupt goes on
    to the caller."""
    start = time.monotonic()
    measured: Measured | None = None
    error: str | None = None
    try:
        measured = check.measure(runner)
    except (KeyboardInterrupt, SystemExit):
        raise
    except DumbbellError as refused:
        error = refused.rendered
    except BaseException as wrong:  # A panic of the simulator is a BaseException, too.
        error = f"{type(wrong).__name__}: {wrong}"
    return Line(check, measured, time.monotonic() - start, error)


def document(lines: Sequence[Line], runner: Runner) -> dict[str, Any]:
    """The report as JSON."""
    from .. import __version__

    failed = [line.check.id for line in lines if line.verdict != "pass"]
    return {
        "ok": not failed,
        "version": __version__,
        "quick": runner.quick,
        "seeds": runner.seeds,
        "passed": len(lines) - len(failed),
        "failed": failed,
        "seconds": round(sum(line.seconds for line in lines), 3),
        "checks": [line.as_dict() for line in lines],
    }
