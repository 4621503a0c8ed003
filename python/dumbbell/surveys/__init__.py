"""The import path of programs for [`dumbbell.studies.tables`]."""

from ..studies.tables import SURVEYS, survey
from ..studies.tables import Options as Wish

__all__ = ["SURVEYS", "Wish", "survey"]
