"""What advice on an MTU and on a marker is asked for besides its question, and how its runs are
made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..frame.design import Base, Scenario
from ..frame.runs import Laboratory, Measure
from .queue import tc_lines

SEEDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgeted:
    """Options: how many seeds, the CPU time that all runs together may take, about [s], how long a
    run is (None: each case its own) [s], the device of the lines to paste, and `options` of the
    request."""

    seeds: int = SEEDS
    budget_s: float
    length_s: float | None = None
    dev: str = "eth0"
    options: Mapping[str, object] = field(default_factory=dict)

    def laboratory(self, scenario: Scenario, measure: Measure) -> Laboratory:
        """The laboratory for the overrides of this scenario. `ScenarioError` if `dev` is not the
        name of a device."""
        tc_lines.settle({"kind": "drop_tail", "limit": "2 pkt"}, 1e6, self.dev)
        base = Base(scenario=scenario, name="advice")
        return Laboratory(base=base, replications=self.seeds, options=self.options, measure=measure)
