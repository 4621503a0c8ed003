"""State of controllers: a probability that follows a delay, a length, a price or losses, and
CoDel's clock."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps

from ...present.units import seconds, time_text
from .finding import Decision
from .phrases import full, general, n, said, time

Story = Callable[[Decision], str]


def needs(*gauges: str) -> Callable[[Story], Story]:
    """A story that is told only of a decision with these gauges; any other one is told in
    general."""

    def of(story: Story) -> Story:
        @wraps(story)
        def told(d: Decision) -> str:
            return story(d) if d.gauges.keys() >= set(gauges) else general(d)

        return told

    return of


@needs("p_m", "coin")
def blue(d: Decision) -> str:
    """One probability, moved by losses and idleness."""
    p_m = n(d.gauges["p_m"])
    if d.reason == "overflow":
        return f"{full(d)}; BLUE's p_m was {p_m}, and each loss raises it by {said(d, 'd1')}"
    return (
        f"p_m was {p_m}, whatever the queue's length, and the coin, {n(d.gauges['coin'])}, "
        "fell below it"
    )


@needs("p_min", "q_min", "coin")
def sfb(d: Decision) -> str:
    """BLUE in hashed bins."""
    g = d.gauges
    smallest = f"the smallest p_m of its flow's {said(d, 'levels')} bins was {n(g['p_min'])}"
    if d.reason == "overflow":
        return f"{full(d)}; {smallest} when last looked at"
    if d.reason == "policed":
        return f"{smallest}, so its flow does not respond, and the penalty box had no token for it"
    if d.reason == "forced" and g["q_min"] > 0 and not g["coin"] < 2 * g["p_min"] - 1:
        held = f"each of its flow's {said(d, 'levels')} bins held {n(g['q_min'])} packets or more"
        return f"{held}; a bin may hold {said(d, 'max')}"
    return f"{smallest}, and the coin, {n(g['coin'])}, fell below it"


@needs("drop_prob", "qdelay", "coin")
def pie(d: Decision) -> str:
    """A probability that follows the delay."""
    g = d.gauges
    delay = f"the delay was last {time(g['qdelay'])}, its target is {said(d, 'target')}"
    burst = g.get("burst_allowance", 0)
    if d.reason == "overflow":
        allowed = f"; it let a burst pass for another {time(burst)}" if burst > 0 else ""
        return f"{full(d)}; PIE's drop_prob was {n(g['drop_prob'])}, {delay}{allowed}"
    if d.reason == "forced":
        above = f"above mark_ecnth {said(d, 'mark_ecnth')}, where ECN does not spare a packet"
        return f"drop_prob was {n(g['drop_prob'])}, {above}; {delay}"
    if g["coin"] < g["drop_prob"]:
        how = f"and the coin, {n(g['coin'])}, fell below it"
    else:
        how = "and what it had been since the last signal had added up"
    return f"drop_prob was {n(g['drop_prob'])} {how}; {delay}"


@needs("p", "p_c", "p_cl", "qdelay", "coin")
def pi2(d: Decision) -> str:
    """A linear pressure, its square for Classic packets and a multiple for Scalable ones."""
    g = d.gauges
    delay = f"the delay was last {time(g['qdelay'])}, its target is {said(d, 'target')}"
    if d.reason == "overflow":
        return f"{full(d)}; p' was {n(g['p'])}, {delay}"
    pressure = f"p' was {n(g['p'])}"
    if d.reason == "head":
        ramp = f"its queue's own ramp stood at {n(g.get('p_l', 0))}, above k p' = {n(g['p_cl'])}"
        return f"it is Scalable and {ramp}; {delay}"
    if d.reason == "forced":
        return (
            f"{pressure}, where k p' = {n(g['p_cl'])} means overload and ECN does not spare "
            f"a packet; {delay}"
        )
    if d.marked:
        rule = (
            f"Scalable packets are marked with k p' = {n(g['p_cl'])}, Classic ones with p'^2 "
            f"= {n(g['p_c'])}"
        )
    else:
        rule = f"Classic packets are dropped with p'^2 = {n(g['p_c'])}"
    return f"{pressure}, so {rule}{_lot(d)}; {delay}"


def _lot(d: Decision) -> str:
    """The step from the square of p', or a multiple of it, to a signal."""
    if d.algorithm == "pi2" and not d.marked:
        return f": the larger of two coins, {n(d.gauges['coin'])}, fell below p'"
    if d.parameters.get("chance") == "recur":
        return ", and what that had added up to passed 1"
    return f"; the coin was {n(d.gauges['coin'])}"


@needs("p", "q_old", "coin")
def pi(d: Decision) -> str:
    """A probability that follows the length."""
    g = d.gauges
    length = (
        f"the queue was last sampled with {n(g['q_old'])} packets, its reference is "
        f"{said(d, 'q_ref')}"
    )
    if d.reason == "overflow":
        return f"{full(d)}; PI's p was {n(g['p'])}, {length}"
    return f"p was {n(g['p'])}, and the coin, {n(g['coin'])}, fell below it; {length}"


@needs("price", "p", "coin")
def rem(d: Decision) -> str:
    """A price, and a probability that is exponential in it."""
    g = d.gauges
    price = f"the price was {n(g['price'])}, so p = 1 - {said(d, 'phi')}^-price = {n(g['p'])}"
    return (
        f"{full(d)}; {price}"
        if d.reason == "overflow"
        else f"{price}, and the coin, {n(g['coin'])}, fell below it"
    )


@needs("virtual_capacity", "virtual_queue")
def avq(d: Decision) -> str:
    """A slower link beside the real one."""
    g = d.gauges
    virtual = (
        f"a virtual link of {n(g['virtual_capacity'] / 1e6)} Mbps had "
        f"{n(g['virtual_queue'] / 1e3)} "
        "kB waiting"
    )
    return f"{full(d)}; {virtual}" if d.reason == "overflow" else f"{virtual}, and no room for it"


@needs("p", "n", "coin")
def green(d: Decision) -> str:
    """TCP's formula, backwards."""
    g = d.gauges
    model = f"{n(g['n'])} flows were active, to which TCP's formula gives p = {n(g['p'])}"
    return (
        f"{full(d)}; {model}"
        if d.reason == "overflow"
        else f"{model}, and the coin, {n(g['coin'])}, fell below it"
    )


@needs("sojourn", "count", "dropping")
def codel(d: Decision) -> str:
    """A delay that stood for an interval, then a control law."""
    g, target, interval = d.gauges, said(d, "target"), said(d, "interval")
    waited = f"waited {time(g['sojourn'])}"
    if d.reason == "overflow":
        state = (
            "was dropping"
            if g["dropping"]
            else "was not dropping yet: the delay must stand for an interval first"
        )
        return (
            f"{full(d)}; CoDel {state}; the packet that left last had {waited}, the target "
            f"is {target}"
        )
    if not g["dropping"]:
        return f"it had {waited}, longer than ce_threshold {said(d, 'ce_threshold')}"
    if d.marked and said(d, "ce_threshold") != "0 s":
        return f"it had {waited}; target is {target}, ce_threshold {said(d, 'ce_threshold')}"
    count = round(g["count"])
    if count == g.get("lastcount"):
        stood = (
            f"no packet had waited less than target, {target}, for a whole interval of {interval}"
        )
        began = f"{stood}, so CoDel began to signal"
        more = (
            f", and at a count of {count}, since it had done so shortly before" if count > 1 else ""
        )
        return f"{began}{more}"
    law = (
        f"the next signal is due {interval} / sqrt({count}){_law(d, count)} after the time "
        "at which this one was"
    )
    return (
        f"it had {waited}, and no packet less than target, {target}, since CoDel began to "
        f"signal; {law}"
    )


def _law(d: Decision, count: int) -> str:
    try:
        return f" = {time_text(seconds(str(d.parameters['interval'])) / math.sqrt(count))}"
    except (KeyError, ValueError):
        return ""


@needs("sojourn", "count", "p_drop", "coin")
def cobalt(d: Decision) -> str:
    """CoDel with a memory, and BLUE for what does not respond."""
    g = d.gauges
    if d.reason == "overflow":
        return f"{full(d)}; it raised BLUE's p_drop to {n(g['p_drop'])}"
    if d.reason == "forced":
        return f"BLUE's p_drop was {n(g['p_drop'])}, and the coin, {n(g['coin'])}, fell below it"
    waited = f"it had waited {time(g['sojourn'])}, and the target is {said(d, 'target')}"
    return f"{waited}; a signal was due, with a count of {n(g['count'])}"
