"""Two-way traffic: what the reverse path does to goodput, to acknowledgments and to links.

Rates are in bit/s, lengths in bytes, windows and pipes in packets.
"""

from __future__ import annotations


def bandwidth_ratio(ahead: float, back: float, data: int, ack: int) -> float:
    """The normalized bandwidth ratio k: rates there and back, by the lengths of data and
    acknowledgments.

    RFC 3449, section 2, after Lakshman, Madhow, Suter: Window-based error recovery and flow control
    with a slow acknowledgement channel, INFOCOM 1997. With fewer than k segments to an
    acknowledgment the reverse path is full first.
    """
    return (ahead / back) / (data / ack)


def ack_clocked(ahead: float, back: float, mss: int, header: int, acked: int = 1) -> float:
    """Goodput of a window that fits into the buffers, bit/s: min(C mss / (mss + header), d mss C' /
    header).

    An acknowledgment of `header` bytes comes each header / C' and clocks out d = `acked` segments:
    RFC 3449, section 2.
    """
    return min(ahead * mss / (mss + header), acked * mss * back / header)


def acked_by_one(ahead: float, back: float, mss: int, header: int, acked: int = 1) -> float:
    """Segments that an acknowledgment acknowledges when both ways are full: k, or d where that is
    more.

    Of each k segments' acknowledgments one gets into the full queue of the reverse path, and says
    what the lost ones did.
    """
    return max(float(acked), bandwidth_ratio(ahead, back, mss + header, header))


def in_phase(window: float, pipe: float) -> float:
    """Utilization of both links by two equal windows W that go opposite ways: W / (W + P), P the
    pipe one way.

    From what Zhang, Shenker and Clark saw ("Observations on the dynamics of a congestion control
    algorithm: the effects of two-way traffic", SIGCOMM 1991): acknowledgments wait behind the
    other connection's data until its queue is empty, and come in a heap. Both queues are filled at
    once, are empty after W services, and are idle until the heaps, which left when they were empty,
    have gone the way of P services. Acknowledgments have no length here.
    """
    return window / (window + pipe)


def out_of_phase(larger: float, smaller: float) -> float:
    """Utilization of the link of the smaller window, the other's being full: W2 / W1, if W1 > W2 +
    2 P.

    Same source: the queue of the larger window is never empty, its round trip is W1 services. All
    acknowledgments of the smaller one wait in it and come in a heap, so that W2 packets go in each
    such round trip.
    """
    return smaller / larger
