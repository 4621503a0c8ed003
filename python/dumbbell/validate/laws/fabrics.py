"""Laws of fabrics: how a hash shares flows among paths, how long an incast takes, what a failing
link loses, which packets others overtake on a shorter path, and how queues share a buffer."""

from __future__ import annotations

import math


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


def uniform(ways: int) -> float:
    """The chance of each of so many next hops, if a router chooses uniformly."""
    return 1 / ways


def lost_by_failure(
    fails_s: float, converges_s: float, interval_s: float, before_s: float, delay_s: float
) -> int:
    """Packets of a constant rate that a link loses when it fails: those that are on it then, and
    those that come before routes lead around it.

    The k-th packet is sent at k interval, and its last bit leaves the failing link's transmitter
    `before` later. It is lost if that is after the failure, or at most the link's `delay` before
    it; packets that are sent from `fails + converges` on take another path.
    """
    first = math.ceil((fails_s - delay_s - before_s) / interval_s)
    return math.ceil((fails_s + converges_s) / interval_s) - first


def overtaken(difference_s: float, interval_s: float) -> float:
    """The share of packets of a constant rate that a later one overtakes, if each takes one of two
    paths with the same chance and the delays differ: one on the longer path is overtaken if any of
    the next m packets takes the shorter one, where m intervals are less than the difference."""
    m = math.ceil(difference_s / interval_s) - 1
    return (1 - 0.5**m) / 2


def shared_buffer_queue(size: float, alpha: float, overloaded: int) -> float:
    """What each of so many queues that are always overloaded holds of a shared buffer with dynamic
    thresholds, in the unit of `size`: it has alpha times what is free, and all of them and what is
    free are the buffer (Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998)."""
    return alpha * size / (1 + overloaded * alpha)


def shared_buffer_free(size: float, alpha: float, overloaded: int) -> float:
    """What they leave free."""
    return size / (1 + overloaded * alpha)


def shared_buffer_priority(size: float, alpha: float, classes: int, load: float) -> float:
    """What so many classes of one port under strict priority hold together, if packets come to each
    at `load` > 1 times the port's rate. Until the threshold meets them, the first grows by load - 1
    and the others by load. The others then keep what they have, because nothing of theirs leaves,
    and the first gets alpha times what it leaves of the rest."""
    until = alpha * size / (load + alpha * (classes * load - 1))
    starved = (classes - 1) * load * until
    return starved + alpha * (size - starved) / (1 + alpha)


def shared_buffer_below(packet: float, alpha: float, overloaded: int) -> float:
    """The most by which a queue is below what it holds of an endless stream of bits. With a packet
    more, it and what is free would pass the threshold: it is less than (1 + alpha) packets below,
    which n queues that all are make (1 + alpha) / (1 + n alpha). A packet goes before the next
    comes."""
    return packet * (1 + (1 + alpha) / (1 + overloaded * alpha))


def step_marks(packets: int, threshold: int, ratio: int) -> int:
    """Packets of a burst that find more than `threshold` waiting at a link that is `ratio` times
    slower than the one that they come over: while packet j (from 0) comes, j / ratio packets go,
    and one is being sent."""
    return sum(j - j // ratio - 1 > threshold for j in range(1, packets))
