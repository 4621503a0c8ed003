"""The MTUs that are tried, with reasons."""

from __future__ import annotations

from ....models import ethernet_fcs

ETHERNET = 1500
LEAST, MOST = 256, 65535
"""Bytes: enough for a call's packets, and IPv4's longest packet (RFC 791)."""
LONGEST_DATAGRAM = MOST - 20 - 8
LONGEST_GUARDED = ethernet_fcs.guarded_frame() - ethernet_fcs.FRAME
"""The MTU of the longest frame with a Hamming distance of 4."""

WHY = {
    576: "every IPv4 host accepts it (RFC 791)",
    1280: "the minimum of IPv6 (RFC 8200)",
    ETHERNET: "Ethernet (IEEE 802.3)",
    4352: "FDDI (RFC 1390)",
    9000: "the usual jumbo frame",
    9180: "IP over ATM (RFC 2225)",
    LONGEST_GUARDED: "the longest with a Hamming distance of 4",
    16000: "about the largest of many network cards",
    MOST: "the longest IPv4 packet (RFC 791)",
}
"""A frame limit of switches, 9216 bytes, is no MTU: it leaves room for headers over 9000 or 9180.
"""

USUAL = tuple(WHY)
IN_USE = 9180
"""The largest that equipment of many makers is set to; above it an advice would be of no use on
most paths."""


def why(mtu: int) -> str:
    """The reason for it."""
    return WHY.get(mtu, "asked for")
