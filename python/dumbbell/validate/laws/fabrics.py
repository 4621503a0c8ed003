"""Laws of fabrics: how a hash shares flows among paths, and how long an incast takes."""

from __future__ import annotations


def incast_s(
    senders: int, packets: int, packet_bytes: int, rate_bps: float, delay_s: float
) -> float:
    """Time until the last byte of an incast in a star has arrived, with equal links and windows of
    a whole transfer: the first packets pass the senders' links side by side, and all packets then
    pass the receiver's link one after the other."""
    packet_s = 8 * packet_bytes / rate_bps
    return packet_s + delay_s + senders * packets * packet_s + delay_s


def fat_tree_hosts(k: int) -> int:
    """Hosts of a fat tree of switches with k ports: k^3/4 (Al-Fares et al., SIGCOMM 2008)."""
    return k**3 // 4


def fat_tree_paths(k: int) -> int:
    """Paths of least cost between hosts of two pods: one over each core switch, (k/2)^2."""
    return (k // 2) ** 2
