"""A finding about an instant of a flow: plain values, from which sentences, tables and JSON are
made.

Times end in `_ps` and are whole picoseconds since the start of the run, as in `packets.parquet`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Hop:
    """A packet at one link. `waited_ps` is the time from its arrival to the start of its
    transmission; `transmission_ps` is None where the link has no constant rate, and `waited_ps`
    then includes it."""

    link: str
    arrived_ps: int
    backlog_packets: int
    waited_ps: int | None
    transmission_ps: int | None
    departed_ps: int | None
    far_end_ps: int | None
    dropped_ps: int | None
    reason: str | None
    dscp: int | None = None
    """The codepoint with which it came to the queue; None in records of older releases."""
    colour: str | None = None
    """The color that the edge before the queue gave it: `green`, `yellow`, `red`; None if no edge
    judged it."""
    marker: str | None = None
    """The meter or conditioner that did."""
    held_ps: int = 0
    """For how long that held it."""


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet and its way. `transmission` counts how often its first byte had been sent, itself
    included."""

    sender: bool
    number: int
    sent_ps: int
    delivered_ps: int | None
    dropped_ps: int | None
    dropped_at: str | None
    reason: str | None
    flags: str
    seq: int | None
    ack: int | None
    payload_bytes: int
    ip_len_bytes: int
    retransmit: bool
    transmission: int
    ce_on_arrival: bool
    hops: tuple[Hop, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """A drop or a mark, and all that the decision saw: `gauges` by the algorithm's own names."""

    time_ps: int
    link: str
    algorithm: str
    parameters: Mapping[str, Any]
    limit: str
    reason: str
    marked: bool
    queue_packets: int | None
    gauges: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reaction:
    """A reaction of the sender: a row of `reactions.parquet`."""

    time_ps: int
    cause: str
    phase_before: str
    phase: str
    cwnd_bytes_before: int
    cwnd_bytes: int
    ssthresh_bytes_before: int | None
    ssthresh_bytes: int | None
    in_flight_bytes_before: int
    una: int
    nxt: int
    srtt_us: float | None
    rto_us_before: float
    rto_us: float
    control: str


@dataclass(frozen=True, slots=True)
class Sample:
    """The state of a sender at an instant; None is what it does not tell."""

    time_ps: int
    cwnd_bytes: int | None
    ssthresh_bytes: int | None
    srtt_us: float | None
    phase: str | None


@dataclass(frozen=True, slots=True)
class Detection:
    """The detection of a loss or a mark by the sender.

    `how`: `sampled` (a kernel's sender, of which only samples are known), `acknowledgements`,
    `timeout`, `in_recovery` (it was repairing others already), `probe`,
    `echo` (ECN), `reduced_already` (one answer a round trip is enough), `never` (the run ended
    first, or nothing had to be done).
    """

    how: str
    reaction: Reaction | None
    duplicates: int
    """Duplicate acknowledgments of the missing byte that the sender had when it reacted."""
    arrived_after: int
    """Data packets sent after the lost one that arrived before the reaction."""
    repeats_lost: int
    """Repetitions of it that were lost before the reaction."""
    echo_ps: int | None = None
    """For a mark: the instant at which the first acknowledgment that echoes it reached the
    sender."""


@dataclass(frozen=True, slots=True)
class AckSpacing:
    """An acknowledgment beside a neighbor at the sender: the one that arrived before it; or, of
    one that was lost, the first sent after it that arrived."""

    number: int
    delivered_ps: int
    """Arrival of the neighbor."""
    spacing_receiver_ps: int
    """Distance of the two at the receiver."""
    spacing_sender_ps: int | None
    """Distance of the two at the sender; None if one was lost."""
    newly_acked_bytes: int
    """By the one that arrived later, which the sender had not heard of."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to the flow, for the neighbors of an instant."""

    kind: str
    """`drop`, `mark`, `retransmission` or `reaction`."""
    time_ps: int
    what: str
    sender: bool = True
    packet: int | None = None
    reaction: int | None = None
    """Row of the flow's reactions."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer to a question. What does not belong to it is None or empty."""

    question: str
    """`event`, `packet` or `cwnd`."""
    flow: str
    protocol: str
    asked_ps: int | None
    base_rtt_ps: int | None
    within_ps: int
    """Largest distance between the instant and an event that answers."""
    segment_bytes: int
    tcp: Mapping[str, Any]
    """The fields of the flow's TCP in the plan."""
    kind: str
    """`drop`, `mark`, `retransmission`, `reaction`, `journey`, `window` or `nothing`."""
    event_ps: int | None = None
    packet: Packet | None = None
    decision: Decision | None = None
    detection: Detection | None = None
    original: Packet | None = None
    """For a retransmission that repairs no loss: the transmission before it."""
    repairs: tuple[Packet, ...] = ()
    """Later transmissions of the packet's bytes, in order; the last one that arrived is the
    repair."""
    reaction: Reaction | None = None
    """The reaction that was asked about, where the question is about one; else that of `detection`
    counts."""
    before: Event | None = None
    after: Event | None = None
    next_reaction: Reaction | None = None
    way_back: AckSpacing | None = None
    """Set if the question was about an acknowledgment."""
    acks_lost: int = 0
    """For a reaction without a loss: acknowledgments that were lost in the timeout before it."""
    cwnd_bytes: int | None = None
    """Congestion window at the instant, where it is recorded."""
    sampled: bool = False
    """True if the sender is a kernel's, of which no reactions are known."""
    samples: tuple[Sample, ...] = ()
    """Of a kernel's sender: its samples before and after what is told."""
    notes: tuple[str, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """Tables, lists and numbers for JSON."""
        plain = asdict(self)
        return {**plain, "notes": list(self.notes)}
