"""A control beside another one on one link: what friendliness and coexistence have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...language.arguments import Choice
from ..frame.design import Row
from ..frame.runs import Run
from .document import Facts, Title, Value
from .grid import (
    UTILIZATION,
    Metric,
    Plan,
    Point,
    Sums,
    Values,
    all_goodput,
    goodput,
    nothing,
    of_control,
    queue,
    registered,
    seeds_of,
    times,
    unlocked,
)
from .options import Options, bdp, bps, limit, seconds

MINE, OTHER = "mine", "other"
BUFFER = Title(key="buffer", title="buffer", unit="BDP")
RATE = Title(key="rate", title="rate", unit="bps")


def share(run: Run) -> float | None:
    """The first side's share of all goodput; None if nobody got anything."""
    both = all_goodput(run)
    return goodput(run, MINE) / both if both > 0 else None


SHARE = registered("flow", "share", share)
THEIRS = registered(
    "flow", "goodput_bps", lambda run: goodput(run, OTHER), "goodput of the other", "other_bps"
)
HARM = Metric("harm", "harm", "1", nothing)
DELAY = registered("queue", "p99_sojourn_s", lambda run: queue(run, "p99_sojourn_s"), "p99 delay")
MEASURED = (SHARE, THEIRS, UTILIZATION, DELAY)


def lay(
    options: Options,
    against: Choice,
    rates: Sequence[str],
    buffers: Sequence[str],
    rtt: str,
    flows: int,
    reference: bool,
) -> Plan:
    """Flows of each control beside as many of `against`, at each buffer on a link of each rate."""
    count = options.count(flows)
    speeds = sorted({bps("--rate", text) for text in rates})
    rtt_s = seconds("--rtt", rtt)
    held = list(dict.fromkeys(limit(text) for text in buffers))
    side = {"count": count, "start_spread": "2 s", "rtt": f"{rtt_s * 1e3:.9g} ms"}
    scenario: dict[str, object] = {
        "name": "table",
        **times(speeds[0], rtt_s, 2 * count, options),
        "dumbbell": {
            "bottleneck": {"rate": f"{speeds[0]:.15g} bps", "delay": f"{rtt_s * 1e3 / 8:.6g} ms"}
        },
        "queue": options.queue_table(held[0]),
        "flow": [{"name": name, **side} for name in (MINE, OTHER)],
    }

    def points(ccs: Sequence[Choice]) -> list[Point]:
        return [
            Point(
                cc,
                _at(speed, buffer, len(speeds)),
                _set(cc, against, speed, buffer, rtt_s, count, options),
            )
            for cc in ccs
            for speed in speeds
            for buffer in held
        ]

    axes = [BUFFER, RATE] if len(speeds) > 1 else [BUFFER]
    facts: Facts = {
        "against": against.text,
        "rtt_s": rtt_s,
        "rates_bps": speeds,
        "queue": options.queue,
        "flows": count,
    }
    return Plan(scenario, axes, points, (), against if reference else None, facts)


def _at(speed: float, buffer: str, speeds: int) -> tuple[tuple[str, Value], ...]:
    size = bdp(buffer)
    held: tuple[tuple[str, Value], ...] = (("buffer", buffer if size is None else size),)
    return (*held, ("rate", speed)) if speeds > 1 else held


def _set(
    cc: Choice,
    against: Choice,
    speed: float,
    buffer: str,
    rtt_s: float,
    count: int,
    options: Options,
) -> Row:
    return {
        **cc.at("flow.0.cc"),
        **against.at("flow.1.cc"),
        "dumbbell.bottleneck.rate": f"{speed:.15g} bps",
        "dumbbell.bottleneck.reverse.impairment": unlocked(speed),
        "queue.limit": buffer,
        **times(speed, rtt_s, 2 * count, options),
    }


def harm(values: Values, plan: Plan) -> None:
    """1 - what the other side gets beside a control / what it gets beside its like, seed by seed,
    under the same seeds.

    R. Ware, M. K. Mukerjee, S. Seshan, J. Sherry: Beyond Jain's fairness index, HotNets 2019: harm
    is what a flow loses to a newcomer, to be compared with what it loses to one of its own kind.
    Here the latter is 0.
    """
    if plan.reference is None:
        return
    like = {at: of[THEIRS.key] for (name, at), of in values.items() if name == plan.reference.text}
    for (_, at), of in values.items():
        theirs = like.get(at, {})
        of[HARM.key] = {
            seed: 1 - got / theirs[seed]
            for seed, got in of[THEIRS.key].items()
            if theirs.get(seed, 0) > 0
        }


def means(values: Values, names: Sequence[str], keys: Sequence[str]) -> Sums:
    """The mean of each control over all conditions, seed by seed."""
    found: Sums = {}
    for name in names:
        mine = of_control(values, name)
        found[name] = {
            f"mean_{key}": {
                seed: math.fsum(of[key][seed] for of in mine.values()) / len(mine)
                for seed in seeds_of(mine, key)
            }
            for key in keys
        }
    return found
