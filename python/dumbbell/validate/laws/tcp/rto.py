"""The retransmission timeout by RFC 6298, in exact fractions of a second."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

INITIAL = Fraction(1)
"""Before a sample (2.1)."""


@dataclass(frozen=True)
class Estimate:
    """SRTT, RTTVAR and the RTO that follows, seconds."""

    srtt: Fraction
    rttvar: Fraction
    rto: Fraction


def estimates(
    samples: Iterable[Fraction],
    granularity: Fraction = Fraction(0),
    least: Fraction = Fraction(1),
    most: Fraction = Fraction(60),
) -> list[Estimate]:
    """The state after each sample: (2.2) the first, (2.3) each other, (2.4) and (2.5) the
    bounds."""
    srtt = rttvar = None
    out = []
    for r in samples:
        if srtt is None or rttvar is None:
            srtt, rttvar = r, r / 2
        else:  # RTTVAR first, with the old SRTT.
            rttvar = Fraction(3, 4) * rttvar + Fraction(1, 4) * abs(srtt - r)
            srtt = Fraction(7, 8) * srtt + Fraction(1, 8) * r
        rto = srtt + max(granularity, 4 * rttvar)
        out.append(Estimate(srtt, rttvar, min(max(rto, least), most)))
    return out


def backoff(first: Fraction, expiries: int, most: Fraction = Fraction(60)) -> list[Fraction]:
    """The timeouts that pass before the first, second, ... expiry of one segment: (5.5) doubles,
    (2.5) bounds."""
    out, rto = [], first
    for _ in range(expiries):
        out.append(rto)
        rto = min(2 * rto, most)
    return out
