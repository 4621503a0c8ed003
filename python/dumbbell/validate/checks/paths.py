"""Scenarios of the laws of TCP: a path without queues, flows without what the laws do not know, and
their records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...data.records import Series
from ...result import Result
from ...scenario import Scenario
from ..runner import Run, Runner, as_json, conserving

MSS = 1460
Row = dict[str, Any]


def sender(
    cc: str | Mapping[str, Any] = "sack", rtt: float = 0.1, mss: int = MSS, **tcp: Any
) -> dict[str, Any]:
    """A flow by the RFCs without handshake, timestamps and coarse clock, every segment acknowledged
    at once."""
    fields = {
        "mss": f"{mss} B",
        "handshake": False,
        "timestamps": False,
        "clock": "0 s",
        "delayed_ack": "each",
        "receive_window": "unlimited",
    }
    return {
        "name": "s",
        "profile": "rfc",
        "cc": cc,
        "rtt": f"{rtt * 1e3:g} ms",
        "tcp": fields | tcp,
    }


def clear(
    *flows: Mapping[str, Any], seconds: float, warmup: float = 0.0, **words: Any
) -> dict[str, Any]:
    """Flows over 10 Gbit/s, where no packet waits for more than those that left with it. words: of
    the scenario; `loss`: the share of data packets that chance takes; `mtu`: of the path, bytes."""
    link: dict[str, Any] = {
        "rate": "10 Gbps",
        "delay": "1 ms",
        "mtu": f"{words.pop('mtu', 1500)} B",
    }
    if loss := words.pop("loss", None):
        link["impairment"] = [{"kind": "bernoulli", "loss": loss}]
    rest = {"queue": {"kind": "drop_tail", "limit": "unlimited"}, **words}
    times = {"duration": f"{seconds * 1e3:g} ms", "warmup": f"{warmup * 1e3:g} ms"}
    return {**times, "dumbbell": {"bottleneck": link}, "flow": list(flows), **rest}


def run(runner: Runner, scenario: Mapping[str, Any], seeds: int = 1) -> list[Run]:
    """`Runner.run`, with one seed unless something is random."""
    return runner.run(scenario, seeds=seeds)


class Recorded:
    """One run with its records: `flow`, and the rows of `reactions`, `flows` or `packets`."""

    def __init__(self, result: Result) -> None:
        self.run = conserving(result.json)
        self.flow: Row = self.run["flows"][0]
        self._result = result

    def rows(self, name: Series) -> list[Row]:
        """The rows of a table of records."""
        return self._result.series(name).rows()

    def reactions(self, *causes: str) -> list[Row]:
        """The sender's reactions with one of these causes, or all."""
        return [row for row in self.rows("reactions") if not causes or row["cause"] in causes]


def recorded(
    runner: Runner, scenario: Mapping[str, Any], every: str | None = None, packets: bool = False
) -> Recorded:
    """The run of a scenario with its reactions; `every`: with a series of flows of this period;
    `packets`: with every packet."""

    def run_recorded() -> Recorded:
        words = {**scenario, "record": {"packets": packets, "drops": True}}
        result = Scenario(words).run(record_every=every or "1 h", record_drops=True)
        assert isinstance(result, Result)
        return Recorded(result)

    return runner.cached(("recorded", as_json(scenario), every, packets), run_recorded)
