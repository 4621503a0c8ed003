"""IP fragments: how many, how long the last, and what their losses do; from RFC 791 and RFC 8200
alone."""

from __future__ import annotations

HEADER = {4: 20, 6: 40}
"""Bytes of an IP header without options (RFC 791 section 3.1, RFC 8200 section 3)."""
MORE = {4: 0, 6: 8}
"""The additional header bytes of a fragment: the fragment header of version 6 (RFC 8200 section
4.5)."""


def lengths(ip_len: int, mtu: int, version: int = 4) -> list[int]:
    """Bytes of each fragment of a packet of `ip_len` bytes: all but the last carry a multiple of 8
    (RFC 791, 3.2)."""
    header, more = HEADER[version], MORE[version]
    left, room = ip_len - header, mtu - header - more
    found = []
    while left > room:
        found.append(header + more + room // 8 * 8)
        left -= room // 8 * 8
    return [*found, header + more + left]


def loss(p: float, fragments: int) -> float:
    """A datagram is lost with any of its fragments: 1 - (1 - p)^n."""
    return 1 - (1 - p) ** fragments
