"""The runs that checks measure: runs of scenarios over the seeds, made once however many checks
look at them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from .. import api
from ..data.arrow import Table
from ..errors import InvalidRun
from ..files.write import temporary_folder
from ..scenario import Scenario
from .measured import Measured

T = TypeVar("T")
Run = dict[str, Any]
"""The JSON of one run: `flows`, `queues`, `conservation`, `seed` and so on, as
`dumbbell run --json` has them."""

SEEDS = 5


class Runner:
    """Measures for checks. quick: whether an check may make do with shorter runs, as long as its
    interval allows it.

    seeds: how many runs a random scenario gets, with the seeds 1, 2 and so on.
    """

    def __init__(self, *, quick: bool = False, seeds: int = SEEDS) -> None:
        self.quick = quick
        self.seeds = seeds
        self._kept: dict[str, Any] = {}

    def run(
        self,
        scenario: str | Mapping[str, Any],
        overrides: Sequence[str] = (),
        *,
        seeds: int | None = None,
    ) -> list[Run]:
        """The runs of a scenario (TOML text or tables), one for each seed, from the cache if an
        check asked before.

        seeds: how many; 1 where nothing is random. `InvalidRun` if the account of a run's packets
        does not balance.
        """
        n = self.seeds if seeds is None else seeds

        def make() -> list[Run]:
            made = Scenario.from_text(scenario) if isinstance(scenario, str) else Scenario(scenario)
            data = made.with_(list(overrides)).run(seed=1, replications=n).json
            times = {key: data[key] for key in ("duration_s", "warmup_s")}
            runs: list[Run] = [{**times, **run} for run in data.get("runs") or [data]]
            broken = [run["seed"] for run in runs if not run["conservation"]["ok"]]
            if broken:
                raise InvalidRun(f"the conservation laws do not hold with the seeds {broken}")
            return runs

        return self.keep(("run", scenario, list(overrides), n), make)

    def shorter(
        self, scenario: str | Mapping[str, Any], quick: Mapping[str, Any] | None
    ) -> str | Mapping[str, Any]:
        """The scenario, or the shorter one that there is for `--quick`."""
        return quick if self.quick and quick is not None else scenario

    def over_seeds(
        self,
        scenario: str | Mapping[str, Any],
        measure: Callable[[Run], float],
        overrides: Iterable[str] = (),
    ) -> Measured:
        """A measurement of each run of `run`, with its interval."""
        return Measured.of([float(measure(run)) for run in self.run(scenario, tuple(overrides))])

    def records(self, scenario: str | Mapping[str, Any], name: str) -> Table:
        """The records of one run of a scenario: `packets`, `hops`, `flows`, `queues`, `signals` or
        `reactions`."""

        def make() -> Table:
            made = Scenario.from_text(scenario) if isinstance(scenario, str) else Scenario(scenario)
            with temporary_folder() as directory:
                made.run(seed=1, replications=1, out=directory)
                return Table(
                    api.table([{"labels": {}, "file": str(Path(directory) / f"{name}.parquet")}])
                )

        return self.keep(("records", scenario, name), make)

    def keep(self, key: Any, make: Callable[[], T]) -> T:
        """The answer of `make`, made once for each `key` (anything that JSON can say)."""
        name = json.dumps(key, sort_keys=True)
        if name not in self._kept:
            self._kept[name] = make()
        kept: T = self._kept[name]
        return kept


def over_seeds(
    scenario: str | Mapping[str, Any],
    measure: Callable[[Run], float],
    quick: Mapping[str, Any] | None = None,
) -> Callable[[Runner], Measured]:
    """A measurement for an check: `measure` of the run with each seed, their mean and its
    interval. quick: a shorter run of the same network, whose interval still lies well within the
    tolerance."""
    return lambda runner: runner.over_seeds(runner.shorter(scenario, quick), measure)


def worst(
    scenario: str | Mapping[str, Any],
    measure: Callable[[Run], float],
    law: float,
    quick: Mapping[str, Any] | None = None,
) -> Callable[[Runner], Measured]:
    """A measurement of what holds in each run: of all runs the value furthest from `law`, without
    an interval. quick: as for `over_seeds`."""

    def measured(runner: Runner) -> Measured:
        values = [float(measure(run)) for run in runner.run(runner.shorter(scenario, quick))]
        return Measured(max(values, key=lambda value: abs(value - law)), n=len(values))

    return measured


def over_drives(
    key: Any, make: Callable[[int], T], measure: Callable[[T], float]
) -> Callable[[Runner], Measured]:
    """A measurement of what `make` gives with each seed: the mean and its interval. `make` is
    called once for each seed and each `key`, however many checks look at what it gives."""

    def measured(runner: Runner) -> Measured:
        seeds = range(1, runner.seeds + 1)
        return Measured.of(
            [
                float(measure(runner.keep(("drive", key, seed), partial(make, seed))))
                for seed in seeds
            ]
        )

    return measured


def once(
    key: Any, make: Callable[[], T], measure: Callable[[T], float]
) -> Callable[[Runner], Measured]:
    """A measurement of what is not random: `make` is called once for each `key`; a value without an
    interval."""
    return lambda runner: Measured(float(measure(runner.keep(("once", key), make))))
