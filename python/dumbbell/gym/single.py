"""One flow over one link, as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .. import api
from . import observe
from .links import Link, Links
from .observe import LARGEST, OBSERVED, Control, Desk, Utility

Floats = NDArray[np.float32]


def observation_space() -> spaces.Space[Any]:
    """`OBSERVED`, in its units."""
    return spaces.Box(0.0, np.inf, (len(OBSERVED),), np.float32)


def action_space() -> spaces.Space[Any]:
    """The power of two that the window or the rate is multiplied by."""
    return spaces.Box(-1.0, 1.0, (1,), np.float32)


class CongestionEnv(gymnasium.Env[Floats, Floats]):
    """One flow. An episode is `steps` steps of `step_ms` over a link that `reset` draws; it is
    truncated then and never terminates. The same seed gives the same packets."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium reads it)

    def __init__(
        self,
        links: Link | Links | None = None,
        *,
        step_ms: float = 10.0,
        steps: int = 1000,
        control: Control = "window",
        utility: Utility | None = None,
        largest_window: float = LARGEST,
    ) -> None:
        self.links = links or Links()
        self.step_ms, self.steps, self.control = step_ms, steps, control
        self.utility = utility or Utility()
        self.largest_window = largest_window
        self.observation_space = observation_space()
        self.action_space = action_space()
        self.link = Link()
        self._worlds: api.Worlds | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begins an episode. options: `link`, instead of one that is drawn."""
        super().reset(seed=seed)
        given = (options or {}).get("link")
        self.link = given or drawn(self.links, self.np_random)
        world = int(self.np_random.integers(2**31))
        scenario = self.link.scenario(duration(self.steps, self.step_ms, self.link), world)
        self._worlds = api.worlds([scenario], 1, self.step_ms * 1e-3)
        self._desk = Desk(1, self.step_ms * 1e-3, self.control, self.largest_window)
        self._done = 0
        seen = observe.numbers(self._worlds.look(0))
        self._desk.begin(seen)
        return self._observed(seen)[0], self._info(seen)

    def step(self, action: Any) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Decides, and goes on for `step_ms`."""
        if self._worlds is None:
            raise RuntimeError("reset() comes before step()")
        orders = self._desk.orders(np.asarray(action, dtype=np.float64).reshape(1))
        raw, ended = self._worlds.step(orders)
        seen = observe.numbers(raw)
        observation, reward = self._observed(seen)
        self._done += 1
        truncated = self._done >= self.steps or bool(ended[0])
        return observation, reward, False, truncated, self._info(seen)

    def _observed(self, seen: observe.Array) -> tuple[Floats, float]:
        row = self._desk.observed(seen)
        fair, base = np.array([self.link.rate_mbps]), np.array([self.link.rtt_ms])
        reward = self.utility.of(row[:, 0], row[:, 1], row[:, 3], fair, base)
        return row[0].astype(np.float32), float(reward[0])

    def _info(self, seen: observe.Array) -> dict[str, Any]:
        return {"link": self.link, **observe.named(seen[0])}


def drawn(links: Link | Links, random: np.random.Generator) -> Link:
    """The link, or one of the links."""
    return links if isinstance(links, Link) else links.draw(random)


def duration(steps: int, step_ms: float, link: Link) -> float:
    """Simulated seconds that suffice for an episode and the handshake before it."""
    return steps * step_ms * 1e-3 + 10 * link.rtt_ms * 1e-3 + 10.0
