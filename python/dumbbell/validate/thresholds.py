"""Losses in small windows: the floor of ssthresh, and how many duplicates tell a loss. RFC 5681 sections 3.1, 3.2."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from . import paths
from .bench import Bench
from .laws import thresholds
from .oracle import Measured, Oracle
from .signalled import Chosen


def _scenario(flight: int) -> dict[str, Any]:
    """A receive window of `flight` segments, a whole one of which is lost after some rounds: the timer finds it."""
    flow = paths.sender("newreno", 0.1, receive_window=f"{flight} pkt", initial_window="1 pkt", min_rto="1 s")
    lost = ",".join(str(n) for n in range(101, 101 + flight))
    return paths.clear(flow, seconds=20, queue=Chosen(packets=lost))


def _threshold(bench: Bench, flight: int) -> Measured:
    """ssthresh after the first timeout, in segments."""
    first = paths.recorded(bench, _scenario(flight)).reactions("timeout")[0]
    return Measured(first["ssthresh_bytes"] / paths.MSS)


def _timeouts(bench: Bench, duplicates: int) -> Measured:
    """Timeouts where the first of a window is lost and so many segments come after it; the receive window forbids
    more."""
    flow = paths.sender("newreno", 0.1, receive_window=f"{duplicates + 1} pkt", initial_window="1 pkt")
    scenario = paths.clear(flow, seconds=20, queue=Chosen(packets="101"))
    return Measured(paths.recorded(bench, scenario).flow["rtos"])


def _oracles() -> Iterator[Oracle]:
    for duplicates in (1, 2, 3, 4):
        yield Oracle(
            id=f"fast-retransmit.duplicates-{duplicates}.timeouts",
            law="three duplicate acknowledgements tell a loss, fewer leave it to the timer: RFC 5681 section 3.2",
            expected=thresholds.timeouts(duplicates),
            tolerance=0,
            measure=partial(_timeouts, duplicates=duplicates),
        )
    for flight in (1, 2, 3, 4, 7, 16):
        yield Oracle(
            id=f"ssthresh.flight-{flight}",
            law="ssthresh = max(FlightSize / 2, 2 SMSS) after a timeout: RFC 5681 section 3.1, equation (4)",
            expected=thresholds.after_loss(flight),
            tolerance=0,
            measure=partial(_threshold, flight=flight),
            unit="segments",
        )


ORACLES: list[Oracle] = list(_oracles())
