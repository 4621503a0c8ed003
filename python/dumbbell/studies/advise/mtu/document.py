"""The document of an advice on an MTU, `advice.json`: numbers of the path that was asked for,
units in the names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from ...frame.paired import Cell
from ...frame.runs import Whole


class CaseRow(TypedDict):
    """A size as it was simulated, on a path of 1 / `rate_scale` of the rate."""

    rate_scale: float
    rate_bps: float
    frame_loss_share: float
    duration_s: float
    warmup_s: float
    fingerprint: str | None


class Cases(TypedDict):
    """The flow by itself and beside its neighbors."""

    alone: CaseRow
    beside: CaseRow


class Neighbors(TypedDict):
    """The flow and its neighbors beside each other. A frame takes `scale` times as long on the
    smaller path, a queue as long as it would: the calls' numbers are those that were measured, and
    between these and 1 / scale of them they lie in truth."""

    beside_throughput_bps: Cell | None
    neighbour_throughput_bps: Cell | None
    call_jitter_s: Cell | None
    call_delay_mean_s: Cell | None
    call_delay_p99_s: Cell | None
    call_loss_share: Cell | None
    call_jitter_least_s: float | None


class Size(Neighbors):
    """One MTU: what was simulated, what follows without that, and what there is against it."""

    mtu_bytes: int
    mss_bytes: int
    frame_bytes: int
    efficiency_share: float
    frame_loss_share: float
    frame_loss_if_packet_share: float
    frame_loss_if_bit_share: float
    throughput_bps: Cell
    laws_bps: Mapping[str, float]
    useful_bps: float
    host_limit_bps: float
    host_cycles_per_bit: float
    host_busy_share: float
    frame_s: float
    datagram_fragments: int
    datagram_loss_share: float
    hamming_distance: int
    unnoticed_share: float | None
    objections: list[str]


class Candidate(Size):
    """An MTU that was tried, why, how, and whether it is advised."""

    why: str
    simulated: Cases
    chosen: bool


class Useful(TypedDict):
    """What an MTU brings and costs, in short."""

    useful_bps: float
    throughput_bps: Cell
    host_cycles_per_bit: float
    frame_s: float
    call_jitter_s: Cell | None
    call_delay_p99_s: Cell | None
    neighbour_throughput_bps: Cell | None
    datagram_fragments: int
    datagram_loss_share: float
    hamming_distance: int


class Standard(Useful):
    """That of Ethernet's 1500 bytes, and what changes with the advised MTU."""

    mtu_bytes: int
    throughput_times: float | None
    host_cycles_times: float


class Asked(TypedDict):
    """The question."""

    rate_bps: float
    rtt_s: float
    standard_frame_loss_share: float
    loss_kind: str
    cc: str
    profile: str
    most_wait_s: float
    datagram_bytes: int
    host: str
    host_clock_hz: float
    host_cycles_per_packet: float
    host_cycles_per_byte: float
    host_source: str


class Crc(TypedDict):
    """What Ethernet's check sequence guards with this Hamming distance."""

    guarded_bits: int
    guarded_frame_bytes: int
    guarded_mtu_bytes: int
    hamming_distance: int


class Simulated(TypedDict):
    """The runs of all sizes."""

    seeds: list[int]
    budget_s: float


class Advice(Asked, Size):
    """The advised MTU, beside all that were tried."""

    crc: Crc
    standard: Standard | None
    candidates: list[Candidate]
    simulated: Simulated
    reason: str
    warnings: list[str]
    limits: list[str]
    paste: list[str]


class Document(Whole, Advice):
    """The whole; of all but `kind` there is nothing if some run has no result, and the sentence is
    None."""

    kind: str
    sentence: str | None
    rule: str
