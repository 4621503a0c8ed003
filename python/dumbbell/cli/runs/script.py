"""`script`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...present import messages
from ...validate import packetdrill, scripts
from .. import output
from ..options import Json, emit, show

CHECK_FAILED = 3

Files = Annotated[
    list[Path],
    Parameter(help="Scripts (*.dbs, or *.pkt of packetdrill), and directories with scripts."),
]


def script(files: Files, /, *, json: Json = False) -> int:
    """Run scripts that test a TCP sender or receiver step by step.

    The exit code is 3 if an expectation of a script fails.

    Example: `dumbbell script scripts/tcp`
    """
    endings = (scripts.ENDING, packetdrill.ENDING)
    outcomes = [_run(path) for path in scripts.find(files, endings)]
    ok = all(outcome.ok for outcome in outcomes)
    if json:
        documents = [{**dataclasses.asdict(outcome), "ok": outcome.ok} for outcome in outcomes]
        emit({"ok": ok, "scripts": documents})
        return 0 if ok else CHECK_FAILED
    for outcome in outcomes:
        show(messages.wrapped(str(outcome), output.columns()))
    if len(outcomes) > 1:
        held = sum(outcome.ok for outcome in outcomes)
        show(f"{held} of {len(outcomes)} scripts hold")
    return 0 if ok else CHECK_FAILED


def _run(path: Path) -> scripts.Outcome:
    return packetdrill.run(path) if path.suffix == packetdrill.ENDING else scripts.run(path)
