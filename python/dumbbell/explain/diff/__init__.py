"""The divergence of two runs: the first packet that they treat differently.

    parting = dumbbell.diff.compare("results/a", "results/b").parting

Each side is a result directory, or a scenario file, which is then run with every packet recorded.
"""

from __future__ import annotations

from .compare import Compared, compare
from .narrative import told
from .parting import Parting

__all__ = ["Compared", "Parting", "compare", "told"]
