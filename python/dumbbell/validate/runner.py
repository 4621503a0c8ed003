"""Runs scenarios for checks and turns the results into measured values.

A `Runner` runs a scenario once, however many checks measure something of it. The functions below it
make the `measure` of a `Check`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from ..errors import InvalidRun
from ..files.write import Scratch
from ..plugins.base import Own
from ..result import Result
from ..scenario import Scenario
from .measured import Measured
from .readings import Run
from .recorded import Recorded

T = TypeVar("T")
Tables = Mapping[str, Any]
"""A scenario as nested dictionaries; algorithms may be objects of `dumbbell.algorithms`."""

SEEDS = 5
"""The number of seeds with which a random scenario is run, unless the caller wants another."""


class Runner:
    """Runs scenarios and keeps the results.

    quick: True if a check may use a shorter run, where it has one. seeds: the number of runs of a
    random scenario; their seeds are 1, 2 and so on.
    """

    def __init__(self, *, quick: bool = False, seeds: int = SEEDS) -> None:
        self.quick = quick
        self.seeds = seeds
        self._cache: dict[str, Any] = {}

    def run(self, scenario: Tables, *, seeds: int | None = None) -> list[Run]:
        """Runs a scenario with each seed; the results of an equal earlier call are reused.

        seeds: the number of runs; default `self.seeds`, and 1 is enough if nothing is random.
        Raises `InvalidRun` if a run does not conserve packets.
        """
        n = self.seeds if seeds is None else seeds

        def run_all() -> list[Run]:
            data = Scenario(scenario).run(seed=1, replications=n).json
            durations = {key: data[key] for key in ("duration_s", "warmup_s")}
            # A single replication has no list `runs`: the document is its run.
            return [conserving({**durations, **run}) for run in data.get("runs") or [data]]

        return self.cached(("run", _as_json(scenario), n), run_all)

    def recorded(self, scenario: Tables) -> Recorded:
        """Runs a scenario with the seed 1 and its records. The scenario's `record` says which
        tables there are. Raises `InvalidRun` as `run` does."""

        def run_recorded() -> Recorded:
            folder = Scratch()
            result = Scenario(scenario).run(seed=1, replications=1, out=folder.path)
            assert isinstance(result, Result)
            conserving(result.json)
            return Recorded(result, folder)

        return self.cached(("recorded", _as_json(scenario)), run_recorded)

    def for_mode(self, scenario: Tables, shorter: Tables | None) -> Tables:
        """`shorter` if there is one and shorter runs are wanted, else `scenario`."""
        return shorter if self.quick and shorter is not None else scenario

    def generated(self, key: Any, generate: Callable[[int], T]) -> list[T]:
        """The results of `generate` for each seed; it is called once for each `key` and seed."""
        return [
            self.cached(("generated", key, seed), partial(generate, seed))
            for seed in range(1, self.seeds + 1)
        ]

    def cached(self, key: Any, compute: Callable[[], T]) -> T:
        """The result of `compute`, which is called once for each `key` (a JSON value)."""
        name = json.dumps(key, sort_keys=True)
        if name not in self._cache:
            self._cache[name] = compute()
        result: T = self._cache[name]
        return result


Measurement = Callable[[Runner], Measured]
"""The `measure` of a check."""


def mean_over_seeds(
    scenario: Tables, measure: Callable[[Run], float], shorter: Tables | None = None
) -> Measurement:
    """Measures the mean of `measure` over runs with several seeds, with its 95 % confidence
    interval. shorter: a shorter run of the same network for `--quick`, whose interval is still well
    within the tolerance."""

    def measured(runner: Runner) -> Measured:
        runs = runner.run(runner.for_mode(scenario, shorter))
        return Measured.of([float(measure(run)) for run in runs])

    return measured


def worst(
    scenario: Tables,
    measure: Callable[[Run], float],
    expected: float,
    shorter: Tables | None = None,
) -> Measurement:
    """For properties that every run must have: measures the value of `measure` that is farthest
    from `expected` over runs with several seeds, without an interval. NaN is farther than any
    number. shorter: as for `mean_over_seeds`."""

    def measured(runner: Runner) -> Measured:
        runs = runner.run(runner.for_mode(scenario, shorter))
        return farthest([float(measure(run)) for run in runs], expected)

    return measured


def of_one_run(scenario: Tables, measure: Callable[[Run], float]) -> Measurement:
    """Measures `measure` of one run, for scenarios in which nothing is random; without an
    interval."""
    return lambda runner: Measured(float(measure(runner.run(scenario, seeds=1)[0])))


def of_records(scenario: Tables, measure: Callable[[Recorded], float]) -> Measurement:
    """Measures `measure` of one run with its records, for scenarios in which nothing is random;
    without an interval."""
    return lambda runner: Measured(measure(runner.recorded(scenario)))


def farthest(values: Sequence[float], expected: float) -> Measured:
    """The value that is farthest from `expected`; NaN if there is one."""
    return Measured(
        max(values, key=lambda value: (math.isnan(value), abs(value - expected))), n=len(values)
    )


def mean_over_generated(
    key: Any, generate: Callable[[int], T], measure: Callable[[T], float]
) -> Measurement:
    """Measures the mean of `measure(generate(seed))` over the seeds, with its 95 % confidence
    interval. key, generate: as for `Runner.generated`."""
    return lambda runner: Measured.of(
        [float(measure(result)) for result in runner.generated(key, generate)]
    )


def once(key: Any, compute: Callable[[], T], measure: Callable[[T], float]) -> Measurement:
    """Measures `measure(compute())`, for results that are not random; the value has no interval.
    `compute` is called once for each `key`."""
    return lambda runner: Measured(float(measure(runner.cached(("once", key), compute))))


def conserving(run: Run) -> Run:
    """The run itself. Raises `InvalidRun` if it does not conserve packets: sent = delivered +
    dropped + in the network."""
    if not run["conservation"]["ok"]:
        raise InvalidRun(f"packet conservation does not hold with seed {run['seed']}")
    return run


def _as_json(scenario: Tables) -> Tables:
    """A scenario as JSON, for the key of a cached result."""
    return {
        key: value.as_dict() if isinstance(value, Own) else value for key, value in scenario.items()
    }
