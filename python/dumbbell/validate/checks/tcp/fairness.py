"""How flows share: Jain's index of equal flows, round-trip times, Chiu and Jain's convergence.

On shared queues the ratio of goodputs is between that of 1/RTT and 1/RTT^2. Both ends are exact. At
equal independent losses it is the ratio of round-trip times (Mathis et al. 1997). At losses that
hit all flows at the same instants it is its square. Each such loss multiplies the difference of the
windows, which stays constant until the next loss.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ...check import Check
from ...laws.tcp import fairness
from ...measured import Measured
from ...runner import Runner
from .. import paths
from ..given_losses import EachFlowAt

RTT = 0.1

# Flows with the same random loss.


def _named(*flows: dict[str, Any]) -> list[dict[str, Any]]:
    return [flow | {"name": f"s{i}"} for i, flow in enumerate(flows)]


def _goodputs(run: Mapping[str, Any]) -> list[float]:
    return [float(flow["goodput_bps"]) for flow in run["flows"]]


def _ratio(runner: Runner, scenario: Mapping[str, Any]) -> Measured:
    """The first flow's goodput by the second's."""
    shares = (_goodputs(run) for run in paths.run(runner, scenario, runner.seeds))
    return Measured.of([near / far for near, far in shares])


def _index(runner: Runner, scenario: Mapping[str, Any]) -> Measured:
    return Measured.of(
        [fairness.jain(_goodputs(run)) for run in paths.run(runner, scenario, runner.seeds)]
    )


def _equal_loss() -> Iterator[Check]:
    for near, far in ((0.05, 0.1), (0.03, 0.12), (0.02, 0.2)):
        flows = _named(paths.sender("sack", near), paths.sender("sack", far))
        scenario = paths.clear(*flows, seconds=6000 * far, warmup=100 * far, loss=3e-3)
        yield Check(
            id=f"fairness.rtt.{near * 1e3:g}ms-{far * 1e3:g}ms.ratio",
            law="at equal random loss goodput is proportional to 1/RTT: Mathis et al. 1997",
            expected=fairness.ratio_at_equal_loss(near, far),
            tolerance=0.1,
            measure=partial(_ratio, scenario=scenario),
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
            measure=partial(_index, scenario=scenario),
            quick=far / near < 10,
        )
    for n in (2, 10):
        flows = _named(*[paths.sender("sack", RTT)] * n)
        yield Check(
            id=f"fairness.equal.{n}-flows",
            law="flows that are alike and lose alike have an index of 1: Jain, Chiu, Hawe 1984",
            expected=fairness.jain([1.0] * n),
            tolerance=0.02,
            measure=partial(
                _index, scenario=paths.clear(*flows, seconds=600, warmup=10, loss=3e-3)
            ),
            quick=n == 2,
        )


# Losses that hit two flows at once.

LARGE, SMALL = 96, 32
PERIOD = 4.0


def _apart(runner: Runner, losses: int, b: float) -> Measured:
    """Returns the distance of the windows half a period after so many losses, segments."""
    flows = []
    for window in (LARGE, SMALL):
        start: dict[str, Any] = {
            "initial_window": f"{window} pkt",
            "initial_ssthresh": f"{window} pkt",
        }
        flows.append(
            paths.sender({"kind": "aimd", "b": b}, RTT, initial_window_bytes="unlimited", **start)
        )
    queue = EachFlowAt(period=PERIOD, limit="unlimited")
    scenario = paths.clear(*_named(*flows), seconds=5 * PERIOD, queue=queue)
    rows = paths.recorded(runner, scenario, every="100 ms").rows("flows")
    at = (losses + 0.5) * PERIOD
    seen = {row["flow"]: row["cwnd_packets"] for row in rows if abs(row["time_s"] - at) < 0.01}
    return Measured(seen["s0"] - seen["s1"])


def _convergence() -> Iterator[Check]:
    for b in (0.5, 0.25):
        for losses in (0, 1, 2, 3, 4):
            yield Check(
                id=f"fairness.converge.b-{b:g}.losses-{losses}",
                law=(
                    "a loss of both multiplies the distance of their windows by 1 - b, to a "
                    "segment: Chiu, Jain 1989"
                ),
                expected=fairness.apart(LARGE - SMALL, losses, 1 - b),
                tolerance=1,
                absolute=True,
                measure=partial(_apart, losses=losses, b=b),
                unit="segments",
            )


# Losses that hit flows with different round trips at once.


def _shared(runner: Runner, scenario: Mapping[str, Any], flow: int) -> Measured:
    """Goodput of a flow; -1: of the first by that of the second."""
    near, far = _goodputs(paths.run(runner, scenario)[0])
    return Measured(near / far if flow < 0 else (near, far)[flow])


def _together() -> Iterator[Check]:
    period = 10.0
    for near, far in ((0.05, 0.1), (0.03, 0.12)):
        # Teeth begin where the law has them. Each loss costs three round trips of its tooth: one to
        # notice it, one to repair it, and some of one because windows are whole segments.
        flows = []
        for rtt in (near, far):
            peak = round(2 * period / rtt)
            start: dict[str, Any] = {
                "initial_window": f"{peak // 2} pkt",
                "initial_ssthresh": f"{peak // 2} pkt",
            }
            flows.append(paths.sender("sack", rtt, initial_window_bytes="unlimited", **start))
        queue = EachFlowAt(period=period, limit="unlimited")
        scenario = paths.clear(*_named(*flows), seconds=6 * period, warmup=period, queue=queue)
        head = f"fairness.together.{near * 1e3:g}ms-{far * 1e3:g}ms"
        for flow, rtt in enumerate((near, far)):
            yield Check(
                id=f"{head}.rtt-{rtt * 1e3:g}ms",
                law=(
                    "3/2 T MSS/RTT^2 with a loss every T seconds, to three round trips of T: "
                    "the sawtooth in time"
                ),
                expected=8 * paths.MSS * fairness.rate_at_losses_together(period, rtt),
                tolerance=3 * rtt / period,
                measure=partial(_shared, scenario=scenario, flow=flow),
                unit="bit/s",
            )
        yield Check(
            id=f"{head}.ratio",
            law=(
                "goodput is proportional to 1/RTT^2 when losses hit all at once, to three "
                "round trips of the longer"
            ),
            expected=fairness.ratio_at_losses_together(near, far),
            tolerance=3 * far / period,
            measure=partial(_shared, scenario=scenario, flow=-1),
        )


CHECKS = [*_equal_loss(), *_convergence(), *_together()]
