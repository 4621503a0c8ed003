"""Drop frequency of the core over the average queue: counted in simulation, and in theory."""

from __future__ import annotations

from dataclasses import dataclass

from ...present.stats import wilson95
from .icarus import simulate

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
        return wilson95(self.drops, self.decisions)


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
    parameters = [f"-Pdrop_curve.GAP={int(gap)}", f"-Pdrop_curve.Decisions={decisions}"]
    said = simulate("drop_curve", "core", parameters)
    return [Counted(*map(int, line.split())) for line in said.splitlines()]
