"""Environments: what their fields ask of them, the numbers that an agent sees, and their speed."""

from __future__ import annotations

import warnings
from typing import Any

import dumbbell
import numpy as np
import pytest

pytest.importorskip("gymnasium")
pettingzoo = pytest.importorskip("pettingzoo")

from dumbbell import gym  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from pettingzoo.test import parallel_api_test, parallel_seed_test  # noqa: E402

LINK = gym.Link(rate_mbps=10, rtt_ms=40, buffer_bdp=2)


def held(env: gym.CongestionEnv, steps: int, action: float = 0.0) -> list[dict[str, Any]]:
    """What is seen in steps with one action."""
    return [env.step([action])[4] for _ in range(steps)]


@pytest.mark.parametrize("control", ["window", "rate"])
def test_gymnasium_finds_no_fault(control: gym.Control) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*observation space (minimum|maximum).*")
        warnings.filterwarnings("ignore", message=".*spec.*|.*render_modes.*|.*different.*")
        check_env(gym.CongestionEnv(LINK, steps=50, control=control), skip_render_check=True)


def test_pettingzoo_finds_no_fault() -> None:
    parallel_api_test(gym.SharedLink(3, LINK, steps=50), num_cycles=120)
    parallel_seed_test(lambda: gym.SharedLink(2, gym.Links(rtt_ms=(20, 80)), steps=50))


def test_a_seed_gives_the_same_links_and_the_same_packets() -> None:
    def episode(seed: int) -> list[list[float]]:
        env = gym.CongestionEnv(gym.Links(rate_mbps=(5, 50), loss=(0.0, 0.02)), steps=100)
        first, _ = env.reset(seed=seed)
        rows = [first.tolist()]
        for number in range(100):
            observation, reward, *_ = env.step([np.sin(number)])
            rows.append([*observation.tolist(), reward])
        return rows

    assert episode(3) == episode(3)
    assert episode(3) != episode(4)


def test_windows_obey_littles_law() -> None:
    """33 packets of 1500 B are 40 ms at 10 Mbit/s. A smaller window leaves a part of the link
    empty, and round trips take 40 ms and what a packet takes on the link. A larger one fills it,
    and round trips are as long as the window says."""
    env = gym.CongestionEnv(LINK, steps=400)
    for window, rtt, goodput in ((16, 0.0412, None), (50, 0.060, 10 * 1448 / 1500)):
        env.reset(seed=1)
        env._desk.window[:] = window
        last = held(env, 400)[200:]
        carried = np.mean([8 * row["acked_bytes"] / 0.01 for row in last]) / 1e6
        taken = np.mean([row["rtt_mean_s"] for row in last if row["acks"]])
        assert last[-1]["window_bytes"] == window * 1448
        assert carried == pytest.approx(goodput or 8e-6 * window * 1448 / rtt, rel=0.02)
        assert taken == pytest.approx(rtt, rel=0.03)


def test_a_rate_is_kept() -> None:
    """Half of the link's rate: no queue, so that a packet takes 1.2 ms on the link."""
    env = gym.CongestionEnv(LINK, steps=400, control="rate")
    env.reset(seed=1)
    env._desk.rate[:] = 5e6
    last = held(env, 300)[100:]
    sent = np.mean([8 * row["sent_bytes"] / 0.01 for row in last]) / 1e6
    assert sent == pytest.approx(5 * 1448 / 1500, rel=0.02)
    rtts = [row["rtt_mean_s"] for row in last if row["acks"]]
    assert np.mean(rtts) == pytest.approx(0.0412, abs=0.0003)


def test_an_order_holds_from_the_beginning_of_the_step() -> None:
    """A window that is doubled sends its new half at once, in the step that follows."""
    env = gym.CongestionEnv(gym.Link(rate_mbps=100, rtt_ms=100, buffer_bdp=1), steps=100)
    _, info = env.reset(seed=1)
    before = info["window_bytes"]
    after = held(env, 1, action=1.0)[0]
    assert after["window_bytes"] == 2 * before
    assert after["acked_bytes"] == 0
    assert after["sent_bytes"] == before


def test_a_full_buffer_loses_and_the_reward_says_so() -> None:
    env = gym.CongestionEnv(LINK, steps=400)
    env.reset(seed=1)
    rewards = []
    env._desk.window[:] = 34
    rewards.append(np.mean([env.step([0.0])[1] for _ in range(150)][50:]))
    env._desk.window[:] = 150
    rewards.append(np.mean([env.step([0.0])[1] for _ in range(150)]))
    assert rewards[0] > 0.8 > 0 > rewards[1]


def test_many_worlds_are_each_what_one_is() -> None:
    links = [LINK, gym.Link(rate_mbps=20, rtt_ms=20), gym.Link(rate_mbps=5, rtt_ms=80)]
    env = gym.make_vec(3, steps=60)
    rows, _ = env.reset(seed=5, options={"links": links})
    alone = []
    random = np.random.Generator(np.random.PCG64(0))
    actions = random.uniform(-0.3, 0.3, (50, 3, 1))
    for place, link in enumerate(links):
        single = gym.CongestionEnv(steps=60)
        first, _ = single.reset(seed=1, options={"link": link})
        alone.append([first, *(single.step(action)[0] for action in actions[:, place])])
    for number, action in enumerate(actions):
        assert np.array_equal(rows, [own[number] for own in alone])
        rows, *_ = env.step(action)


def test_a_world_that_is_over_begins_again() -> None:
    env = gym.make_vec(2, gym.Links(rate_mbps=(5, 50)), steps=20)
    env.reset(seed=1)
    before = list(env.drawn)
    for number in range(1, 21):
        rows, _, terminated, truncated, infos = env.step(np.zeros((2, 1)))
        assert truncated.all() == (number == 20)
    assert not terminated.any()
    assert infos["final_obs"].shape == rows.shape
    assert not np.array_equal(infos["final_obs"], rows)
    assert all(old != new for old, new in zip(before, env.drawn, strict=True))


def test_a_control_of_the_catalogue_does_what_it_does_in_a_run() -> None:
    """CUBIC under the eyes of an environment sends what CUBIC sends in a run of the same link."""
    steps = 3000
    (found,) = gym.score("cubic", [LINK], steps=steps)
    run = dumbbell.Scenario.from_text(
        f"""
        duration = "{steps / 100} s"
        warmup = "1 s"
        [dumbbell.bottleneck]
        rate = "10 Mbps"
        delay = "10 ms"
        [queue]
        kind = "drop_tail"
        limit = "{LINK.buffer_packets} pkt"
        [[flow]]
        name = "one"
        rtt = "40 ms"
        cc = "cubic"
        tcp = {{ delayed_ack = "each" }}
        """
    ).run()
    assert found.goodput_mbps == pytest.approx(run.flows["one"].goodput_bps / 1e6, rel=0.02)
    assert found.rtt_ms == pytest.approx(1e3 * run.flows["one"].srtt_mean_s, rel=0.05)


def test_what_is_wrong_is_refused() -> None:
    with pytest.raises(dumbbell.ScenarioError, match="codle"):
        gym.CongestionEnv(gym.Link(queue="codle")).reset(seed=1)
    with pytest.raises(RuntimeError, match="reset"):
        gym.CongestionEnv().step([0.0])
