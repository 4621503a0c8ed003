"""`replay`: a live run once more, through the simulator's queues."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ...errors import ScenarioError
from ...testbed import verbs
from ..options import Json, emit, show

DIFFERS = 3
"""The exit code: a check failed."""
LOG = "run.log"
"""Its name among a run's records."""


def replay(
    log: Annotated[
        Path,
        Parameter(
            help=(
                "The run.log of a run on a kernel, or its directory; `run --on kernel --out DIR` "
                "and `run --on linux --out DIR` write it."
            )
        ),
    ],
    /,
    *,
    json: Json = False,
) -> int:
    """Feed the log of a live run to the simulator's queues, and compare what happens to each
    packet.

    Verdict, mark and departure of every packet must be the same, and the numbers of summary.json
    must agree with them. The exit code is 3 if something differs, or if the log was altered.

    Example: `dumbbell replay results/live`
    """
    from ...testbed import replay_check

    log = log / LOG if log.is_dir() else log
    if not log.exists():
        raise ScenarioError(
            f"there is no log {log}: `dumbbell run FILE --on kernel --out DIR` writes one"
        )
    document = verbs.replay({"log": str(log)})
    found = replay_check.beside(log, document)
    wrong = replay_check.contradictions(found[1], document) if found else []
    document |= {
        "summary": str(found[0]) if found else None,
        "compared": found is not None and replay_check.compared(found[1], document),
        "contradictions": wrong,
        "proves": replay_check.proves(found[1] if found else None),
    }
    if json:
        emit(document)
    else:
        show(*lines(document))
    return (
        0 if document["verdict"] == "same" and not document["mismatches"] and not wrong else DIFFERS
    )


def lines(document: dict[str, Any]) -> list[str]:
    """The outcome, for people."""
    packets = f"{document['packets']:,}".replace(",", " ")
    if document["verdict"] == "same":
        return [
            f"same: {packets} packets, each with the same verdict, mark and departure",
            *_summary(document),
        ]
    first = document.get("first_mismatch")
    found = [f"DIFFERS: {document['mismatches']} of {packets} packets"]
    if first:
        found += [
            "the first:",
            *(f"  {key.replace('_', ' ')}: {value}" for key, value in first.items()),
        ]
    return found


def _summary(document: dict[str, Any]) -> list[str]:
    """Whether the result beside the log agrees with it, in words."""
    if document["summary"] is None:
        return [
            "no summary.json next to the log: the validity of the run is unknown",
            document["proves"],
        ]
    if document["contradictions"]:
        return [
            f"{document['summary']} CONTRADICTS it:",
            *(f"  {one}" for one in document["contradictions"]),
        ]
    if not document["compared"]:
        return [
            f"{document['summary']} was not compared: the run ended with its program, with "
            "packets still inside, so its fingerprint differs from the log's",
            document["proves"],
        ]
    return [f"{document['summary']} agrees with it", document["proves"]]
