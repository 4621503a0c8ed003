"""RTT fairness: what flows of one control get of a link whose round-trip times differ.

The goodput of the near flows over that of the far ones is (RTT of the far / RTT of the near)^a. The
exponent a is fitted on logarithmic axes through the point of equal round-trip times, over all
ratios, seed by seed. a = 0 is fair; 1 is a window's rate W / RTT where all lose at the same rate
(T. V. Lakshman, U. Madhow, IEEE/ACM Transactions on Networking 5(3), 1997: between 1 and 2 for Reno
at Drop Tail queues, where losses are synchronized).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...language.arguments import Choice
from ...present.grids import cell
from ..frame.drawing import NamedFigure
from ..frame.paired import holds_zero
from ..frame.runs import Run
from . import draw
from .document import Facts, Measured, known_sums
from .grid import (
    PACKET,
    UTILIZATION,
    BySeeds,
    Metric,
    Plan,
    Point,
    Sums,
    Survey,
    Values,
    all_goodput,
    goodput,
    mean_of,
    nothing,
    of_control,
    registered,
    seeds_of,
    times,
    unlocked,
)
from .options import Options, bdp, bps, limit, seconds, several, single

RATE, RTT, BUFFER, RATIOS, QUICK = "20Mbps", "20ms", "1 BDP", (1.0, 2.0, 4.0, 8.0), (1.0, 4.0)
NEAR, FAR = "near", "far"


def lay(options: Options) -> Plan:
    """Two sides of one control, the far one at each ratio."""
    rate_text, rtt_text = single("--rate", options.rate, RATE), options.rtt or RTT
    rate, rtt = bps("--rate", rate_text), seconds("--rtt", rtt_text)
    buffer = single("--buffer", options.buffer, BUFFER)
    ratios = several("--ratio", options.ratios, QUICK if options.quick else RATIOS, 1.0, 1000.0)
    count, size = options.count(2), bdp(buffer)
    held = buffer if size is None else f"{max(1, int(size * rate * rtt / 8 / PACKET))} pkt"
    side = {"count": count, "start_spread": "2 s"}
    scenario: dict[str, object] = {
        "name": "table-rtt-fairness",
        **times(rate, rtt * max(ratios), 2 * count, options),
        "dumbbell": {
            "bottleneck": {
                "rate": f"{rate:.15g} bps",
                "delay": f"{rtt * 1e3 / 8:.6g} ms",
                "reverse": {"impairment": unlocked(rate)},
            }
        },
        "queue": options.queue_table(held),
        "flow": [{"name": name, "rtt": _ms(rtt), **side} for name in (NEAR, FAR)],
    }

    def points(ccs: Sequence[Choice]) -> list[Point]:
        return [
            Point(cc, (("ratio", ratio),), {**cc.at("flow.*.cc"), "flow.1.rtt": _ms(rtt * ratio)})
            for cc in ccs
            for ratio in ratios
        ]

    facts: Facts = {
        "rate_bps": rate,
        "rtt_s": rtt,
        "buffer": limit(buffer),
        "queue": options.queue,
        "flows": count,
    }
    return Plan(
        scenario,
        [{"key": "ratio", "title": "RTT of far flows over RTT of near flows", "unit": ""}],
        points,
        (),
        None,
        facts,
    )


def _ms(rtt_s: float) -> str:
    return f"{rtt_s * 1e3:.9g} ms"


def advantage(run: Run) -> float | None:
    """Goodput of the near flows over that of the far ones; None if these got nothing."""
    far = goodput(run, FAR)
    return goodput(run, NEAR) / far if far > 0 else None


def _rtts(run: Run) -> float | None:
    """The far flows' mean measured round-trip time over the near ones', queueing included."""
    near, far = mean_of(run, NEAR, "srtt_mean_s"), mean_of(run, FAR, "srtt_mean_s")
    return far / near if near and far else None


ADVANTAGE = Metric("advantage", "near over far", "", advantage)
MEASURED = Metric("rtt_ratio", "measured RTT ratio", "", _rtts)
ALL = registered("flow", "goodput_bps", all_goodput, "goodput of all")
EXPONENT = Metric("exponent", "exponent", "", nothing)
EFFECTIVE = Metric("effective_exponent", "exponent of measured RTTs", "", nothing)


def exponent(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The slope through the origin of log(advantage) by log(ratio): least squares. None without a
    ratio but 1."""
    logs = [(math.log(x), math.log(y)) for x, y in pairs if x > 0 and y > 0]
    squares = math.fsum(x * x for x, _ in logs)
    return math.fsum(x * y for x, y in logs) / squares if squares > 1e-12 else None


def sum_up(values: Values, names: Sequence[str], plan: Plan) -> Sums:
    """The exponents of each control, seed by seed."""
    found: Sums = {}
    for name in names:
        mine = of_control(values, name)
        of: BySeeds = {EXPONENT.key: {}, EFFECTIVE.key: {}}
        for seed in seeds_of(mine, ADVANTAGE.key):
            base = [(float(dict(at)["ratio"]), m[ADVANTAGE.key][seed]) for at, m in mine.items()]
            seen = [
                (m[MEASURED.key][seed], m[ADVANTAGE.key][seed])
                for at, m in mine.items()
                if seed in m[MEASURED.key] and dict(at)["ratio"] != 1.0
            ]
            for key, value in ((EXPONENT.key, exponent(base)), (EFFECTIVE.key, exponent(seen))):
                if value is not None:
                    of[key][seed] = value
        found[name] = of
    return found


def say(document: Measured) -> list[str]:
    """The fairest and the least fair, and which favor the far flows."""
    known = sorted(known_sums(document, EXPONENT.key), key=lambda pair: abs(pair[1]["mean"]))
    if not known:
        return ["No exponent: ask for a ratio of round-trip times that is not 1."]
    (fair, nearest), (least, farthest) = known[0], known[-1]
    found = [f"Nearest to fair is {fair}: goodput ~ RTT^-({cell(nearest, digits=3)})."]
    if len(known) > 1:
        found.append(f"Farthest from it is {least}: RTT^-({cell(farthest, digits=3)}).")
    zero = [name for name, exponent in known if holds_zero(exponent)]
    if zero:
        found.append(
            f"The interval of {', '.join(zero)} includes 0: round-trip times have no significant "
            "effect."
        )
    return found


def figures(document: Measured) -> list[NamedFigure]:
    """The ratios of goodputs with the fitted powers, and the exponents."""
    caption = (
        "Goodput of near flows over that of far flows, over the ratio of their round-trip times, "
        "on logarithmic axes; means over the seeds with 95 % intervals. Gray: exponents 0, 1 and "
        "2."
    )
    guides = [(lambda x, k=k: x**k, f"a = {k}") for k in (0, 1, 2)]
    lines = draw.lines(document, "ratio", [ADVANTAGE.key], logy=True, guides=guides)
    ranks = draw.ranks(document, EXPONENT.key, {0.0: "fair", 1.0: "1/RTT"})
    told = "The fitted exponent of each control, with its 95 % interval. 0 is fair."
    return [NamedFigure("ratios", lines, caption), NamedFigure("exponents", ranks, told)]


SURVEY = Survey(
    name="rtt-fairness",
    title="RTT fairness",
    definition=(
        "Near and far flows of one congestion control share a link. A power law through (1, 1) "
        "is fitted to the ratio of their goodputs over the ratio of their round-trip times "
        "without queues: near / far = (RTT far / RTT near)^a, least squares on logarithmic axes, "
        "for each seed. The buffer is the same at all ratios; a BDP is that of near flows.",
        "a = 0 is fair for every round-trip time; a = 1 means the same window for all flows; "
        "Reno has 1 to 2 at Drop Tail queues (Lakshman and Madhow 1997). The second exponent "
        "uses measured round-trip times, with queueing: a long queue makes round-trip times more "
        "equal.",
    ),
    metrics=(ADVANTAGE, MEASURED, ALL, UTILIZATION),
    shown=(ADVANTAGE, MEASURED, ALL, UTILIZATION),
    summary=(EXPONENT, EFFECTIVE),
    lay=lay,
    derive=lambda values, plan: None,
    sum_up=sum_up,
    say=say,
    draw=figures,
)
