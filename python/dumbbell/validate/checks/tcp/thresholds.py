"""Losses in small windows: the floor of ssthresh, and the number of duplicates that indicate a
loss. RFC 5681 sections 3.1, 3.2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...check import Check
from ...laws.tcp import recovery, thresholds
from ...recorded import Recorded
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


def _threshold(seen: Recorded) -> float:
    """ssthresh after the first timeout, in segments."""
    return float(seen.reactions("timeout")[0]["ssthresh_bytes"] / paths.MSS)


def _first_lost(duplicates: int) -> dict[str, Any]:
    """The first of a window is lost and so many segments come after it; the receive window forbids
    more."""
    flow = paths.sender(
        "newreno", 0.1, receive_window=f"{duplicates + 1} pkt", initial_window="1 pkt"
    )
    return paths.clear(flow, seconds=20, queue=Chosen(packets="101"))


def _late(above: int) -> tuple[int, int]:
    """Two segments of a window: an early one, and one that has so many above it."""
    return 2, WINDOW - above


def _late_losses(above: int) -> dict[str, Any]:
    """A window that loses these two, and a sender with what RFC 6675 has and no more."""
    plain: dict[str, Any] = {
        "detection": "dupack",
        "reduction": "rfc6675",
        "tail_loss_probe": False,
        "frto": False,
    }
    lost = ",".join(map(str, _late(above)))
    flow = paths.sender("sack", RTT, **paths.congestion_avoidance(WINDOW), **plain)
    return paths.clear(flow, seconds=4, queue=Chosen(packets=lost))


def _sack() -> Iterator[Check]:
    for above in (2, 3, 4):
        yield Check(
            id=f"sack.lost-below-{above}.repaired",
            law=("a hole is lost when three segments above it are reported: RFC 6675 section 4"),
            expected=recovery.recover("sack", WINDOW, _late(above), 1 / RTT).repaired,
            tolerance=0.01,
            absolute=True,
            measure=paths.of_records(
                _late_losses(above), lambda seen: seen.repaired_s() / RTT, packets=True
            ),
            unit="RTT",
        )


def _checks() -> Iterator[Check]:
    for duplicates in (1, 2, 3, 4):
        yield Check(
            id=f"fast-retransmit.duplicates-{duplicates}.timeouts",
            law=(
                "three duplicate acknowledgments indicate a loss, fewer leave it to the timer: "
                "RFC 5681 section 3.2"
            ),
            expected=thresholds.timeouts(duplicates),
            tolerance=0,
            measure=paths.of_records(_first_lost(duplicates), lambda seen: int(seen.flow["rtos"])),
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
            measure=paths.of_records(_scenario(flight), _threshold),
            unit="segments",
        )


CHECKS: list[Check] = [*_checks(), *_sack()]
