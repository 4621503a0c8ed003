"""Many worlds with one flow each, stepped in one call: a Gymnasium `VectorEnv`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .. import api
from . import observe
from .links import Link, Links
from .observe import LARGEST, Control, Desk, Utility
from .single import action_space, drawn, duration, observation_space

Floats = NDArray[np.float32]


class CongestionVectorEnv(VectorEnv[Floats, Floats, NDArray[Any]]):
    """`CongestionEnv`, many times. A world whose episode is over begins a new one in the same step;
    `infos["final_obs"]` has the last observations."""

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int,
        links: Link | Links | None = None,
        *,
        step_ms: float = 10.0,
        steps: int = 1000,
        control: Control = "window",
        utility: Utility | None = None,
        largest_window: float = LARGEST,
    ) -> None:
        self.num_envs = num_envs
        self.links = links or Links()
        self.step_ms, self.steps = step_ms, steps
        self.utility = utility or Utility()
        self.single_observation_space = observation_space()
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.drawn = [Link()] * num_envs
        self._desk = Desk(num_envs, step_ms * 1e-3, control, largest_window)
        self._rate, self._base = np.ones(num_envs), np.ones(num_envs)
        self._done = np.zeros(num_envs, dtype=np.int64)
        self._worlds: api.Worlds | None = None

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begins an episode in every world. seed: one number for all. options: `links`, a link for
        each world, instead of ones that are drawn."""
        super().reset(seed=seed[0] if isinstance(seed, list) else seed)
        given = (options or {}).get("links") or [None] * self.num_envs
        scenarios = [self._next(place, link) for place, link in enumerate(given)]
        self._worlds = api.worlds(scenarios, 1, self.step_ms * 1e-3)
        seen = np.concatenate(
            [observe.numbers(self._worlds.look(place)) for place in range(self.num_envs)]
        )
        self._desk.begin(seen)
        self._done[:] = 0
        return self._desk.observed(seen).astype(np.float32), {}

    def step(
        self, actions: Any
    ) -> tuple[Floats, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Decides in every world, and goes on for `step_ms`."""
        if self._worlds is None:
            raise RuntimeError("reset() comes before step()")
        actions = np.asarray(actions, dtype=np.float64).reshape(self.num_envs)
        raw, ended = self._worlds.step(self._desk.orders(actions))
        rows = self._desk.observed(observe.numbers(raw))
        rewards = self.utility.of(rows[:, 0], rows[:, 1], rows[:, 3], self._rate, self._base)
        self._done += 1
        over = (self._done >= self.steps) | np.frombuffer(ended, dtype=np.bool_)
        observations = rows.astype(np.float32)
        infos: dict[str, Any] = {}
        if over.any():
            infos = {"final_obs": observations.copy(), "_final_obs": over}
            for place in np.flatnonzero(over).tolist():
                observations[place] = self._again(place)
        return observations, rewards, np.zeros(self.num_envs, dtype=np.bool_), over, infos

    def _next(self, place: int, given: Link | None = None) -> str:
        """The scenario of a world's next episode."""
        link = given or drawn(self.links, self.np_random)
        self.drawn[place] = link
        self._rate[place], self._base[place] = link.rate_mbps, link.rtt_ms
        seed = int(self.np_random.integers(2**31))
        return link.scenario(duration(self.steps, self.step_ms, link), seed)

    def _again(self, place: int) -> observe.Array:
        """Begins the next episode of a world; its first observation."""
        assert self._worlds is not None
        api.replace(self._worlds, place, self._next(place))
        self._done[place] = 0
        seen = observe.numbers(self._worlds.look(place))
        self._desk.begin(seen, slice(place, place + 1))
        first: observe.Array = Desk(1, self.step_ms * 1e-3, "window").observed(seen)[0]
        return first


def make_vec(
    num_envs: int, links: Link | Links | None = None, **options: Any
) -> CongestionVectorEnv:
    """`CongestionVectorEnv`, whose options these are."""
    return CongestionVectorEnv(num_envs, links, **options)
