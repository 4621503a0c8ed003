"""Congestion controls side by side, a table for each question: RTT fairness, friendliness,
coexistence over buffers, and tolerance of random loss.

`options` is the request, `controls` selects the congestion controls, `grid` has the parts of a
survey. Each survey is a module (`rtt_fairness`, `friendliness`, `coexistence`, `loss_tolerance`)
that lays controls and conditions into one scenario and summarizes the results. `work` runs it by
the code of `studies.compare.queues`; `draw`, `page` and `terminal` show it.
"""

from .options import Options as Options
from .work import SURVEYS as SURVEYS
from .work import survey as survey
