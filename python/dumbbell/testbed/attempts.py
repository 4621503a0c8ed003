"""Live runs that are kept: each took its time, so a study that was stopped resumes where it
stopped.

A row is a line of JSON in `runs.jsonl`, written after its run has ended: one that a kill cut short
is left out, and its run made again. It has every attempt, those that were not valid too. What a run
recorded is in a directory of its own beside. Simulated runs are in the laboratory's own store,
where a plan says the result; a live one is an observation, of one machine at one time, and its key
says which.
"""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..files.write import append_line
from ..present import validity

JSON = dict[str, Any]
LIVE_VERSION = 2
"""One more whenever live runs of the same plan measure something else than before, or say it
otherwise."""


def key_of(
    plan: Mapping[str, Any], testbed: Mapping[str, Any], seed: int, version: str, number: int = 0
) -> str:
    """Key of a kept run: its plan, how the testbed was to be (class, sampling, waiting, datapath),
    its seed, the release and the machine with its kernel. number: of those of a study that are
    alike in all this, counted from 0."""
    machine = [platform.node(), platform.release(), platform.machine()]
    said = ["live", LIVE_VERSION, version, machine, seed, plan, testbed, number]
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Kept:
    """One attempt: the run's JSON, when it ended (seconds since 1970), and its records, if there
    are any."""

    run: JSON
    at: float
    attempt: int
    directory: Path | None

    @property
    def valid(self) -> bool:
        """True if the run may be used: its block of validity says so, and so do its own
        conservation laws."""
        return bool(self.run.get("valid") and (self.run.get("validity") or {}).get("valid"))

    @property
    def reasons(self) -> list[str]:
        """Reasons against the run."""
        return [reason for run in validity.runs(self.run) for reason in run.reasons]


class Attempts:
    """The runs in a directory."""

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        self._file = self.directory / "runs.jsonl"
        self._rows: dict[str, list[Kept]] = {}
        self.torn = 0
        """Lines that a kill cut short: their runs are made again."""
        for line in (
            self._file.read_text(encoding="utf-8").splitlines() if self._file.exists() else ()
        ):
            self._read(line)

    def _read(self, line: str) -> None:
        try:
            row = json.loads(line)
            key, run = row["key"], row["run"]
        except (ValueError, KeyError, TypeError):
            self.torn += 1
            return
        there = None if row.get("records") is None else self.directory / row["records"]
        kept = Kept(
            run, row["at"], row["attempt"], there if there is not None and there.is_dir() else None
        )
        self._rows.setdefault(key, []).append(kept)

    def attempts(self, key: str) -> list[Kept]:
        """Every attempt at a run, in order."""
        return list(self._rows.get(key, ()))

    def place(self, key: str, attempt: int) -> Path:
        """Directory of an attempt's records."""
        return self.directory / "records" / f"{key}-{attempt}"

    def keep(self, key: str, attempt: int, run: JSON, label: str, records: bool) -> Kept:
        """Writes a row, to disk before it returns."""
        place = self.place(key, attempt)
        there = str(place.relative_to(self.directory)) if records and place.is_dir() else None
        at = time.time()
        row = {
            "key": key,
            "at": at,
            "attempt": attempt,
            "label": label,
            "records": there,
            "run": run,
        }
        append_line(self._file, json.dumps(row, allow_nan=False, separators=(",", ":")))
        kept = Kept(run, at, attempt, place if there else None)
        self._rows.setdefault(key, []).append(kept)
        return kept


def beside(store: str | Path) -> Path:
    """The directory of live runs that belongs to a store of simulated ones."""
    store = Path(store)
    return store.with_name(f"{store.name}-live")
