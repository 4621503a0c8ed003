"""The validation suite's laws of TCP: that they are those that are printed, and that a TCP that is
otherwise fails them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import dumbbell
import pytest
from dumbbell.validate import report, runner
from dumbbell.validate.checks import given_losses
from dumbbell.validate.laws.tcp import cubic, fairness, recovery, rto, sawtooth, throughput, windows
from dumbbell.validate.runner import Runner

CHECKS = {check.id: check for check in report.checks()}


# What is printed.


def test_the_square_root_law_has_its_constants() -> None:
    assert throughput.mathis(1, 1) == pytest.approx(
        1.2247, rel=1e-4
    )  # Mathis et al. 1997, table 1: periodic.
    assert throughput.mathis(1, 1, 2) == pytest.approx(0.8660, rel=1e-4)
    assert throughput.aimd_random(1, 0.5, 1, 1) == pytest.approx(
        1.3098, abs=5e-5
    )  # Ott, Kemperman, Mathis 1996.
    assert throughput.aimd(1, 0.5, 0.01, 0.1) == pytest.approx(throughput.mathis(0.01, 0.1))
    # The TCP-friendly line: a = 3 b / (2 - b).
    assert throughput.aimd(0.2, 0.125, 0.01, 0.1) == pytest.approx(throughput.mathis(0.01, 0.1))
    # What a tooth sends is 1/p segments, for both ways of writing its peak.
    assert throughput.aimd_peak(1, 0.5, 1e-3) == pytest.approx(throughput.peak_window(1e-3))
    assert 3 / 8 * throughput.peak_window(1e-3) ** 2 == pytest.approx(1000)


def test_the_moments_of_random_teeth_are_those_of_their_series() -> None:
    """E[X^-1/2] of X = sum of c^i E_i by drawing, against the product."""
    import random

    rng, c, n, total = random.Random(1), 0.25, 200_000, 0.0
    x = 1.0
    for _ in range(n):
        x = rng.expovariate(1) + c * x  # The chain whose law is that of X.
        total += x**-0.5
    assert math.sqrt(2) / (total / n) == pytest.approx(
        throughput.aimd_random(1, 0.5, 1, 1), rel=0.01
    )


def test_padhye_s_model_is_its_parts() -> None:
    p, rtt, t0 = 0.02, 0.1, 1.0
    # E[Wu] for b = 2: 2/3 + sqrt(4 (1 - p) / (3 p) + 4/9), equation (13).
    assert throughput.pftk_unconstrained_window(p) == pytest.approx(
        2 / 3 + math.sqrt(4 * 0.98 / 0.06 + 4 / 9)
    )
    assert throughput.pftk_second_loss(0.1, 3) == pytest.approx(0.19)
    assert [throughput.pftk_timeout_share(p, w) for w in (1, 2, 3)] == [1, 1, 1]
    # Q(w) is about 3/w for small p, equation (25).
    assert throughput.pftk_timeout_share(1e-6, 30) == pytest.approx(0.1, rel=1e-3)
    assert throughput.pftk_backoff(0.5) == pytest.approx(1 + 0.5 + 0.5 + 0.5 + 0.5 + 0.5 + 0.5)
    # The approximation, equation (33), is near the model, and this near the square root law where
    # timeouts are rare.
    slow = rtt * math.sqrt(4 * p / 3)
    slow += t0 * min(1.0, 3 * math.sqrt(3 * p / 4)) * p * (1 + 32 * p * p)
    assert throughput.pftk(p, rtt, t0) == pytest.approx(1 / slow, rel=0.35)
    assert throughput.pftk(1e-6, rtt, t0) == pytest.approx(
        throughput.mathis(1e-6, rtt, 2), rel=0.01
    )
    assert throughput.pftk(1e-6, rtt, t0, 10) == pytest.approx(10 / rtt, rel=0.01)


@pytest.mark.parametrize(
    ("rtt", "p", "window"),
    [
        (0.1, 1e-3, 39),
        (0.1, 1e-4, 187),
        (0.1, 1e-5, 1054),
        (0.1, 1e-6, 5926),
        (0.1, 1e-7, 33325),
        (0.1, 1e-8, 187400),
        (0.01, 1e-5, 387),
        (0.01, 1e-6, 1225),
        (0.01, 1e-7, 5926),
        (0.01, 1e-8, 33325),
    ],
)
def test_cubic_s_mean_window_is_the_table_s(rtt: float, p: float, window: int) -> None:
    assert cubic.mean_window(p, rtt) == pytest.approx(
        window, rel=1e-3, abs=0.5
    )  # RFC 9438, tables 1 and 2.


def test_cubic_s_curve_and_its_constants() -> None:
    assert cubic.k(100, 70) == pytest.approx(4.217163, abs=1e-6)
    seen = [cubic.window(t, 100, 70) for t in (0, 1, 2, 3, 4, cubic.k(100, 70), 5, 6, 8)]
    assert seen == pytest.approx(
        [70, 86.681, 95.640, 99.279, 99.996, 100, 100.192, 102.267, 121.653], abs=1e-3
    )
    assert cubic.alpha() == pytest.approx(0.529412, abs=1e-6)
    assert cubic.cubic_window(1, 1) == pytest.approx(1.0538, abs=5e-5)
    # Reno-friendly: AIMD(alpha, 0.3) is as fast as Reno.
    assert throughput.aimd(cubic.alpha(), 1 - cubic.BETA, 1e-3, 1) == pytest.approx(
        cubic.reno_window(1e-3)
    )
    # The tooth of equation 6 sends 1/p segments.
    w_max, rtt, p = cubic.tooth_peak(1e-4, 0.1), 0.1, 1e-4
    k = cubic.k(w_max, 0.7 * w_max)
    assert (w_max * k - cubic.C * k**4 / 4) / rtt == pytest.approx(1 / p)


def test_the_timer_s_vector() -> None:
    samples = [Fraction(s) for s in ("0.1", "0.2", "0.1", "0.15")]
    seen = rto.estimates(samples, least=Fraction(0))
    assert [float(e.srtt) for e in seen] == pytest.approx(
        [0.1, 0.1125, 0.110938, 0.11582], abs=1e-6
    )
    assert [float(e.rttvar) for e in seen] == pytest.approx(
        [0.05, 0.0625, 0.05, 0.047266], abs=1e-6
    )
    assert [float(e.rto) for e in seen] == pytest.approx(
        [0.3, 0.3625, 0.310938, 0.304883], abs=1e-6
    )
    assert rto.estimates(samples)[-1].rto == 1 and rto.estimates([Fraction(50)])[0].rto == 60
    assert rto.estimates(samples[:1] * 60, granularity=Fraction(1, 10), least=Fraction(0))[
        -1
    ].rto == Fraction(2, 10)
    assert [float(t) for t in rto.backoff(Fraction(1), 8)] == [1, 2, 4, 8, 16, 32, 60, 60]


def test_the_sawtooth_has_its_closed_form() -> None:
    for b in (0, 0.1, 0.25, 0.5, 0.75, 1):
        closed_form = 0.75 * (1 + b) ** 2 / (1 + b + b * b)
        assert sawtooth.utilisation(b) == pytest.approx(closed_form)
    assert (sawtooth.utilisation(0), sawtooth.utilisation(1), sawtooth.utilisation(3)) == (
        0.75,
        1,
        1,
    )
    assert sawtooth.mean_queue(1) == pytest.approx(5 / 9) and sawtooth.mean_queue(
        2
    ) == pytest.approx(7 / 3 - 1)
    assert sawtooth.mean_queue(0) == 0
    # The least buffer that keeps the link busy: beta (1 + b) = 1.
    for beta, least in ((0.5, 1.0), (0.7, 3 / 7)):
        assert sawtooth.utilisation(least, beta) == pytest.approx(1)
        assert sawtooth.utilisation(0.9 * least, beta) < 1
    # CUBIC's decrease keeps more: without a buffer (1 + beta) / 2.
    assert sawtooth.utilisation(0, 0.7) == pytest.approx(0.85)
    # Without a queue a tooth of W/2 round trips.
    assert sawtooth.period(100, 100, 1000) == pytest.approx(50 * 0.1)


def test_windows_and_shares() -> None:
    assert [windows.initial_window(mss) for mss in (536, 1460, 2190, 8960)] == [
        5360,
        14600,
        14600,
        17920,
    ]
    assert [windows.initial_window(mss, 4, 4380) for mss in (536, 1460, 2190, 8960)] == [
        2144,
        4380,
        4380,
        17920,
    ]
    assert [windows.slow_start(n, 10) for n in (1, 10, 11, 30, 31, 70, 71)] == [1, 1, 2, 2, 3, 3, 4]
    # Windows of 4, 6, 9, 13 and 19; one segment of the last two is held back from the round before.
    assert [windows.slow_start(n, 4, 2) for n in (4, 10, 11, 19, 20, 31, 32, 49, 50)] == [
        1,
        2,
        3,
        3,
        4,
        4,
        5,
        5,
        6,
    ]
    assert fairness.jain([1, 2, 3, 4]) == pytest.approx(0.833333, abs=1e-6)
    assert fairness.jain([5.0] * 7) == 1 and fairness.jain([1, 0, 0, 0]) == 0.25
    assert fairness.jain_of_ratio(3) == pytest.approx(16 / 20)


# The model of recoveries.


def test_recoveries_differ_as_fall_and_floyd_say() -> None:
    """1996, section 4: with one loss only Tahoe pays more; with two Reno reduces twice, with more
    the timer must help; NewReno repairs one loss in each round trip; SACK is the soonest."""

    def seen(rules: str, losses: int) -> recovery.Outcome:
        return recovery.recover(rules, 16, (5, 7, 9, 11)[:losses], rto=10)

    assert [seen("reno", n).timeouts for n in (1, 2, 3, 4)] == [0, 0, 1, 1]
    assert [seen("reno", n).halvings for n in (1, 2)] == [1, 2]
    for rules in ("tahoe", "newreno", "sack"):
        assert [seen(rules, n).timeouts for n in (1, 2, 3, 4)] == [0, 0, 0, 0]
    assert [seen("newreno", n).repaired for n in (1, 2, 3, 4)] == [1.5, 2.5, 3.5, 4.5]
    assert [seen("newreno", n).halvings for n in (1, 2, 3, 4)] == [1, 1, 1, 1]
    for n in (2, 3, 4):
        assert seen("sack", n).repaired < seen("newreno", n).repaired <= seen("reno", n).repaired
        assert seen("tahoe", n).again > seen("sack", n).again == n
    # Without three duplicates nothing but the timer helps.
    assert recovery.recover("sack", 1, (1,), rto=10).timeouts == 1


# The queues that lose what they are told to.


def test_queues_lose_what_they_are_told() -> None:
    from dumbbell.validate.strategies import Arrival, drive

    trace = [Arrival(gap=0.001, bytes=100, flow=i % 2) for i in range(20)]

    def lost(queue: Any) -> list[int]:
        fates = drive(queue, trace)
        return [i + 1 for i in range(20) if any(fate.kind != "sent" for fate in fates.of([i]))]

    assert lost(given_losses.Nth(every=7, limit="unlimited")) == [7, 14]
    assert lost(given_losses.Nth(every=7, first=2, limit="unlimited")) == [2, 9, 16]
    assert lost(given_losses.Chosen(packets="3,5,18-", limit="unlimited")) == [3, 5, 18, 19, 20]
    assert lost(given_losses.EachFlowAt(period=0.0095, limit="unlimited")) == [10, 11, 19, 20]


# What fails.


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        ("mathis.p-3e-3.sack", {"flow.*.cc": {"kind": "aimd", "a": 2.0}}),
        ("sqrt.every-1000.sack", {"flow.*.cc": {"kind": "aimd", "b": 0.4}}),
        ("sqrt.every-1000.peak", {"flow.*.cc": {"kind": "aimd", "b": 0.3}}),
        ("aimd.a-0.2.b-0.125", {"flow.*.cc.a": 0.25}),
        ("pftk.p-1e-1.b-2", {"flow.*.tcp.min_rto": "3 s"}),
        ("cubic.window.rtt-100ms.p-1e-4", {"flow.*.cc.beta": 0.5}),
        ("cubic.random.rtt-200ms.p-3e-3", {"flow.*.cc.c": 1.0}),
        ("cubic.curve.t-1s", {"flow.*.cc.c": 0.43}),
        ("cubic.k", {"flow.*.cc.c": 0.42}),
        ("cubic.decrease.loss", {"flow.*.cc.beta": 0.71}),
        ("cubic.decrease.abe", {"flow.*.cc.abe": False}),
        ("cubic.w-max.fast-convergence", {"flow.*.cc.fast_convergence": False}),
        ("rto.silence.gap-6", {"flow.*.tcp.max_rto": "64 s"}),
        ("rto.silence.minimum-200ms", {"flow.*.tcp.min_rto": "210 ms"}),
        ("rto.handshake.1-lost", {"flow.*.tcp.initial_rto": "3 s"}),
        ("recovery.reno.losses-1.repaired", {"flow.*.tcp.dupack_threshold": 20}),
        ("recovery.newreno.losses-3.repaired", {"flow.*.cc": "reno"}),
        ("recovery.reno.losses-3.timeouts", {"flow.*.cc": "newreno"}),
        ("slow-start.iw-10.25-segments.delack", {"flow.*.tcp.initial_window": "9 pkt"}),
        ("slow-start.iw-10.26-segments.delack", {"flow.*.tcp.growth_limit": 2}),
        ("window.initial.mss-1460", {"flow.*.tcp.initial_window": "4 pkt"}),
        ("window.limited.20-segments.rtt-100ms", {"flow.*.rtt": "101 ms"}),
        ("ecn.decrease.abe", {"flow.*.cc.abe": False}),
        ("ecn.one-mark.repeats", {"flow.*.tcp.ecn": "off", "queue.marks": False}),
        ("rack.late-60ms", {"flow.*.tcp.detection": "dupack"}),
        ("tlp.tail-1.timeouts", {"flow.*.tcp.tail_loss_probe": False}),
        ("tlp.tail-2.repaired", {"flow.*.tcp.detection": "dupack"}),
        ("dctcp.cut.alpha-0.5", {"flow.*.cc.alpha_on_init": 0.55}),
        ("dctcp.alpha.gain", {"flow.*.cc.g": 0.07}),
        ("dctcp.regular.every-50.goodput", {"flow.*.cc": "sack", "flow.*.tcp.ecn": "rfc3168"}),
        ("dctcp.step.longest", {"queue.max_th": "104 pkt"}),
        (
            "vegas.backlog.alpha-8.beta-10",
            {"flow.*.cc.alpha": "12 pkt", "flow.*.cc.beta": "12 pkt"},
        ),
        ("westwood.bandwidth", {"flow.*.cc.tau": "10 s"}),
        ("westwood_plus.after-loss", {"flow.*.cc": "reno"}),
        ("cae.warnings.share-0.7", {"flow.*.cc.threshold": 0.6}),
        ("sawtooth.sack.buffer-0.5.utilization", {"flow.*.cc": {"kind": "aimd", "b": 0.3}}),
        ("sawtooth.sack.buffer-1.queue", {"queue.limit": "190 pkt"}),
        ("fairness.converge.b-0.5.losses-2", {"flow.*.cc.b": 0.4}),
        ("fairness.rtt.50ms-100ms.ratio", {"flow.1.rtt": "140 ms"}),
    ],
)
def test_a_tcp_that_is_not_as_it_says_fails(
    monkeypatch: Any, line: str, changes: dict[str, Any]
) -> None:
    def sabotaged(scenario: Any) -> dumbbell.Scenario:
        return dumbbell.Scenario(scenario).with_(changes)

    check = CHECKS[line]
    assert report.validate([check], Runner())[0].verdict == "pass"
    monkeypatch.setattr(runner, "Scenario", sabotaged)
    broken = report.validate([check], Runner())[0]
    assert broken.error is None and broken.verdict == "fail", broken


def test_a_script_that_shows_nothing_is_no_measurement() -> None:
    from dumbbell.validate.checks.tcp import timers

    with pytest.raises(dumbbell.DumbbellError, match="does not show srtt"):
        timers.asked("sender cc=newreno\n0", "srtt")


def test_a_timeout_within_a_recovery_does_not_raise_ssthresh() -> None:
    """Slow start overflows a buffer; NewReno repairs one loss in each round trip, and the timer is
    sooner. Meanwhile a new segment went out for each duplicate acknowledgment. These tell that
    segments have left the network; half of all that is unacknowledged (RFC 5681: `no more than`) is
    more than what the recovery had set, so that slow start overflows the buffer again, for ever."""
    from dumbbell.validate.checks.tcp import sawtooth as shape

    scenario = shape.scenario("newreno", 20)
    scenario["flow"][0]["tcp"] |= {"initial_window": "10 pkt", "initial_ssthresh": "132 pkt"}
    timeouts = Runner().recorded({**scenario, "record": {"drops": True}}).reactions("timeout")
    assert all(row["ssthresh_bytes"] <= row["ssthresh_bytes_before"] for row in timeouts)
    assert len(timeouts) <= 5
