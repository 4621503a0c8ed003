"""What a measurement may use: runs of scenarios over the seeds, made once however many oracles look at them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ..errors import InvalidRun
from ..scenario import Scenario
from .oracle import Measured

T = TypeVar("T")
Run = dict[str, Any]
"""The JSON of one run: `flows`, `queues`, `conservation`, `seed` and so on, as `dumbbell run --json` has them."""

SEEDS = 5


class Bench:
    """Measures for oracles. quick: whether an oracle may make do with shorter runs, as long as its interval allows it.

    seeds: how many runs a random scenario gets, with the seeds 1, 2 and so on.
    """

    def __init__(self, *, quick: bool = False, seeds: int = SEEDS) -> None:
        self.quick = quick
        self.seeds = seeds
        self._kept: dict[str, Any] = {}

    def run(
        self, scenario: str | Mapping[str, Any], overrides: Sequence[str] = (), *, seeds: int | None = None
    ) -> list[Run]:
        """The runs of a scenario (TOML text or tables), one for each seed, from the cache if an oracle asked before.

        seeds: how many; 1 where nothing is random. `InvalidRun` if the account of a run's packets does not balance.
        """
        n = self.seeds if seeds is None else seeds

        def make() -> list[Run]:
            made = Scenario.from_text(scenario) if isinstance(scenario, str) else Scenario(scenario)
            data = made.with_(list(overrides)).run(seed=1, replications=n).json
            runs: list[Run] = data.get("runs") or [data]
            broken = [run["seed"] for run in runs if not run["conservation"]["ok"]]
            if broken:
                raise InvalidRun(f"the conservation laws do not hold with the seeds {broken}")
            return runs

        return self.keep(("run", scenario, list(overrides), n), make)

    def over_seeds(
        self,
        scenario: str | Mapping[str, Any],
        measure: Callable[[Run], float],
        overrides: Iterable[str] = (),
    ) -> Measured:
        """A measurement of each run of `run`, with its interval."""
        return Measured.of([float(measure(run)) for run in self.run(scenario, tuple(overrides))])

    def keep(self, key: Any, make: Callable[[], T]) -> T:
        """What `make` answers, made once for each `key` (anything that JSON can say)."""
        name = json.dumps(key, sort_keys=True)
        if name not in self._kept:
            self._kept[name] = make()
        kept: T = self._kept[name]
        return kept
