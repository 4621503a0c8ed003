"""Hypothesis strategies for property tests of algorithms: scenarios, queues, traces of packets and
of connections.

```python
from dumbbell import strategies as st
from hypothesis import given
from mine import HalfFull


@given(st.traffic())
def test_a_short_queue_is_left_alone(trace):
    fates = st.drive(HalfFull(limit="100 pkt"), trace)
    assert all(fate.kind == "sent" for fate in fates.of(range(10)))
```

Needs Hypothesis (`pip install hypothesis`); it is imported when a strategy is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

from .. import api
from ..algorithms import Spec
from ..errors import EnvironmentLacks
from ..plugins.base import Aqm, CongestionControl, Own

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from ..scenario import Scenario

Ecn = Literal["not_ect", "ect0", "ect1", "ce"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A packet that comes `gap` seconds after the one before."""

    gap: float
    bytes: int
    flow: int = 0
    ecn: Ecn = "not_ect"
    dscp: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a connection's life, 0.7 ms after the one before.

    kind: "ack" (with `segments`, `sacked`, `ece`, `limited`, `recovery`, `rtt_us`), "loss", "ecn",
    "timeout" (`first`), "spurious", "recovered" (`segments`: the bound on the window), "sent",
    "idle" or "local" (`signal`).
    """

    kind: str
    details: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The event as the API reads it."""
        return {"event": self.kind, **self.details}


@dataclass(frozen=True, slots=True)
class Fate:
    """The event of a packet: `kind` is "sent" or "dropped"; `time` (seconds) when its last bit
    left, `why` it was dropped, `marked` why it was marked, if it was."""

    packet: int
    kind: str
    time: float | None = None
    why: str | None = None
    marked: str | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """The windows after an event, bytes; `ssthresh` None: none."""

    cwnd: int
    ssthresh: int | None


def _st() -> Any:
    try:
        import hypothesis.strategies
    except ModuleNotFoundError:
        raise EnvironmentLacks(
            "dumbbell.strategies needs Hypothesis: `pip install hypothesis`"
        ) from None
    return hypothesis.strategies


def traffic(
    *, max_packets: int = 300, flows: int = 4, ecn: bool = True
) -> SearchStrategy[list[Arrival]]:
    """Traces of packets for a queue: bursts and pauses, sizes from 40 B to 1500 B, some flows, all
    codepoints.

    max_packets: at most so many. flows: numbers of flows, from 0. ecn: whether some are
    ECN-capable.
    """
    st = _st()
    gaps = st.one_of(st.just(0.0), st.floats(0, 0.005), st.floats(0.1, 0.3))
    words = ("not_ect", "ect0", "ect1", "ce") if ecn else ("not_ect",)
    one = st.builds(
        Arrival,
        gap=gaps,
        bytes=st.integers(40, 1500),
        flow=st.integers(0, flows - 1),
        ecn=st.sampled_from(words),
    )
    return st.lists(one, min_size=1, max_size=max_packets)  # type: ignore[no-any-return]


def acks(*, max_events: int = 300) -> SearchStrategy[list[Event]]:
    """Lives of a connection for a congestion control: acknowledgments, losses, marks, timeouts,
    idle times."""
    st = _st()

    def event(kind: str, **details: Any) -> Any:
        return st.builds(Event, st.just(kind), st.fixed_dictionaries(details))

    flag = st.booleans()
    ack = event(
        "ack",
        segments=st.integers(0, 7),
        sacked=st.integers(0, 2),
        ece=flag,
        limited=flag,
        recovery=flag,
        rtt_us=st.integers(100, 400_000),
    )
    others = st.one_of(
        event("loss"),
        event("ecn"),
        event("timeout", first=flag),
        event("spurious"),
        event("recovered", segments=st.integers(0, 50)),
        event("sent"),
        event("idle"),
        event("local", signal=st.sampled_from(("marked_out", "path_down", "path_up"))),
    )
    events = st.one_of(ack, ack, others)
    return st.lists(events, min_size=1, max_size=max_events)  # type: ignore[no-any-return]


def queues(*kinds: str) -> SearchStrategy[dict[str, Any]]:
    """Queues of a scenario, as tables: an algorithm of the catalogue (one of `kinds`, if there are
    any) with a limit.

    Choices and numbers with a range are drawn; the other parameters have their defaults.
    """
    st = _st()
    from .. import catalogue

    # An algorithm that needs a compiler for each choice of its parameters is drawn only if it is
    # named.
    drawn = [
        a
        for a in catalogue.algorithms()
        if a.kind == "aqm" and (a.name in kinds or a.language == "Rust")
    ]
    known = [a for a in drawn if not kinds or a.name in kinds]
    limits = st.one_of(
        st.integers(1, 200).map(lambda n: f"{n} pkt"), st.integers(2, 200).map(lambda n: f"{n} kB")
    )
    tables = [
        st.fixed_dictionaries({"kind": st.just(a.name), "limit": limits}, optional=_choices(a, st))
        for a in known
    ]
    return st.one_of(tables).filter(_valid)  # type: ignore[no-any-return]


def _choices(algorithm: Any, st: Any) -> dict[str, Any]:
    out = {}
    for p in algorithm.parameters:
        if isinstance(p.default, bool):
            out[p.name] = st.booleans()
        elif p.choices:
            out[p.name] = st.sampled_from(p.choices)
    return out


def _valid(queue: dict[str, Any]) -> bool:
    """True if the relations between its parameters hold."""
    from ..errors import ScenarioError

    try:
        api.call("drive", {**_PORT, "queue": queue, "arrivals": []})
    except ScenarioError:
        return False
    return True


def scenarios(
    *, queue: Any = None, cc: Sequence[Any] = ("reno", "newreno", "sack"), max_flows: int = 4
) -> SearchStrategy[Scenario]:
    """Small dumbbells of a simulated second or two, fit for a run each: some flows, rates, delays,
    a queue.

    queue: the queue of all of them (a name, a table, a `dumbbell.Red(...)`, your own); None: any of
    `queues()`. cc: congestion controls to draw from.
    """
    st = _st()
    from ..scenario import Scenario

    def built(
        rate: int, delay: int, seed: int, queue: Any, flows: list[dict[str, Any]]
    ) -> Scenario:
        return Scenario(
            duration="2 s",
            seed=seed,
            dumbbell={"bottleneck": {"rate": f"{rate} Mbps", "delay": f"{delay} ms"}},
            queue=queue,
            flow=flows,
        )

    flow = st.fixed_dictionaries(
        {"cc": st.sampled_from(list(cc))},
        optional={"start": st.integers(0, 500).map(lambda ms: f"{ms} ms")},
    )
    return st.builds(  # type: ignore[no-any-return]
        built,
        rate=st.integers(1, 20),
        delay=st.integers(1, 50),
        seed=st.integers(1, 2**32),
        queue=queues() if queue is None else st.just(queue),
        flows=st.lists(flow, min_size=1, max_size=max_flows),
    )


_PORT = {"rate": "1 Mbps", "mtu": 1500, "delay": "10 ms", "seed": 1}


class Fates(list[Fate]):
    """The fates of a trace's packets, in its order."""

    def of(self, packets: Iterable[int]) -> list[Fate]:
        """Those of some packets; numbers beyond the trace are left out."""
        return [self[i] for i in packets if i < len(self)]


Named = Spec | str | dict[str, Any]
"""An algorithm of the catalogue: `dumbbell.Red(...)`, a name, or a table as in a scenario."""


@overload
def drive(
    algorithm: Aqm | Named,
    trace: Sequence[Arrival],
    *,
    rate: str = ...,
    delay: str = ...,
    mtu: int = ...,
    seed: int = ...,
) -> Fates: ...
@overload
def drive(algorithm: CongestionControl | Named, trace: Sequence[Event]) -> list[Window]: ...
def drive(
    algorithm: Own | Named,
    trace: Sequence[Arrival] | Sequence[Event],
    *,
    rate: str = "1 Mbps",
    delay: str = "10 ms",
    mtu: int = 1500,
    seed: int = 1,
) -> Fates | list[Window]:
    """One algorithm under a trace, without a network.

    A queue's gets the packets of `traffic()` on a port of `rate`, which is drained at the end: one
    `Fate` for each packet. A congestion control gets the events of `acks()` on a path with segments
    of 1000 B and an initial window of ten: one `Window` after each event; what the suite demands of
    every congestion control is checked on the way.

    `ScenarioError`: what was asked cannot be read. `DumbbellError`: the algorithm failed or broke a
    rule.
    """
    own = [type(algorithm)] if isinstance(algorithm, Own) else []
    written = algorithm.as_dict() if isinstance(algorithm, Own | Spec) else algorithm
    if isinstance(algorithm, CongestionControl) or any(isinstance(one, Event) for one in trace):
        asked: dict[str, Any] = {
            "cc": written,
            "events": [e.as_dict() for e in trace if isinstance(e, Event)],
        }
        return [Window(**row) for row in api.call("drive", asked, own=own)["windows"]]
    packets = [asdict(one) for one in trace if isinstance(one, Arrival)]
    queue = {"kind": written} if isinstance(written, str) else written
    asked = {
        "queue": queue,
        "rate": rate,
        "delay": delay,
        "mtu": mtu,
        "seed": seed,
        "arrivals": packets,
    }
    return _fates(len(packets), api.call("drive", asked, own=own)["events"])


def _fates(packets: int, events: list[dict[str, Any]]) -> Fates:
    ends: dict[int, dict[str, Any]] = {}
    marks: dict[int, str] = {}
    for event in events:
        if event["fate"] == "marked":
            marks[event["packet"]] = event["why"]
        else:
            ends[event["packet"]] = event
    rows = (ends[i] for i in range(packets))
    return Fates(
        Fate(e["packet"], e["fate"], e.get("time_s"), e.get("why"), marks.get(e["packet"]))
        for e in rows
    )
