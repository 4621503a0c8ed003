"""The import path of programs for [`dumbbell.studies.compare.queues`]."""

from ..studies.compare.queues import Options as Wish
from ..studies.compare.queues import compare

__all__ = ["Wish", "compare"]
