"""What controls estimate about a path: Vegas its backlog, Westwood its rate, CAE how slow the
reverse path is."""

from __future__ import annotations

# Vegas (Brakmo, Peterson 1995): it grows below alpha, shrinks above beta.


def backlog(alpha: float, beta: float) -> tuple[float, float]:
    """The least and the greatest number of a flow's packets that wait in the queue. The number is
    rounded up to whole segments before it is compared, so that one less than alpha may wait."""
    return alpha - 1, beta


# Westwood (Mascolo et al. 2001; Westwood+: Grieco, Mascolo 2004).


def bandwidth(link_bps: float, payload: int, packet: int) -> float:
    """Bytes of payload a second that arrive through a full link: what the estimate is in steady
    state, whatever its filter."""
    return link_bps / 8 * payload / packet


def window_after_loss(bytes_per_second: float, rtt_min: float) -> float:
    """BWE RTTmin, bytes: the pipe without its queue."""
    return bytes_per_second * rtt_min


# TCP CAE (Kim, Choo 2008, figure 3).

THRESHOLD = 0.75
"""The estimate below which the reverse path is congested."""
BACKED_OFF = 2.0
"""The factor by which a warning lengthens the timeout, as Karn's rule does."""


def ack_rate(share: float, data_bps: float, packet: int, ack: int) -> float:
    """The rate of a reverse link, bit/s, that carries `share` of the acknowledgments of a full
    forward link, one for each packet. Acknowledgments that were sent 1 apart then come 1 / share
    apart: the estimate is `share`."""
    return share * data_bps * ack / packet


def warnings(share: float) -> int:
    """Warnings in the first round trip: one if the estimate is below the threshold."""
    return int(share < THRESHOLD)
