"""The network in which markers are tried: the paper's dumbbell, for any reservation and any
round-trip time.

Customers and best-effort flows meet at a link that runs RIO; the router before it marks. The queue
has the paper's proportions (Choi and Kim 2001, section 3.2: 100 packets, IN 20 / 80 / 0.02, OUT 20
/ 50 / 0.1): a buffer of two bandwidth-delay products, or of 8 packets for each flow if that is
more, with thresholds at these parts of it, and averages over ten round-trip times. In the paper's
experiment 1, at 40 ms, that comes to its 100 packets and to the usual weight of 0.002.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..queue.tc_lines import rate as rate_word
from .question import Question, target_bps

HEADER = 40
"""Bytes of IP and TCP headers."""
CUSTOMER, PEER, BEST_EFFORT = "customer", "peer", "best-effort"
"""Names of flows: those that are measured, those that have reserved as much but have other
round-trip times, the rest."""
BOTTLENECK = "bottleneck"
_LIMIT_PER_FLOW = 8
_LIMIT_BDP = 2.0
_THRESHOLDS = {"min_in": 0.2, "max_in": 0.8, "min_out": 0.2, "max_out": 0.5}
_AVERAGED_RTTS = 10
_OCCUPIED = 0.25
"""About the part of the buffer that RIO keeps occupied, for estimates of lengths only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One network, without the marker's sizes: the reserved rate of a customer [bit/s], the link's
    [bit/s], customers, best-effort flows, the round-trip time without queues [s], those of all but
    half of the customers if they differ, bytes of a packet, congestion control, profile, fields of
    TCP, the share of packets that the wire loses."""

    rate_bps: float
    link_bps: float
    flows: int
    background: int
    rtt_s: float
    packet_bytes: int
    cc: str = "reno"
    profile: str = "ns2"
    other_rtts_s: tuple[float, ...] = ()
    tcp: Mapping[str, Any] = field(default_factory=dict)
    loss: float = 0.0

    @classmethod
    def of(cls, question: Question) -> Case:
        """The case without a change."""
        return cls(
            rate_bps=question.rate_bps,
            link_bps=question.link_bps,
            flows=question.flows,
            background=question.background,
            rtt_s=question.rtt_s,
            packet_bytes=question.packet_bytes,
            cc=question.cc,
            profile=question.profile,
        )

    @property
    def target_bps(self) -> float:
        """A customer's target [bit/s]."""
        return target_bps(
            self.rate_bps, self.flows * self.rate_bps, self.link_bps, self.flows + self.background
        )

    @property
    def bdp_packets(self) -> float:
        """Reserved rate times round-trip time [packets]."""
        return self.rate_bps * self.rtt_s / (8 * self.packet_bytes)

    @property
    def limit(self) -> int:
        """The link's buffer [packets]."""
        longest = max([self.rtt_s, *self.other_rtts_s])
        bdp = self.link_bps * longest / (8 * self.packet_bytes)
        return math.ceil(
            max(_LIMIT_BDP * bdp, _LIMIT_PER_FLOW * (self.flows + self.background)) - 1e-9
        )

    @property
    def loaded_rtt_s(self) -> float:
        """About the round-trip time with the queue [s]."""
        return self.rtt_s + _OCCUPIED * self.limit * 8 * self.packet_bytes / self.link_bps

    @property
    def cycle_s(self) -> float:
        """About the time from one loss to the next of a Reno flow that has its target: W / 2 round
        trips [s]."""
        window = self.target_bps * self.loaded_rtt_s / (8 * self.packet_bytes)
        return max(window / 2, 1.0) * self.loaded_rtt_s

    @property
    def packets_per_s(self) -> float:
        """Rate of the link."""
        return self.link_bps / (8 * self.packet_bytes)


def changes(
    case: Case, size: int, burst_bytes: int, length_s: float, warmup_s: float
) -> dict[str, object]:
    """The overrides of `scenario` that make it this case with this marker."""
    wire: dict[str, object] = {
        "rate": rate_word(case.link_bps),
        "delay": f"{min([case.rtt_s, *case.other_rtts_s]) * 1e9 / 40:.0f} ns",
        "mtu": f"{max(1500, case.packet_bytes)} B",
        "conditioner": conditioner(size, burst_bytes, case.packet_bytes),
    }
    if case.loss:
        wire["impairment"] = [{"kind": "bernoulli", "loss": case.loss}]
    return {
        "dumbbell.bottleneck": wire,
        "dumbbell.access.rate": rate_word(10 * case.rate_bps),
        "queue": _rio(case),
        "flow": _flows(case),
        "duration": f"{length_s:g} s",
        "warmup": f"{warmup_s:g} s",
    }


def conditioner(size: int, burst_bytes: int, packet_bytes: int) -> dict[str, object]:
    """The marker of each customer; without a data buffer it is the token bucket alone."""
    bucket = {"burst": f"{burst_bytes} B", "packet_size": f"{packet_bytes} B", "per": "flow"}
    return (
        {"kind": "data_buffer", "size": f"{size} pkt", **bucket}
        if size
        else {"kind": "token_bucket", **bucket}
    )


def scenario() -> dict[str, object]:
    """The scenario of all cases."""
    return {
        "name": "advice",
        "duration": "1 s",
        "dumbbell": {
            "bottleneck": {"rate": "1 Mbps", "delay": "1 ms"},
            "access": {"rate": "10 Mbps"},
        },
        "queue": {"kind": "rio", "limit": "100 pkt"},
        "flow": [{"name": CUSTOMER}],
        # The advice is also tried where 120 % are reserved, and with a bucket of half a packet.
        "allow": ["W016", "W017"],
    }


def _rio(case: Case) -> dict[str, object]:
    limit = case.limit
    round_trip = max(case.packets_per_s * case.rtt_s, limit / _LIMIT_PER_FLOW)
    return {
        "kind": "rio",
        "limit": f"{limit} pkt",
        **{key: f"{part * limit:.6g} pkt" for key, part in _THRESHOLDS.items()},
        "max_p_in": 0.02,
        "max_p_out": 0.1,
        "w_q": -math.expm1(-1 / (_AVERAGED_RTTS * round_trip)),
        "mean_packet_size": f"{case.packet_bytes} B",
    }


def _flows(case: Case) -> list[dict[str, object]]:
    tcp = {"mss": f"{case.packet_bytes - HEADER} B", "receive_window": "unlimited", **case.tcp}
    all_of_them = {"cc": case.cc, "profile": case.profile, "tcp": tcp, "start_spread": "1 s"}
    reserved: dict[str, object] = {"reserved": rate_word(case.rate_bps)}
    peers = case.flows // 2 if case.other_rtts_s else 0
    tables = [{"name": CUSTOMER, "count": case.flows - peers, "rtt": _time(case.rtt_s), **reserved}]
    tables += _spread(PEER, peers, case, reserved)
    tables += _spread(BEST_EFFORT, case.background, case, {})
    return [{**table, **all_of_them} for table in tables if table["count"]]


def _spread(
    name: str, count: int, case: Case, others: dict[str, object]
) -> list[dict[str, object]]:
    """Spreads `count` flows over the other round-trip times, in turn."""
    rtts = case.other_rtts_s or (case.rtt_s,)
    shares = [len(range(i, count, len(rtts))) for i in range(len(rtts))]
    return [
        {
            "name": name if len(rtts) == 1 else f"{name}-{i + 1}",
            "count": share,
            "rtt": _time(rtt),
            **others,
        }
        for i, (rtt, share) in enumerate(zip(rtts, shares, strict=True))
    ]


def _time(seconds: float) -> str:
    return f"{seconds * 1e9:.0f} ns"
