"""Queues against queues: schemes crossed with conditions, under the same seeds, on one page.

`spelling` reads what was asked for, `study` lays it into a scenario as one sweep, `metrics` says what is measured,
`judge` which scheme is best where, `finding` puts that into sentences, `draw`, `page` and `table` show it, and `work`
does it all.
"""

from .work import Options as Options
from .work import compare as compare
