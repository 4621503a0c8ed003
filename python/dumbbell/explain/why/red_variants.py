"""State of RED and its variants: an average between two thresholds, and what moved those."""

from __future__ import annotations

from ...present.units import plain_packets
from . import templates
from .finding import Decision
from .phrases import by_size, full, gauges, general, length, n, ordinal, said

NEED = {"avg", "p_b", "p_a", "count", "coin"}
COLORS = {"two": ("IN", "OUT"), "three": ("IN", "MID", "OUT")}


def red(d: Decision, remark: str = "") -> str:
    """RED's clause, of any variant that has its gauges. remark: which curve judged the packet, or
    what moved it, as a sentence of the catalogue."""
    return _red(d, _remark(d, remark))


def _red(d: Decision, moved: str) -> str:
    thresholds = _thresholds(d)
    if thresholds is None or not d.gauges.keys() >= NEED:
        return general(d)
    if d.reason == "overflow":
        return _too_slow(d, *thresholds)
    return _between(d, *thresholds, moved)


def _between(d: Decision, low: float, high: float, moved: str) -> str:
    g, average = d.gauges, f"the average queue was {length(d, d.gauges['avg'])}"
    gentle = bool(d.parameters.get("gentle"))
    if d.reason == "forced":
        beyond, top = ("twice max_th", 2 * high) if gentle else ("max_th", high)
        return f"{average}, not below {beyond} ({n(top)}){moved}, where RED signals every packet"
    if g["avg"] > high:
        where = f"{average}, between max_th {n(high)} and twice that (gentle)"
    else:
        where = f"{average}, between min_th {n(low)} and max_th {n(high)}"
    chance = f"{where}{moved}, so p_b = {n(g['p_b'])}{by_size(d)}"
    return f"{chance}; {coin(d)}{_weight(d)}"


def rio(d: Decision, _: str) -> str:
    """RED's clause with the color of the packet, and what its flow counts for."""
    return _red(d, _color(d))


def _weight(d: Decision) -> str:
    """The color that selected RIO's curve."""
    g = d.gauges
    if "weight" not in g or not g.get("class", 0.0):
        return ""
    because = ""
    if "hit_ratio" in g:
        because = (
            f": {n(100 * g['hit_ratio'])} % of the last OUT packets, from {n(g['flows'])} flows, "
            "were its own"
        )
    elif "r_ref" in g and g["r_ref"] > 0:
        because = f", the ratio of its reserved rate to the mean of {n(g['r_ref'])} bit/s"
    elif "spare" in g:
        because = f", from its reservation and round-trip time among {n(g['flows'])} flows"
    return f"; p_a is {n(g['weight'])} times RIO's{because}"


def coin(d: Decision) -> str:
    """The step from p_b to a signal, by the way in which signals are spaced."""
    g, law = d.gauges, str(d.parameters.get("spacing", "uniform"))
    if law == "bernoulli":
        return f"the random draw, {n(g['coin'])}, was below it"
    if law == "uniform_stored":
        return (
            f"{_since(round(g['count']))}, the random number drawn at that time, {n(g['coin'])}, "
            "was reached"
        )
    return (
        f"{_since(round(g['count']))}, which makes p_a = {n(g['p_a'])}, and the random draw, "
        f"{n(g['coin'])}, was below it"
    )


def hw(d: Decision, _: str) -> str:
    """RED in integers: a draw and a number that it is compared with."""
    g, thresholds = d.gauges, _thresholds(d)
    if thresholds is None or not {"avg", "p", "draw"} <= g.keys():
        return general(d)
    low, high = thresholds
    if d.reason == "overflow":
        return _too_slow(d, low, high)
    of_class = f" of class {n(g['class'])}" if d.parameters.get("classes") else ""
    average = f"the average queue was {length(d, g['avg'])}"
    if d.reason == "forced":
        return f"{average}, not below max_th{of_class} ({n(high)}), where every packet is dropped"
    at = (
        f" with max_p at {n(g['max_p'])} (first {said(d, 'max_p')})"
        if d.parameters.get("adaptive")
        else ""
    )
    chance = (
        f"{average}, between min_th {n(low)} and max_th {n(high)}{of_class}{at}, so p = {n(g['p'])}"
    )
    if d.parameters.get("gap"):
        return f"{chance}, and the rest of the number drawn at the last drop was below it"
    return f"{chance}, and the shift register, {n(g['draw'])}, was below it"


def choke(d: Decision, _: str) -> str:
    """Two of one flow, or RED."""
    if d.reason != "evicted" or "avg" not in d.gauges:
        return red(d)
    average = (
        f"the average queue was {length(d, d.gauges['avg'])}, not below min_th {said(d, 'min_th')}"
    )
    compared = "an arriving packet was compared with one drawn from the queue"
    return f"{average}, so {compared}; both belonged to this flow, and both were dropped"


def fred(d: Decision, _: str) -> str:
    """A flow's own packets beside its share, then RED."""
    g = d.gauges
    if not {"qlen", "avgcq", "strike", "active"} <= g.keys():
        return general(d)
    share = f"{n(g['avgcq'])} is the share of each of {n(g['active'])} flows"
    what = (
        "the waiting packets"
        if not d.parameters.get("byte_mode")
        else "the waiting bytes, in typical packets"
    )
    flow = f"its flow had {n(g['qlen'])} of {what}, where {share}"
    if d.reason == "forced":
        caught = {0: "never been caught", 1: "been caught once"}.get(
            round(g["strike"]), f"been caught {n(g['strike'])} times"
        )
        return (
            f"{flow}; it had {caught} with too many packets before; the average queue was "
            f"{length(d, g['avg'])}"
        )
    if d.reason == "overflow":
        return f"{full(d)}; {flow}"
    return (
        f"{flow}; the average queue was {length(d, g['avg'])}, so RED's p_b = "
        f"{n(g['p_b'])}{by_size(d)}; {coin(d)}"
    )


def _thresholds(d: Decision) -> tuple[float, float] | None:
    """min_th and max_th as they stood, or as the parameters have them."""
    if {"min_th", "max_th"} <= d.gauges.keys():
        return d.gauges["min_th"], d.gauges["max_th"]
    try:
        return plain_packets(d.parameters["min_th"]), plain_packets(d.parameters["max_th"])
    except (KeyError, ValueError):
        return None


def _remark(d: Decision, remark: str) -> str:
    try:
        return templates.filled(remark, d)
    except KeyError:
        return ""


def _color(d: Decision) -> str:
    """The color by whose curve the packet was judged."""
    if "class" not in d.gauges:
        return ""
    number = round(d.gauges["class"])
    colors = COLORS.get(str(d.parameters.get("precedences", "two")), ())
    return f" for {colors[number]}" if number < len(colors) else f" for class {number}"


def _since(count: int) -> str:
    if count <= 0:
        return "it was the first packet since the average rose above min_th"
    return f"it was the {ordinal(count)} packet since the last signal"


def _too_slow(d: Decision, low: float, high: float) -> str:
    average = d.gauges["avg"]
    if average >= high:
        return f"{full(d)}; the decision used {gauges(d)}"
    region, bound = ("below min_th", low) if average < low else ("still below max_th", high)
    whose = "RED's average" if d.algorithm == "red" else "the average"
    return (
        f"{full(d)}; {whose}, {length(d, average)}, was {region} ({n(bound)}) and too slow to "
        "follow"
    )
