"""Instants, durations and windows as an answer writes them."""

from __future__ import annotations

import math

from ....present.units import significant, time_text
from ..finding import Finding
from ..journeys import PS


def clock(ps: int, digits: int = 6) -> str:
    """An instant: `12.398123 s`."""
    return f"{ps / PS:.{digits}f} s"


def span(ps: int) -> str:
    """A duration in the unit that reads best."""
    return time_text(ps / PS)


def digits(base_rtt_ps: int | None) -> int:
    """Decimals of an instant, in seconds, that tell a hundredth of a round trip; four at least."""
    if not base_rtt_ps:
        return 6
    return min(9, max(4, 2 - math.floor(math.log10(base_rtt_ps / PS))))


def at(f: Finding, ps: int | None) -> str:
    """An instant, as fine as the round-trip time asks for; `?` if it is unknown."""
    return "?" if ps is None else clock(ps, digits(f.base_rtt_ps))


def window(f: Finding, size: int, unit: bool = True) -> str:
    """A window in segments: `12.3 packets`; without `unit` the number alone."""
    text = significant(size / f.segment_bytes, 3)
    return text if not unit else f"{text} packet{'' if text == '1' else 's'}"
