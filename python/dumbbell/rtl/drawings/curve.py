"""Drop frequency of the core over the average queue: counted in simulation, and in theory."""

from __future__ import annotations

import math
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import DumbbellError
from ...files.write import temporary_folder
from .. import sources, tools

WIDTH, MAX_P = 6144, 0.02
"""Parameters of the test bench: 6 packets from threshold to threshold, and the core's default
slope."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One place of the curve: how far the average is above the minimum threshold [1/1024 packets],
    and what was counted there."""

    above: int
    decisions: int
    drops: int

    @property
    def share(self) -> float:
        """Share of its packets that were dropped."""
        return self.drops / self.decisions

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the probability, drops taken as independent."""
        n, p, z = self.decisions, self.share, 1.96
        middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def theory(above: int, gap: bool = False) -> float:
    """RED's equation: p_b rises from 0 to max_p. With gaps uniform on 1 to 1/p_b their mean is (1 +
    1/p_b) / 2."""
    if above < 0:
        return 0.0
    if above >= WIDTH:
        return 1.0
    p = MAX_P * above / WIDTH
    return 2 * p / (1 + p) if gap else p


def count(gap: bool = False, decisions: int = 20000) -> list[Counted]:
    """Runs `drop_curve.sv` in Icarus Verilog, half a minute for 20,000 decisions a place.

    `EnvironmentLacks` without it or without the sources.
    """
    compiler = tools.ICARUS.need()
    bench = sources.folder() / "tests" / "figures" / "drop_curve.sv"
    parameters = [f"-Pdrop_curve.GAP={int(gap)}", f"-Pdrop_curve.Decisions={decisions}"]
    with temporary_folder() as scratch:
        program = Path(scratch) / "bench"
        _run(
            [
                compiler,
                "-g2012",
                "-s",
                "drop_curve",
                *parameters,
                "-o",
                program,
                *sources.sources("core"),
                bench,
            ]
        )
        said = _run(["vvp", "-n", program])
    return [Counted(*map(int, line.split())) for line in said.splitlines()]


def _run(command: list[Any]) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, env=tools.environment()
    )
    if done.returncode != 0:
        raise DumbbellError(f"the drop curve's bench failed: {(done.stdout + done.stderr).strip()}")
    return done.stdout
