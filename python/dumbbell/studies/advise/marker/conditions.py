"""Networks other than the one that was asked for, in each of which the advice is tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from .network import Case
from .sizes import beside

_LOSS = 0.01
_SMALL_PACKET = 576
"""Bytes: RFC 879's default, where the asked packet is larger than twice that; else half of it."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A key for the JSON, what it is in words, the network, and the marker in it: the advised data
    buffer [packets] and bucket [bytes], unless the condition is about these; and the bucket of the
    token bucket alone [bytes]."""

    key: str
    text: str
    case: Case
    size: int
    burst_bytes: int
    alone_bytes: int

    def markers(self) -> dict[int, tuple[int, int]]:
        """Runs by data buffer: the advised one, its neighbors, and the token bucket alone."""
        tried = beside(self.size, self.case.bdp_packets)
        return {n: (n, self.burst_bytes if n or not self.size else self.alone_bytes) for n in tried}


def conditions(
    case: Case, rate_scale: float, advised: tuple[int, int], alone: int
) -> Iterator[Condition]:
    """All of them, for a case as it is simulated, the marker that is advised for it and the bucket
    that a token bucket alone has."""
    size, burst = advised
    for key, make in _ALL.items():
        found = make(case)
        if found is not None:
            yield Condition(key, *found, size, burst, alone)
    # TCP is alike where loss x window^2 is the same, so that a loss in a smaller network is a
    # smaller one here.
    share = f"{100 * _LOSS / rate_scale**2:.2g} % lost at random"
    yield Condition(
        "random_loss", f"{share} (wireless)", replace(case, loss=_LOSS), size, burst, alone
    )
    packet = case.packet_bytes
    text = "a bucket of one packet" if rate_scale == 1 else f"a bucket of {rate_scale:g} packets"
    yield Condition("one_packet_bucket", text, case, size, packet, packet)
    yield Condition(
        "half_packet_bucket", "a bucket of half a packet", case, size, packet // 2, packet // 2
    )
    if rate_scale > 1:
        half = replace(case, rate_bps=case.rate_bps / 2, link_bps=case.link_bps / 2)
        text = "rates, data buffer and bucket halved"
        yield Condition(
            "smaller_scale",
            text,
            half,
            round(size / 2 + 0.01),
            max(burst // 2, packet),
            max(alone // 2, packet),
        )


def _share(case: Case, share: float) -> Case:
    """The case in which customers reserve so much of the link."""
    return replace(case, link_bps=case.flows * case.rate_bps / share)


def _oversubscribed(case: Case) -> tuple[str, Case]:
    return "over-subscription, 120 % reserved", _share(case, 1.2)


def _light(case: Case) -> tuple[str, Case]:
    share = 0.5 * min(1.0, case.flows * case.rate_bps / case.link_bps)
    return f"only {100 * share:.3g} % of the link reserved", _share(case, share)


def _alone(case: Case) -> tuple[str, Case] | None:
    """One customer with the link's whole reservation; best-effort flows in the others' place."""
    if case.flows == 1:
        return None
    link = case.link_bps / case.flows
    others = case.background + case.flows - 1
    times = case.rate_bps / (link / (others + 1))
    text = f"one customer alone, {times:.3g} times the fair share"
    return text, replace(case, flows=1, background=others, link_bps=link)


def _other_rtts(case: Case) -> tuple[str, Case]:
    rtts = (case.rtt_s / 8, case.rtt_s / 2, 2 * case.rtt_s)
    text = "others at 1/8, 1/2 and twice the RTT"
    return text, replace(case, other_rtts_s=rtts)


def _nearer(case: Case) -> tuple[str, Case]:
    return "all at half the RTT", replace(case, rtt_s=case.rtt_s / 2)


def _farther(case: Case) -> tuple[str, Case]:
    return "all at twice the RTT", replace(case, rtt_s=2 * case.rtt_s)


def _small_packets(case: Case) -> tuple[str, Case]:
    size = (
        _SMALL_PACKET if case.packet_bytes > 2 * _SMALL_PACKET else max(80, case.packet_bytes // 2)
    )
    return f"packets of {size} bytes", replace(case, packet_bytes=size)


def _crowd(case: Case) -> tuple[str, Case]:
    more = 4 * max(case.background, 1)
    return f"{more} best-effort flows, not {case.background}", replace(case, background=more)


def _delayed(case: Case) -> tuple[str, Case]:
    word, text = ("each", "an ACK for each packet") if case.profile == "linux" else (
        "second",
        "delayed ACKs",
    )  # fmt: skip
    return text, replace(case, tcp={**case.tcp, "delayed_ack": word})


def _modern(case: Case) -> tuple[str, Case]:
    if case.cc == "cubic":
        return "reno (profile ns2), not cubic", replace(case, cc="reno", profile="ns2")
    return f"cubic (profile linux), not {case.cc}", replace(case, cc="cubic", profile="linux")


_ALL: dict[str, Callable[[Case], tuple[str, Case] | None]] = {
    "oversubscribed": _oversubscribed,
    "half_reserved": _light,
    "above_fair_share": _alone,
    "other_rtts": _other_rtts,
    "half_rtt": _nearer,
    "twice_rtt": _farther,
    "small_packets": _small_packets,
    "more_best_effort": _crowd,
    "delayed_ack": _delayed,
    "other_tcp": _modern,
}
