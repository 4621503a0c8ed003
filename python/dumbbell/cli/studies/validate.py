"""`validate`."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from ...present.units import significant
from ...validate import report
from ...validate.check import Check, Line
from ...validate.runner import Runner
from ..options import Json, emit

CHECK_FAILED = 3

Only = Annotated[
    list[str],
    Parameter(
        help="Only checks whose name matches, as in --only 'mm1.*'. May be repeated.", negative=()
    ),
]
Quick = Annotated[
    bool, Parameter(help="The quick part: shorter runs, and no check that needs long ones.")
]
List = Annotated[
    bool, Parameter(name="--list", help="Say what would be checked, and check nothing.")
]


def validate(
    *,
    quick: Quick = False,
    only: Only = [],  # noqa: B006 (cyclopts reads it)
    list_: List = False,
    json: Json = False,
) -> int:
    """Check the simulator against laws that are known without it. Ends with 3 if a line fails."""
    picked = report.chosen(report.checks(), only, quick=quick)
    if list_:
        return _listed(picked, json)
    runner = Runner(quick=quick)
    width = max(len(check.id) for check in picked)
    lines = report.validate(
        picked, runner, (lambda line: None) if json else (lambda line: _print(line, width))
    )
    if json:
        emit(report.document(lines, runner))
    return _ended(lines, json)


def _listed(picked: list[Check], json: bool) -> int:
    if json:
        rows = [
            {
                "id": o.id,
                "law": o.law,
                "expected": o.expected,
                "tolerance": o.tolerance,
                "unit": o.unit,
                "quick": o.quick,
            }
            for o in picked
        ]
        emit({"checks": rows})
        return 0
    width = max(len(check.id) for check in picked)
    for check in picked:
        print(
            f"{check.id:<{width}}  {check.claim:<24}  {check.law}"
            f"{'' if check.quick else ' (not --quick)'}"
        )
    return 0


def _print(line: Line, width: int) -> None:
    """A line as soon as it is measured."""
    measured = line.error.splitlines()[0] if line.error else _measurement(line)
    claim = f"{line.check.claim:<24}"
    print(
        f"{line.verdict}  {line.check.id:<{width}}  {claim}  {measured:<28}  {line.check.law}",
        flush=True,
    )


def _measurement(line: Line) -> str:
    if line.measured is None:
        return "not measured"
    text = significant(line.measured.value, 6)
    if line.measured.ci95:
        text += " [{}, {}]".format(*(significant(x, 6) for x in line.measured.ci95))
    return text


def _ended(lines: list[Line], json: bool) -> int:
    failed = [line for line in lines if line.verdict != "pass"]
    if not json:
        seconds = sum(line.seconds for line in lines)
        print(f"{len(lines) - len(failed)} of {len(lines)} checks pass, in {seconds:.0f} s")
    for line in failed:
        said = line.error or f"expected {line.check.claim}, measured {_measurement(line)}"
        print(f"{line.check.id} fails: {said}", file=sys.stderr)
    return CHECK_FAILED if failed else 0
