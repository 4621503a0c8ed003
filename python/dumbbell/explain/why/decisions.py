"""The state behind a decision, in sentences: those of the algorithm's page, a story that several
algorithms share, or a general sentence that names every gauge, for algorithms that users write
too."""

from __future__ import annotations

from collections.abc import Callable

from ... import catalogue
from . import red_variants, schedulers, shared, templates
from .finding import Decision
from .phrases import full, gauges, general

Story = Callable[[Decision, str], str]
"""Tells of a decision; the text is the remark of the algorithm's page."""


def explained(d: Decision) -> str:
    """The reason of this decision: a clause that follows a colon."""
    if d.reason == "link":
        return _wire(d)
    if d.reason == "mtu":
        return "it was larger than the link's MTU"
    if d.reason == "overflow" and d.gauges.keys() >= shared.GAUGES:
        return shared.full(d)
    page = catalogue.pages(*DECIDE).get(d.algorithm)
    if page is None:
        return _in_general(d)
    return explained_by(page, d)


def explained_by(page: catalogue.Algorithm, d: Decision) -> str:
    """The reason of this decision in the words of the algorithm's page."""
    said = templates.first(page.explained.get("clauses", ()), d)
    if said is None and (story := page.explained.get("story")):
        return STORIES[story](d, page.explained["remark"])
    return said or _in_general(d)


def _in_general(d: Decision) -> str:
    return _full(d) if d.reason == "overflow" else general(d)


def _full(d: Decision) -> str:
    """The queue was full; what the algorithm thought of it is said besides."""
    seen = gauges(d)
    return f"{full(d)}; the decision used {seen}" if seen else full(d)


def _wire(d: Decision) -> str:
    if not d.algorithm:
        return "the link lost it"
    told = []
    for kind, config in d.parameters.items():
        values = ", ".join(
            f"{k} = {v}" for k, v in config.items() if isinstance(v, int | float | str)
        )
        told.append(f"{kind} ({values})" if values else kind)
    return f"no queue was involved; the link has the impairment {', '.join(told)}"


DECIDE = ("aqm", "qdisc", "meter", "conditioner")
"""The kinds of algorithms that drop or mark."""
STORIES: dict[str, Story] = {
    "red": red_variants.red,
    "rio": red_variants.rio,
    "red_hw": red_variants.hw,
    "choke": red_variants.choke,
    "fred": red_variants.fred,
    "classes": schedulers.classes,
}
"""Stories that take more than a sentence, by the name that pages give."""
