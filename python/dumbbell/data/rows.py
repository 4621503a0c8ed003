"""The rows of a result: what a run measured of each flow, queue, session, marker and host, with its
unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeVar, overload

from ..present.stats import Interval

Number = float | Interval
"""A measurement: a number of one run, an interval of several. `float(x)` is the number or the
mean."""


class Row:
    """A flow or a queue of a result. Its measurements are attributes, named as in the JSON with
    their unit (`goodput_bps`, `mean_packets`); a number is a `stats.Interval` when there were
    replications."""

    name: str

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    if not TYPE_CHECKING:  # A checker knows the names below, and says when one is wrong.

        def __getattr__(self, key: str) -> Any:
            if key.startswith("_"):  # What copy and pickle look for before there are fields.
                raise AttributeError(key)
            try:
                return number(self._fields[key])
            except KeyError:
                raise AttributeError(
                    f"there is no `{key}` here; there are {', '.join(self._fields)}"
                ) from None

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
    """Measurements of a flow; docs/results.md defines each measurement."""

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
    # Present with a series (`record.every`).
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
    # Present with profiles.
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
        """Measurements of its application: the latencies of `request_response`, the stalls of
        `video`."""
        return {key: number(value) for key, value in self._fields.get("application", {}).items()}

    @property
    def path(self) -> dict[str, Number | None]:
        """Results of its sender's path MTU discovery (docs/path-mtu.md); empty if nothing."""
        return {key: number(value) for key, value in self._fields.get("path", {}).items()}

    @property
    def acks(self) -> Acks | None:
        """Its acknowledgements, where they were recorded (`record.acks`)."""
        found = self._fields.get("acks")
        return None if found is None else Acks({"name": self.name, **found})


class Session(Row):
    """Measurements of a session's transfers; docs/traffic.md defines each measurement."""

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
        """The measurements of each class of sizes, by its name: `up to 10 kB`, ..."""
        return [Row({"name": row["sizes"], **row}) for row in self._fields.get("by_size") or []]

    @property
    def completion_percentiles_s(self) -> list[Number]:
        """The completion time that so many percent do not exceed, from 0 to 100; empty if nothing
        finished."""
        return [number(value) for value in self._fields.get("completion_percentiles_s") or []]


class Acks(Row):
    """The acknowledgements of a flow on the reverse path; docs/results.md defines each
    measurement."""

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
    """Measurements of a queue; docs/results.md defines each measurement."""

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
    # Present with profiles.
    arrivals_in: Number
    drops_in: Number
    arrivals_out: Number
    drops_out: Number
    # Present if both directions may share the wire.
    collisions: Number
    late_collisions: Number
    excessive_collisions: Number
    broken_frames: Number

    @property
    def drops(self) -> dict[str, Number]:
        """Dropped packets by reason."""
        return {reason: number(value) for reason, value in self._fields.get("drops", {}).items()}


class Marker(Row):
    """A marker or another conditioner before a link: for one flow, or for all that its rule takes.
    docs/diffserv.md defines each measurement; those of tokens end in `_packets` where a token
    stands for a packet."""

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
        """True if a token stands for a packet, not for a byte."""
        return "tokens_made_packets" in self._fields


class Host(Row):
    """A host's processor in one direction, `receive` or `send`; docs/hosts.md defines each
    measurement."""

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
    """Measurements of all flows together; docs/results.md defines each measurement."""

    goodput_bps: Number
    throughput_bps: Number
    sent_packets: Number
    delivered_packets: Number
    lost_packets: Number
    retransmits: Number
    rtos: Number
    marks: Number
    cwnd_mean_packets: Number | None
    # Present if flows have targets.
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


def number(value: Any) -> Any:
    """A measurement as in the JSON: an interval, if it has one."""
    return Interval.read(value) if isinstance(value, dict) and "ci95" in value else value
