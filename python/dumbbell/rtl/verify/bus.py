"""The tests of the buses: cocotb on Icarus Verilog, one simulation for each build of a module.

`rtl/red/tests` has the tests; here is what is built with which parameters, and how the results come
back. Each build is a process of its own (the simulator holds the Python that runs the tests).
"""

from __future__ import annotations

import importlib
import os
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...files.write import temporary_folder
from .. import tools
from ..sources import TOPS, folder, sources

SEED = 20120601
"""Seed of all random choices in the tests, unless another is asked for."""
PATIENCE = 600.0
"""Seconds for a build and its tests, which take about ten."""


@dataclass(frozen=True)
class Bench:
    """One build, and the tests that are run on it."""

    name: str
    what: str
    """A list of sources: `module`, `axis`, `pipeline`."""
    tests: tuple[str, ...]
    """Modules of `rtl/red/tests`."""
    parameters: Mapping[str, int] = field(default_factory=dict, hash=False)
    only: str | None = None
    """A pattern for the names of the tests to run; a test that another build covers is not run
    twice."""


BENCHES = (
    Bench("module", "module", ("test_nf1g", "test_nf1g_full", "test_figure8")),
    Bench(
        "module deep", "module", ("test_nf1g",), {"DEPTH": 64}, "stopped|jumbo|shortest|pressure"
    ),
    Bench("module paper", "module", ("test_nf1g",), {"PAPER": 1}, "early|pressure|reset"),
    Bench("module registers", "module", ("test_regs",), {"REGS": 1}),
    Bench(
        "module constant",
        "module",
        ("test_nf1g", "test_regs"),
        {"REGS": 1, "CONSTANT": 1},
        "early|values|regtool",
    ),
    Bench(
        "module options",
        "module",
        ("test_nf1g", "test_regs", "test_options"),
        {"REGS": 1, "CLASSES": 4, "IDLE": 1, "ADAPT": 1, "GAP": 1, "DEPTH": 32},
        "line_rate|malformed|shortest|values|counters|test_options",
    ),
    Bench("axis", "axis", ("test_axis",)),
    Bench("axis narrow", "axis", ("test_axis",), {"DATA_WIDTH": 64}, "pauses|line_rate|flooded"),
    Bench("axis gap", "axis", ("test_axis",), {"GAP": 1, "DATA_WIDTH": 256}, "pauses|line_rate"),
    Bench("pipeline", "pipeline", ("test_pipeline",)),
)
"""Every build."""


@dataclass(frozen=True)
class Outcome:
    """One test on one build."""

    test: str
    """bench: name of the test."""
    passed: bool
    seconds: float
    text: str = ""
    """Message of a failure."""


def need() -> None:
    """`EnvironmentLacks` if the simulator or the bench's library is missing; it names the
    package."""
    for tool in (tools.ICARUS, tools.COCOTB):
        tool.need()


def run(names: Iterable[str] = (), *, seed: int = SEED, waves: Path | None = None) -> list[Outcome]:
    """Runs the tests of some builds (by default all). waves: a folder for what tests leave to be
    drawn.

    `EnvironmentLacks` if a tool is missing; a build that fails is a test that did not pass.
    """
    need()
    asked = set(names)
    unknown = asked - {bench.name for bench in BENCHES}
    if unknown:
        raise ValueError(f"there is no such bench: {', '.join(sorted(unknown))}")
    outcomes: list[Outcome] = []
    for bench in BENCHES:
        if not asked or bench.name in asked:
            with temporary_folder() as scratch:
                outcomes += _bench(bench, Path(scratch), seed, waves)
    return outcomes


def _bench(bench: Bench, scratch: Path, seed: int, waves: Path | None) -> list[Outcome]:
    # a process, because the runner prints and the library keeps state; its output is wanted only of
    # failures
    words = [
        sys.executable,
        "-P",
        "-m",
        "dumbbell.rtl.verify.bus",
        bench.name,
        str(scratch),
        str(seed),
    ]
    package = str(Path(__file__).parents[3])
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "DUMBBELL_RTL": str(folder())}
    if waves is not None:
        waves.mkdir(parents=True, exist_ok=True)
        env["RED_WAVES"] = str(waves.resolve())
    printed = scratch / "log.txt"
    if tools.run_group(words, printed, PATIENCE, cwd=scratch, env=env) is None:
        return [Outcome(f"{bench.name}: not done after {PATIENCE:.0f} s", False, PATIENCE)]
    log = printed.read_text(encoding="utf-8", errors="replace")
    results = scratch / "results.xml"
    if not results.exists():
        return [Outcome(f"{bench.name}: build", False, 0.0, log[-4000:])]
    return read(results, bench.name, log)


def read(results: Path, bench: str, log: str = "") -> list[Outcome]:
    """The outcomes in a file of cocotb's (JUnit's form)."""
    found = []
    for case in ET.parse(results).getroot().iter("testcase"):
        bad = [child for child in case if child.tag in ("failure", "error")]
        text = "\n".join(child.text or child.get("message") or "" for child in bad)
        name = f"{bench}: {case.get('classname', '').split('.')[-1]}.{case.get('name')}"
        found.append(
            Outcome(name, not bad, float(case.get("time", 0)), text and f"{text}\n{log[-3000:]}")
        )
    return found or [Outcome(f"{bench}: no test ran", False, 0.0, log[-4000:])]


def _simulate(bench: Bench, scratch: Path, seed: int) -> None:
    """In the process of the bench: builds, and runs."""
    top = TOPS[bench.what]
    tests = folder() / "tests"
    sys.path.insert(0, str(tests))
    runner = importlib.import_module("cocotb_tools.runner").get_runner("icarus")
    runner.build(
        sources=sources(bench.what),
        hdl_toplevel=top,
        parameters=bench.parameters,
        build_dir=scratch / "build",
        timescale=("1ns", "1ps"),
        always=True,
    )
    runner.test(
        hdl_toplevel=top,
        test_module=list(bench.tests),
        build_dir=scratch / "build",
        test_dir=scratch,
        seed=seed,
        test_filter=bench.only,
        results_xml=str(scratch / "results.xml"),
        extra_env={f"RED_{name}": str(value) for name, value in bench.parameters.items()}
        | {"COCOTB_ANSI_OUTPUT": "0"},
    )


if __name__ == "__main__":
    _simulate(
        next(bench for bench in BENCHES if bench.name == sys.argv[1]),
        Path(sys.argv[2]),
        int(sys.argv[3]),
    )
