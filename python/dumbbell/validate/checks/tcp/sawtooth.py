"""One flow, one link, one buffer: the sawtooth's utilization, its mean queue and its period.

The laws are those of a fluid. The window rises by a segment per round trip from half its peak, and
the link is busy while the window exceeds the bandwidth-delay product, here 200 packets. The laws
add what a fluid lacks: one packet in transmission and one that finds no room. So shares are within
1 % and lengths within two packets. The smallest buffer for which the law of no buffer (75 %) holds
is two packets. The link itself clocks the acknowledgments, so packets arrive exactly when those
before them have left: one place may still be taken by the last one, and the growth of the window
needs another. With one place the flow loses packets by such coincidences and never fills the path.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...check import Check
from ...laws.tcp import sawtooth
from ...readings import of_queue
from ...recorded import Recorded
from ...runner import of_one_run
from .. import paths

RTT = 0.1
BDP = 200
"""Packets."""
PACKET = 1500
TEETH = 10


SMALLEST = 2
"""The least buffer that has the law of none, packets. Packets come just as those before them have
left, so that one place may be taken by the next of a train while the last still goes; the growth of
the window needs another."""


def _period(limit: int) -> float:
    """One packet more in the pipe, in transmission; the first that finds no room comes on top of a
    full buffer."""
    return sawtooth.period(BDP + 1, BDP + limit + 2, BDP / RTT)


def scenario(cc: str, limit: int) -> dict[str, Any]:
    """A flow that comes near its sawtooth without overflowing the buffer in slow start, then some
    teeth."""
    b = limit / BDP
    # Slow start has half its window waiting at most.
    gentle = max(2, min(limit, int(0.6 * (1 + b) * BDP)))
    flow = paths.sender(cc, RTT, initial_window="2 pkt", initial_ssthresh=f"{gentle} pkt")
    tooth = _period(limit)
    warmup = (1 + b) ** 2 * BDP * RTT + tooth
    rate = f"{BDP * PACKET * 8 / RTT:.0f} bps"
    return {
        "duration": f"{(warmup + TEETH * tooth) * 1e3:.0f} ms",
        "warmup": f"{warmup * 1e3:.0f} ms",
        "dumbbell": {"bottleneck": {"rate": rate, "delay": "1 ms"}, "access": {"rate": "10 Gbps"}},
        "queue": {"kind": "drop_tail", "limit": f"{limit} pkt"},
        "flow": [flow],
    }


def _tooth(seen: Recorded) -> float:
    """The mean time from one loss to the next, after the first ones."""
    at = [row["time_s"] for row in seen.reactions("loss")[2:]]
    return float((at[-1] - at[0]) / (len(at) - 1))


def _utilizations() -> Iterator[Check]:
    for limit in (SMALLEST, 20, 50, 100, 150, 200, 400):
        b = 0.0 if limit == SMALLEST else limit / BDP
        for cc in ("reno", "newreno", "sack") if limit in (SMALLEST, 100, 200) else ("sack",):
            yield Check(
                id=f"sawtooth.{cc}.buffer-{b:g}.utilization",
                law=(
                    "utilization 3/4 (1+b)^2 / (1+b+b^2) with a buffer of b <= 1 BDP, 1 above, "
                    "within two packets of 200: fluid sawtooth"
                ),
                expected=sawtooth.utilisation(b),
                tolerance=2 / BDP,
                absolute=True,
                measure=of_one_run(scenario(cc, limit), of_queue("utilization")),
            )


def _backlogs() -> Iterator[Check]:
    for limit in (20, 50, 100, 150, 200, 400):
        yield Check(
            id=f"sawtooth.sack.buffer-{limit / BDP:g}.queue",
            law="mean backlog of the fluid sawtooth (5/9 BDP with a buffer of 1 BDP), within "
            "two packets",
            expected=sawtooth.mean_queue(limit / BDP) * BDP,
            tolerance=2,
            absolute=True,
            measure=of_one_run(scenario("sack", limit), of_queue("mean_packets")),
            unit="packets",
        )


def _periods() -> Iterator[Check]:
    """A round trip to notice a loss, one to repair it, and less than one because windows are whole
    segments."""
    for limit in (20, 100, 200):
        yield Check(
            id=f"sawtooth.sack.buffer-{limit / BDP:g}.period",
            law=(
                "time from loss to loss, if the window grows by one segment per round trip, "
                "within three round "
                "trips: fluid sawtooth"
            ),
            expected=_period(limit),
            tolerance=3 * (1 + limit / BDP) * RTT,
            absolute=True,
            measure=paths.of_records(scenario("sack", limit), _tooth),
            unit="s",
        )


CHECKS = [*_utilizations(), *_backlogs(), *_periods()]
