"""Signals of an algorithm, measured and in theory: one queue alone under arrivals that are made for
it.

`laws` has the theory of each algorithm, `drive` gives a table of packets to one queue,
`measure` makes the arrivals and counts signals, and `dumbbell.figures.aqm_response` draws both.
"""

from __future__ import annotations

from .laws import known
from .measure import Curve, measure

__all__ = ["Curve", "known", "measure"]
