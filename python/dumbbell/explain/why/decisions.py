"""The state behind a decision, in sentences: one function for each algorithm that has a story, and
a general one that names every gauge for all others, those that users write included."""

from __future__ import annotations

from collections.abc import Callable

from . import controllers, meters, red_variants, schedulers
from .finding import Decision
from .phrases import full, gauges, general, n

Explain = Callable[[Decision], str]


def explained(d: Decision) -> str:
    """The reason of this decision: a clause that follows a colon."""
    if d.reason == "link":
        return _wire(d)
    if d.reason == "mtu":
        return "it was larger than the link's MTU"
    if d.algorithm in EXPLAIN:
        return EXPLAIN[d.algorithm](d)
    return _full(d) if d.reason == "overflow" else general(d)


def _full(d: Decision) -> str:
    """The queue was full; what the algorithm thought of it is said besides."""
    seen = gauges(d)
    return f"{full(d)}; the decision saw {seen}" if seen else full(d)


def _drop_tail(d: Decision) -> str:
    return _full(d)


def _wire(d: Decision) -> str:
    if not d.algorithm:
        return "the wire lost it"
    told = []
    for kind, config in d.parameters.items():
        values = ", ".join(
            f"{k} = {v}" for k, v in config.items() if isinstance(v, int | float | str)
        )
        told.append(f"{kind} ({values})" if values else kind)
    return f"no queue had a say: the link's impairment is {', '.join(told)}"


def _tbf(d: Decision) -> str:
    if d.reason == "overflow":
        return _full(d)
    if "tokens" not in d.gauges:
        return general(d)
    return f"the bucket held {n(d.gauges['tokens'])} bytes of tokens" + (
        f" and {n(d.gauges['backlog'])} bytes waited for more" if "backlog" in d.gauges else ""
    )


POLICING = ("sfb",)
"""Queues that police flows which do not respond, as a conditioner would."""

_REDS = ("red", "adaptive_red", "dt_red", "ea_red", "feng_red", "gred", "wred")

EXPLAIN: dict[str, Explain] = {
    "drop_tail": _drop_tail,
    "tbf": _tbf,
    **meters.EXPLAIN,
    **dict.fromkeys(_REDS, red_variants.red),
    **dict.fromkeys(red_variants.RIOS, red_variants.rio),
    "red_hw": red_variants.hw,
    "red_rtl": red_variants.hw,
    "choke": red_variants.choke,
    "fred": red_variants.fred,
    "jersey_cw": red_variants.jersey,
    "avq": controllers.avq,
    "blue": controllers.blue,
    "cobalt": controllers.cobalt,
    "codel": controllers.codel,
    "dualpi2": controllers.pi2,
    "green": controllers.green,
    "pi": controllers.pi,
    "pi2": controllers.pi2,
    "pie": controllers.pie,
    "rem": controllers.rem,
    "sfb": controllers.sfb,
    **dict.fromkeys(schedulers.BY, schedulers.flow_queue),
    "fq": schedulers.fq,
    "sfq": schedulers.sfq,
    **dict.fromkeys(("drr", "prio", "wfq"), schedulers.classes),
}
"""The algorithms that have a sentence of their own. Another one needs a function here, and has
`general` till then."""
