"""Loss tolerance: what one flow makes of a link that loses packets by chance, beside the laws of
Mathis and of PFTK."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from ...language.arguments import Choice
from ...present.grids import scaled
from ...present.units import significant
from ...validate.laws.tcp import throughput as laws
from ..frame.drawing import NamedFigure
from ..frame.runs import Run
from . import draw
from .document import Facts, Laws, Measured, known_sums, measured, place
from .grid import (
    Metric,
    Plan,
    Point,
    Sums,
    Survey,
    Values,
    all_goodput,
    mean_of,
    nothing,
    of_control,
    registered,
    seeds_of,
    times,
)
from .options import Options, bps, limit, seconds, several, single

RATE, RTT, BUFFER = "20Mbps", "40ms", "1 BDP"
LOSSES = (1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 2e-2, 5e-2)
QUICK = (1e-4, 1e-3, 1e-2)
MSS, HEADER, OPTIONS = 1460, 40, 12
LEAST_RTO_S = 1.0
"""The profile `rfc`'s least retransmission timeout, RFC 6298."""


def lay(options: Options) -> Plan:
    """One flow of each control over a link that loses each packet with each probability."""
    rate_text, rtt_text = single("--rate", options.rate, RATE), options.rtt or RTT
    rate, rtt = bps("--rate", rate_text), seconds("--rtt", rtt_text)
    buffer = single("--buffer", options.buffer, BUFFER)
    losses = several("--loss", options.losses, QUICK if options.quick else LOSSES, 0.0, 0.9)
    count = options.count(1)
    scenario: dict[str, object] = {
        "name": "table-loss-tolerance",
        **times(rate, rtt, count, options, least_s=300.0),
        "dumbbell": {
            "bottleneck": {"rate": f"{rate:.15g} bps", "delay": f"{rtt * 1e3 / 8:.6g} ms"}
        },
        "queue": options.queue_table(buffer),
        "flow": [
            {"name": "mine", "count": count, "rtt": f"{rtt * 1e3:.9g} ms", "start_spread": "2 s"}
        ],
        "tcp": {"mss": f"{MSS} B", "header": f"{HEADER} B"},
    }

    def points(ccs: Sequence[Choice]) -> list[Point]:
        return [
            Point(
                cc,
                (("loss", loss),),
                {**cc.at("flow.0.cc"), "dumbbell.bottleneck.impairment": _chance(loss)},
            )
            for cc in ccs
            for loss in losses
        ]

    best = rate * (MSS - OPTIONS) / (MSS + HEADER)
    facts: Facts = {
        "rate_bps": rate,
        "rtt_s": rtt,
        "buffer": limit(buffer),
        "queue": options.queue,
        "flows": count,
        "best_bps": best,
        "laws": _laws(losses, rtt, best, count),
    }
    return Plan(
        scenario, [{"key": "loss", "title": "random loss", "unit": ""}], points, (), None, facts
    )


def _chance(loss: float) -> list[dict[str, object]]:
    return [{"kind": "bernoulli", "loss": loss}] if loss > 0 else []


def _laws(losses: Sequence[float], rtt: float, best: float, flows: int) -> Laws:
    """Shares of the link that the laws of Reno have at these losses, with delayed acknowledgments
    and no queue."""
    bits = 8 * (MSS - OPTIONS) * flows

    def of(rate: float) -> float:
        return min(1.0, bits * rate / best)

    return {
        "mathis": [of(laws.mathis(p, rtt, 2)) if p > 0 else None for p in losses],
        "pftk": [of(laws.pftk(p, rtt, LEAST_RTO_S, acked=2)) if p > 0 else None for p in losses],
    }


def _retransmitted(run: Run) -> float | None:
    """Packets sent again over packets sent."""
    sent = sum(flow["sent_packets"] for flow in run["flows"])
    return sum(flow["retransmits"] for flow in run["flows"]) / sent if sent else None


SHARE = Metric("share", "share of the link", "1", nothing)
GOODPUT = registered("flow", "goodput_bps", all_goodput)
AGAIN = Metric("retransmitted_share", "sent again", "1", _retransmitted)
RTT_S = registered(
    "flow", "srtt_mean_s", lambda run: mean_of(run, "mine", "srtt_mean_s"), "round-trip time"
)
HALF = Metric("half_loss", "half is lost at", "1", nothing)
AT_ONE = Metric("share_at_1_percent", "share at 1 %", "1", nothing)


def derive(values: Values, plan: Plan) -> None:
    """Shares of the most that the link carries without headers."""
    best = plan.facts["best_bps"]
    for of in values.values():
        of[SHARE.key] = {seed: value / best for seed, value in of[GOODPUT.key].items()}


def half(points: Sequence[tuple[float, float]]) -> float | None:
    """The loss at which the share falls below a half, logarithmic between two losses. None if it
    does not."""
    ordered = sorted((p, share) for p, share in points if p > 0)
    for (p0, y0), (p1, y1) in itertools.pairwise(ordered):
        if y0 >= 0.5 > y1:
            part = (y0 - 0.5) / (y0 - y1)
            return math.exp(math.log(p0) + part * (math.log(p1) - math.log(p0)))
    return None


def sum_up(values: Values, names: Sequence[str], plan: Plan) -> Sums:
    """The loss at which half of the link is lost, and the share at 1 %."""
    found: Sums = {}
    for name in names:
        mine = of_control(values, name)
        places = {}
        for seed in seeds_of(mine, SHARE.key):
            place = half(
                [(float(dict(at)["loss"]), of[SHARE.key][seed]) for at, of in mine.items()]
            )
            if place is not None:
                places[seed] = place
        one = next(
            (
                of[SHARE.key]
                for at, of in mine.items()
                if math.isclose(float(dict(at)["loss"]), 0.01)
            ),
            {},
        )
        found[name] = {HALF.key: places, AT_ONE.key: dict(one)}
    return found


def say(document: Measured) -> list[str]:
    """The controls that bear most and least loss."""
    whole = [row["cc"] for row in document["summary"] if _never(document, row["cc"])]
    known = [(cc, cell["mean"]) for cc, cell in known_sums(document, HALF.key) if cc not in whole]
    found = []
    if whole:
        top = max(_losses(document))
        have = "has" if len(whole) == 1 else "have"
        found.append(
            f"{', '.join(whole)} {have} more than half of the link up to {scaled(top, '1')}."
        )
    if known:
        ordered = sorted(known, key=lambda pair: -pair[1])
        found.append(f"{ordered[0][0]} loses half of the link at a loss of {_loss(ordered[0][1])}.")
        if len(ordered) > 1:
            found.append(f"{ordered[-1][0]} is the first to lose it, at {_loss(ordered[-1][1])}.")
    return found or ["No congestion control fills half of the link at any of these losses."]


def _loss(p: float) -> str:
    return f"{significant(100 * p, 2)} %"


def _losses(document: Measured) -> set[float]:
    return {float(place(row, "loss")) for row in document["rows"]}


def _never(document: Measured, cc: str) -> bool:
    cells = (measured(row, SHARE.key) for row in document["rows"] if row["cc"] == cc)
    shares = [cell["mean"] for cell in cells if cell]
    return bool(shares) and min(shares) >= 0.5


def figures(document: Measured) -> list[NamedFigure]:
    """Shares by loss, with both laws; as a map where there are many."""
    caption = (
        "Share of the link that one flow fills, over the loss probability of a packet; means "
        "over the seeds with 95 % intervals. Gray: the laws of Reno by Mathis and others (1997) "
        "and by Padhye and others (1998), at the round-trip time without a queue."
    )
    losses = sorted(_losses(document))
    known = document["facts"]["laws"]
    curves = [(losses, known["mathis"], "Mathis"), (losses, known["pftk"], "PFTK")]
    lines = draw.lines(document, "loss", [SHARE.key], logy=True, curves=curves)
    found = [NamedFigure("loss", lines, caption)]
    if len(document["controls"]) > draw.MOST_LINES:
        heat = draw.heat(document, SHARE.key, middle=0.5, span=0.5, diverging=False)
        found.append(NamedFigure("loss-map", heat, "The same for every congestion control."))
    return found


SURVEY = Survey(
    name="loss-tolerance",
    title="Loss tolerance",
    definition=(
        "One flow has a link to itself that loses each packet at random, whatever the queue "
        "does. The share is its goodput over the maximum that the link carries without headers.",
        "The loss at which half of the link is lost is interpolated between the two losses on "
        "either side of it, for each seed. The laws are those of Reno with delayed "
        "acknowledgments: B = MSS/RTT sqrt(3/(4p)) (Mathis and others 1997), and the one with "
        "timeouts (Padhye and others 1998, a minimum timeout of 1 s), at most the link's rate.",
    ),
    metrics=(GOODPUT, AGAIN, RTT_S),
    shown=(SHARE, AGAIN, RTT_S),
    summary=(HALF, AT_ONE),
    lay=lay,
    derive=derive,
    sum_up=sum_up,
    say=say,
    draw=figures,
)
