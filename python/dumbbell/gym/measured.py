"""Controls of the catalogue, run in the steps of an environment and judged by its utility."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import api
from . import observe
from .links import Link
from .observe import Desk, Utility
from .single import duration


@dataclass(frozen=True, slots=True)
class Score:
    """Means over the steps of an episode."""

    utility: float
    goodput_mbps: float
    rtt_ms: float
    resent: float
    """Share of bytes that were sent again, mean of the steps."""


def score(
    control: str,
    links: Sequence[Link],
    *,
    seed: int = 1,
    step_ms: float = 10.0,
    steps: int = 1000,
    utility: Utility | None = None,
) -> list[Score]:
    """How a control of the catalogue does on links, one episode each. It decides as in any run; an
    environment looks on."""
    worth, many = utility or Utility(), len(links)
    scenarios = [
        link.scenario(duration(steps, step_ms, link), seed + place, under=control)
        for place, link in enumerate(links)
    ]
    worlds = api.worlds(scenarios, 1, step_ms * 1e-3)
    desk = Desk(many, step_ms * 1e-3, "window")
    desk.begin(np.concatenate([observe.numbers(worlds.look(place)) for place in range(many)]))
    rate = np.array([link.rate_mbps for link in links])
    base = np.array([link.rtt_ms for link in links])
    sums = np.zeros((many, 4))
    nothing = np.full((many, 2), np.nan).tobytes()
    for _ in range(steps):
        raw, _ = worlds.step(nothing)
        rows = desk.observed(observe.numbers(raw))
        worths = worth.of(rows[:, 0], rows[:, 1], rows[:, 3], rate, base)
        sums += np.column_stack([worths, rows[:, 0], rows[:, 1], rows[:, 3]])
    return [Score(*map(float, row)) for row in sums / steps]
