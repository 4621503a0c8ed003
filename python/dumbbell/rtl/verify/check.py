"""`dumbbell rtl red --check`: lockstep of model and RTL, the proofs, lint, and what came of
each."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .. import tools
from ..sources import TOPS, folder, sources
from . import formal, prove
from .lint import RULES, lint

PACKETS = 10_000_000
"""Packets of the lockstep, in all its modes together."""

Heard = Callable[[str], None]


def check(
    packets: int,
    seed: int,
    modes: Sequence[str] | None,
    work: Path | None,
    heard: Heard = lambda line: None,
) -> dict[str, Any]:
    """Everything about our own RTL. `EnvironmentLacks` if there is nothing to co-simulate with;
    proofs without their tools are `not run`.

    work: where models and traces go. None: a new directory, which stays only if a failed proof has
    its trace there.
    """
    from . import lockstep

    seconds: dict[str, float] = {}

    def timed(name: str, make: Callable[[], Any]) -> Any:
        start = time.monotonic()
        made = make()
        seconds[name] = round(time.monotonic() - start, 2)
        return made

    for tool in (tools.VERILATOR, tools.COMPILER):
        tool.need()
    linted = timed("lint", linting)
    heard(f"lint: {len(linted['findings'])} findings in {linted['looks']} configurations")
    met = timed(
        "lockstep", lambda: lockstep.run(packets=packets, seed=seed, modes=modes, dut=edited())
    )
    heard(f"lockstep: {met['mismatches']} mismatches in {met['packets']} packets")
    with ExitStack() as stack:
        if work is None:
            work = Path(tempfile.mkdtemp(prefix="dumbbell-rtl-"))
            stack.callback(shutil.rmtree, work, ignore_errors=True)
        there = work
        proofs = timed(
            "proofs", lambda: proving(there, lambda v: heard(f"{v.verdict}: {v.property.name}"))
        )
        if any("trace" in proof for proof in proofs):
            stack.pop_all()
    return {
        "ok": not (met["mismatches"] or met["short_of"] or linted["findings"])
        and all(proof["verdict"] != "failed" for proof in proofs),
        "packets": met["packets"],
        "mismatches": met["mismatches"],
        "proofs": proofs,
        "lint": linted,
        "lockstep": met,
        "seconds": seconds,
        "tools": tools.versions(),
    }


def edited() -> list[Path] | None:
    """The core's files, if they were written after the extension, which has a copy of them
    inside: then that copy is not what is to be looked at. None where it will do, whose libraries
    are kept."""
    from ... import _native

    built = Path(_native.__file__).stat().st_mtime
    files = sources("core")
    return files if any(file.stat().st_mtime > built for file in files) else None


def linting() -> dict[str, Any]:
    """Lint of all that there is: the module's list has the core's."""
    files: list[Path] = []
    for what in TOPS:
        if (folder() / f"{what}.f").exists():
            files += sources(what)
    return lint(list(dict.fromkeys(files)), folder() / RULES)


def proving(
    work: Path,
    heard: prove.Heard = lambda verdict: None,
    only: Sequence[str] = (),
    found: Callable[[str], Sequence[Path]] = sources,
) -> list[dict[str, Any]]:
    """The proofs, or those with these names; of the sources that `found` knows."""
    include = folder() / "formal"
    every = formal.read(include / "properties.toml")
    picked = [one for one in every if not only or one.name in only]
    return [verdict.as_dict() for verdict in prove.prove(picked, found, include, work, heard)]


def lines(found: dict[str, Any]) -> list[str]:
    """The outcome of `check`, for people."""
    from . import lockstep

    linted = found["lint"]
    said = [f"lint: {len(linted['findings'])} findings, {linted['looks']} configurations"]
    said += [f"  {f['tool']} {f['top']}: {f['text']}" for f in linted["findings"]]
    said += [f"  not run: {skipped['tool']}, {skipped['why']}" for skipped in linted["not_run"]]
    said += lockstep.summary(found["lockstep"])
    for proof in found["proofs"]:
        said.append(f"{proof['verdict']:<7}  {proof['property']}: {proof['says']} ({proof['how']})")
        said += [f"  {proof[key]}" for key in ("why", "trace") if key in proof]
    return [*said, "everything holds" if found["ok"] else "FAILED"]
