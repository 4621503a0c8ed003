"""What a reproduction found, in sentences: numbers, and whether they reproduce the paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from ..files.declared import filled
from ..present import stats
from ..present.units import significant
from . import predicate, verdict
from .document import ClaimRow
from .entries import Finding
from .predicate import Family

_WORDS = {
    verdict.REPRODUCED: "reproduced",
    verdict.IN_PART: "reproduced in part",
    verdict.CONTRADICTED: "not reproduced",
    verdict.NOT_TESTABLE: "not testable",
}


def sentences(
    findings: Iterable[Finding], known: Mapping[str, Family], claims: Iterable[ClaimRow]
) -> list[str]:
    """Each finding with its numbers and the verdict on its claim. A finding whose numbers were
    not measured, or are not finite, such as a ratio over a flow that got nothing, is left out."""
    verdicts = {claim["id"]: claim["verdict"] for claim in claims}
    found = []
    for one in findings:
        said = {name: shown(text, known) for name, text in one.show.items()}
        if one.claim in verdicts and None not in said.values():
            found.append(f"{filled(one.text, said)}: {_WORDS[verdicts[one.claim]]}.")
    return found


def shown(text: str, known: Mapping[str, Family]) -> str | None:
    """The mean of an expression as text, or the range of its means over its points; None if its
    numbers were not measured or are not finite."""
    if not predicate.names(text) <= known.keys():
        return None
    means = [stats.mean(runs) for runs in predicate.evaluate(text, known).values]
    if not all(map(math.isfinite, means)):
        return None
    ends = dict.fromkeys(significant(x, 3).replace("-", "−") for x in (min(means), max(means)))
    return " to ".join(ends)
