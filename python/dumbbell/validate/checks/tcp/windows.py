"""What windows allow without loss: the receive window, the initial window, slow start.

The time of a transfer lasts from its SYN until the receiver has the last segment: a round trip for
the handshake, one for each round but the last, and half of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...check import Check
from ...laws.tcp import windows
from ...readings import goodput
from ...recorded import Recorded
from ...runner import Measurement, of_one_run
from .. import paths

SERIALISATION = 0.01
"""The delay that transmission adds, round trips: a thousand packets on 10 Gbit/s are 1.2 ms."""


def _limited() -> Iterator[Check]:
    rounds = 2000
    for segments, rtt in ((1, 0.1), (7, 0.1), (20, 0.1), (100, 0.1), (20, 0.02), (20, 0.5)):
        flow = paths.sender("newreno", rtt, receive_window=f"{segments} pkt")
        yield Check(
            id=f"window.limited.{segments}-segments.rtt-{rtt * 1e3:g}ms",
            law=(
                "goodput = W MSS / RTT if the receive window is below that of the path, within "
                "one window in 2000"
            ),
            expected=windows.window_limited(segments, paths.MSS, rtt),
            tolerance=1 / rounds,
            measure=of_one_run(
                paths.clear(flow, seconds=(rounds + 20) * rtt, warmup=20 * rtt), goodput
            ),
            unit="bit/s",
        )
    flow = paths.sender("newreno", 0.1, window_scaling=False)
    yield Check(
        id="window.limited.unscaled",
        law=(
            "without window scaling, the window is the whole segments of 65,535 bytes: RFC 7323 "
            "section 2, RFC 9293 section 3.8.6.2.1"
        ),
        expected=windows.window_limited(
            windows.whole_segments(windows.UNSCALED, paths.MSS), paths.MSS, 0.1
        ),
        tolerance=1 / rounds,
        measure=of_one_run(paths.clear(flow, seconds=(rounds + 20) * 0.1, warmup=2), goodput),
        unit="bit/s",
    )


def _first_burst(mss: int, **fields: Any) -> Measurement:
    """Bytes that leave before anything is acknowledged."""

    def measure(seen: Recorded) -> int:
        rows = seen.data()
        end = rows[0]["sent_ps"] + 0.05e12
        return sum(row["payload_bytes"] for row in rows if row["sent_ps"] < end)

    flow = paths.sender("sack", 0.1, mss, **fields)
    return paths.of_records(paths.clear(flow, seconds=0.5, mtu=9180), measure, packets=True)


def _initial() -> Iterator[Check]:
    for mss in (536, 1460, 8960):
        yield Check(
            id=f"window.initial.mss-{mss}",
            law="IW = min(10 MSS, max(2 MSS, 14600)): RFC 6928 section 2",
            expected=windows.initial_window(mss),
            tolerance=0,
            measure=_first_burst(mss),
            unit="bytes",
        )
    for mss in (536, 1460):
        legacy: dict[str, Any] = {"initial_window": "4 pkt", "initial_window_bytes": "4380 B"}
        yield Check(
            id=f"window.initial.rfc3390.mss-{mss}",
            law="IW = min(4 MSS, max(2 MSS, 4380)): RFC 3390",
            expected=windows.initial_window(mss, 4, 4380),
            tolerance=0,
            measure=_first_burst(mss, **legacy),
            unit="bytes",
        )


def _transfer(segments: int, rtt: float, **fields: Any) -> Measurement:
    """From the SYN until the receiver has the last segment, in round trips."""

    def measure(seen: Recorded) -> float:
        return float(max(row["delivered_ps"] for row in seen.data()) * 1e-12 / rtt)

    source = {"kind": "fixed", "size": f"{segments * paths.MSS} B"}
    flow = paths.sender("newreno", rtt, handshake=True, **fields) | {"source": source}
    return paths.of_records(paths.clear(flow, seconds=20 * rtt), measure, packets=True)


def _slow_start() -> Iterator[Check]:
    cases: tuple[tuple[str, int, int, int, int], ...] = (
        *(("each", 10, n, 1, 1) for n in (10, 11, 30, 31, 150, 310, 311)),
        *(("each", 2, n, 1, 1) for n in (2, 6, 62, 63)),
        *(("second", 10, n, 2, 1) for n in (25, 26, 46, 47, 79, 80)),
        *(("second", 10, n, 2, 2) for n in (30, 31, 150)),
    )
    for when, initial, n, acked, limit in cases:
        fields: dict[str, Any] = {
            "initial_window": f"{initial} pkt",
            "delayed_ack": when,
            "growth_limit": limit,
        }
        grows = "doubles in each round trip" if acked == limit else "grows by half"
        yield Check(
            id=f"slow-start.iw-{initial}.{n}-segments"
            f"{'.delack' if acked == 2 else ''}{'.abc' if limit == 2 else ''}",
            law=(
                f"a handshake, rounds in which the window {grows}, half a round trip: RFC "
                "5681 section 3.1"
            )
            + (", RFC 3465" if limit == 2 else ""),
            # One round trip before data, and the last round's data need half of one.
            expected=windows.slow_start(n, initial, acked, limit) + 0.5,
            tolerance=SERIALISATION,
            absolute=True,
            measure=_transfer(n, 0.1, **fields),
            unit="RTT",
        )


CHECKS = [*_limited(), *_initial(), *_slow_start()]
