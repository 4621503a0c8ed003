"""Environments for controls that learn: one flow as a Gymnasium `Env`, many flows as a PettingZoo
`ParallelEnv`, and many worlds in one call as a Gymnasium `VectorEnv`.

    from dumbbell import gym

    env = gym.CongestionEnv(gym.Links(rate_mbps=(5, 50), rtt_ms=(20, 100)))
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step([0.1])

They need `pip install 'dumbbell[gym]'`. docs/how-to/gym.md describes observations, actions and
rewards.
"""

from __future__ import annotations

try:
    import gymnasium as _gymnasium  # noqa: F401
    import pettingzoo as _pettingzoo  # type: ignore[import-untyped]  # noqa: F401
except ImportError as lacking:
    raise ImportError(
        f"dumbbell.gym needs {lacking.name}: pip install 'dumbbell[gym]'", name=lacking.name
    ) from None

from .links import Link, Links
from .measured import Score, score
from .observe import OBSERVED, Control, Utility
from .parallel import SharedLink
from .single import CongestionEnv
from .vector import CongestionVectorEnv, make_vec

__all__ = [
    "OBSERVED",
    "CongestionEnv",
    "CongestionVectorEnv",
    "Control",
    "Link",
    "Links",
    "Score",
    "SharedLink",
    "Utility",
    "make_vec",
    "score",
]
