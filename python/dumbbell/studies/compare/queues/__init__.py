"""Queues against queues: schemes crossed with conditions, under the same seeds, on one page.

`dumbbell.language.arguments` reads the words of the command line. `design` lays them into a
scenario as one sweep, `metrics` lists the measurements, `judge` finds the best scheme of each
condition, `narrative` puts that into sentences, `figures` and `page` show it, and `work` runs the
whole.
"""

from .work import Options as Options
from .work import compare as compare
