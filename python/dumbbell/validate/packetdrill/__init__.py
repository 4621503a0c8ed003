"""Scripts of packetdrill, sender side: read in a stated subset, and run as scripts of Dumbbell."""

from .run import ENDING as ENDING
from .run import run as run
from .run import run_text as run_text
