"""`test`: the conformance suite, applied to a user's algorithms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ... import api
from ...errors import ScenarioError
from ..options import Json, emit, show

CHECK_FAILED = 3

File = Annotated[str, Parameter(help="A Python file with your own algorithms.")]


def test(file: File, /, *, json: Json = False) -> int:
    """Apply the conformance suite of the catalogue to the algorithms of a file, and print each
    check with its verdict and its reason.

    Example: `dumbbell test mine.py`
    """
    examine = _EXAMINERS.get(Path(file).suffix)
    if examine is None:
        known = ", ".join(_EXAMINERS)
        raise ScenarioError(
            f"`dumbbell test` cannot read {file}: it reads files that end with {known}"
        )
    document = examine(file)
    if json:
        emit(document)
    else:
        _print(document)
    return 0 if document["ok"] else CHECK_FAILED


def _python(file: str) -> dict[str, Any]:
    from ...plugins.usable import usable

    return api.examine(usable(file))


_EXAMINERS = {".py": _python}
"""What examines a file, by its ending."""


def _print(document: dict[str, Any]) -> None:
    for algorithm in document["algorithms"]:
        checks = algorithm["checks"]
        passed = sum(check["verdict"] == "pass" for check in checks)
        show(
            f"{algorithm['name']} ({algorithm['kind']}, {algorithm['file']}): {passed} of "
            f"{len(checks)} checks pass"
        )
        for check in checks:
            show(f"  {check['verdict']}  {check['name']}: {check['what']}")
            if check["reason"]:
                show(*(f"        {line}" for line in check["reason"].splitlines()))
