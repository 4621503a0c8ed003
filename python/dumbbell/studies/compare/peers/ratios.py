"""Cost of the same work in two simulators: processor time for each packet-hop, memory for each
flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from ....present.stats import mean
from . import ours
from .outcome import Outcome
from .same_work import Verdict, Work, judge, work
from .simulators import PEERS
from .workload import CONTROLS, Workload


@dataclass(frozen=True, slots=True)
class Price:
    """Processor time of the run for each packet-hop (ns) and of the set-up (s); memory for each
    flow at its peak (bytes)."""

    ns_per_hop: float
    setup_s: float
    bytes_per_flow: float


class SideRow(TypedDict):
    """The work of one simulator, and its price."""

    goodput_bps: float
    drop_rate: float
    ns_per_packet_hop: float
    setup_s: float
    bytes_per_flow: float


class RatioRow(TypedDict):
    """A workload for `--json`; ratios of work that was not alike are null."""

    flows: int
    rate_bps: float
    queue: str
    time_s: float
    cc: str
    against: str
    seeds: int
    alike: bool
    why: str | None
    ours: SideRow
    theirs: SideRow
    time_ratio: float | None
    memory_ratio: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """One workload beside one peer."""

    workload: Workload
    seeds: int
    verdict: Verdict
    ours: Price
    theirs: Price

    @property
    def faster(self) -> float | None:
        """The peer's time for a packet-hop over ours; None if the work was not alike."""
        return self.theirs.ns_per_hop / self.ours.ns_per_hop if self.verdict.alike else None

    @property
    def smaller(self) -> float | None:
        """The peer's memory for a flow over ours; None if the work was not alike."""
        return self.theirs.bytes_per_flow / self.ours.bytes_per_flow if self.verdict.alike else None

    def document(self) -> RatioRow:
        """The row for `--json`."""
        w, v = self.workload, self.verdict
        return {
            "flows": w.flows,
            "rate_bps": w.rate_bps,
            "queue": w.queue,
            "time_s": w.duration,
            "cc": CONTROLS[w.against],
            "against": w.against,
            "seeds": self.seeds,
            "alike": v.alike,
            "why": v.why or None,
            "ours": _side(v.ours, self.ours),
            "theirs": _side(v.theirs, self.theirs),
            "time_ratio": self.faster,
            "memory_ratio": self.smaller,
        }


def _side(done: Work, price: Price) -> SideRow:
    return {
        "goodput_bps": done.goodput_bps,
        "drop_rate": done.drop_rate,
        "ns_per_packet_hop": price.ns_per_hop,
        "setup_s": price.setup_s,
        "bytes_per_flow": price.bytes_per_flow,
    }


def compare(workload: Workload, seeds: int, done: Callable[[], None] = lambda: None) -> Row:
    """Runs a workload here and there, one run after the other, seeds 1 to `seeds`; `done` is called
    after each pair."""
    peer = PEERS[workload.against]
    pairs: list[tuple[Outcome, Outcome]] = []
    for seed in range(1, seeds + 1):
        network = workload.network(seed)
        pairs.append((ours.run(network), peer.measured(network)))
        done()
    here, there = [a for a, _ in pairs], [b for _, b in pairs]
    verdict = judge(work(here), work(there))
    return Row(workload, seeds, verdict, price(here), price(there))


def price(outcomes: Sequence[Outcome]) -> Price:
    """The sum over all runs, as clocks of some simulators count hundredths of a second only."""
    flows = len(outcomes[0].goodputs)
    return Price(
        ns_per_hop=1e9 * sum(o.cost.run_s for o in outcomes) / sum(o.hops for o in outcomes),
        setup_s=mean([o.cost.setup_s for o in outcomes]),
        bytes_per_flow=mean([o.cost.peak_bytes for o in outcomes]) / flows,
    )
