"""Sentences on an acknowledgment and its neighbor at the sender."""

from __future__ import annotations

from collections.abc import Callable

from ..finding import AckSpacing
from ..phrases import time

_PS = 1e-12


def arrived(w: AckSpacing) -> str:
    """For one that arrived: whether it was compressed or stretched (twice, or half, as far apart as
    sent counts), and what it acknowledged."""
    here, there = w.spacing_sender_ps or 0, w.spacing_receiver_ps
    text = (
        f"It arrived {time(here * _PS)} after the previous one (packet {w.number}); the receiver "
        "sent them "
    )
    text += f"{time(there * _PS)} apart"
    if 2 * here < there:
        text += ", so they were compressed on the path"
    elif here > 2 * there:
        text += ", so they were stretched on the path"
    return f"{text}. It acknowledged {_bytes(w)}."


def lost(w: AckSpacing | None, at: Callable[[int | None], str]) -> str:
    """For one that was lost: the later one that carried the same information."""
    text = "Acknowledgments are not retransmitted: each one includes the previous ones."
    if w is None:
        return f"{text} No later one arrived before the run ended."
    later = (
        f"packet {w.number}, sent {time(w.spacing_receiver_ps * _PS)} later, arrived at "
        f"{at(w.delivered_ps)}"
    )
    return f"{text} The next one, {later} and acknowledged {_bytes(w)}."


def _bytes(w: AckSpacing) -> str:
    if not w.newly_acked_bytes:
        return "nothing new"
    return f"{w.newly_acked_bytes:,} byte{'s' if w.newly_acked_bytes > 1 else ''} of new data"
