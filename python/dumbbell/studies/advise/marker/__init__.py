"""Advice on an edge marker: how large its data buffer and its bucket should be for a reservation.

`question` reads what is sold and over which network, `network` lays it out as a scenario (in `scale`, if it is too
large to simulate), `sizes` says what is tried, `conditions` what the advice is tried against, `judge` chooses and says
whether it holds, `paste` writes what to configure, `sentences`, `table`, `draw` and `page` show it, and `work` does it
all.
"""

from .work import marker as marker
