"""Faults sown into the RTL, which the bench must find: `rtl/red/mutants/mutants.toml` has them.

A bench that nobody has seen fail proves little. Each fault is put into a copy of the sources, by
itself; a proof of the property that it names must fail there, and the lockstep with the model in
the mode that it names must find a difference.
"""

from __future__ import annotations

import os
import shutil
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import ScenarioError
from ...files.write import temporary_folder, write_text
from ..sources import folder, listed

PACKETS = 1_000_000
"""Packets of the lockstep with a mutant: one that needs more to be seen is a hole in the
stimulus."""


@dataclass(frozen=True)
class Mutant:
    """A fault: what is replaced by what, and who must find it."""

    id: str
    file: str
    old: str
    new: str
    what: str
    mode: str | None = None
    property: str | None = None


@dataclass(frozen=True)
class Caught:
    """The outcome of a fault: the tools that looked for it, and those that found it."""

    mutant: Mutant
    found: dict[str, bool]
    seconds: float

    @property
    def ok(self) -> bool:
        """Everyone who had to find it did."""
        return bool(self.found) and all(self.found.values())

    def as_dict(self) -> dict[str, Any]:
        """The value as JSON."""
        return {
            "id": self.mutant.id,
            "what": self.mutant.what,
            "found": self.found,
            "caught": self.ok,
            "seconds": round(self.seconds, 2),
        }


def read(only: Sequence[str] = ()) -> list[Mutant]:
    """The faults, or those with these ids; `ScenarioError` if there is no such, or one finds nobody
    to look for it."""
    every = [
        Mutant(**entry)
        for entry in tomllib.loads(
            (folder() / "mutants" / "mutants.toml").read_text(encoding="utf-8")
        )["mutant"]
    ]
    unknown = set(only) - {one.id for one in every}
    blind = [one.id for one in every if not (one.mode or one.property)]
    if unknown or blind:
        raise ScenarioError(
            f"mutants: {', '.join(sorted(unknown) or blind)}: there is no such fault, or no check "
            "detects it"
        )
    return [one for one in every if not only or one.id in only]


@contextmanager
def sown(mutant: Mutant) -> Iterator[Callable[[str], list[Path]]]:
    """A copy of the sources with the fault, as `sources` of it: the files of a list."""
    with temporary_folder() as scratch:
        copy = Path(scratch) / "red"
        shutil.copytree(folder(), copy, ignore=shutil.ignore_patterns("tests", "__pycache__"))
        there = copy / mutant.file
        text = there.read_text(encoding="utf-8")
        if text.count(mutant.old) != 1:
            raise ScenarioError(
                f"mutants: the text of {mutant.id} does not occur exactly once in {mutant.file}: "
                "it has moved"
            )
        write_text(there, text.replace(mutant.old, mutant.new))
        yield lambda what: listed(copy / f"{what}.f")


def hunt(
    only: Sequence[str] = (),
    *,
    seed: int = 1,
    packets: int = PACKETS,
    heard: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Sows each fault and asks who must find it: `{"ok", "caught", "mutants": [...]}`."""

    def looked(mutant: Mutant) -> Caught:
        start = time.monotonic()
        caught = Caught(mutant, looks(mutant, seed, packets), time.monotonic() - start)
        heard(f"{'caught  ' if caught.ok else 'SURVIVED'} {mutant.id}: {mutant.what}")
        return caught

    # Each compiles a simulator by itself, or asks a solver: as many at a time as there are cores.
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        made = list(threads.map(looked, read(only)))
    return {
        "ok": all(one.ok for one in made),
        "caught": sum(one.ok for one in made),
        "mutants": [one.as_dict() for one in made],
    }


def looks(mutant: Mutant, seed: int, packets: int) -> dict[str, bool]:
    """The tools that must find a fault, and their outcomes: `{"proof": ..., "lockstep": ...}`."""
    from . import check, lockstep

    found: dict[str, bool] = {}
    with sown(mutant) as files:
        if mutant.property:
            with temporary_folder() as work:
                (said,) = check.proving(Path(work), only=[mutant.property], found=files)
            found["proof"] = said["verdict"] == "failed"
        if mutant.mode:
            met = lockstep.run(packets=packets, seed=seed, modes=[mutant.mode], dut=files("core"))
            found["lockstep"] = met["mismatches"] > 0
    return found


def lines(found: dict[str, Any]) -> list[str]:
    """The outcome, for people."""
    missed = [one for one in found["mutants"] if not one["caught"]]
    said = [f"{found['caught']} of {len(found['mutants'])} faults found"]
    return said + [f"  NOT FOUND {one['id']}: {one['what']} ({one['found']})" for one in missed]
