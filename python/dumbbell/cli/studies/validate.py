"""The command `dumbbell validate`: lists or runs checks and prints their results."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...errors import ScenarioError
from ...files.write import write_text
from ...present.units import significant
from ...validate import passport, report
from ...validate.check import Check, CheckResult
from ...validate.runner import Runner
from ..options import Json, emit

CHECK_FAILED = 3
MOST_NAMED = 20
"""Checks that failed and are named again at the end, with the cause."""

Only = Annotated[
    list[str],
    Parameter(
        help="Run only checks whose name matches a pattern, such as 'mm1.*'. May be repeated.",
        negative=(),
    ),
]
Quick = Annotated[
    bool, Parameter(help="Use shorter runs, and leave out checks that need long ones.")
]
List = Annotated[
    bool, Parameter(name="--list", help="List the selected checks without running them.")
]
Report = Annotated[
    Path | None,
    Parameter(
        name="--report",
        help="Also write a page (HTML) for a reviewer: what was checked, against what, how it "
        "could fail, and what is not known.",
    ),
]


def validate(
    *,
    quick: Quick = False,
    only: Only = [],  # noqa: B006 (cyclopts reads it)
    list_: List = False,
    report_: Report = None,
    json: Json = False,
) -> int:
    """Check the simulator against laws from the literature, which are computed without it.

    The exit code is 3 if a check fails.

    Example: `dumbbell validate --quick --only 'mm1.*'`
    """
    selected = report.select(report.checks(), only, quick=quick)
    if list_:
        _list(selected, json)
        return 0
    if report_ is not None and (report_.is_dir() or not report_.parent.is_dir()):
        raise ScenarioError(f"{report_} cannot be a file\nhelp: name one in a folder that exists")
    runner = Runner(quick=quick)
    width = max(len(check.id) for check in selected)

    def on_result(result: CheckResult) -> None:
        if not json:
            _print(result, width)

    results = report.validate(selected, runner, on_result)
    if report_ is not None:
        write_text(report_, passport.html(results, runner, _command(quick, only, report_)))
    if json:
        emit(report.document(results, runner))
    else:
        _print_total(results)
        if report_ is not None:
            print(f"report: {report_}")
    failed = [result for result in results if result.verdict != "pass"]
    for result in failed[:MOST_NAMED]:
        print(f"{result.check.id} failed: {_cause(result)}", file=sys.stderr)
    if len(failed) > MOST_NAMED:
        print(f"{len(failed) - MOST_NAMED} more checks failed", file=sys.stderr)
    return CHECK_FAILED if failed else 0


def _command(quick: bool, only: Sequence[str], page: Path) -> str:
    """The command line that writes the page."""
    words = ["dumbbell", "validate", *(["--quick"] if quick else [])]
    words += [word for pattern in only for word in ("--only", pattern)]
    return shlex.join([*words, "--report", str(page)])


def _list(selected: Sequence[Check], json: bool) -> None:
    if json:
        rows = [
            {
                "id": check.id,
                "law": check.law,
                "expected": check.expected,
                "tolerance": check.tolerance,
                "unit": check.unit,
                "quick": check.quick,
            }
            for check in selected
        ]
        emit({"checks": rows})
        return
    width = max(len(check.id) for check in selected)
    for check in selected:
        note = "" if check.quick else " (not with --quick)"
        print(f"{check.id:<{width}}  {check.expected_text:<24}  {check.law}{note}")


def _print(result: CheckResult, width: int) -> None:
    """Prints one line. width: columns of the id."""
    check = result.check
    outcome = result.error.splitlines()[0] if result.error else _value(result)
    print(
        f"{result.verdict}  {check.id:<{width}}  {check.expected_text:<24}  {outcome:<28}  "
        f"{check.law}",
        flush=True,
    )


def _print_total(results: Sequence[CheckResult]) -> None:
    passed = sum(result.verdict == "pass" for result in results)
    seconds = sum(result.seconds for result in results)
    print(f"{passed} of {len(results)} checks pass, in {seconds:.0f} s")


def _cause(result: CheckResult) -> str:
    """Why a check failed."""
    return result.error or f"expected {result.check.expected_text}, measured {_value(result)}"


def _value(result: CheckResult) -> str:
    """The measured value with its interval, such as `4.01 [3.98, 4.04]`."""
    if result.measured is None:
        return "nothing"
    text = significant(result.measured.value, 6)
    if result.measured.ci95:
        text += " [{}, {}]".format(*(significant(x, 6) for x in result.measured.ci95))
    return text
