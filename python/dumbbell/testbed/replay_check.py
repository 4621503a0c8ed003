"""Checks a result with the replay of its log.

A log has every packet, when it was due and how late it was written; the network's results and the
lateness can be made again from it. What the log does not have (losses outside the router, stalls
between packets, processor time) stays as the result says it. The hashes of a log have no key: they
find damage, and cannot tell who wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..present import validity

JSON = Mapping[str, Any]

SUMMARY = "summary.json"
_LEVELS = 3
"""Directories above the log, its own included, that may have the summary: of many runs each has a
directory."""
_WITHIN = 0.05
"""Percentiles are kept to one part in 32, lateness in a log in units of 16 ns."""

_HASHES = (
    "The hashes detect a damaged or truncated log; they have no key, so they do not prove who "
    "wrote it."
)
_OUTSIDE = " The log does not contain losses outside the router, stalls or processor time."


def proves(run: JSON | None) -> str:
    """What a replay shows of a run, and what it cannot; None stands for a run without a summary."""
    return _HASHES if run is not None and _virtual(run) else _HASHES + _OUTSIDE


def _virtual(run: JSON) -> bool:
    """True for a run in virtual time: nothing in it can be late, so it has no block `validity`."""
    return run.get("on") == "linux"


def beside(log: Path, said: JSON) -> tuple[Path, JSON] | None:
    """The summary of the run that a log is of, and the run in it; None if there is none."""
    for directory in [log.parent, *log.parent.parents][:_LEVELS]:
        file = directory / SUMMARY
        try:
            rows = validity.rows(json.loads(file.read_text()))
        except (OSError, ValueError, AttributeError):
            continue
        own = [
            row
            for row in rows
            if (row.get("validity") or _virtual(row))
            and row.get("seed", said["seed"]) == said["seed"]
        ]
        if own:
            return file, next(
                (row for row in own if row.get("fingerprint") == said["fingerprint"]), own[0]
            )
    return None


def compared(run: JSON, said: JSON) -> bool:
    """True if something of a summary can be compared with the replayed log. A run in virtual time
    that ended with its program has no block `validity`, and its fingerprint is the log's only if
    no packet was still inside."""
    same = run.get("fingerprint") == said["fingerprint"]
    return same or _whole(run, said) or not _virtual(run)


def _whole(run: JSON, said: JSON) -> bool:
    """True if a run is as long as its plan. What was inside when a shorter one ended never came
    out, so its fingerprint is another."""
    return bool(run.get("duration_s", said["duration_s"]) == said["duration_s"])


def contradictions(run: JSON, said: JSON) -> list[str]:
    """Contradictions between a summary and the replayed log; `said` is the answer of
    `verbs.replay`."""
    found = []
    if _whole(run, said) and run.get("fingerprint") != said["fingerprint"]:
        found.append(
            f"its fingerprint is {run.get('fingerprint')}, and the log gives {said['fingerprint']}"
        )
    if _virtual(run):
        return found
    block = run["validity"]
    packets = (block.get("replay") or {}).get("packets")
    if packets != said["packets"]:
        found.append(f"it has {packets} packets, and the log has {said['packets']}")
    if "required" not in block:  # A release that knew one class only.
        return [*found, *_late(block, said)]
    if block["required"] != said["required"]:
        found.append(
            f"it required the class {block['required']}, and the log's plan requires "
            f"{said['required']}"
        )
    return [*found, *_late(block, said), *_verdict(run)]


def _late(block: JSON, said: JSON) -> list[str]:
    ours, logs = (float((of.get("lateness_us") or {}).get("p99") or 0.0) for of in (block, said))
    if abs(ours - logs) <= _WITHIN * max(ours, logs) + 0.1:
        return []
    return [f"99 % of its packets were at most {ours:.1f} us late, and the log has {logs:.1f} us"]


def _verdict(run: JSON) -> list[str]:
    """A verdict must follow from what stands beside it."""
    block = run["validity"]
    reached, required = block.get("class"), block.get("required")
    missed = [one["class"] for one in block.get("missed") or ()]
    enough = (
        reached in validity.CLASSES
        and required in validity.CLASSES[validity.CLASSES.index(reached) :]
    )
    sound = enough and reached not in missed and not block.get("reasons")
    found = []
    if bool(block.get("valid")) is not sound:
        found.append(
            f"it says valid = {bool(block.get('valid'))}, which contradicts its class, its "
            f"reasons or both"
        )
    if run.get("valid") and not block.get("valid"):
        found.append("the run claims to be valid, but its block `validity` does not")
    return found
