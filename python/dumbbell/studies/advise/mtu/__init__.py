"""Advice on an MTU: throughput, loss, neighbors, host and check sequence over the size of packets.

`question` reads the path, `sizes` lists the MTUs, `closed_forms` has what follows without
simulating, `host` the cost of packets to a host, `scale` the duration of runs and the scale of
paths that are too large, `network` the scenarios, `calls` the measurements of the calls beside the
flow. `judge` chooses, `answer` makes the document, `narrative`, `table`, `draw` and `page` show it,
and `work` runs the whole.
"""

from .work import mtu as mtu
