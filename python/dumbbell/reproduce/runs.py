"""Runs of a paper's points: what they gave, and how they are made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import api
from ..data import series
from ..errors import ScenarioError, of_code
from . import papers
from .document import PointRow
from .measures.measure import needs_series, of_run
from .papers import Effort, Paper, Point

_BULKY = ("flows", "queues")


@dataclass(slots=True)
class Runs:
    """The results of one point's replications, by seed, and the directories of their series."""

    point: Point
    overrides: list[str]
    json: dict[str, Any]
    directories: list[Path] = field(default_factory=list)
    taken: dict[str, list[float]] = field(default_factory=dict)
    """Measurements that were taken already."""
    lacking: dict[str, str] = field(default_factory=dict)
    """Measurements that a kernel's runs do not have, each with the reason."""

    @property
    def runs(self) -> list[dict[str, Any]]:
        """Each replication's own JSON, with the times that all of them share."""
        times = {key: self.json[key] for key in ("duration_s", "warmup_s")}
        return [times | run for run in self.json.get("runs") or [self.json]]

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the whole point."""
        return str(self.json["fingerprint"])

    def has(self, measure: str) -> bool:
        """True if a measurement can be taken: one of the series needs runs that were recorded."""
        return bool(self.directories) or not needs_series(measure)

    def values(self, measure: str) -> list[float]:
        """A measurement, one value for each seed. `ScenarioError` if the runs do not have it."""
        if measure in self.lacking:
            raise ScenarioError(self.lacking[measure])
        if measure not in self.taken:
            runs = self.runs
            where: Iterable[Path | None] = (
                self.directories if needs_series(measure) else [None] * len(runs)
            )
            self.taken[measure] = [
                of_run(measure, run, place) for run, place in zip(runs, where, strict=True)
            ]
        return self.taken[measure]

    def settle(self, measures: Iterable[str], lenient: bool = False) -> None:
        """Takes these measurements, and forgets what else the runs said: hundreds of flows in
        thousands of runs. lenient: notes those that the runs do not have."""
        for measure in measures:
            if self.has(measure):
                try:
                    self.values(measure)
                except (
                    ScenarioError,
                    ValueError,
                    ArithmeticError,
                ) as error:  # Series may be empty.
                    if not (lenient or self.json.get("on")):  # The simulator has all of them.
                        raise
                    self.lacking[measure] = getattr(error, "rendered", str(error))
        runs = [
            {key: value for key, value in run.items() if key not in _BULKY} for run in self.runs
        ]
        self.json = {key: value for key, value in self.json.items() if key not in _BULKY} | {
            "runs": runs
        }


@dataclass(slots=True)
class PointRunner:
    """Runs points one after the other, with the same effort and seeds, and says how far the whole
    is."""

    paper: Paper
    effort: Effort
    altered: list[str]
    seed: int | None
    threads: int | None
    progress: api.Progress
    total: int = 0
    done: int = 0
    store: str | None = None
    on: str = "sim"
    lenient: bool = False
    """True if runs may not have a measurement: what changes them may leave nothing to measure."""

    def run(self, point: Point, changes: Iterable[str] = (), out: Path | None = None) -> Runs:
        """Runs a point with a reading's `changes`, which outdo all other overrides; with series if
        `out` is given."""
        overrides = [
            *point.overrides,
            *self.effort.overrides,
            *(self.paper.record if out else ()),
            *applying(self.paper, point, self.altered),
            *changes,
        ]
        result = self._made(point, overrides, self.effort.replications, out, self.store)
        self.done += 1
        runs = Runs(point, overrides, result, series.run_directories(out) if out else [])
        runs.settle(papers.measures_at(self.paper, point.id), self.lenient)
        return runs

    def first(self, point: Point, records: Iterable[str], out: Path) -> str:
        """Makes the first run of a point again with these records, and returns its fingerprint."""
        overrides = [
            *point.overrides,
            *self.effort.overrides,
            *applying(self.paper, point, self.altered),
            *records,
        ]
        return str(self._made(point, overrides, 1, out, None)["fingerprint"])

    def _made(
        self, point: Point, overrides: list[str], runs: int, out: Path | None, store: str | None
    ) -> api.JSON:
        request = api.request(
            {"path": str(point.scenario)},
            overrides,
            seed=self.paper.seed if self.seed is None else self.seed,
            replications=runs,
            threads=self.threads,
            store=store,
            out=None if out is None else str(out),
            on=None if self.on == "sim" else self.on,
        )
        made = api.run(request, self._part)
        for run in made.get("runs") or [made]:
            if error := run.get("error"):
                said = f"point `{point.id}`, seed {run['seed']}: {error['message']}"
                raise of_code(error["code"], said)
        return made if self.on == "sim" else made | {"on": self.on}

    def _part(self, finished: int, runs: int, fraction: float) -> Any:
        """Progress of one point as progress of the whole."""
        return self.progress(
            self.done * runs + finished, self.total * runs, (self.done + fraction) / self.total
        )


def applying(paper: Paper, point: Point, altered: Iterable[str]) -> list[str]:
    """The user's overrides that concern a point: those of the scheme's own keys only where the
    scheme is at work."""

    return [override for override in altered if point.scheme or not owned(paper, override)]


def owned(paper: Paper, override: str) -> bool:
    """True if an override's key is the scheme's own, and not one that it shares with every
    point."""
    key = override.partition("=")[0].strip()
    return _within(key, paper.scheme_owns) and not _within(key, paper.scheme_shares)


def _within(key: str, prefixes: Iterable[str]) -> bool:
    return any(key == prefix or key.startswith(f"{prefix}.") for prefix in prefixes)


def point_row(runs: Runs) -> PointRow:
    """A point that was run."""
    return {
        "id": runs.point.id,
        "scenario": runs.point.scenario.name,
        "overrides": runs.overrides,
        "scheme": runs.point.scheme,
        "fingerprint": runs.fingerprint,
        "valid": runs.json["valid"],
        "n": len(runs.runs),
        "seeds": [run["seed"] for run in runs.runs],
        "duration_s": runs.json["duration_s"],
    }
