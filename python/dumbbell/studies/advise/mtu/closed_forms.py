"""Closed forms for an MTU: efficiency, loss, TCP's laws, the wait for one frame, fragments."""

from __future__ import annotations

import math
from functools import cache

from ....models import ethernet_fcs
from ....validate.laws import fragments as fragmentation
from ....validate.laws import links
from ....validate.laws.tcp import cubic, throughput
from .sizes import ETHERNET

TIMESTAMPS = {"linux": links.TIMESTAMPS}
"""Bytes of options in each segment, by profile; the others send none."""
_ACKED = {"rfc": 2}
"""Segments for which a window grows by one acknowledgment's worth, by profile: delayed ones count
once in `rfc`; Linux counts bytes (RFC 3465), ns-2's receiver delays none."""
LEAST_TIMEOUT_S = 0.2
"""Linux's least retransmission timeout; of RFC 6298 it would be a second."""


def mss(mtu: int, profile: str) -> int:
    """Payload of a full segment [bytes]."""
    return mtu - links.IPV4 - links.TCP - TIMESTAMPS.get(profile, 0)


def efficiency(mtu: int, profile: str) -> float:
    """The part of the link's rate that is payload: (MTU - 40 - options) / (MTU + 38)."""
    return links.tcp_efficiency(mtu, TIMESTAMPS.get(profile, 0))


def frame_loss(standard: float, kind: str, mtu: int) -> float:
    """The share of full frames of this MTU that is lost where `standard` is that of Ethernet's 1518
    bytes: the same if packets are lost as such; by bit errors 1 - (1 - b)^(8 L), with the b that
    gives `standard`."""
    if kind == "packet" or standard == 0:
        return standard
    return -math.expm1(
        math.log1p(-standard) * (mtu + ethernet_fcs.FRAME) / (ETHERNET + ethernet_fcs.FRAME)
    )


def bit_error_rate(standard: float) -> float:
    """The share of wrong bits that loses this share of Ethernet's standard frames."""
    return -math.expm1(math.log1p(-standard) / (8 * (ETHERNET + ethernet_fcs.FRAME)))


def window(cc: str, p: float, rtt_s: float) -> float:
    """The mean window that this loss leaves [segments]: RFC 9438's for `cubic`, else the square
    root law."""
    if p == 0:
        return math.inf
    return cubic.mean_window(p, rtt_s) if cc == "cubic" else throughput.mathis(p, 1.0)


def loss_for(cc: str, target: float, rtt_s: float) -> float:
    """The loss that leaves this mean window: the law turned round, by halving intervals of its
    logarithm."""
    low, high = math.log(1e-18), math.log(0.9)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if window(cc, math.exp(middle), rtt_s) > target else (low, middle)
        )
    return math.exp(low)


def goodput_bps(segments_per_s: float, mtu: int, profile: str, rate_bps: float) -> float:
    """Payload of so many segments a second [bit/s], at most what the link carries."""
    return min(8 * mss(mtu, profile) * segments_per_s, efficiency(mtu, profile) * rate_bps)


def laws_bps(
    cc: str, p: float, rtt_s: float, mtu: int, profile: str, rate_bps: float
) -> dict[str, float]:
    """Throughput of a flow by itself from closed forms [bit/s]: `mathis`, `pftk`, and `cubic` for
    that."""
    full = efficiency(mtu, profile) * rate_bps
    if p == 0:
        return {"mathis": full, "pftk": full} | ({"cubic": full} if cc == "cubic" else {})
    timeout = max(LEAST_TIMEOUT_S, 2 * rtt_s)
    acked = _ACKED.get(profile, 1)
    rates = {
        "mathis": throughput.mathis(p, rtt_s, acked),
        "pftk": throughput.pftk(p, rtt_s, timeout, acked=acked),
    }
    if cc == "cubic":
        rates["cubic"] = _cubic_window(p, rtt_s) / rtt_s
    return {name: goodput_bps(rate, mtu, profile, rate_bps) for name, rate in rates.items()}


@cache
def _cubic_window(p: float, rtt_s: float) -> float:
    """CUBIC's mean window where every packet is lost by itself [segments], and Reno's if that is
    larger."""
    mean = cubic.mean_window(p, rtt_s)
    return (
        max(cubic.random_window(p, rtt_s, losses=1500), throughput.mathis(p, 1.0))
        if mean > throughput.mathis(p, 1.0)
        else mean
    )


def frame_s(mtu: int, rate_bps: float) -> float:
    """The time of one full frame on Ethernet of this rate [s]: so long a packet waits for one that
    has begun."""
    return 8 * (mtu + links.ETHERNET) / rate_bps


def fragments(payload: int, mtu: int) -> list[int]:
    """The IP packets [bytes] of a UDP datagram at an MTU: all but the last carry a multiple of 8
    bytes (RFC 791)."""
    return fragmentation.lengths(payload + links.UDP + links.IPV4, mtu)


def datagram_loss(standard: float, kind: str, payload: int, mtu: int) -> float:
    """The share of such datagrams that is lost, with any of their fragments: 1 - (1 - p)^n."""
    kept = sum(
        math.log1p(-frame_loss(standard, kind, length)) for length in fragments(payload, mtu)
    )
    return -math.expm1(kept)


def unnoticed_share(standard: float, mtu: int) -> float:
    """About the share of frames with errors that the check sequence does not find, where bits are
    wrong by chance: more wrong bits than it is sure of, and then one in 2^32."""
    bits, mean = (
        8 * (mtu + ethernet_fcs.FRAME),
        8 * (mtu + ethernet_fcs.FRAME) * bit_error_rate(standard),
    )
    at_least = ethernet_fcs.distance(mtu + ethernet_fcs.FRAME)
    if mean == 0:
        return 0.0
    term = math.exp(-mean + at_least * math.log(mean) - math.lgamma(at_least + 1))
    total, k = 0.0, at_least
    while term > 1e-18 * total and k < bits:
        total += term
        k += 1
        term *= mean / k
    return total * 0.5**ethernet_fcs.BITS
