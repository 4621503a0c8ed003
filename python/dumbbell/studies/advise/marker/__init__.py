"""Advice on an edge marker: the size of its data buffer and of its bucket for a reservation.

`question` reads the reservation and the network, `network` lays it out as a scenario (in `scale`,
if it is too large to simulate), `sizes` lists the candidates, `conditions` the other networks of
the test. `judge` chooses and tests, `config_lines` writes the configuration, `narrative`, `table`,
`draw` and `page` show it, and `work` runs the whole.
"""

from .work import marker as marker
