"""Many flows over one link, each an agent: a PettingZoo `ParallelEnv`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv  # type: ignore[import-untyped]

from .. import api
from . import observe
from .links import Link, Links
from .observe import LARGEST, Control, Desk, Utility
from .single import action_space, drawn, duration, observation_space

Floats = NDArray[np.float32]


class SharedLink(ParallelEnv):  # type: ignore[misc]
    """Flows that share a bottleneck. An agent's share of the link is measured against its fair
    share, the rate divided by the number of flows."""

    metadata: dict[str, Any] = {  # noqa: RUF012 (PettingZoo reads it)
        "render_modes": [],
        "name": "dumbbell_shared_link_v0",
    }

    def __init__(
        self,
        flows: int = 2,
        links: Link | Links | None = None,
        *,
        step_ms: float = 10.0,
        steps: int = 1000,
        control: Control = "window",
        utility: Utility | None = None,
        largest_window: float = LARGEST,
    ) -> None:
        self.possible_agents = [f"flow_{number}" for number in range(flows)]
        self.agents: list[str] = []
        self.links = links or Links()
        self.step_ms, self.steps, self.control = step_ms, steps, control
        self.utility = utility or Utility()
        self.largest_window = largest_window
        self.link = Link()
        self._spaces = {
            name: (observation_space(), action_space()) for name in self.possible_agents
        }
        self._random = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """`OBSERVED`, in its units."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The power of two that the window or the rate is multiplied by."""
        return self._spaces[agent][1]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Floats], dict[str, dict[str, Any]]]:
        """Begins an episode. options: `link`, instead of one that is drawn."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.link = (options or {}).get("link") or drawn(self.links, self._random)
        flows, step_s = len(self.agents), self.step_ms * 1e-3
        world = int(self._random.integers(2**31))
        length = duration(self.steps, self.step_ms, self.link)
        self._worlds = api.worlds([self.link.scenario(length, world, flows)], flows, step_s)
        self._desk = Desk(flows, step_s, self.control, self.largest_window)
        self._done = 0
        seen = observe.numbers(self._worlds.look(0))
        self._desk.begin(seen)
        return self._each(self._desk.observed(seen).astype(np.float32)), self._infos(seen)

    def step(
        self, actions: dict[str, Floats]
    ) -> tuple[
        dict[str, Floats],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Every flow decides, and all go on for `step_ms`."""
        given = [np.asarray(actions[name], dtype=np.float64).reshape(()) for name in self.agents]
        raw, ended = self._worlds.step(self._desk.orders(np.array(given)))
        seen = observe.numbers(raw)
        rows = self._desk.observed(seen)
        fair = np.array([self.link.rate_mbps / len(self.agents)])
        base = np.array([self.link.rtt_ms])
        rewards = self.utility.of(rows[:, 0], rows[:, 1], rows[:, 3], fair, base).tolist()
        self._done += 1
        over = self._done >= self.steps or bool(ended[0])
        answer = (
            self._each(rows.astype(np.float32)),
            self._each(rewards),
            dict.fromkeys(self.agents, False),
            dict.fromkeys(self.agents, over),
            self._infos(seen),
        )
        if over:
            self.agents = []
        return answer

    def _each(self, values: Any) -> dict[str, Any]:
        return dict(zip(self.agents, values, strict=True))

    def _infos(self, seen: observe.Array) -> dict[str, dict[str, Any]]:
        return self._each([{"link": self.link, **observe.named(row)} for row in seen])
