"""What an algorithm's decision saw, as a teacher would say it: one function for each algorithm that has a story, and a
general one that names every gauge for all others, those that users write included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..units import significant
from .finding import Decision

Explain = Callable[[Decision], str]


def explained(d: Decision) -> str:
    """Why this decision fell as it did: a clause that follows a colon."""
    if d.reason == "link":
        return _wire(d)
    if d.reason == "mtu":
        return "it was larger than the link's MTU"
    if d.reason == "overflow":
        return _full(d)
    return EXPLAIN.get(d.algorithm, general)(d)


def general(d: Decision) -> str:
    """Every gauge by its own name: right for any algorithm."""
    found = _found(d)
    seen = ", ".join(f"{name} = {_n(value)}" for name, value in d.gauges.items())
    return f"{found}; its decision saw {seen}" if seen else found


def _red(d: Decision) -> str:
    need = {"avg", "p_b", "p_a", "count", "coin", "min_th", "max_th"}
    if not need <= d.gauges.keys():
        return general(d)
    g, low, high = d.gauges, d.gauges["min_th"], d.gauges["max_th"]
    average = f"the average queue was {_n(g['avg'])} packets"
    if d.reason == "forced":
        top = 2 * high if d.parameters.get("gentle") else high
        beyond = "twice max_th" if d.parameters.get("gentle") else "max_th"
        return f"{average}, not below {beyond} ({_n(top)}), where RED signals every packet"
    law = str(d.parameters.get("spacing", "uniform"))
    if g["avg"] > high:
        where = f"{average}, between max_th {_n(high)} and twice that (gentle)"
    else:
        where = f"{average}, between min_th {_n(low)} and max_th {_n(high)}"
    chance = f"{where}, so p_b = {_n(g['p_b'])}"
    since = _since(round(g["count"]))
    if law == "bernoulli":
        return f"{chance}; the coin, {_n(g['coin'])}, fell below it"
    if law == "uniform_stored":
        return f"{chance}; {since}, and the number drawn then, {_n(g['coin'])}, had come due"
    return f"{chance}; {since}, which makes p_a = {_n(g['p_a'])}, and the coin, {_n(g['coin'])}, fell below it"


def _since(count: int) -> str:
    if count <= 0:
        return "it was the first packet since the average had come above min_th"
    return f"it was the {_ordinal(count)} packet since the last signal"


def _full(d: Decision) -> str:
    """The queue was full; what the algorithm thought of it is said besides."""
    limit = f", its limit is {d.limit}" if d.limit and d.limit != "unlimited" else ""
    found = "the queue had no room for it" if d.queue_packets is None else f"{_waiting(d.queue_packets)}{limit}"
    if d.algorithm == "red" and {"avg", "max_th"} <= d.gauges.keys() and d.gauges["avg"] < d.gauges["max_th"]:
        low = d.gauges["avg"] < d.gauges["min_th"]
        region = "below min_th" if low else "still below max_th"
        bound = d.gauges["min_th"] if low else d.gauges["max_th"]
        return (
            f"{found}; RED's average, {_n(d.gauges['avg'])} packets, was {region} ({_n(bound)}) and too slow to see it"
        )
    seen = ", ".join(f"{name} = {_n(value)}" for name, value in d.gauges.items())
    return f"{found}; the decision saw {seen}" if seen else found


def _wire(d: Decision) -> str:
    if not d.algorithm:
        return "the wire lost it"
    told = []
    for kind, config in d.parameters.items():
        values = ", ".join(f"{k} = {v}" for k, v in config.items() if isinstance(v, int | float | str))
        told.append(f"{kind} ({values})" if values else kind)
    return f"no queue had a say: the link's impairment is {', '.join(told)}"


def _drop_tail(d: Decision) -> str:
    return _full(d)


def _tbf(d: Decision) -> str:
    if "tokens" not in d.gauges:
        return general(d)
    return f"the bucket held {_n(d.gauges['tokens'])} bytes of tokens" + (
        f" and {_n(d.gauges['backlog'])} bytes waited for more" if "backlog" in d.gauges else ""
    )


EXPLAIN: dict[str, Explain] = {"red": _red, "drop_tail": _drop_tail, "tbf": _tbf}
"""The algorithms that have a sentence of their own. Another one needs a function here, and has `general` till then."""


def _found(d: Decision) -> str:
    return "what it found waiting is not recorded" if d.queue_packets is None else _waiting(d.queue_packets)


def _waiting(packets: int) -> str:
    return f"it found {packets} packet{'s' if packets != 1 else ''} waiting"


def _n(value: Any) -> str:
    return significant(float(value), 4)


def _ordinal(n: int) -> str:
    tail = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{tail}"
