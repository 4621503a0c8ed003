"""Asks the solver about properties (`formal.py`), each by itself, as many at a time as there are
cores."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import tools
from ..synthesis import yosys
from .formal import Property, Verdict

NEEDED = (tools.YOSYS, tools.SMTBMC, tools.YICES)
SECONDS = 600
"""Longest time for one query of the solver."""

Heard = Callable[[Verdict], None]


def prove(
    properties: Sequence[Property],
    sources: Callable[[str], Sequence[Path]],
    include: Path,
    work: Path,
    heard: Heard = lambda verdict: None,
) -> list[Verdict]:
    """A verdict on each property, in their order; traces and models stay in `work`.

    sources: the files of a list (`core`, `module`). include: where the files of properties are.
    Without a tool every verdict is `not run`.
    """
    lacking = next((tool for tool in NEEDED if tool.find() is None), None)
    if lacking is not None:
        why = f"{lacking.name} is not installed: {lacking.install}"
        return [Verdict(one, "not run", why) for one in properties]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        groups: dict[Any, list[tuple[int, Property]]] = {}
        for place, one in enumerate(properties):
            groups.setdefault(one.model, []).append((place, one))
        models = {
            threads.submit(_model, group, sources, include, work): group
            for group in groups.values()
        }
        asked: dict[Future[Verdict], int] = {}
        for made in as_completed(models):
            made.result()
            asked |= {
                threads.submit(_verdict, one, work / f"{place}"): place
                for place, one in models[made]
            }
        found: dict[int, Verdict] = {}
        for answered in as_completed(asked):
            found[asked[answered]] = answered.result()
            heard(answered.result())
    return [found[place] for place in range(len(properties))]


def _model(
    group: Sequence[tuple[int, Property]],
    sources: Callable[[str], Sequence[Path]],
    include: Path,
    work: Path,
) -> None:
    """Writes models of the properties of one module, one set of parameters:
    `work/PLACE/{property,own,cover}.smt2`."""
    first = group[0][1]
    instead = {name.removesuffix("_any.sv"): include / name for name in first.stand_ins}
    files = [instead.get(file.stem, file) for file in sources(first.files)]
    sets = [f"-chparam {name} {value}" for name, value in first.parameters.items()]
    commands = [
        *(
            f"read_verilog -sv -formal -defer -DFV_{first.top.upper()} -I{include} {file}"
            for file in files
        ),
        f"hierarchy -check -top {first.top} {' '.join(sets)}",
        "proc",
        "flatten",
        "memory_nordff",
        "async2sync",
        "chformal -assume -early",
        "opt_clean",
        "formalff -setundef -clk2ff -ff2anyinit -hierarchy",
        "chformal -live -fair -remove",
        "opt_clean",
        "check",
        "setundef -undriven -anyseq",
        "opt -fast",
        "memory_map -formal",
        "formalff -setundef -clk2ff -ff2anyinit",
        "opt -fast",
        "opt_clean",
        "design -save prepared",
    ]
    for place, one in group:
        there = work / f"{place}"
        there.mkdir(parents=True, exist_ok=True)
        for name, asserts, covers in (
            ("property", (*one.asserts, *one.lemmas), ()),
            ("own", one.asserts, ()),
            ("cover", (), one.covers),
        ):
            commands += [
                "design -load prepared",
                *_kept("assert", asserts),
                *_kept("cover", covers),
                "opt_clean",
                "formalff -assume",
                "dffunmap",
                f"write_smt2 -wires {there / name}.smt2",
            ]
    yosys.run(commands, work)


def _kept(kind: str, labels: Iterable[str]) -> list[str]:
    """Commands that remove every assertion or cover whose label is not among these; each of these
    must exist."""
    # A label has the path of its module before it where that was flattened into another.
    places = [f"c:{label} c:*.{label} %u t:${kind} %i" for label in labels]
    there = [f"select -assert-min 1 {place}" for place in places]
    rest = " ".join([f"t:${kind}", *(f"{place} %d" for place in places)])
    return [*there, f"chformal -{kind} -remove {rest}"]


def _verdict(one: Property, there: Path) -> Verdict:
    """Outcome of the solver for a property whose models are in `there`."""
    start = time.monotonic()
    verdict, why, trace = _asked(one, there)
    return Verdict(one, verdict, why, trace, time.monotonic() - start)


def _asked(one: Property, there: Path) -> tuple[str, str | None, Path | None]:
    depth = str(one.depth)
    base = _solve(there, "property", "base", "-t", depth)
    if not base.passed:
        own = _solve(there, "own", "base", "-t", depth) if one.lemmas else base
        if not own.passed:
            return "failed", own.why, own.trace
        return "failed", f"an assumption does not hold: {base.why}", base.trace
    if one.covers:
        cover = _solve(there, "cover", "cover", "-c", "-t", str(one.cover_depth))
        if not cover.passed:
            return "failed", f"no run reaches the described situation: {cover.why}", None
    if not one.bounded:
        step = _solve(there, "property", "induction", "-i", "-t", depth)
        if not step.passed:
            # The step's trace begins anywhere. A longer run from reset says more, if there is one.
            own = _solve(there, "own", "longer", "-t", str(max(one.depth, one.cover_depth)))
            if not own.passed and own.trace:
                return "failed", own.why, own.trace
            return (
                "failed",
                f"not inductive, and no run of {one.cover_depth} clocks breaks it: {step.why}",
                step.trace,
            )
    return "proved", None, None


@dataclass(frozen=True)
class Answer:
    """Output of smtbmc for one query."""

    passed: bool
    why: str = ""
    trace: Path | None = None


def _solve(there: Path, model: str, question: str, *words: str) -> Answer:
    trace = there / f"{model}-{question}.vcd"
    command = [
        tools.SMTBMC.need(),
        "-s",
        "yices",
        "--presat",
        "--noprogress",
        "--dump-vcd",
        str(trace),
        *words,
        str(there / f"{model}.smt2"),
    ]
    log = there / f"{model}-{question}.log"
    # The solver is a child of smtbmc, and ends with its process group.
    code = tools.run_group(command, log, SECONDS, cwd=there, env=tools.environment())
    if code is None:
        return Answer(False, f"the solver gave no answer within {SECONDS} s")
    printed = log.read_text(encoding="utf-8")
    if code == 0 and "Status: PASSED" in printed:
        return Answer(True)
    said = re.findall(r"(?:Assert failed in|Unreached cover statement at) (.*)", printed)
    return Answer(
        False,
        "; ".join(dict.fromkeys(said)) or printed.strip()[-300:],
        trace if trace.exists() else None,
    )
