"""Runs the scenarios here and in ns-2 and compares what they measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TypedDict

from .. import ours
from ..outcome import Outcome
from ..simulators import ns2
from .agreement import TOLERANCES, Compared, QuantityRow, compared
from .packet_trace import Followed, FollowedRow
from .scenarios import Scenario


class ResultRow(TypedDict):
    """A scenario's quantities, for `--json`."""

    scenario: str
    quantities: list[QuantityRow]


class Document(TypedDict):
    """The document of `--json`: how many of all quantities agree, within which tolerances."""

    versions: dict[str, str]
    agree: int
    quantities: int
    tolerances: dict[str, dict[str, float]]
    scenarios: list[ResultRow]
    followed: list[FollowedRow]


@dataclass(frozen=True, slots=True)
class Result:
    """A scenario's quantities."""

    scenario: Scenario
    quantities: tuple[Compared, ...]

    def document(self) -> ResultRow:
        """For `--json`."""
        return {
            "scenario": self.scenario.name,
            "quantities": [q.document() for q in self.quantities],
        }


def run(scenario: Scenario, seeds: int, done: Callable[[], None] = lambda: None) -> Result:
    """Runs seeds 1 to `seeds` of a scenario on both sides."""
    here: list[Outcome] = []
    there: list[Outcome] = []
    for seed in range(1, seeds + 1):
        network = scenario.network(seed)
        here.append(ours.run(network))
        there.append(ns2.run(network))
        done()
    return Result(scenario, quantities(here, there))


def quantities(here: Sequence[Outcome], there: Sequence[Outcome]) -> tuple[Compared, ...]:
    """Each quantity of a scenario; shares only where there are several flows: of the shortest and
    the longest round-trip time."""
    readers: dict[str, Callable[[Outcome], float]] = {
        "utilization": lambda o: o.utilization,
        "mean_queue": lambda o: o.mean_queue,
        "drop_rate": lambda o: o.drop_rate,
    }
    if len(here[0].goodputs) > 1:
        readers |= {"share_first": lambda o: o.shares[0], "share_last": lambda o: o.shares[-1]}
    return tuple(
        compared(name, [read(o) for o in here], [read(o) for o in there])
        for name, read in readers.items()
    )


def document(
    results: Sequence[Result], flows: Sequence[Followed], known: dict[str, str]
) -> Document:
    """The document."""
    agree = [q.agrees for result in results for q in result.quantities]
    return {
        "versions": known,
        "agree": sum(agree),
        "quantities": len(agree),
        "tolerances": {name: asdict(t) for name, t in TOLERANCES.items()},
        "scenarios": [result.document() for result in results],
        "followed": [flow.document() for flow in flows],
    }
