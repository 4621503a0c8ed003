"""What goes out in a recovery, and when losses are found: PRR (RFC 9937), RACK and tail loss probes
(RFC 8985). Segments and seconds."""

from __future__ import annotations

# PRR.


def recover_fs(window: int, sacked: int) -> int:
    """RecoverFS: what a recovery can still see delivered. The window without what was selectively
    acknowledged before the acknowledgment that found the loss; `sacked` counts that one, too (RFC
    9937 section 6)."""
    return window - (sacked - 1)


def in_proportion(delivered: int, ssthresh: int, flight: int) -> int:
    """Segments sent when so many were delivered in the recovery, with more than ssthresh in the
    network: the whole ones of delivered ssthresh / RecoverFS, and at least the first repair."""
    return max(1, delivered * ssthresh // flight)


def conserving(delivered: int, advances: int) -> int:
    """Segments sent with less than ssthresh in the network: one for each that was delivered, and
    one more for each acknowledgment that advances SND.UNA and tells of no new loss (SafeACK)."""
    return delivered + advances


# RACK.


def reordering_window(min_rtt: float, srtt: float, reports: int = 0) -> float:
    """reo_wnd once reordering was seen: a quarter of the least round trip, and another one for
    each round trip with a report of a duplicate, at most SRTT (RFC 8985 section 6.2 step 4)."""
    return min((1 + reports) * min_rtt / 4, srtt)


NO_WINDOW = 0.0
"""reo_wnd while no reordering was seen and three segments are selectively acknowledged."""


def needless(late: float, min_rtt: float) -> int:
    """Needless retransmissions on a path on which now and then a segment is late by `late`, less
    than SRTT: one while the window is shorter, and each makes it a quarter longer."""
    reports = 0
    while reordering_window(min_rtt, late + min_rtt, reports) < late:
        reports += 1
    return reports


# Tail loss probes.

MAX_ACK_DELAY = 0.2
"""TLP.max_ack_delay: how long a receiver holds an acknowledgment (seconds; a common value, RFC 8985
section 7.2)."""


def probe_timeout(srtt: float | None, flight: int, rto: float) -> float:
    """PTO: 2 SRTT, and the delay of an acknowledgment if one segment is out; 1 s without a sample;
    at most what is left of RTO (RFC 8985 section 7.2)."""
    if srtt is None:
        return min(1.0, rto)
    return min(2 * srtt + (MAX_ACK_DELAY if flight == 1 else 0.0), rto)


def tail_repaired(rtt: float, lost: int, rto: float) -> float:
    """Seconds after a flight was sent at which the receiver has the last of its `lost` last
    segments: the probe repairs one; its acknowledgment tells of one before it, which goes a round
    trip later."""
    probe = rtt + probe_timeout(rtt, lost, rto)
    return probe + rtt / 2 + (rtt if lost > 1 else 0.0)
