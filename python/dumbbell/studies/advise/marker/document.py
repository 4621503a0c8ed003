"""The document of an advice on a marker, `advice.json`."""

from __future__ import annotations

from typing import TypedDict

from ...frame.paired import Cell
from ...frame.runs import Whole


class Buffer(TypedDict):
    """A data buffer, and the longest that a packet waits in it for a token: size x L / r."""

    size_packets: int
    size_bdp: float
    size_holding_s: float


class Bucket(TypedDict):
    """A token bucket."""

    burst_bytes: int
    burst_packets: float
    burst_bdp: float


class Measured(TypedDict):
    """What a customer and a best-effort flow had of a marker, and what the marker did."""

    total_bps: Cell
    in_bps: Cell | None
    best_effort_bps: Cell | None
    tokens_lost_share: Cell | None
    holding_mean_s: Cell | None
    holding_p99_s: Cell | None


class Gains(TypedDict):
    """Differences from the token bucket alone, seed by seed."""

    gain_total_bps: Cell | None
    gain_in_bps: Cell | None


class TokenBucket(Bucket, Measured):
    """The token bucket alone, with the deepest bucket that is allowed."""


class BestBucket(Bucket, Measured, Gains):
    """The token bucket alone with its best depth; gains are the advice's over it."""


class Candidate(Buffer, Bucket, Measured, Gains):
    """A marker that was tried, in which round, and whether it is advised."""

    round: str
    chosen: bool
    fingerprint: str | None


class CaseRow(TypedDict):
    """A network as it was simulated."""

    rate_bps: float
    link_bps: float
    flows: int
    background: int
    rtt_s: float
    other_rtts_s: list[float]
    packet_bytes: int
    cc: str
    profile: str
    loss_share: float
    queue_limit_packets: int


class MarkerCase(CaseRow):
    """The same with its marker."""

    size_packets: int
    burst_bytes: int
    token_bucket_burst_bytes: int


class SizeRow(TypedDict):
    """The total with a data buffer."""

    size_packets: int
    total_bps: Cell | None


class FailsRow(Gains):
    """Another network: what the advised marker brings there, and whether it holds."""

    condition: str
    text: str
    holds: bool
    verdict: str
    target_bps: float
    total_bps: Cell
    in_bps: Cell | None
    token_bucket_total_bps: Cell
    reservation_met: bool
    best_size_packets: int
    short_of_best_share: float
    sizes: list[SizeRow]
    simulated: MarkerCase
    sentence: str


class Simulated(CaseRow):
    """The network that was asked for, as it was simulated."""

    seeds: list[int]
    rate_scale: float
    flows_scale: float
    budget_s: float
    size_packets: int
    burst_bytes: int
    duration_s: float
    warmup_s: float
    cycle_s: float
    asked_cycle_s: float
    points: int


class Paste(TypedDict):
    """The configuration: lines of a scenario, lines for tc, and notes on these."""

    scenario: str
    tc: list[str]
    tc_notes: list[str]


class Asked(TypedDict):
    """The question."""

    rate_bps: float
    rtt_s: float
    packet_bytes: int
    link_bps: float
    flows: int
    background: int
    reserved_share: float
    deepest_bucket_bdp: float
    cc: str
    profile: str
    bdp_packets: float


class Advice(Asked, Buffer, Bucket, Measured, Gains):
    """The advised marker, beside all that were tried; data buffers from one size to another are as
    good (`size_near_packets`)."""

    kind: str
    size_near_packets: list[int]
    target_bps: float
    token_bucket: TokenBucket
    gain_best_effort_bps: Cell | None
    best_bucket: BestBucket
    candidates: list[Candidate]
    fails: list[FailsRow]
    simulated: Simulated
    paste: Paste
    limits: list[str]


class Document(Whole, Advice):
    """The whole; of all but `kind` there is nothing if some run has no result, and the sentence is
    None."""

    sentence: str | None
    bucket_sentence: str
    rule: str
