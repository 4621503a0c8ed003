"""What a run measured: flows and queues with their units, one run or the mean of replications."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeVar, overload

from . import fairness, records
from . import summary as saved
from .arrow import Table
from .errors import ScenarioError
from .records import Records, Run, Series, Summary
from .stats import Interval, interval

Number = float | Interval
"""A measurement: a number of one run, an interval of several. `float(x)` is the number or the mean."""


class Row:
    """A flow or a queue of a result. Its measurements are attributes, named as in the JSON with their unit
    (`goodput_bps`, `mean_packets`); a number is a `stats.Interval` when there were replications."""

    name: str

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    if not TYPE_CHECKING:  # A checker knows the names below, and says when one is wrong.

        def __getattr__(self, key: str) -> Any:
            if key.startswith("_"):  # What copy and pickle look for before there are fields.
                raise AttributeError(key)
            try:
                return _number(self._fields[key])
            except KeyError:
                raise AttributeError(f"there is no `{key}` here; there are {', '.join(self._fields)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __repr__(self) -> str:
        return f"<{self._fields['name']}: {', '.join(k for k in self._fields if k != 'name')}>"

    def interval(self, key: str) -> Interval | None:
        """The measurement `key` with its interval; None if it was not measured."""
        return Interval.read(self._fields.get(key))

    def as_dict(self) -> dict[str, Any]:
        """The row as in the JSON."""
        return dict(self._fields)


class Flow(Row):
    """What a flow got; docs/results.md defines each measurement."""

    cc: str | None
    goodput_bps: Number
    throughput_bps: Number
    share: Number
    sent_packets: Number
    delivered_packets: Number
    lost_packets: Number
    retransmits: Number
    rtos: Number
    marks: Number
    srtt_mean_s: Number | None
    cwnd_mean_packets: Number | None
    completion_s: Number | None
    # Where there is a series (`record.every`).
    peak_throughput_bps: Number | None
    burstiness: Number | None
    # Of datagrams, and of connections that `record.delays` names.
    delay_min_s: Number | None
    delay_mean_s: Number | None
    delay_p50_s: Number | None
    delay_p95_s: Number | None
    delay_p99_s: Number | None
    delay_p999_s: Number | None
    delay_max_s: Number | None
    delay_range_s: Number | None
    jitter_s: Number | None
    jitter_mean_s: Number | None
    ipdv_mean_abs_s: Number | None
    pdv_p99_s: Number | None
    reordered_packets: Number
    reordering_extent_max: Number
    duplicate_packets: Number
    loss_burst_max: Number
    # Where there are profiles.
    reserved_bps: Number | None
    in_throughput_bps: Number
    out_throughput_bps: Number
    in_sent_packets: Number
    in_lost_packets: Number
    out_sent_packets: Number
    out_lost_packets: Number
    target_bps: Number | None

    @property
    def application(self) -> dict[str, Number | None]:
        """What its application measured of itself: the latencies of `request_response`, the stalls of `video`."""
        return {key: _number(value) for key, value in self._fields.get("application", {}).items()}

    @property
    def path(self) -> dict[str, Number | None]:
        """What its sender learned of its path's MTU (docs/path-mtu.md); empty if nothing."""
        return {key: _number(value) for key, value in self._fields.get("path", {}).items()}

    @property
    def acks(self) -> Acks | None:
        """Its acknowledgements, where they were recorded (`record.acks`)."""
        found = self._fields.get("acks")
        return None if found is None else Acks({"name": self.name, **found})


class Session(Row):
    """What became of a session's transfers; docs/traffic.md defines each measurement."""

    flows: Number
    finished: Number
    offered_bps: Number | None
    arrived_bps: Number
    mean_bytes: Number | None
    mean_completion_s: Number | None
    p50_completion_s: Number | None
    p95_completion_s: Number | None
    p99_completion_s: Number | None
    mean_slowdown: Number | None
    p50_slowdown: Number | None
    p95_slowdown: Number | None
    p99_slowdown: Number | None
    sent_packets: Number
    lost_packets: Number
    retransmits: Number
    rtos: Number

    @property
    def by_size(self) -> list[Row]:
        """The same of each class of sizes, by its name: `up to 10 kB`, ..."""
        return [Row({"name": row["sizes"], **row}) for row in self._fields.get("by_size") or []]

    @property
    def completion_percentiles_s(self) -> list[Number]:
        """The completion time that so many percent do not exceed, from 0 to 100; empty if nothing finished."""
        return [_number(value) for value in self._fields.get("completion_percentiles_s") or []]


class Acks(Row):
    """The acknowledgements of a flow on their way back; docs/results.md defines each measurement."""

    sent: Number
    arrived: Number
    lost: Number
    duplicates: Number
    mean_newly_acked_bytes: Number | None
    max_newly_acked_bytes: Number
    mean_spacing_receiver_s: Number | None
    p50_spacing_receiver_s: Number | None
    p99_spacing_receiver_s: Number | None
    mean_spacing_sender_s: Number | None
    p50_spacing_sender_s: Number | None
    p99_spacing_sender_s: Number | None
    compressed_share: Number | None
    stretched_share: Number | None


class Queue(Row):
    """What a queue did; docs/results.md defines each measurement."""

    kind: str
    mean_packets: Number
    max_packets: Number
    p50_packets: Number
    p95_packets: Number
    p99_packets: Number
    mean_bytes: Number
    max_bytes: Number
    empty_share: Number
    mean_sojourn_s: Number | None
    p50_sojourn_s: Number | None
    p95_sojourn_s: Number | None
    p99_sojourn_s: Number | None
    time_above_share: Number | None
    watch_above_packets: Number | None
    watch_above_bytes: Number | None
    standing_packets: Number | None
    standing_sojourn_s: Number | None
    standing_interval_s: Number
    synchronization: Number | None
    loss_epoch_share: Number | None
    loss_bin_s: Number
    lock_out: Number | None
    arrivals: Number
    departures: Number
    arrived_bytes: Number
    departed_bytes: Number
    marks: Number
    utilization: Number
    # Where there are profiles.
    arrivals_in: Number
    drops_in: Number
    arrivals_out: Number
    drops_out: Number
    # Where both directions may share the wire.
    collisions: Number
    late_collisions: Number
    excessive_collisions: Number
    broken_frames: Number

    @property
    def drops(self) -> dict[str, Number]:
        """Dropped packets by reason."""
        return {reason: _number(value) for reason, value in self._fields.get("drops", {}).items()}


class Marker(Row):
    """A marker or another conditioner before a link: for one flow, or for all that its rule takes. docs/diffserv.md
    defines each measurement; those of tokens end in `_packets` where a token stands for a packet."""

    link: str
    rule: Number
    flow: str | None
    kind: str
    reserved_bps: Number | None
    in_packets: Number
    out_packets: Number
    red_packets: Number
    dropped_packets: Number
    in_rate_bps: Number
    out_rate_bps: Number
    tokens_made_bytes: Number
    tokens_made_packets: Number
    tokens_lost_bytes: Number
    tokens_lost_packets: Number
    tokens_lost_share: Number | None
    tokens_mean_bytes: Number
    tokens_mean_packets: Number
    held_packets: Number
    held_mean_packets: Number
    holding_mean_s: Number | None
    holding_p99_s: Number | None
    holding_max_s: Number | None

    @property
    def packet_tokens(self) -> bool:
        """Whether a token stands for a packet, not for a byte."""
        return "tokens_made_packets" in self._fields


class Host(Row):
    """A host's processor in one direction, `receive` or `send`; docs/hosts.md defines each measurement."""

    host: str
    direction: str
    packets: Number
    merged_packets: Number
    bytes: Number
    pages: Number
    interrupts: Number
    cycles: Number
    utilization: Number
    cycles_per_packet: Number | None
    cycles_per_byte: Number | None
    cycles_per_bit: Number | None
    dropped_packets: Number


class Totals(Row):
    """What all flows did together; docs/results.md defines each measurement."""

    goodput_bps: Number
    throughput_bps: Number
    sent_packets: Number
    delivered_packets: Number
    lost_packets: Number
    retransmits: Number
    rtos: Number
    marks: Number
    cwnd_mean_packets: Number | None
    # Where flows have targets.
    target_error_mean: Number | None
    target_error_sum_bps: Number


R = TypeVar("R", bound=Row)


class Rows(tuple[R, ...], Generic[R]):
    """Flows or queues, in the scenario's order; `rows["name"]` finds one by its name."""

    __slots__ = ()

    @overload
    def __getitem__(self, key: str | SupportsIndex, /) -> R: ...
    @overload
    def __getitem__(self, key: slice, /) -> tuple[R, ...]: ...
    def __getitem__(self, key: str | SupportsIndex | slice, /) -> R | tuple[R, ...]:
        if isinstance(key, str):
            for row in self:
                if row.name == key:
                    return row
            raise KeyError(f"`{key}`; there are {', '.join(row.name for row in self)}")
        return super().__getitem__(key)

    def _ipython_key_completions_(self) -> list[str]:
        return [row.name for row in self]


class Result:
    """One point: the mean of its replications, each run by itself in `runs`."""

    def __init__(self, data: dict[str, Any], records: Records | None = None) -> None:
        self.json = data
        self._records = records

    @classmethod
    def load(cls, directory: str | Path) -> Result:
        """A result directory written earlier. `ScenarioError` if it holds none, or a sweep."""
        data = saved.read(directory)
        if "points" in data:
            raise ScenarioError(f"{directory} holds a sweep: dumbbell.Sweep.load reads it")
        return cls(data, Records(Path(directory)))

    @property
    def flows(self) -> Rows[Flow]:
        """The flows."""
        return Rows(Flow(f) for f in self.json.get("flows", ()))

    @property
    def queues(self) -> Rows[Queue]:
        """The reported queues."""
        return Rows(Queue(q) for q in self.json.get("queues", ()))

    @property
    def sessions(self) -> Rows[Session]:
        """The sessions: groups of short flows."""
        return Rows(Session(s) for s in self.json.get("sessions", ()))

    @property
    def markers(self) -> Rows[Marker]:
        """Markers and other conditioners, one for each flow where they have a state for each; `markers["gold.1"]` is
        the first of a flow, `markers["bottleneck"]` the first before a link without a flow of its own."""
        return Rows(Marker({"name": m.get("flow") or m["link"], **m}) for m in self.json.get("markers", ()))

    @property
    def hosts(self) -> Rows[Host]:
        """Processors of hosts, one for each direction: `hosts["a/cpu_receive"]`, `hosts["s/sender/cpu_send"]`."""
        return Rows(Host(h) for h in self.json.get("hosts", ()))

    @property
    def jain(self) -> Number | None:
        """Jain's fairness index of all flows' goodput; None without goodput, or in a result of an older release."""
        found: Number | None = _number(self.json.get("jain"))
        return found

    @property
    def totals(self) -> Totals:
        """What all flows did together."""
        return Totals({"name": "all flows", **self.json.get("totals", {})})

    def jain_over_time(self) -> list[fairness.Moment]:
        """Jain's index of each recorded period after the warm-up, over the flows that were active in it.
        `ScenarioError` if flows were not recorded, or if there are replications: ask each of `runs`."""
        return fairness.over_time(self)

    @property
    def runs(self) -> list[Result]:
        """Each replication by itself."""
        shared = ("duration_s", "warmup_s")
        times: dict[str, Any] = {key: self.json[key] for key in shared if key in self.json}
        found = self._labelled({})
        return [Result({**times, **run}, Records(at, self._records) if at else None) for _, run, at in found]

    @property
    def fingerprint(self) -> str:
        """Hash of everything that left a port or a socket: equal means the same run, packet for packet."""
        return str(self.json["fingerprint"])

    @property
    def valid(self) -> bool:
        """Whether the run's own checks held."""
        return bool(self.json["valid"])

    def series(self, name: Series) -> Table:
        """What was recorded over time, of all runs: `flows`, `queues` or `signals`, with a column `seed` first.
        `ScenarioError` if it was not recorded, `DumbbellError` if a file is damaged."""
        return records.series(name, list(self._labelled({})))

    def summary(self, name: Summary) -> Table:
        """The measurements of `flows`, `queues`, `sessions`, `markers` or `hosts` in tidy form: a row for each run and
        flow, numbers of single runs."""
        return records.summary(name, list(self._labelled({})))

    def values(self, measure: Callable[[Result], Number | None]) -> list[float]:
        """A measurement of each run, in the order of the seeds: `values(lambda run: run.queues[0].utilization)`."""
        found = (measure(run) for run in self.runs)
        return [float("nan") if value is None else float(value) for value in found]

    def interval(self, measure: Callable[[Result], Number | None]) -> Interval:
        """The mean of `values` with its 95 % interval over the runs."""
        return interval(self.values(measure))

    def table(self) -> str:
        """Flows and queues as text tables."""
        from .tables import result_tables, to_text

        return to_text(result_tables(self))

    def _labelled(self, labels: Mapping[str, Any]) -> Iterator[Run]:
        return records.runs_of(self.json, self._records, labels)

    def _repr_html_(self) -> str:
        from . import html

        return html.result(self)

    def __repr__(self) -> str:
        return f"<Result {self.fingerprint}: {len(self.flows)} flows, {len(self.queues)} queues>"


class Sweep:
    """The points of a sweep, in its order; each is (`{"queue.limit": "24 pkt"}`, Result)."""

    def __init__(
        self, data: dict[str, Any], records: Records | None = None, directories: list[str] | None = None
    ) -> None:
        self.json = data
        self._records = records
        self._directories = directories

    @classmethod
    def load(cls, directory: str | Path) -> Sweep:
        """The directory of a sweep written earlier. `ScenarioError` if it holds none."""
        data = saved.read(directory)
        if "points" not in data:
            raise ScenarioError(f"{directory} holds a single point: dumbbell.Result.load reads it")
        return cls(data, Records(Path(directory)))

    def __iter__(self) -> Iterator[tuple[dict[str, Any], Result]]:
        names = self._directories or [records.point_name(i, len(self)) for i in range(len(self))]
        for name, point in zip(names, self.json["points"], strict=True):
            own = self._records.below(name) if self._records else None
            yield point["overrides"], Result(point, own)

    def __len__(self) -> int:
        return len(self.json["points"])

    def versus(self, baseline: str | int | dict[str, Any]) -> list[dict[str, Any]]:
        """Each point against its baseline, seed by seed: the mean difference of every number with Student's interval,
        and the ratio. See `paired.versus`, which says what a baseline may be."""
        from . import paired

        return paired.versus(self.json["points"], baseline)

    def series(self, name: Series) -> Table:
        """What was recorded over time, of all points: before its columns `point` (from 1), what is swept, `seed`."""
        return records.series(name, self._runs())

    def summary(self, name: Summary) -> Table:
        """The measurements of `flows`, `queues` or `sessions` in tidy form: a row for each point, run and flow."""
        return records.summary(name, self._runs())

    def table(self) -> str:
        """The points as a text table: what all flows got, and the first queue."""
        from .tables import sweep_tables, to_text

        return to_text(sweep_tables(self))

    def _runs(self) -> list[Run]:
        points = enumerate(self, 1)
        return [run for i, (changes, result) in points for run in result._labelled({"point": i, **changes})]

    def _repr_html_(self) -> str:
        from . import html

        return html.sweep(self)

    def __repr__(self) -> str:
        return f"<Sweep of {len(self)} points>"


def read(data: dict[str, Any], records: Records | None = None) -> Result | Sweep:
    """The JSON of a run as an object."""
    return Sweep(data, records) if "points" in data else Result(data, records)


def _number(value: Any) -> Any:
    return Interval.read(value) if isinstance(value, dict) and "ci95" in value else value
