"""Advice on an MTU: throughput, loss, neighbours, host and check sequence over the size of packets.

`question` reads the path that is asked for, `sizes` says what is tried, `closed` has what follows without simulating,
`host` what packets cost a host, `scale` how long runs are and in which steps a path that is too large is made smaller,
`network` lays it out as scenarios, `voice` measures the calls beside it, `judge` chooses, `answer` makes the document,
`sentences`, `table`, `draw` and `page` show it, and `work` does it all.
"""

from .work import mtu as mtu
