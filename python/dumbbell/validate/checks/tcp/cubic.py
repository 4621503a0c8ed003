"""CUBIC against RFC 9438: its mean window at given losses, its curve after a loss, its decrease.

Equation 6 of the RFC is a tooth from beta W_max back to W_max in exactly 1/p segments. This fixed
point hardly attracts: a tooth that is d seconds too long raises the next W_max by C d^3. A flow
that starts elsewhere therefore stays off for hundreds of losses (11 % above, if it starts at the
mean window). These flows start at the equation's W_max. They have no fast convergence, which the
equation does not model. Each tooth may use two round trips to notice and to repair a loss. At
random losses (`cubic.random`) W_max varies at random, and the mean forgets where the flow began; it
is compared with the curve of section 4.2 for randomly drawn losses. W(t) is sampled with round
trips of 10 ms, so the tolerance is what the curve moves in one of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ....present import stats
from ...check import Check
from ...laws.tcp import cubic
from ...readings import Run, goodput
from ...recorded import Recorded, shown_by_control
from ...runner import mean_over_seeds, of_one_run
from .. import paths
from ..given_losses import Chosen, Nth

TEETH = 10
LOSSES = 1000
PURE = {"kind": "cubic", "tcp_friendliness": False, "fast_convergence": False}


# The mean window at losses that come at equal intervals.


def _mean_window(rtt: float, run: Run) -> float:
    """Segments, from the goodput."""
    return goodput(run) * rtt / 8 / paths.MSS


def _every(p: float) -> Nth:
    """Loses every 1/p-th packet, and the second one."""
    return Nth(every=round(1 / p), first=2, limit="unlimited")


def _cubic_tooth(p: float, rtt: float) -> Check:
    """In the cubic region. A tooth that is off equation 6 by d seconds moves the next W_max by C
    d^3, hardly at all: so the flow begins at the equation's W_max, with a loss. Fast convergence is
    not in the equation."""
    w_max = cubic.tooth_peak(p, rtt)
    rounds = cubic.rounds_in_tooth(p, rtt)
    cc = {"kind": "cubic", "fast_convergence": False}
    flow = paths.sender(cc, rtt, **paths.congestion_avoidance(round(w_max)))
    scenario = paths.toothed(flow, _every(p), rounds * rtt, TEETH, skipped=1)
    return Check(
        id=f"cubic.window.rtt-{rtt * 1e3:g}ms.p-1e{_exponent(p)}",
        law=(
            "AVG_W = 1.0538 (RTT/p)^(3/4), every 1/p-th packet lost, within two round trips per "
            "tooth: RFC 9438 section 5.1"
        ),
        expected=cubic.mean_window(p, rtt),
        tolerance=2 / rounds,
        measure=of_one_run(scenario, partial(_mean_window, rtt)),
        unit="segments",
        quick=p > 1e-5,
    )


def _reno_tooth(p: float, rtt: float) -> Check:
    """In the Reno-friendly region: teeth of AIMD(alpha, 0.3), of (1 - beta) W_max / alpha round
    trips."""
    w_max = cubic.friendly_peak(p)
    rounds = (1 - cubic.BETA) * w_max / cubic.alpha()
    flow = paths.sender("cubic", rtt, **paths.congestion_avoidance(round(w_max)))
    scenario = paths.toothed(flow, _every(p), rounds * rtt, TEETH, skipped=5)
    return Check(
        id=f"cubic.reno-friendly.rtt-{rtt * 1e3:g}ms.p-1e{_exponent(p)}",
        law=(
            "AVG_W = sqrt(3/(2p)) if that is more, within two round trips per tooth: RFC 9438 "
            "sections "
            "4.3 and 5.1"
        ),
        expected=cubic.mean_window(p, rtt),
        tolerance=2 / rounds,
        measure=of_one_run(scenario, partial(_mean_window, rtt)),
        unit="segments",
    )


def _random_losses(p: float, rtt: float) -> Check:
    """Chance moves W_max about, so that here the mean depends on C and beta alone, wherever the
    flow began."""
    start = paths.congestion_avoidance(round(cubic.tooth_peak(p, rtt)))
    flow = paths.sender(PURE, rtt, **start)
    seconds = LOSSES / p / cubic.cubic_window(p, rtt) * rtt
    scenario = paths.clear(flow, seconds=seconds + 40, warmup=40, loss=p)
    expected = cubic.random_window(p, rtt)
    return Check(
        id=f"cubic.random.rtt-{rtt * 1e3:g}ms.p-{p * 1e3:g}e-3",
        law=(
            "mean window at random losses, W(t) alone (no Reno, no fast convergence): RFC "
            "9438 section 4.2"
        ),
        expected=expected,
        # The round trip in which a loss is noticed, of 1 / (p W); and what the law is drawn to.
        tolerance=p * expected + 0.01,
        measure=mean_over_seeds(scenario, partial(_mean_window, rtt)),
        unit="segments",
        quick=p > 1e-3,
    )


def _exponent(p: float) -> int:
    return int(f"{p:e}".split("e")[1])


def _mean_windows() -> Iterator[Check]:
    for p, rtt in ((1e-4, 0.1), (1e-5, 0.1), (1e-3, 0.2), (1e-4, 0.2)):
        yield _cubic_tooth(p, rtt)
    for p, rtt in ((1e-3, 0.1), (1e-3, 0.01), (1e-4, 0.01)):
        yield _reno_tooth(p, rtt)
    for p, rtt in ((3e-3, 0.2), (1e-3, 0.2)):
        yield _random_losses(p, rtt)


# The curve after one loss: round trips of 10 ms, so that the window is where the curve is, not a
# round trip behind.

W_MAX = 100
FINE = 0.01


def _one_loss(
    w_max: int, cc: Mapping[str, Any] = PURE, lost: str = "2", marks: bool = False, **fields: Any
) -> dict[str, Any]:
    flow = paths.sender(cc, FINE, **paths.congestion_avoidance(w_max), **fields)
    return paths.clear(flow, seconds=9, queue=Chosen(packets=lost, marks=marks, limit="unlimited"))


def _sample(t: float, seen: Recorded) -> float:
    """The window `t` seconds after the end of recovery, when congestion avoidance begins; between
    two rows linear."""
    at = seen.reactions("recovered")[0]["time_s"] + t
    before, after = None, None
    for row in seen.rows("flows"):
        if row["time_s"] <= at:
            before = row
        elif after is None:
            after = row
    assert before is not None and after is not None
    share = (at - before["time_s"]) / (after["time_s"] - before["time_s"])
    return float(before["cwnd_packets"] + share * (after["cwnd_packets"] - before["cwnd_packets"]))


def _curve() -> Iterator[Check]:
    after = cubic.BETA * W_MAX
    for t in (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0):
        # The window follows the curve by its acknowledgments, of which a round trip of 10 ms
        # brings one burst.
        slope = abs(cubic.window(t + FINE, W_MAX, after) - cubic.window(t, W_MAX, after))
        yield Check(
            id=f"cubic.curve.t-{t:g}s",
            law=(
                "W(t) = C(t-K)^3 + W_max after a loss at 100 segments, within one round trip: RFC "
                "9438 section 4.2"
            ),
            expected=cubic.window(t, W_MAX, after),
            tolerance=slope + 0.02,
            absolute=True,
            measure=paths.of_records(_one_loss(W_MAX), partial(_sample, t), every="10 ms"),
            unit="segments",
        )


def _k(seen: Recorded) -> float:
    """K by the curve's shape: t - cbrt((W - W_max) / C), the mean over samples away from the
    plateau."""
    found = []
    for t in (0.5, 1.0, 2.0, 6.0, 7.0, 8.0):
        above = (_sample(t, seen) - W_MAX) / cubic.C
        found.append(t - math.copysign(abs(above) ** (1 / 3), above))
    return stats.mean(found)


# The effect of one loss.


def _decrease(cause: str, seen: Recorded) -> float:
    row = seen.reactions(cause)[0]
    return float(row["ssthresh_bytes"] / row["in_flight_bytes_before"])


def _remembered(seen: Recorded) -> float:
    """W_max after the second loss by the window that it found; the control shows both in
    segments."""
    shown = shown_by_control(seen.reactions("loss")[1])
    return shown["w_max"] / shown["cwnd_prior"]


def _one_signal() -> Iterator[Check]:
    byte = 1 / (W_MAX * paths.MSS)
    after = cubic.BETA * W_MAX
    yield Check(
        id="cubic.k",
        law="K = cbrt(0.3 W_max / C), within one round trip: RFC 9438 section 4.2",
        expected=cubic.k(W_MAX, after),
        tolerance=FINE,
        absolute=True,
        measure=paths.of_records(_one_loss(W_MAX), _k, every="10 ms"),
        unit="s",
    )
    signals: tuple[tuple[str, dict[str, Any], float, str], ...] = (
        ("loss", {}, cubic.BETA, "a loss leaves 0.7 of the data in flight: RFC 9438 section 4.6"),
        ("ecn_echo", {}, cubic.BETA, "a mark reduces like a loss: RFC 9438 section 4.6"),
        (
            "ecn_echo",
            {"abe": True},
            cubic.BETA_ECN,
            "with ABE a mark leaves 0.85: RFC 8511 section 4.2",
        ),
    )
    for cause, options, share, law in signals:
        marks = cause == "ecn_echo"
        scenario = _one_loss(W_MAX, PURE | options, marks=marks, ecn="rfc3168" if marks else "off")
        yield Check(
            id=f"cubic.decrease.{'abe' if options else 'mark' if marks else 'loss'}",
            law=law,
            expected=share,
            # The acknowledgment that echoes a mark has taken its own segment out of what is in
            # flight.
            tolerance=1 / W_MAX if marks else byte,
            absolute=True,
            measure=paths.of_records(scenario, partial(_decrease, cause)),
        )
    for convergent in (True, False):
        scenario = _one_loss(W_MAX, {"kind": "cubic", "fast_convergence": convergent}, lost="2,600")
        yield Check(
            id=f"cubic.w-max.{'fast-convergence' if convergent else 'plain'}",
            law=(
                "a loss below W_max leaves W_max = 0.85 cwnd with fast convergence, cwnd "
                "without: RFC 9438 section 4.7"
            ),
            expected=cubic.fast_convergence(1.0) if convergent else 1,
            tolerance=1e-12,
            measure=paths.of_records(scenario, _remembered),
        )


CHECKS = [*_mean_windows(), *_curve(), *_one_signal()]
