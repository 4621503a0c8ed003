"""How flows share: Jain's index of equal flows, round-trip times, Chiu and Jain's convergence.

On shared queues the ratio of goodputs is between that of 1/RTT and 1/RTT^2. Both ends are exact. At
equal independent losses it is the ratio of round-trip times (Mathis et al. 1997). At losses that
hit all flows at the same instants it is its square. Each such loss multiplies the difference of the
windows, which stays constant until the next loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ...check import Check
from ...laws.tcp import fairness
from ...readings import Run
from ...recorded import Recorded
from ...runner import mean_over_seeds, of_one_run
from .. import paths
from ..given_losses import EachFlowAt

RTT = 0.1

# Flows with the same random loss.


def _named(*flows: dict[str, Any]) -> list[dict[str, Any]]:
    return [flow | {"name": f"s{i}"} for i, flow in enumerate(flows)]


def _goodputs(run: Run) -> list[float]:
    return [float(flow["goodput_bps"]) for flow in run["flows"]]


def _goodput_of(flow: int, run: Run) -> float:
    return _goodputs(run)[flow]


def _ratio(run: Run) -> float:
    """The first flow's goodput by the second's."""
    near, far = _goodputs(run)
    return near / far


def _index(run: Run) -> float:
    return fairness.jain(_goodputs(run))


def _equal_loss() -> Iterator[Check]:
    for near, far in ((0.05, 0.1), (0.03, 0.12), (0.02, 0.2)):
        flows = _named(paths.sender("sack", near), paths.sender("sack", far))
        scenario = paths.clear(*flows, seconds=6000 * far, warmup=100 * far, loss=3e-3)
        yield Check(
            id=f"fairness.rtt.{near * 1e3:g}ms-{far * 1e3:g}ms.ratio",
            law="at equal random loss goodput is proportional to 1/RTT: Mathis et al. 1997",
            expected=fairness.ratio_at_equal_loss(near, far),
            tolerance=0.1,
            measure=mean_over_seeds(scenario, _ratio),
            quick=far / near < 10,
        )
        yield Check(
            id=f"fairness.rtt.{near * 1e3:g}ms-{far * 1e3:g}ms.jain",
            law=(
                "Jain's index of two goodputs in that ratio, (1+r)^2 / (2 (1+r^2)): Jain, "
                "Chiu, Hawe 1984"
            ),
            expected=fairness.jain_of_ratio(fairness.ratio_at_equal_loss(near, far)),
            tolerance=0.1,
            measure=mean_over_seeds(scenario, _index),
            quick=far / near < 10,
        )
    for n in (2, 10):
        flows = _named(*[paths.sender("sack", RTT)] * n)
        yield Check(
            id=f"fairness.equal.{n}-flows",
            law="identical flows with identical losses have an index of 1: Jain, Chiu, Hawe 1984",
            expected=fairness.jain([1.0] * n),
            tolerance=0.02,
            measure=mean_over_seeds(paths.clear(*flows, seconds=600, warmup=10, loss=3e-3), _index),
            quick=n == 2,
        )


# Losses that hit two flows at once.

LARGE, SMALL = 96, 32
PERIOD = 4.0


def _losing_together(b: float) -> dict[str, Any]:
    """Two flows of AIMD(1, b) with windows that differ."""
    flows = [
        paths.sender({"kind": "aimd", "b": b}, RTT, **paths.congestion_avoidance(window))
        for window in (LARGE, SMALL)
    ]
    queue = EachFlowAt(period=PERIOD, limit="unlimited")
    return paths.clear(*_named(*flows), seconds=5 * PERIOD, queue=queue)


def _apart(losses: int, seen: Recorded) -> float:
    """Returns the distance of the windows half a period after so many losses, segments."""
    at = (losses + 0.5) * PERIOD
    windows = {
        row["flow"]: row["cwnd_packets"]
        for row in seen.rows("flows")
        if abs(row["time_s"] - at) < 0.01
    }
    return float(windows["s0"] - windows["s1"])


def _convergence() -> Iterator[Check]:
    for b in (0.5, 0.25):
        for losses in (0, 1, 2, 3, 4):
            yield Check(
                id=f"fairness.converge.b-{b:g}.losses-{losses}",
                law=(
                    "a loss of both multiplies the difference of their windows by 1 - b, "
                    "within one segment: Chiu, Jain 1989"
                ),
                expected=fairness.apart(LARGE - SMALL, losses, 1 - b),
                tolerance=1,
                absolute=True,
                measure=paths.of_records(
                    _losing_together(b), partial(_apart, losses), every="100 ms"
                ),
                unit="segments",
            )


# Losses that hit flows with different round trips at once.


def _together() -> Iterator[Check]:
    period = 10.0
    for near, far in ((0.05, 0.1), (0.03, 0.12)):
        # Teeth begin where the law has them. Each loss costs three round trips of its tooth: one to
        # notice it, one to repair it, and some of one because windows are whole segments.
        flows = [
            paths.sender("sack", rtt, **paths.congestion_avoidance(round(2 * period / rtt) // 2))
            for rtt in (near, far)
        ]
        queue = EachFlowAt(period=period, limit="unlimited")
        scenario = paths.clear(*_named(*flows), seconds=6 * period, warmup=period, queue=queue)
        head = f"fairness.together.{near * 1e3:g}ms-{far * 1e3:g}ms"
        for flow, rtt in enumerate((near, far)):
            yield Check(
                id=f"{head}.rtt-{rtt * 1e3:g}ms",
                law=(
                    "3/2 T MSS/RTT^2 with a loss every T seconds, within three round trips: "
                    "the sawtooth in time"
                ),
                expected=8 * paths.MSS * fairness.rate_at_losses_together(period, rtt),
                tolerance=3 * rtt / period,
                measure=of_one_run(scenario, partial(_goodput_of, flow)),
                unit="bit/s",
            )
        yield Check(
            id=f"{head}.ratio",
            law=(
                "goodput is proportional to 1/RTT^2 if losses hit all flows at once, within "
                "three round trips of the longer path"
            ),
            expected=fairness.ratio_at_losses_together(near, far),
            tolerance=3 * far / period,
            measure=of_one_run(scenario, _ratio),
        )


CHECKS = [*_equal_loss(), *_convergence(), *_together()]
