"""Reno-friendliness: what a control takes from a standard TCP beside it, over buffers and
bandwidth-delay products."""

from __future__ import annotations

from collections.abc import Sequence

from ...present.grids import scaled
from ..frame.drawing import NamedFigure
from ..frame.paired import Cell, holds_zero
from . import draw, pairs
from .controls import opponent
from .document import Measured, measured, ranked
from .grid import UTILIZATION, Metric, Plan, Sums, Survey, Values, nothing
from .options import Options
from .pairs import DELAY, HARM, MEASURED, SHARE

RATES, QUICK_RATES = ("5Mbps", "20Mbps", "80Mbps"), ("5Mbps", "20Mbps")
BUFFERS, QUICK_BUFFERS = ("0.25", "0.5", "1", "2", "4"), ("0.5", "1", "4")
RTT, AGAINST = "40ms", "sack"
MEAN = Metric("mean_share", "mean share", "1", nothing)
WORST = Metric("mean_harm", "mean harm", "1", nothing)


def lay(options: Options) -> Plan:
    """Each control beside the standard TCP, and this beside itself."""
    rates = options.rate or (QUICK_RATES if options.quick else RATES)
    buffers = options.buffer or (QUICK_BUFFERS if options.quick else BUFFERS)
    against = opponent(options.against or AGAINST, options.use)
    return pairs.lay(options, against, rates, buffers, options.rtt or RTT, 1, reference=True)


def sum_up(values: Values, names: Sequence[str], plan: Plan) -> Sums:
    """Means over all conditions."""
    return pairs.means(values, names, [SHARE.key, HARM.key])


def say(document: Measured) -> list[str]:
    """The controls that take most, that leave most, and that equal the standard."""
    against = document["against"]
    known = [(cc, cell) for cc, cell in ranked(document, MEAN.key) if cc != against]
    if not known:
        return ["No congestion control has results to compare with the standard."]
    (least, little), (most, much) = known[0], known[-1]
    found = [
        f"{most} takes {_part(much)} of the goodput in competition with {against}, on average "
        "over all conditions."
    ]
    if len(known) > 1:
        found.append(f"{least} takes {_part(little)}.")
    harms = {row["cc"]: measured(row, WORST.key) for row in document["summary"]}
    alike = [cc for cc, _ in known if holds_zero(harms[cc])]
    if alike:
        found.append(
            f"{against} has no significant loss, on average, in competition with "
            f"{', '.join(alike)}."
        )
    return found


def _part(cell: Cell) -> str:
    return scaled(cell["mean"], "1")


def figures(document: Measured) -> list[NamedFigure]:
    """The shares as a map for each bandwidth-delay product, and the harm."""
    against = document["against"]
    caption = (
        f"Share of the goodput that a congestion control gets in competition with {against}, over "
        "the buffer and the link's rate. 50 % is even."
    )
    told = (
        f"Harm: how much less {against} gets in competition with a congestion control than with "
        "itself, under the same seeds. 0 % means no harm; a negative value is a benefit."
    )
    shares = draw.heat(document, SHARE.key, middle=0.5, span=0.5)
    harms = draw.heat(document, HARM.key, middle=0.0, span=1.0)
    return [NamedFigure("shares", shares, caption), NamedFigure("harm", harms, told)]


SURVEY = Survey(
    name="friendliness",
    title="Reno-friendliness",
    definition=(
        "Flows of a congestion control share a link with as many flows of a standard TCP "
        "(NewReno's window with SACK) at the same round-trip time. The share is that of all "
        "goodput.",
        "Harm is 1 - (goodput of the standard in competition with the congestion control) / (its "
        "goodput in competition with itself), under the same seeds (Ware and others, HotNets "
        "2019). RFC 5033 asks how a new congestion control affects the standard one; "
        "TCP-friendly means no harm.",
    ),
    metrics=MEASURED,
    shown=(SHARE, HARM, UTILIZATION, DELAY),
    summary=(MEAN, WORST),
    lay=lay,
    derive=pairs.harm,
    sum_up=sum_up,
    say=say,
    draw=figures,
)
