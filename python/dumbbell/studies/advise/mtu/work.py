"""Advice on an MTU from the question to the page: the flow by itself and beside its neighbours at
each size."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .... import api
from ....files.write import write_json, write_text
from ...compare.queues import design
from ...compare.queues.design import Base
from ..queue import tc_lines
from . import answer, calls, network, scale
from .options import Options, Run
from .question import Question
from .scale import Case

_ALONE, _BESIDE = 0.6, 0.2
"""Parts of the budget for packets of the flow by itself, and for those of the flow beside its
neighbours, which are about as many again."""

Document = dict[str, Any]
Measure = Callable[[dict[str, Any]], dict[str, Any]]


def mtu(
    options: Options, out: Path | None = None, measure: Measure = api.run, command: str = ""
) -> Document:
    """Simulates and returns the advice; with `out` its page (`index.html`, `advice.json`, figures)
    is written there.

    `ScenarioError` names the word that is wrong, before anything is run.
    """
    started = time.perf_counter()
    tc_lines.settle(
        {"kind": "drop_tail", "limit": "2 pkt"}, 1e6, options.dev
    )  # Refuses what is not a device name.
    if out is not None:
        from ..queue.page import tools

        tools()  # May be missing: better said before the runs.
    simulator = _Simulator(options, measure)
    alone, beside = simulator.alone(), simulator.beside()
    known = all(run.goodput_bps for run in (*alone, *beside))
    document = {
        **simulator.whole(),
        **(answer.document(options, alone, beside) if known else {"sentence": None}),
    }
    document = {
        "kind": "mtu",
        **document,
        "command": command,
        "wall_s": time.perf_counter() - started,
    }
    if out is not None:
        _write(document, out)
    return document


class _Simulator:
    """Runs all cases, and remembers what all of them together came to."""

    def __init__(self, options: Options, measure: Measure) -> None:
        self.options = options
        self.measure = measure
        self._parts: list[Document] = []

    def alone(self) -> list[Run]:
        """The flow by itself at every size."""
        return self._sweep(_ALONE, network.alone)

    def beside(self) -> list[Run]:
        """The path with neighbors."""
        return self._sweep(_BESIDE, network.beside)

    def _sweep(self, part: float, lay: Callable[[Question, Case], dict[str, Any]]) -> list[Run]:
        """One run of each size and seed, as a sweep."""
        options = self.options
        cases = [
            scale.fit(options.question, size, options.packets(part), options.length_s)
            for size in options.question.mtus
        ]
        base = Base(network.scenario(), "advice", "queue", "bottleneck", (), 0, ({},), ())
        laid = [lay(options.question, case) for case in cases]
        if not self._parts:
            design.check(base, laid[:1], ["the path that is asked for"], ())
        data = self.measure(
            design.request(base, laid, (), replications=options.seeds, **options.options)
        )
        self._parts.append(data)
        return [
            _run(case, point) for case, point in zip(cases, data.get("points", [data]), strict=True)
        ]

    def whole(self) -> Document:
        """The version, whether every run is valid, the worst exit code, failures, how many runs
        were in the store."""
        return {
            "version": self._parts[0].get("version"),
            "valid": all(part.get("valid", False) for part in self._parts),
            "code": max(int(part.get("code", 0)) for part in self._parts),
            "failures": [one for part in self._parts for one in part.get("failures") or []],
            "from_store": sum(part.get("from_store") or 0 for part in self._parts),
        }


def _run(case: Case, point: Mapping[str, Any]) -> Run:
    """The results of a case; runs without a result are left out, and nothing of one that is short
    of some is taken."""
    every = point.get("runs") or [point]
    runs = [run for run in every if "flows" in run]
    if len(runs) < len(every):
        return Run(case, (), ())
    crowded = any(flow["name"] == network.NEIGHBOR for flow in runs[0]["flows"])
    return Run(
        case,
        [run["seed"] for run in runs],
        [_goodput(run, network.FLOW) for run in runs],
        [_goodput(run, network.NEIGHBOR) for run in runs] if crowded else (),
        [calls.of_run(run) for run in runs] if crowded else (),
        point.get("fingerprint"),
    )


def _goodput(run: Mapping[str, Any], name: str) -> float:
    return float(next(flow["goodput_bps"] for flow in run["flows"] if flow["name"] == name))


def _write(document: Document, directory: Path) -> None:
    """The page with its figures, and the document beside it."""
    from ....figures import save
    from . import draw, page

    drawn = draw.figures_of(document) if document["sentence"] else []
    document["page"] = str((directory / "index.html").resolve())
    document["figures"] = [
        str(path) for one in drawn for path in save(one.figure, directory / "figures" / one.name)
    ]
    write_json(directory / "advice.json", document)
    write_text(directory / "index.html", page.html(document, drawn))
