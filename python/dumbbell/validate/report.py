"""Collects the checks, runs them, and reports their results."""

from __future__ import annotations

import fnmatch
import importlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import api
from ..errors import DumbbellError, ScenarioError
from .check import Check, CheckResult
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
    "repair": "checks.tcp.repair",
    "thresholds": "checks.tcp.thresholds",
    "windows": "checks.tcp.windows",
    "signals": "checks.tcp.signals",
    "dctcp": "checks.tcp.dctcp",
    "estimates": "checks.tcp.estimates",
    "equilibria": "checks.tcp.equilibria",
    "sawtooth": "checks.tcp.sawtooth",
    "fairness": "checks.tcp.fairness",
    "quic": "checks.quic",
    "scream": "checks.scream",
    "disciplines": "checks.queues.disciplines",
    "cake": "checks.queues.cake",
    "controllers": "checks.queues.controllers",
    "droppers": "checks.queues.droppers",
    "markers": "checks.queues.markers",
    "traffic": "checks.network.traffic",
    "applications": "checks.network.applications",
    "fabrics": "checks.network.fabrics",
    "two_way": "checks.tcp.two_way",
    "hosts": "checks.network.hosts",
}
"""The sections in the order of the report, each with the module that has its `CHECKS`."""

OnResult = Callable[[CheckResult], None]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the suite: its name, what it is about in one sentence, and its checks."""

    name: str
    subject: str
    checks: Sequence[Check]


def sections() -> list[Section]:
    """The sections, in the order of the report."""
    modules = {
        name: importlib.import_module(f".{module}", __package__)
        for name, module in SECTIONS.items()
    }
    return [
        Section(name, " ".join((module.__doc__ or "").split("\n\n")[0].split()), module.CHECKS)
        for name, module in modules.items()
    ]


def checks() -> list[Check]:
    """Every check, in the order of the report. Raises `ValueError` if two have the same id."""
    every = [check for section in sections() for check in section.checks]
    ids = [check.id for check in every]
    twice = {id_ for id_ in ids if ids.count(id_) > 1}
    if twice:
        raise ValueError(f"two checks have the name {', '.join(sorted(twice))}")
    return every


def select(every: Sequence[Check], only: Iterable[str] = (), *, quick: bool = False) -> list[Check]:
    """The checks whose id matches one of the patterns `only` (such as `mm1.*`), or all if there
    are no patterns; with `quick` only those that `--quick` includes.

    Raises `ScenarioError` if a pattern matches nothing; the error names the nearest ids.
    """
    patterns = list(only)
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(check.id, pattern) for check in every):
            raise ScenarioError(_unknown(pattern, every))
    matching = [
        check
        for check in every
        if not patterns or any(fnmatch.fnmatchcase(check.id, pattern) for pattern in patterns)
    ]
    selected = [check for check in matching if check.quick or not quick]
    if matching and not selected:
        raise ScenarioError(
            f"--quick leaves out all that {' '.join(patterns)} matches: run it without --quick"
        )
    return selected


def _unknown(pattern: str, every: Sequence[Check]) -> str:
    heads = dict.fromkeys(check.id.split(".")[0] + ".*" for check in every)
    near = api.nearest(pattern, [*(check.id for check in every), *heads])
    hint = f"did you mean `{near}`?" if near else "`dumbbell validate --list` shows every check"
    return f"there is no check `{pattern}`: {hint}"


def validate(
    checks: Iterable[Check], runner: Runner, on_result: OnResult = lambda result: None
) -> list[CheckResult]:
    """Runs checks one after another. `on_result` is called with each result at once."""
    results = []
    for check in checks:
        result = _run(check, runner)
        on_result(result)
        results.append(result)
    return results


def _run(check: Check, runner: Runner) -> CheckResult:
    """Runs a check. Whatever its measurement raises becomes the error of the result, except for
    interrupts."""
    start = time.monotonic()
    measured: Measured | None = None
    error: str | None = None
    try:
        measured = check.measure(runner)
    except (KeyboardInterrupt, SystemExit):
        raise
    except DumbbellError as raised:
        error = raised.rendered
    except BaseException as raised:  # A panic of the simulator is a BaseException, too.
        error = f"{type(raised).__name__}: {raised}"
    return CheckResult(check, measured, time.monotonic() - start, error)


def document(results: Sequence[CheckResult], runner: Runner) -> dict[str, Any]:
    """The report as JSON."""
    from .. import __version__

    failed = [result.check.id for result in results if result.verdict != "pass"]
    return {
        "ok": not failed,
        "version": __version__,
        "quick": runner.quick,
        "seeds": runner.seeds,
        "passed": len(results) - len(failed),
        "failed": failed,
        "seconds": round(sum(result.seconds for result in results), 3),
        "checks": [result.as_dict() for result in results],
    }
