"""Experiments on a difference: a mechanism changed on one side, everything else as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....errors import ScenarioError
from ....language.arguments import refused
from .measures import KINDS

SIM, KERNEL = "sim", "kernel"


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment: the difference, the changed side, and the change."""

    text: str
    measure: str
    side: str
    overrides: Sequence[str]

    @property
    def label(self) -> str:
        """In a few words."""
        where = "simulator" if self.side == SIM else "kernel"
        return f"{' and '.join(self.overrides)} in the {where}"


def read(text: str) -> Experiment:
    """`MEASURE=[sim:|kernel:]KEY=VALUE[; KEY=VALUE]`: `srtt=tcp.tail_loss_probe=false`. Without a
    side it is the simulator's. `ScenarioError` if it is not so."""
    measure, equals, rest = text.partition("=")
    side = next((side for side in (SIM, KERNEL) if rest.strip().startswith(f"{side}:")), None)
    body = rest.strip()[len(side) + 1 :] if side else rest
    changes = [part.strip() for part in body.split(";") if part.strip()]
    if not equals or not changes or any("=" not in part for part in changes):
        fix = (
            "write MEASURE=KEY=VALUE, or MEASURE=kernel:KEY=VALUE, as in "
            "srtt=tcp.tail_loss_probe=false"
        )
        raise refused(f"--explain {text}", text, "this is not an experiment", fix)
    kind = measure.strip().partition(".")[0]
    if kind not in {known.key for known in KINDS}:
        known = ", ".join(one.key for one in KINDS)
        raise ScenarioError(
            f"--explain {text}\n{' ' * 10}{'^' * len(measure)} there is no measure `{kind}`\nhelp: "
            f"write one of {known}, or one of a flow or a queue, as share.far"
        )
    return Experiment(text, measure.strip(), side or SIM, changes)
