"""`replay`: a live run once more, through the simulator's queues."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from .. import door
from ..errors import ScenarioError
from .options import Json, emit, show

DIFFERS = 3
"""The exit code: a check failed."""
LOG = "run.log"
"""Its name among a run's records."""


def replay(
    log: Annotated[
        Path, Parameter(help="The run.log of a live run, or its directory; `run --on kernel --out DIR` writes it.")
    ],
    /,
    *,
    json: Json = False,
) -> int:
    """Feed a live run's log to the simulator's queues, and compare each packet's fate.

    Verdict, mark and departure of every packet must be the same. Ends with 3 if one is not, or if the log was altered.
    """
    log = log / LOG if log.is_dir() else log
    if not log.exists():
        raise ScenarioError(f"there is no log {log}: `dumbbell run FILE --on kernel --out DIR` writes one")
    said = door.replay({"log": str(log)})
    if json:
        emit(said)
    else:
        show(*lines(said))
    return 0 if said["verdict"] == "same" and not said["mismatches"] else DIFFERS


def lines(said: dict[str, Any]) -> list[str]:
    """The outcome, for people."""
    packets = f"{said['packets']:,}".replace(",", " ")
    if said["verdict"] == "same":
        return [f"same: {packets} packets, each with the same verdict, mark and departure"]
    first = said.get("first_mismatch")
    found = [f"DIFFERS: {said['mismatches']} of {packets} packets"]
    if first:
        found += ["the first:", *(f"  {key.replace('_', ' ')}: {value}" for key, value in first.items())]
    return found
