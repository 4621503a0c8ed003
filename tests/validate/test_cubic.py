"""CUBIC in the simulator against RFC 9438, and against its law worked out here from the equations
alone."""

from __future__ import annotations

import random
from typing import Any

import pytest
from helpers.scenarios import simulate

C, BETA = 0.4, 0.7
PACKET = 1000
ALONE = {"kind": "cubic", "tcp_friendliness": False, "fast_convergence": False}


def window(cc: str | dict[str, Any], p: float, rtt: float, **words: Any) -> float:
    """Mean window, segments, of one flow that loses packets by chance only."""
    tcp = {"mss": f"{PACKET} B", "receive_window": "unlimited", "initial_window": "40 pkt"}
    tcp |= {
        "timestamps": False,
        "handshake": False,
        "delayed_ack": "each",
        "clock": "0 s",
        "initial_ssthresh": "40 pkt",
    }
    flow = {"cc": cc, "rtt": f"{1000 * rtt} ms", "tcp": tcp, "profile": "rfc"}
    loss = [{"kind": "bernoulli", "loss": p}]
    result = simulate(
        flow,
        rate="10 Gbps",
        impairment=loss,
        queue={"kind": "drop_tail", "limit": "unlimited"},
        warmup="40 s",
        **words,
    )
    seen = result["flows"][0]
    assert seen["lost_packets"] > 200 and seen["rtos"] < 0.03 * seen["lost_packets"]
    return seen["goodput_bps"] * seen["srtt_mean_s"] / 8 / PACKET


def law(p: float, rtt: float, losses: int = 20_000) -> float:
    """The same by RFC 9438 section 4.2: from beta W_max along the cubic until a loss, which comes
    after an exponential number of packets. Without Reno-friendliness and fast convergence."""
    rng = random.Random(1)
    w_max, packets, time = (rtt / p) ** 0.75, 0.0, 0.0
    for _ in range(losses):
        left, k, t, dt = rng.expovariate(p), (w_max * (1 - BETA) / C) ** (1 / 3), 0.0, rtt / 4
        packets += left
        while left > 0:
            w = C * (t + dt / 2 - k) ** 3 + w_max
            left -= w * dt / rtt
            t += dt
        t += left * rtt / w  # `left` is what the last step overshot, below zero.
        w_max = C * (t - k) ** 3 + w_max
        time += t + rtt  # A loss is found, and repaired, a round trip after it.
        packets += BETA * w_max
    return packets * rtt / time


@pytest.mark.parametrize(("p", "rtt"), [(1e-3, 0.1), (2e-4, 0.1), (1e-3, 0.2)])
def test_the_mean_window_at_random_loss_is_that_of_the_law(p: float, rtt: float) -> None:
    ours = window(ALONE, p, rtt, duration="1000 s")
    # Some hundred losses: 5 % is about twice the standard error of the mean.
    assert ours == pytest.approx(law(p, rtt), rel=0.05)
    # Equation 6 is for losses at equal intervals. The law's mean at random ones is 1.23 times that,
    # whatever p and RTT.
    equation = (C * (3 + BETA) / (4 * (1 - BETA))) ** 0.25 * (rtt / p) ** 0.75
    assert law(p, rtt) == pytest.approx(1.23 * equation, rel=0.03)


@pytest.mark.parametrize("p", [1e-2, 2e-3])
def test_it_is_as_fast_as_reno_where_the_product_of_bandwidth_and_delay_is_small(p: float) -> None:
    words: dict[str, Any] = {"duration": "2000 s", "rtt": 0.02}
    ratio = window("cubic", p, **words) / window("sack", p, **words)
    # Equal in the model of section 4.3; beyond cwnd_prior, where chance often takes it, W_est grows
    # as fast as Reno from a higher start.
    assert 0.95 < ratio < 1.12


def test_hystart_leaves_slow_start_before_a_deep_buffer_overflows() -> None:
    """RFC 9406 section 4.2. A round whose least delay is an eighth above the path's begins with at
    most 9/8 of what the path holds, the next with twice that, and five rounds after it grow by a
    quarter each: 2 * 9/8 * 1.25^5 = 6.9 bandwidth-delay products, of which the path holds one.
    Plain slow start fills any buffer."""
    path = 100e6 * 0.1 / 8 / 1500
    lost = {}
    for hystart in ("none", "hystart++"):
        flow = {"cc": {"kind": "cubic", "hystart": hystart}, "rtt": "100 ms"}
        queue = {"kind": "drop_tail", "limit": f"{6 * path:.0f} pkt"}
        result = simulate(flow, rate="100 Mbps", queue=queue, duration="6 s")
        assert result["queues"][0]["max_packets"] > 0.5 * path
        lost[hystart] = result["flows"][0]["lost_packets"]
    assert lost["none"] > 1000 and lost["hystart++"] == 0
