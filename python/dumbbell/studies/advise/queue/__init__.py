"""Advice from simulated grids: the queue for a link.

`question` reads the question, `candidates` lists the queues and the published rules of their
parameters, `grid` the simulated points, `judge` selects a queue and finds where that fails,
`narrative` puts it into sentences, `tc_lines` into lines for tc, `draw` and `page` show it, and
`work` runs the whole.
"""

from .work import queue as queue
