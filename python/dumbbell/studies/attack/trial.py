"""Runs of genomes, many at a time, and the harm of each."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ... import api
from ...language import overrides
from ...language.arguments import Choice
from ..frame.runs import Measure, ScenarioWarning, merged
from . import written
from .genomes import key
from .harm import Objective
from .space import PATH, Genome

_TABLES = ("host", "router", "link", "flow")
NAME = "attack"


@dataclass(frozen=True, slots=True)
class Tried:
    """A genome with its harm; None if the run failed, or was not valid."""

    genome: Genome
    harm: float | None

    @property
    def rank(self) -> float:
        """Its harm, for sorting."""
        return float("-inf") if self.harm is None else self.harm


@dataclass(slots=True, kw_only=True)
class Trials:
    """Makes runs of one control under one seed. Genomes that were tried are not tried again."""

    cc: Choice
    objective: Objective
    seed: int
    use: Sequence[str] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    measure: Measure = api.run
    known: dict[tuple[object, ...], Tried] = field(default_factory=dict)
    cpu_s: float = 0.0
    from_store: int = 0
    version: str | None = None
    warnings: list[ScenarioWarning] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def made(self) -> int:
        """The number of genomes that were tried."""
        return len(self.known)

    def of(self, genomes: Sequence[Genome]) -> list[Tried]:
        """Tries those that are new, all at once. The result has the order of `genomes`."""
        new = {key(one): one for one in genomes if key(one) not in self.known}
        if new:
            started = time.process_time()
            answer = self.measure(self.request(list(new.values())))
            self.cpu_s += time.process_time() - started
            points = answer.get("points", [answer])
            self.version = answer.get("version")
            self.from_store += answer.get("from_store") or 0
            self.warnings = merged([*self.warnings, *answer.get("warnings", [])])
            for (name, genome), point in zip(new.items(), points, strict=True):
                self.known[name] = Tried(genome, self._harm(genome, point))
        return [self.known[key(one)] for one in genomes]

    def request(self, genomes: Sequence[Genome], seed: int | None = None) -> dict[str, object]:
        """The request for a run of each genome."""
        base = self.tree({PATH.name: {one.name: one.mild or one.low for one in PATH.parameters}})
        rows = []
        for one in genomes:
            tree = self.tree(one)
            rows.append({name: tree[name] for name in _TABLES if name in tree})
        sweep = f"sweep.list=[{', '.join(map(overrides.toml, rows))}]"
        return api.request(
            {"value": base, "name": NAME},
            [sweep],
            use=list(self.use) or None,
            seed=self.seed if seed is None else seed,
            keep_going=True,
            **self.options,
        )

    def tree(self, genome: Genome) -> written.Scenario:
        """The scenario of a genome."""
        return written.scenario(genome, self.cc, self.objective.flows == 2, self.seed)

    def _harm(self, genome: Genome, point: Mapping[str, Any]) -> float | None:
        if point.get("error") or "flows" not in point:
            error = point.get("error") or {}
            self.errors.append(str(error.get("message", "the run has no result")))
            return None
        return self.objective.harm(point, genome) if point.get("valid") else None

    def with_control(self, genome: Genome, cc: Choice) -> float | None:
        """The harm of one genome to another control under the same seed."""
        other = replace(self, cc=cc, known={}, errors=[], warnings=[])
        return other.of([genome])[0].harm

    def with_seeds(self, genome: Genome, seeds: Sequence[int]) -> list[float]:
        """The harm of one genome under other seeds; of those runs that are valid."""
        answers = [self.measure(self.request([genome], seed)) for seed in seeds]
        points = [answer.get("points", [answer])[0] for answer in answers]
        found = [self._harm(genome, point) for point in points]
        return [harm for harm in found if harm is not None]
