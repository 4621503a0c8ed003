"""Where two runs part: the first packet that something else became of.

    parting = dumbbell.diff.compare("results/a", "results/b").parting

Each side is a result directory, or a scenario file, which is then run with every packet recorded.
"""

from __future__ import annotations

from .compare import Compared, compare
from .parting import Parting
from .narrative import told

__all__ = ["Compared", "Parting", "compare", "told"]
