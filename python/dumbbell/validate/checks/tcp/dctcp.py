"""DCTCP: its estimate, its cut, and the sawtooth at a queue that marks above a threshold.

`alpha.gain` marks everything, so that 1 - alpha falls by the gain in each window. `regular` marks
every n-th packet: alpha settles at 1/n, and the window at 2 n. The law leaves out that an echo adds
nothing to the window (RFC 3168 section 6.1.2), a share 1/n of the growth, and that a window is cut
once it has grown by its segment: one segment. `step` has RED's curve as a step at K, and the law's
small gain. The law counts a marked round trip in a period; the round trip in which the window
answers marks does not add its segment, so that shares and periods are within two round trips.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....present import stats
from ...check import Check
from ...laws.tcp import dctcp
from ...readings import goodput, of_queue
from ...recorded import Recorded, shown_by_control
from ...runner import of_one_run
from .. import paths
from ..given_losses import Chosen, Nth

RTT = 0.1
WINDOW = 64


def _marked(queue: Any, seconds: float, window: int = WINDOW, **words: float) -> dict[str, Any]:
    """A flow in congestion avoidance through a queue that marks as said."""
    cc = {"kind": "dctcp", **words}
    flow = paths.sender(cc, RTT, **paths.congestion_avoidance(window))
    return paths.clear(flow, seconds=seconds, queue=queue)


def _left(seen: Recorded) -> float:
    """The share of the window that the first echo leaves."""
    row = seen.reactions("ecn_echo")[0]
    return float(row["cwnd_bytes"] / row["cwnd_bytes_before"])


def _cuts() -> Iterator[Check]:
    # The first acknowledgment ends the first window, which has no mark; the second one has the
    # echo, and has made the window grow by at most a segment.
    for alpha in (1.0, 0.5, 0.25):
        queue = Chosen(packets="2", marks=True, limit="unlimited")
        yield Check(
            id=f"dctcp.cut.alpha-{alpha:g}",
            law=(
                "an echo leaves 1 - alpha/2 of the window; an unmarked window, the first "
                "acknowledgment, left 15/16 of alpha: RFC 8257 section 3.3"
            ),
            expected=dctcp.left(dctcp.estimate(alpha, share=0)),
            tolerance=1 / WINDOW,
            absolute=True,
            measure=paths.of_records(_marked(queue, 0.35, alpha_on_init=alpha), _left),
        )


def _alphas(seen: Recorded) -> list[float]:
    """alpha at each reduction."""
    return [shown_by_control(row)["alpha"] for row in seen.reactions("ecn_echo")]


def _gain(seen: Recorded) -> float:
    """The share by which 1 - alpha falls from one reduction to the next, of twenty."""
    alphas = _alphas(seen)[1:22]
    return float(1 - ((1 - alphas[-1]) / (1 - alphas[0])) ** (1 / 20))


def _gains() -> Iterator[Check]:
    queue = Nth(every=1, marks=True, limit="unlimited")
    yield Check(
        id="dctcp.alpha.gain",
        law=(
            "alpha = (1 - g) alpha + g M once per window, g = 1/16: M = 1 takes 1/16 of 1 - "
            "alpha: RFC 8257 section 3.3"
        ),
        expected=dctcp.GAIN,
        tolerance=1e-3,
        measure=paths.of_records(_marked(queue, 4, alpha_on_init=0.0), _gain),
    )


def _regular() -> Iterator[Check]:
    for every in (10, 50):
        # From alpha = 1 and a window that is far from the law's; the larger one, near it.
        start = {} if every == 10 else {"alpha_on_init": 1 / every}
        peak = dctcp.window(1 / every)
        queue = Nth(every=every, marks=True, limit="unlimited")
        scenario = _marked(queue, 90, int(peak), **start) | {"warmup": "30 s"}
        one = 1 / peak
        yield Check(
            id=f"dctcp.regular.every-{every}.goodput",
            law=(
                "W = 2/p segments where a share p of every window is marked, within a segment "
                "and a share p"
            ),
            expected=8 * paths.MSS * peak / RTT,
            tolerance=one + 1 / every,
            measure=of_one_run(scenario, goodput),
            unit="bit/s",
        )
        yield Check(
            id=f"dctcp.regular.every-{every}.alpha",
            law=(
                "alpha settles at the share of marked bytes, within a segment per window: RFC "
                "8257 section 3.3"
            ),
            expected=1 / every,
            tolerance=one,
            measure=paths.of_records(scenario, lambda seen: stats.mean(_alphas(seen)[-400:])),
        )


# A step at K.

PACKET = 1500
LINK = 480e6
THRESHOLD = 100
PIPE = 400
"""Packets of a base round trip."""


def _step() -> dict[str, Any]:
    """A flow alone, from near its window and alpha on, over some twenty periods."""
    rtt = PIPE * PACKET * 8 / LINK
    alpha = dctcp.alpha_at_step(PIPE + THRESHOLD)
    cc = {"kind": "dctcp", "g": 1 / 256, "alpha_on_init": alpha}
    flow = paths.sender(cc, rtt, **paths.congestion_avoidance(PIPE))
    queue = {"kind": "red", "limit": "unlimited", "ecn": True, "ecn_hard": False, "w_q": 1.0}
    queue |= {"min_th": f"{THRESHOLD - 1} pkt", "max_th": f"{THRESHOLD} pkt", "max_p": 1e-9}
    link = {"rate": f"{LINK:.0f} bps", "delay": "1 ms"}
    return {
        "duration": "6 s",
        "warmup": "2 s",
        "dumbbell": {"bottleneck": link, "access": {"rate": "10 Gbps"}},
        "queue": queue,
        "flow": [flow],
    }


def _between(seen: Recorded) -> float:
    """The mean time from one reduction to the next, seconds."""
    at = [row["time_s"] for row in seen.reactions("ecn_echo") if row["time_s"] > 2.0]
    return float((at[-1] - at[0]) / (len(at) - 1))


def _mean_alpha(seen: Recorded) -> float:
    """The mean over time: alpha rises once in a period, and falls in between."""
    return stats.mean([row["cc_alpha"] for row in seen.rows("flows") if row["time_s"] > 2.0])


def _steps() -> Iterator[Check]:
    pipe = PIPE + THRESHOLD
    period = dctcp.period(pipe)
    scenario = _step()
    for name, law, expected, measure, unit in (
        (
            "alpha",
            "alpha^2 (1 - alpha/4) = (2W + 1)/(W + 1)^2, W = C RTT + K",
            dctcp.alpha_at_step(pipe),
            _mean_alpha,
            "",
        ),
        (
            "period",
            "(W + 1) alpha / 2 round trips from cut to cut, W = C RTT + K",
            period * pipe * PACKET * 8 / LINK,
            _between,
            "s",
        ),
    ):
        yield Check(
            id=f"dctcp.step.{name}",
            law=f"{law}, marks above K: Alizadeh et al. 2010, section 3.3",
            expected=expected,
            tolerance=2 / period,
            measure=paths.of_records(scenario, measure, every="10 ms"),
            unit=unit,
        )
    yield Check(
        id="dctcp.step.longest",
        law=(
            "the longest queue is K + N, one in transmission and one that comes: Alizadeh et al. "
            "2010, section 3.3"
        ),
        expected=dctcp.longest(THRESHOLD),
        tolerance=2,
        absolute=True,
        measure=of_one_run(scenario, of_queue("max_packets")),
        unit="packets",
    )


CHECKS = [*_cuts(), *_gains(), *_regular(), *_steps()]
