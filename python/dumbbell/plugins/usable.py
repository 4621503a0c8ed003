"""Files with plugins, checked as a run would check them."""

from __future__ import annotations

from .. import api
from .base import Own
from .load import described


def usable(path: str) -> list[type[Own]]:
    """The algorithms of a file that a run would take. `ScenarioError`: one is not whole, or its
    name is taken."""
    own = [cls for _, _, cls, _ in described(path)]
    bottleneck = {"rate": "10 Mbps", "delay": "10 ms"}
    value = {"duration": "1 s", "dumbbell": {"bottleneck": bottleneck}, "flow": [{"cc": "newreno"}]}
    api.plan(api.request({"value": value, "name": path}), own)
    return own
