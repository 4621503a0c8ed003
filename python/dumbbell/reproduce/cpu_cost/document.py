"""The document of what a gigabyte costs, `report.json`."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ...process.machine import Machine
from ..document import Ends, Sample

Part = Literal[
    "sender_s_per_gb",
    "receiver_s_per_gb",
    "soft_interrupts_s_per_gb",
    "router_s_per_gb",
    "sum_s_per_gb",
    "machine_s_per_gb",
]
"""A part of the cost, the sum, or what the whole machine was busy for."""


class Cost(TypedDict):
    """A run of `testbed.verbs.gigabyte`: seconds of processors for a gigabyte, by who is charged
    for them, and the shares of the machine's time that others took."""

    mtu_bytes: int
    condition: str
    seconds: float
    bytes: int
    goodput_bps: float
    retransmits: int
    sender_s_per_gb: float
    receiver_s_per_gb: float
    soft_interrupts_s_per_gb: float
    router_s_per_gb: float | None
    sum_s_per_gb: float
    machine_s_per_gb: float | None
    busy_before_share: float | None
    steal_share: float
    cores: list[int]


class RunRow(Cost):
    """A run in the order of the schedule, when it ended, and whether it may be used."""

    number: int
    repeat: int
    at: float
    counts: bool


class EffectRow(TypedDict):
    """A condition: its costs at both MTUs, part by part, and what large frames save; nothing if
    there are too few pairs."""

    condition: str
    pairs: int
    costs: dict[Part, list[Sample | None]]
    saving_percent: Sample | None
    goodput_bps: list[Sample] | None


class PrintRow(TypedDict):
    """A printed saving, beside ours."""

    id: str
    text: str
    published: float
    unit: str
    value: float
    ci95: Ends
    n: int
    verdict: str


class EffortRow(TypedDict):
    """Repeats and durations."""

    repeats: int
    seconds: float
    warmup_s: float
    idle_s: float


class CostReport(TypedDict):
    """The whole; `publish` adds the path of the page."""

    on: str
    valid: bool
    mtus_bytes: list[int]
    judged: str
    cells: list[PrintRow]
    effects: list[EffectRow]
    effort: EffortRow
    runs: list[RunRow]
    not_used: int
    machine: Machine
    version: str
    paper: str
    title: str
    quick: bool
    load_average: list[float]
    wall_s: float
    report: NotRequired[str]
