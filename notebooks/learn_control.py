"""Learns a congestion control with the cross-entropy method, and compares it with those of the
catalogue on links that it has not seen.

    python notebooks/learn_control.py            # some minutes on one core
    python notebooks/learn_control.py --quick    # seconds, for a look

The policy has five weights: it sees four numbers, and has no memory. docs/how-to/gym.md has what
came of it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from dumbbell import gym
from numpy.typing import NDArray

Array = NDArray[np.float64]
Act = Callable[[Array], Array]

TRAINED = gym.Links(rate_mbps=(5, 50), rtt_ms=(20, 100), buffer_bdp=(0.5, 4))
LOSSY = gym.Links(rate_mbps=(5, 50), rtt_ms=(20, 100), buffer_bdp=(0.5, 4), loss=(0.002, 0.01))
OUTSIDE = gym.Links(rate_mbps=(60, 200), rtt_ms=(100, 200), buffer_bdp=(0.5, 4))
STEP_MS = 10.0
LARGEST = 500
"""Segments of the largest window while learning: what a policy sends in vain costs time."""
INPUTS = 4
WEIGHTS = INPUTS + 1


def inputs(observations: Array) -> Array:
    """What the policy sees, without units: the share of the round-trip time in queues, losses,
    the steps in a round-trip time, and how full the window is."""
    _, rtt, least, resent, _, window, in_flight = observations.astype(np.float64).T
    rtt = np.maximum(rtt, 1.0)
    return np.stack(
        [1 - least / rtt, 10 * resent, STEP_MS / rtt, in_flight / np.maximum(window, 1)], axis=-1
    )


def policy(weights: Array) -> Act:
    """Policies side by side: a row of weights each, and the same number of worlds for each."""

    def act(observations: Array) -> Array:
        seen = inputs(observations).reshape(len(weights), -1, INPUTS)
        wanted = np.tanh(np.einsum("pwi,pi->pw", seen, weights[:, :-1]) + weights[:, -1:])
        # A change of the window takes a round-trip time to be seen: longer ones, smaller steps.
        return (wanted * seen[..., 2]).reshape(-1, 1)

    return act


def utilities(act: Act, links: Sequence[gym.Link], steps: int, largest: float = 10_000) -> Array:
    """The mean utility of an episode on each link. largest: segments of the largest window."""
    env = gym.make_vec(len(links), step_ms=STEP_MS, steps=steps + 1, largest_window=largest)
    seen, _ = env.reset(seed=1, options={"links": list(links)})
    total = np.zeros(len(links))
    for _ in range(steps):
        seen, rewards, *_ = env.step(act(seen))
        total += rewards
    return total / steps


@dataclass(frozen=True)
class Effort:
    """How long to learn, and on how much."""

    generations: int
    policies: int
    links: int
    steps: int


def learn(effort: Effort, seed: int = 1) -> Array:
    """The weights that the cross-entropy method comes to: draw policies from a normal distribution,
    keep the best, fit the distribution to them, draw again."""
    random = np.random.default_rng(seed)
    mean, spread = np.zeros(WEIGHTS), np.full(WEIGHTS, 3.0)
    kept = max(2, effort.policies // 6)
    for generation in range(effort.generations):
        drawn = mean + spread * random.standard_normal((effort.policies, WEIGHTS))
        links = [TRAINED.draw(random) for _ in range(effort.links)]
        worth = utilities(policy(drawn), links * effort.policies, effort.steps, LARGEST)
        worth = worth.reshape(effort.policies, -1).mean(axis=1)
        best = drawn[np.argsort(worth)[-kept:]]
        mean = 0.3 * mean + 0.7 * best.mean(axis=0)
        spread = best.std(axis=0) + 0.5 * 0.8**generation
        print(f"{generation + 1:3}  best {worth.max():6.3f}  mean {worth.mean():6.3f}", flush=True)
    return mean


def compare(weights: Array, name: str, links: Sequence[gym.Link], steps: int) -> None:
    """Prints the mean utility on links, with differences in pairs of the same link."""
    learned = utilities(policy(weights[None]), links, steps)
    print(f"\n{name}: {len(links)} links\n  learned   {learned.mean():6.3f}")
    for control in ("cubic", "newreno", "vegas", "bbr"):
        found = gym.score(control, links, step_ms=STEP_MS, steps=steps)
        other = np.array([one.utility for one in found])
        gain = learned - other
        half = 1.96 * gain.std(ddof=1) / np.sqrt(len(gain))
        wins = np.mean(gain > 0)
        print(
            f"  {control:8}  {other.mean():6.3f}   learned - {control}: {gain.mean():+.3f} "
            f"± {half:.3f}, better on {wins:.0%}"
        )


def main() -> None:
    """Learns, and compares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few generations, for a look")
    quick = parser.parse_args().quick
    effort = Effort(3, 12, 2, 100) if quick else Effort(20, 32, 8, 500)
    began, wall = time.process_time(), time.monotonic()
    weights = learn(effort)
    decisions = effort.generations * effort.policies * effort.links * effort.steps
    print("weights", " ".join(f"{weight:.3f}" for weight in weights))
    print(
        f"\n{decisions} decisions, {time.process_time() - began:.0f} s of CPU time, "
        f"{time.monotonic() - wall:.0f} s"
    )
    random = np.random.default_rng(2026)
    count, steps = (5, 200) if quick else (100, 2000)
    for name, links in (
        ("unseen links", TRAINED),
        ("unseen links that lose packets", LOSSY),
        ("faster and longer links than any in training", OUTSIDE),
    ):
        compare(weights, name, [links.draw(random) for _ in range(count)], steps)


if __name__ == "__main__":
    main()
