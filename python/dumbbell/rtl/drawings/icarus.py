"""Runs a bench of `rtl/red/tests/figures` in Icarus Verilog."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from ...errors import DumbbellError
from ...files.write import temporary_folder
from .. import sources, tools


def simulate(
    bench: str, design: str, options: Sequence[str] = (), arguments: Sequence[str] = ()
) -> str:
    """What the bench prints.

    bench: name of the file and of its top module. design: the list of sources that it drives.
    options: of the compiler. arguments: of the simulation. `EnvironmentLacks` without the simulator
    or the sources.
    """
    compiler = tools.ICARUS.need()
    file = sources.folder() / "tests" / "figures" / f"{bench}.sv"
    with temporary_folder() as scratch:
        program = str(Path(scratch) / "bench")
        files = [str(source) for source in (*sources.sources(design), file)]
        _run(bench, [compiler, "-g2012", "-s", bench, *options, "-o", program, *files])
        return _run(bench, ["vvp", "-n", program, *arguments])


def _run(bench: str, command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env=tools.environment())
    if done.returncode != 0:
        raise DumbbellError(f"the bench {bench} failed: {(done.stdout + done.stderr).strip()}")
    return done.stdout
