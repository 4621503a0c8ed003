"""Congestion controls side by side, a table for each question: who gets what at other round-trip times, beside a
standard TCP, beside each other over buffers, and under random loss.

`options` is what was asked for, `controls` says which controls are asked, `grid` what a survey is made of; each survey
is a module (`rtt_fairness`, `friendliness`, `coexistence`, `loss_tolerance`) that lays controls and conditions into
one scenario and sums up what came back; `work` does it all by the code of `schemes`, and `draw`, `page` and `text`
show it.
"""

from .options import Options as Options
from .work import SURVEYS as SURVEYS
from .work import survey as survey
