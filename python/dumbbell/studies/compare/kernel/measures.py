"""Compared numbers of a run's JSON that both the simulator and a kernel give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....data import measurements
from ...frame.runs import Run

MOST_FLOWS = 8
"""Flows that are compared one by one; of more only all together are."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A sort of measure: its key, what it is called, the unit of its number, and the floor of
    `rules.md`."""

    key: str
    title: str
    unit: str
    floor: float


def _kind(key: str, row: str, measurement: str, floor: float, title: str = "") -> Kind:
    """The kind of a measurement of results. title: its name here, if that is another there."""
    one = measurements.find(row, measurement)
    return Kind(key, title or one.title, one.unit, floor)


SHARE = _kind("share", "flow", "share", 0.001)
GOODPUT = _kind("goodput", "flow", "goodput_bps", 0.0)
TOTAL = _kind("total", "totals", "goodput_bps", 0.0, "total goodput")
QUEUE = _kind("queue", "queue", "mean_packets", 0.5)
SOJOURN = _kind("sojourn", "queue", "p99_sojourn_s", 1e-4)
DROPS = _kind("drops", "queue", "drops", 2.0)
MARKS = _kind("marks", "queue", "marks", 2.0)
RETRANSMITS = _kind("retransmits", "totals", "retransmits", 2.0)
SRTT = _kind("srtt", "flow", "srtt_mean_s", 1e-4)
UTILIZATION = _kind("utilization", "queue", "utilization", 0.001)

KINDS = (TOTAL, SHARE, GOODPUT, QUEUE, SOJOURN, UTILIZATION, DROPS, MARKS, RETRANSMITS, SRTT)
"""In the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A number: of which kind, and of which flow or queue; `of` is empty for all flows together."""

    kind: Kind
    of: str = ""

    @property
    def key(self) -> str:
        """Its name in results and behind `--explain`: `share.far`, `queue.bottleneck`, `total`."""
        return f"{self.kind.key}.{self.of}" if self.of else self.kind.key

    @property
    def title(self) -> str:
        """Its name for people."""
        return f"{self.kind.title} of {self.of}" if self.of else self.kind.title


Values = dict[str, float | None]


def values(run: Run) -> Values:
    """Every measure of one run; None where nothing was measured."""
    return {measure.key: value for measure, value in _measured(run)}


def of_run(run: Run) -> list[Measure]:
    """The measures that a run has, in the order in which they are shown."""
    found = [measure for measure, _ in _measured(run)]
    return sorted(found, key=lambda m: KINDS.index(m.kind))


def _measured(run: Run) -> Iterator[tuple[Measure, float | None]]:
    flows: Sequence[Run] = run["flows"]
    yield Measure(TOTAL), sum(float(flow["goodput_bps"]) for flow in flows)
    if len(flows) <= MOST_FLOWS:
        for flow in flows:
            yield (
                Measure(SHARE, flow["name"]),
                _number(flow.get("share")) if len(flows) > 1 else None,
            )
            yield Measure(GOODPUT, flow["name"]), _number(flow["goodput_bps"])
            yield Measure(SRTT, flow["name"]), _number(flow.get("srtt_mean_s"))
    yield Measure(RETRANSMITS), float(sum(flow.get("retransmits") or 0 for flow in flows))
    for queue in run["queues"]:
        name = queue["name"]
        yield Measure(QUEUE, name), _number(queue["mean_packets"])
        yield Measure(SOJOURN, name), _number(queue["p99_sojourn_s"])
        yield Measure(UTILIZATION, name), _number(queue["utilization"])
        yield Measure(DROPS, name), float(sum(queue["drops"].values()))
        yield Measure(MARKS, name), float(queue["marks"])


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def asked(word: str, known: Sequence[Measure]) -> list[Measure]:
    """The measures that a word behind `--explain` means: one by its key, or all of a kind."""
    return [measure for measure in known if word in (measure.key, measure.kind.key)]
