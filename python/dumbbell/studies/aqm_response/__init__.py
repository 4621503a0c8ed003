"""When an algorithm signals, measured and in theory: one queue alone under arrivals that are made for it.

`laws.py` has the theory of each algorithm in a table, `experiment.py` makes the arrivals and counts signals, and
`dumbbell.figures.aqm_response` draws both.
"""

from __future__ import annotations

from .laws import LAWS
from .measure import Curve, measure

__all__ = ["LAWS", "Curve", "measure"]
