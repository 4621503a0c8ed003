"""The reservation and the network, as the command line spells it: `--rate 2Mbps --rtt 80ms`."""

from __future__ import annotations

from dataclasses import dataclass

from ....catalogue import kinds
from ....language.arguments import refused
from ..words import (
    MOST_FLOWS,
    PROFILES,
    known,
    one_of,
    rate_text,
    read_bytes,
    read_rate,
    read_time,
    times,
)

FLOWS, SHARE = 6, 0.6
"""Customers, and the share of the link that they reserve together, where neither follows from
`--link`: those of the paper's experiment 1."""
PACKET = 1500
"""Bytes of a packet with its headers."""
BUDGET_S = 30.0
LEAST_RATE, MOST_RATE = 8e3, 100e9
LEAST_RTT, MOST_RTT = 100e-6, 10.0
_PACKETS = (100, 9000)
_SHARES = (0.01, 3.0)
_BUCKETS = (0.125, 16.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The reserved rate of a customer [bit/s], his round-trip time without queues [s], the bytes of
    a packet with its headers, the congested link [bit/s], how many customers like him it has, how
    many best-effort flows; the deepest bucket that the contract allows [r x RTT]; the congestion
    control of all, their TCP, the profile of a scenario."""

    rate_bps: float
    rtt_s: float
    packet_bytes: int = PACKET
    link_bps: float
    flows: int = FLOWS
    background: int = FLOWS
    deepest_bucket: float = 1.0
    cc: str = "reno"
    profile: str = "ns2"

    @property
    def reserved_share(self) -> float:
        """Sum of the reservations, over the link's rate."""
        return self.flows * self.rate_bps / self.link_bps

    @property
    def bdp_packets(self) -> float:
        """Reserved rate times round-trip time [packets]: the unit of every size here."""
        return self.rate_bps * self.rtt_s / (8 * self.packet_bytes)

    def text(self) -> str:
        """In a sentence."""
        others = f"{self.background} best-effort flow{'' if self.background == 1 else 's'}"
        return (
            f"{rate_text(self.rate_bps)} at {times((self.rtt_s, self.rtt_s))}, packets of "
            f"{self.packet_bytes} bytes, {self.flows} such "
            f"customer{'' if self.flows == 1 else 's'} and {others} of {self.cc} on "
            f"{rate_text(self.link_bps)} ({100 * self.reserved_share:.3g} % reserved)"
        )


def target_bps(rate: float, reserved: float, link: float, flows: int) -> float:
    """The target [bit/s] of a customer who reserves `rate` of `reserved` in all on a link with
    `flows` flows, best effort counted: his rate and an equal share of the rest,
    `t = r + (C - sum r) / n`; where more is reserved than there is, his part of it,
    `t = C r / sum r` (Choi and Kim 2001, equations 1 and 2)."""
    return rate + (link - reserved) / flows if reserved <= link else link * rate / reserved


def read(
    rate: str,
    rtt: str,
    packet: str | None = None,
    link: str | None = None,
    flows: int | None = None,
    background: int | None = None,
    reserved_share: float | None = None,
    deepest_bucket: float = 1.0,
    cc: str = "reno",
    profile: str | None = None,
) -> Question:
    """The question in these words. `ScenarioError` underlines what is wrong, and says what to
    write.

    Of `link`, `flows` and `reserved_share` two give the third; without `link` it is
    `flows x rate / reserved_share`. Best-effort flows are as many as customers; the profile is that
    of the congestion control's home: `linux` for CUBIC, ns-2's for all others.
    """
    sold = one_of(
        "--rate",
        rate,
        read_rate,
        "2Mbps",
        (LEAST_RATE, MOST_RATE),
        "write a rate from 8kbps to 100Gbps",
    )
    far = one_of(
        "--rtt", rtt, read_time, "80ms", (LEAST_RTT, MOST_RTT), "write a time from 100us to 10s"
    )
    size = PACKET if packet is None else _bytes(packet)
    wide = None
    if link is not None:
        wide = one_of(
            "--link",
            link,
            read_rate,
            "10Mbps",
            (LEAST_RATE, 100 * MOST_RATE),
            "write a rate from 8kbps to 10Tbps",
        )
        if sold > wide:
            cause = (
                f"the link carries {rate_text(wide)}, less than the {rate_text(sold)} that "
                "customers reserve"
            )
            raise refused(
                f"--rate {rate}", rate, cause, f"write a --rate up to {link}, or a faster --link"
            )
    if not _BUCKETS[0] <= deepest_bucket <= _BUCKETS[1]:
        cause, fix = "this must be from 1/8 to 16 times r x RTT", "write --deepest-bucket 1"
        raise refused(f"--deepest-bucket {deepest_bucket:g}", f"{deepest_bucket:g}", cause, fix)
    wide, customers = _network(sold, wide, flows, reserved_share)
    others = customers if background is None else background
    _counted("--flows", customers, 1)
    _counted("--background", others, 0)
    if customers + others < 2:
        raise refused(
            "--background 0",
            0,
            "a customer alone on the link meets no congestion",
            "write --background 6",
        )
    return Question(
        rate_bps=sold,
        rtt_s=far,
        packet_bytes=size,
        link_bps=wide,
        flows=customers,
        background=others,
        deepest_bucket=deepest_bucket,
        cc=known("--cc", cc, kinds()["cc"]),
        profile=known("--profile", profile or ("linux" if cc == "cubic" else "ns2"), PROFILES),
    )


def _network(
    rate: float, link: float | None, flows: int | None, share: float | None
) -> tuple[float, int]:
    """The link's rate [bit/s] and the number of customers."""
    if share is not None and not _SHARES[0] <= share <= _SHARES[1]:
        fix = (
            "write the share of the link that all customers reserve together, as in "
            "--reserved-share 0.6"
        )
        raise refused(
            f"--reserved-share {share:g}", f"{share:g}", "this must be from 0.01 to 3", fix
        )
    if link is None:
        customers = FLOWS if flows is None else flows
        return max(customers, 1) * rate / (SHARE if share is None else share), customers
    if flows is None:
        return link, max(1, round((SHARE if share is None else share) * link / rate))
    if share is not None:
        cause = "--link and --flows already determine the reserved share"
        raise refused(
            f"--reserved-share {share:g}", f"{share:g}", cause, "leave out one of the three"
        )
    if flows >= 1 and flows * rate > _SHARES[1] * link:
        cause = f"that many customers reserve {flows * rate / link:.3g} times the link"
        raise refused(
            f"--flows {flows}",
            flows,
            cause,
            f"write at most --flows {max(1, int(_SHARES[1] * link / rate))}",
        )
    return link, flows


def _counted(option: str, number: int, least: int) -> None:
    if not least <= number <= MOST_FLOWS:
        cause, fix = (
            f"{number} flows cannot be simulated",
            f"write a number from {least} to {MOST_FLOWS}",
        )
        raise refused(f"{option} {number}", number, cause, fix)


def _bytes(text: str) -> int:
    """Bytes of a packet."""
    return read_bytes(
        "--packet",
        text,
        "write --packet 1500B: bytes with their headers",
        _PACKETS,
        "this is not a valid packet size with 40 bytes of headers",
        "write a size from 100B to 9000B",
    )
