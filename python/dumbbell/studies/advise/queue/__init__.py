"""Advice from simulated grids: which queue for a link.

`question` reads what was asked for, `candidates` says which queues are tried and by which published rules their
parameters follow, `grid` where in the asked ranges they are tried, `judge` which of them is recommended and where that
fails, `sentences` puts it into words, `draw` and `page` show it, and `work` does it all.
"""

from .work import queue as queue
