"""Losses in small windows: the floor of ssthresh, and the number of duplicates that indicate a
loss. RFC 5681 sections 3.1, 3.2."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ...check import Check
from ...laws.tcp import recovery, thresholds
from ...measured import Measured
from ...runner import Runner
from .. import paths
from ..given_losses import Chosen

WINDOW, RTT = 16, 0.1


def _scenario(flight: int) -> dict[str, Any]:
    """A receive window of `flight` segments, a whole one of which is lost after some rounds: the
    timer finds it."""
    flow = paths.sender(
        "newreno", 0.1, receive_window=f"{flight} pkt", initial_window="1 pkt", min_rto="1 s"
    )
    lost = ",".join(str(n) for n in range(101, 101 + flight))
    return paths.clear(flow, seconds=20, queue=Chosen(packets=lost))


def _threshold(runner: Runner, flight: int) -> Measured:
    """ssthresh after the first timeout, in segments."""
    first = paths.recorded(runner, _scenario(flight)).reactions("timeout")[0]
    return Measured(first["ssthresh_bytes"] / paths.MSS)


def _timeouts(runner: Runner, duplicates: int) -> Measured:
    """Timeouts where the first of a window is lost and so many segments come after it; the receive
    window forbids more."""
    flow = paths.sender(
        "newreno", 0.1, receive_window=f"{duplicates + 1} pkt", initial_window="1 pkt"
    )
    scenario = paths.clear(flow, seconds=20, queue=Chosen(packets="101"))
    return Measured(paths.recorded(runner, scenario).flow["rtos"])


def _late(above: int) -> tuple[int, int]:
    """Two segments of a window: an early one, and one that has so many above it."""
    return 2, WINDOW - above


def _repaired(runner: Runner, above: int) -> Measured:
    """Returns the time at which the receiver has the last of the lost segments, in round trips."""
    first: dict[str, Any] = {
        "initial_window": f"{WINDOW} pkt",
        "initial_ssthresh": f"{WINDOW} pkt",
        "initial_window_bytes": "unlimited",
    }
    plain: dict[str, Any] = {
        "detection": "dupack",
        "reduction": "rfc6675",
        "tail_loss_probe": False,
        "frto": False,
    }
    lost = ",".join(map(str, _late(above)))
    scenario = paths.clear(
        paths.sender("sack", RTT, **first, **plain), seconds=4, queue=Chosen(packets=lost)
    )
    data = [
        row
        for row in paths.recorded(runner, scenario, packets=True).rows("packets")
        if row["from"] == "sender"
    ]
    gone = {row["seq"] for row in data if row["dropped_ps"] is not None}
    came = {
        row["seq"]: row["delivered_ps"]
        for row in reversed(data)
        if row["seq"] in gone and row["delivered_ps"]
    }
    return Measured(max(came.values()) * 1e-12 / RTT)


def _sack() -> Iterator[Check]:
    for above in (2, 3, 4):
        yield Check(
            id=f"sack.lost-below-{above}.repaired",
            law=(
                "a hole is lost when three segments above it were reported; RFC 6675 section "
                "4, by its rules"
            ),
            expected=recovery.recover("sack", WINDOW, _late(above), 1 / RTT).repaired,
            tolerance=0.01,
            absolute=True,
            measure=partial(_repaired, above=above),
            unit="RTT",
        )


def _checks() -> Iterator[Check]:
    for duplicates in (1, 2, 3, 4):
        yield Check(
            id=f"fast-retransmit.duplicates-{duplicates}.timeouts",
            law=(
                "three duplicate acknowledgments tell a loss, fewer leave it to the timer: "
                "RFC 5681 section 3.2"
            ),
            expected=thresholds.timeouts(duplicates),
            tolerance=0,
            measure=partial(_timeouts, duplicates=duplicates),
        )
    for flight in (1, 2, 3, 4, 7, 16):
        yield Check(
            id=f"ssthresh.flight-{flight}",
            law=(
                "ssthresh = max(FlightSize / 2, 2 SMSS) after a timeout: RFC 5681 section "
                "3.1, equation (4)"
            ),
            expected=thresholds.after_loss(flight),
            tolerance=0,
            measure=partial(_threshold, flight=flight),
            unit="segments",
        )


CHECKS: list[Check] = [*_checks(), *_sack()]
