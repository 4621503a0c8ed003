"""The advised MTU, by a rule that was fixed before any number.

**The choice.** Of the MTUs that may be advised the smallest whose throughput is at most 5 % below
the largest of them: a larger packet must bring something, for it costs neighbors and asks more of
every link and host of the path. Throughput is what was simulated, and at most what the host is
through with.

**May be advised** what is in use on equipment of many makers (1500 to 9180 bytes: less is for paths
that demand it), what CRC-32 guards with a Hamming distance of 4, and what keeps a neighbor's
packet waiting for at most the time that is allowed (1 ms, unless said), or no longer than a
standard frame does. Where sizes are asked for by name, use does not count. If none is left, the
smallest is advised, with a warning.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....models import ethernet_fcs
from . import closed_forms, sizes
from .document import Candidate
from .question import Question

NEAR = 0.05
"""Largest distance of the advised throughput from the best."""


def objections(question: Question, mtu: int) -> list[str]:
    """Reasons against an MTU, whatever its throughput: `use`, `small`, `crc`, `wait`."""
    found = []
    if question.mtus == sizes.USUAL and mtu > sizes.IN_USE:
        found.append("use")
    if question.mtus == sizes.USUAL and mtu < sizes.ETHERNET:
        found.append("small")
    if ethernet_fcs.distance(mtu + ethernet_fcs.FRAME) < 4:
        found.append("crc")
    standard = closed_forms.frame_s(sizes.ETHERNET, question.rate_bps)
    if closed_forms.frame_s(mtu, question.rate_bps) > max(question.most_wait_s, standard):
        found.append("wait")
    return found


def choose(rows: Sequence[Candidate]) -> int:
    """The place of the advised row; rows from the smallest MTU on, each with `useful_bps` and
    `objections`."""
    allowed = [i for i, row in enumerate(rows) if not row["objections"]]
    if not allowed:
        return 0
    most = max(rows[i]["useful_bps"] for i in allowed)
    return next(i for i in allowed if rows[i]["useful_bps"] >= (1 - NEAR) * most)
