"""Advice on an MTU from the question to the page: the flow by itself and beside its neighbors at
each size."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from .... import api
from ...frame import publish
from ...frame.design import Row
from ...frame.runs import Laboratory, Measure
from . import answer, network, scale
from .document import Document
from .options import Options, Run
from .question import Question
from .scale import Case

_ALONE, _BESIDE = 0.6, 0.2
"""Parts of the budget for packets of the flow by itself, and for those of the flow beside its
neighbors, which are about as many again."""


def mtu(
    options: Options, out: Path | None = None, measure: Measure = api.run, command: str = ""
) -> Document:
    """Simulates and returns the advice; with `out` its page (`index.html`, `advice.json`, figures)
    is written there.

    `ScenarioError` names the word that is wrong, before anything is run.
    """
    started = time.perf_counter()
    laboratory = options.laboratory(network.scenario(), measure)
    if out is not None:
        publish.tools()
    alone = _sweep(options, laboratory, _ALONE, network.alone)
    beside = _sweep(options, laboratory, _BESIDE, network.beside)
    found = answer.document(options, laboratory.whole(complete=True), alone, beside)
    found |= {"command": command, "wall_s": time.perf_counter() - started}
    if out is not None:
        from . import draw, page

        drawn = draw.figures_of(found) if found["sentence"] else []
        publish.publish(found, drawn, partial(page.html, found), out, publish.ADVICE)
    return found


def _sweep(
    options: Options, laboratory: Laboratory, part: float, lay: Callable[[Question, Case], Row]
) -> list[Run]:
    """One run of each size and seed, as a sweep."""
    cases = [
        scale.fit(options.question, size, options.packets(part), options.length_s)
        for size in options.question.mtus
    ]
    rows = [lay(options.question, case) for case in cases]
    if not laboratory.answers:
        laboratory.check(rows[:1], ["the requested path"])
    return [Run.read(case, point) for case, point in zip(cases, laboratory.run(rows), strict=True)]
