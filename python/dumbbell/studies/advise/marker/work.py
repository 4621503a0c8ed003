"""Advice on a marker from the question to the page.

Three rounds of runs, each with the same seeds: all data buffers, at the deepest bucket that is
allowed; all buckets, at the chosen data buffer and without one; the advice in other networks.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from .... import api
from ...frame import publish
from ...frame.runs import Measure
from . import answer, conditions, judge, network, scale, sizes
from .conditions import Condition
from .document import Document
from .judge import Values
from .network import Case
from .options import Found, Marker, Options


def marker(
    options: Options, out: Path | None = None, measure: Measure = api.run, command: str = ""
) -> Document:
    """Simulates and returns the advice; with `out` its page (`index.html`, `advice.json`, figures)
    is written there.

    `ScenarioError` names the word that is wrong, before anything is run.
    """
    started = time.perf_counter()
    simulator = _Simulator(options, measure)
    if out is not None:
        publish.tools()
    found = _find(simulator)
    document = answer.document(
        options, simulator.laboratory.whole(complete=True), found, simulator.seeds
    )
    document |= {"command": command, "wall_s": time.perf_counter() - started}
    if out is not None:
        from . import draw, page

        drawn = draw.figures_of(document) if document["sentence"] else []
        publish.publish(document, drawn, partial(page.html, document), out, publish.ADVICE)
    return document


def _find(simulator: _Simulator) -> Found | None:
    """The three rounds; None if a run of the first two has no result."""
    scaled = simulator.scaled
    case = scaled.case
    bdp, allowed = case.bdp_packets, simulator.options.question.deepest_bucket
    usual = sizes.burst(allowed, bdp, case.packet_bytes)
    tried = sizes.sizes(bdp)
    by_size = dict(
        zip(tried, simulator.run([(case, (size, usual)) for size in tried]), strict=True)
    )
    if _complete(by_size.values()) and _chosen(by_size) == tried[-1]:
        tried = sizes.beyond(tried, bdp)
        by_size |= dict(
            zip(tried, simulator.run([(case, (size, usual)) for size in tried]), strict=True)
        )
    if not _complete(by_size.values()):
        return None
    size = _chosen(by_size)
    deep = sizes.bursts(bdp, case.packet_bytes, allowed)
    shallow = sizes.advised_bursts(bdp, case.packet_bytes, allowed)
    measured = {(0, usual): by_size[0], (size, usual): by_size[size]}
    rows = [(0, burst) for burst in deep] + [(size, burst) for burst in shallow]
    rows = [row for row in dict.fromkeys(rows) if row not in measured]
    measured |= dict(zip(rows, simulator.run([(case, row) for row in rows]), strict=True))
    if not _complete(measured.values()):
        return None
    alone = {burst: measured[0, burst] for burst in deep}
    by_burst = {burst: measured[size, burst] for burst in shallow}
    burst = _chosen(by_burst)
    others = _elsewhere(simulator, (size, burst), usual)
    return Found(scaled, usual, by_size, alone, by_burst, (size, burst), others)


def _elsewhere(
    simulator: _Simulator, advised: Marker, alone: int
) -> list[tuple[Condition, Mapping[int, Values]]]:
    """The advice and its neighbors in every other network; one whose runs failed is left out
    (`failures` has them)."""
    case, rate_scale = simulator.scaled.case, simulator.scaled.rate_scale
    met = list(conditions.conditions(case, rate_scale, advised, alone))
    rows = [(one.case, marker) for one in met for marker in one.markers().values()]
    each = iter(simulator.run(rows))
    found: list[tuple[Condition, Mapping[int, Values]]] = []
    for one in met:
        values = {size: next(each) for size in one.markers()}
        if _complete(values.values()):
            found.append((one, values))
    return found


def _chosen(found: Mapping[int, Values]) -> int:
    """The size that the rule takes; sizes from the smallest on."""
    return list(found)[judge.choose([of.total for of in found.values()])]


def _complete(found: Iterable[Values]) -> bool:
    return all(one.total for one in found)


class _Simulator:
    """Runs rounds of markers in networks."""

    def __init__(self, options: Options, measure: Measure) -> None:
        self.options = options
        self.laboratory = options.laboratory(network.scenario(), measure)
        self.packets = scale.packets_per_run(options.budget_s, options.seeds)
        self.scaled = scale.fit(Case.of(options.question), self.packets, options.length_s)
        self.seeds: list[int] = []

    def run(self, rows: Sequence[tuple[Case, Marker]]) -> list[Values]:
        """One round: what each row gave."""
        laid = []
        for case, (size, burst) in rows:
            lengths = scale.lengths(case, self.packets, self.options.length_s)
            laid.append(network.changes(case, size, burst, *lengths))
        if not self.laboratory.answers:
            self.laboratory.check(laid[:1], ["the requested network"])
        points = self.laboratory.run(laid)
        self.seeds = self.seeds or sorted(points[0].seeds)
        return [
            judge.values(point, case.packet_bytes)
            for point, (case, _) in zip(points, rows, strict=True)
        ]
