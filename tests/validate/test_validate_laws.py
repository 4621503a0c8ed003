"""The laws of the validation suite against figures that were published, and against each other."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from dumbbell.validate.laws import links, markers, queueing, red


@pytest.mark.parametrize(
    ("rho", "k", "blocking", "length", "utilisation"),
    [
        (0.5, 10, 0.000489, 0.994626, 0.499756),
        (0.8, 10, 0.023493, 2.966314, 0.781206),
        (0.9, 20, 0.013651, 6.419888, 0.887714),
        (0.95, 50, 0.004151, 14.978018, 0.946057),
        (1, 20, 0.047619, 10, 0.952381),
        (1.2, 20, 0.170370, 15.466614, 0.995556),
    ],
)
def test_mm1k_has_its_table(
    rho: float, k: int, blocking: float, length: float, utilisation: float
) -> None:
    known = queueing.mm1k(rho, k)
    assert known.blocking == pytest.approx(blocking, abs=5e-7)
    assert known.length == pytest.approx(length, abs=5e-7)
    assert known.utilisation == pytest.approx(utilisation, abs=5e-7)
    assert known.utilisation == pytest.approx(rho * (1 - known.blocking), rel=1e-12)


def test_md1_has_its_table() -> None:
    for rho, length in [(0.5, 0.75), (0.8, 2.4), (0.9, 4.95), (0.95, 9.975)]:
        assert queueing.md1_length(rho) == pytest.approx(length, rel=1e-12)


def test_md1k_has_its_figure_and_its_limits() -> None:
    assert queueing.md1k(0.8, 10).blocking == pytest.approx(0.0036392, abs=5e-8)
    for rho, k in [(0.5, 10), (0.8, 10), (1.0, 20), (1.2, 20)]:
        known = queueing.md1k(rho, k)
        assert math.fsum(known.p) == pytest.approx(1, abs=1e-12)
        assert min(known.p) > 0
        assert known.utilisation == pytest.approx(rho * (1 - known.blocking), rel=1e-9)
    assert queueing.md1k(0.5, 30).length == pytest.approx(queueing.md1_length(0.5), rel=1e-6)
    assert queueing.md1k(0.7, 1).blocking == pytest.approx(
        0.7 / 1.7, rel=1e-12
    )  # Erlang's B formula, any service.


def test_the_chain_of_md1k_is_that_of_its_transition_matrix() -> None:
    rho, k = 0.9, 6
    a = [math.exp(-rho) * rho**n / math.factorial(n) for n in range(60)]
    matrix = [[0.0] * k for _ in range(k)]
    for i in range(k):
        for n, p in enumerate(a):
            matrix[i][min(max(i, 1) - 1 + n, k - 1)] += p
    law = [1 / k] * k
    for _ in range(3000):
        law = [math.fsum(law[i] * matrix[i][j] for i in range(k)) for j in range(k)]
    known = queueing.md1k(rho, k)
    departures = [p / (1 - known.blocking) for p in known.p[:k]]
    assert departures == pytest.approx(law, rel=1e-9)


def test_waiting_times_agree_by_little() -> None:
    rho = 0.8
    assert queueing.pollaczek_khinchine(rho, 1.0) * rho == pytest.approx(
        queueing.mm1_waiting_packets(rho)
    )
    assert queueing.mm1_length(rho) == pytest.approx(queueing.mm1_waiting_packets(rho) + rho)
    beyond = queueing.mm1_waiting_quantile(rho, 0.99)
    assert rho * math.exp(-(1 - rho) * beyond) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("threshold", "queue", "arrivals"),
    [(5, 25, 112), (5, 50, 53), (6, 36, 92), (12, 36, 203), (15, 25, 458), (70, 300, 133)],
)
def test_red_s_average_has_its_vectors(threshold: float, queue: float, arrivals: int) -> None:
    assert red.step_arrivals(threshold, queue, 0.002) == arrivals
    assert red.step(queue, 0.002, arrivals - 1) < threshold <= red.step(queue, 0.002, arrivals)
    assert red.averages([queue] * arrivals, 0.002)[-1] == pytest.approx(
        red.step(queue, 0.002, arrivals)
    )


def test_red_s_bursts_have_their_vectors() -> None:
    for n, after, before in [
        (10, 0.109343, 0.089522),
        (20, 0.414728, 0.375479),
        (50, 2.468662, 2.373409),
        (100, 9.464836, 9.283402),
    ]:
        assert red.burst(n, 0.002) == pytest.approx(after, abs=5e-7)
        assert red.burst(n - 1, 0.002) == pytest.approx(red.averages(range(n), 0.002)[-1])
        assert red.averages(range(n), 0.002)[-1] == pytest.approx(before, abs=2e-6)
    assert red.longest_burst(5, 0.002) == 71


def test_spacings_have_their_laws() -> None:
    uniform, wait, stored, geometric = (
        law(0.02) for law in (red.uniform, red.uniform_wait, red.uniform_stored, red.geometric)
    )
    for law, least, most, mean in [
        (uniform, 1, 49, 25),
        (wait, 50, 99, 74.5),
        (stored, 1, 50, 25.5),
    ]:
        assert (law.least, law.most) == (least, most)
        assert math.fsum(law.p) == pytest.approx(1)
        assert law.mean == pytest.approx(mean)
        assert law.variance == pytest.approx(((most - least + 1) ** 2 - 1) / 12)
        assert [p for p in law.p if p > 0] == pytest.approx(
            [1 / (most - least + 1)] * (most - least + 1)
        )
    assert geometric.mean == pytest.approx(50)
    assert geometric.variance == pytest.approx(0.98 / 0.02**2, rel=1e-6)


def test_chi_square_knows_its_law_and_rejects_another() -> None:
    chance = random.Random(1)
    law = red.uniform(0.02)
    right = [chance.randint(1, 49) for _ in range(20_000)]
    bound = red.chi_square_quantile(len(red.classes(law)) - 1, 3.09)
    assert bound == pytest.approx(84.04, abs=0.1)  # Tables: 48 degrees of freedom, 99.9 %.
    assert red.chi_square(right, law) < bound
    assert red.chi_square([*right, 50], law) == math.inf
    lopsided = [x for x in right if x > 1 or chance.random() < 0.5]
    assert red.chi_square(lopsided, law) > bound
    assert red.chi_square(right, red.geometric(0.04)) > 10 * bound


def test_ethernet_has_its_figures() -> None:
    for mtu, plain, stamped in [
        (1500, 0.94928, 0.94148),
        (9000, 0.99137, 0.99004),
        (9180, 0.99154, 0.99024),
    ]:
        assert links.tcp_efficiency(mtu) == pytest.approx(plain, abs=6e-6)
        assert links.tcp_efficiency(mtu, links.TIMESTAMPS) == pytest.approx(stamped, abs=6e-6)
    for mtu, rate in [(1500, 81274), (9000, 13830), (9180, 13560)]:
        assert int(links.packets_per_second(1e9, mtu)) == rate


def test_links_are_exact() -> None:
    assert links.transmission_ps([1500], 10_000_000) == 1_200_000_000
    assert links.transmission_ps([1] * 7_000_003, 7_000_003) == 8 * links.PS
    assert (
        links.path_ps(1000, [(8_000_000, 5, 0), (8_000_000, 7, 38)])
        == 10**9 + 5 + 1_038_000_000 + 7
    )
    assert links.bucket_delay_ps(4, 1000, 8_000_000, 3000) == 10**9
    assert (
        links.bucket_delay_ps(1, 1, 3, 0) == 2_666_666_666_667
    )  # Rounded up: the token must be there.
    assert links.admitted(503, 500, True) == 500
    assert links.admitted(503, 500, False) == 501


def test_markers_by_hand() -> None:
    second = Fraction(1)
    assert markers.in_profile(2000, 8000, 1000, 8 * second) == 10
    assert markers.in_profile(2999, 8000, 1000, second / 1000) == 3
    assert [markers.after_pause(2000, 8000, t * second) for t in (0, 1, 2, 9)] == [
        0,
        1000,
        2000,
        2000,
    ]
    assert [markers.spilled(2000, 1000, 8000, t * second / 2) for t in (3, 5, 7)] == [0, 500, 1000]
    assert markers.held_ps(3, 1000, 1_000_000) == 24 * 10**9
    # 1000 bytes every 4 ms into a window of 1 s: 9783.475 B/s after ten packets, 82286.228 after a
    # hundred.
    assert [
        markers.tsw_rise(1000, 0.004, 1.0, x) for x in (9783.4, 9783.5, 82_286.2, 82_286.3)
    ] == [9, 10, 99, 100]
    assert markers.ramp(0.25, 0.0, 8) == (0 + 0.25 + 0.5 + 0.75 + 4) / 8


def test_losses_have_their_figures() -> None:
    assert links.gilbert_loss(0.01, 0.1) == pytest.approx(0.090909, abs=5e-7)
    assert links.gilbert_burst(0.1) == 10
    assert links.any_unit_loss(1e-6, 8 * 1500) == pytest.approx(0.0119283, abs=5e-8)
    assert links.overload_loss(1.25) == pytest.approx(0.2)
    assert links.overload_loss(0.5) == 0
