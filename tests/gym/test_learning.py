"""The example that learns a control: its parts, and that it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

from dumbbell import gym

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "notebooks" / "learn_control.py"
sys.path.insert(0, str(SCRIPT.parent))
import learn_control  # noqa: E402


def test_policies_side_by_side_do_what_each_does_alone() -> None:
    random = np.random.default_rng(1)
    weights = random.standard_normal((3, learn_control.WEIGHTS))
    seen = random.uniform(0.1, 50, (6, len(gym.OBSERVED)))
    together = learn_control.policy(weights)(seen)
    for number in range(3):
        rows = slice(2 * number, 2 * number + 2)
        alone = learn_control.policy(weights[number : number + 1])(seen[rows])
        assert np.allclose(alone, together[rows])
    assert together.shape == (6, 1)


def test_a_policy_that_holds_the_window_has_the_utility_of_a_held_window() -> None:
    """Weights of zero do nothing: ten segments, for 2 s."""
    links = [gym.Link(rate_mbps=10, rtt_ms=40), gym.Link(rate_mbps=50, rtt_ms=20)]
    act = learn_control.policy(np.zeros((1, learn_control.WEIGHTS)))
    worth = learn_control.utilities(act, links, steps=200)
    share = [8e-3 * 10 * 1448 / (link.rtt_ms * link.rate_mbps) for link in links]
    assert worth == pytest.approx(share, abs=0.09)


def test_it_learns_and_compares() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--quick"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
        check=True,
    )
    assert done.stdout.count("learned - cubic:") == 3
    assert "unseen links that lose packets: 5 links" in done.stdout
