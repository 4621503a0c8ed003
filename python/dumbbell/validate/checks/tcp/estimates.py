"""What Vegas, Westwood and CAE estimate about a path, each alone on one.

Vegas stops growing when its backlog is between alpha and beta. Westwood's estimate of a full link
is the link's rate in payload, and a loss leaves that times the least round trip; the buffer is half
a bandwidth-delay product, and a tooth lasts many times the filter's constant. The tolerance is two
packets of the window, as for the sawtooth. CAE's first window goes through a reverse link that is
slower than the acknowledgments come.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...check import Check
from ...laws.tcp import bbr, estimates
from ...readings import of_queue
from ...recorded import Recorded, shown_by_control
from ...runner import of_one_run
from .. import paths

RATE = 10_000_000
RTT = 0.1
SIZE, ACK = 1500, 40
STAMP = 12
"""Bytes of the timestamps option."""
BDP = RATE * RTT / (8 * SIZE)
"""Packets."""


def _alone(cc: Any, seconds: float, warmup: float, limit: str, **tcp: Any) -> dict[str, Any]:
    """A flow over 10 Mbit/s."""
    return {
        "duration": f"{seconds:g} s",
        "warmup": f"{warmup:g} s",
        "dumbbell": {
            "bottleneck": {"rate": f"{RATE} bps", "delay": "1 ms"},
            "access": {"rate": "10 Gbps"},
        },
        "queue": {"kind": "drop_tail", "limit": limit},
        "flow": [paths.sender(cc, RTT, **tcp)],
    }


def _vegas() -> Iterator[Check]:
    for alpha, beta in ((2, 4), (8, 10)):
        cc = {"kind": "vegas", "alpha": f"{alpha} pkt", "beta": f"{beta} pkt"}
        low, high = estimates.backlog(alpha, beta)
        yield Check(
            id=f"vegas.backlog.alpha-{alpha}.beta-{beta}",
            law="between alpha and beta segments wait, rounded up: Brakmo, Peterson 1995",
            expected=(low + high) / 2,
            tolerance=(high - low) / 2,
            absolute=True,
            measure=of_one_run(
                _alone(cc, 40, 20, "200 pkt", **paths.congestion_avoidance(60)),
                of_queue("mean_packets"),
            ),
            unit="packets",
        )


def _last_loss(seen: Recorded) -> dict[str, Any]:
    return seen.reactions("loss")[-1]


def _westwoods() -> Iterator[Check]:
    rate = estimates.bandwidth(RATE, paths.MSS, SIZE)
    trip = bbr.round_trip(RTT, tuple((size, RATE) for size in (SIZE, ACK)))
    gentle = {"initial_window": "10 pkt", "initial_ssthresh": f"{int(BDP)} pkt"}
    for cc in ("westwood", "westwood_plus"):
        scenario = _alone(cc, 40, 0, f"{int(BDP / 2)} pkt", **gentle)
        yield Check(
            id=f"{cc}.bandwidth",
            law="the estimate of a full link is its rate in payload: Mascolo et al. 2001",
            expected=rate,
            tolerance=2 / BDP,
            measure=paths.of_records(
                scenario, lambda seen: shown_by_control(_last_loss(seen))["bwe"]
            ),
            unit="B/s",
        )
        yield Check(
            id=f"{cc}.after-loss",
            law="a loss leaves BWE RTTmin, the pipe without its queue: Mascolo et al. 2001",
            expected=estimates.window_after_loss(rate, trip),
            tolerance=2 / BDP,
            measure=paths.of_records(
                scenario, lambda seen: float(_last_loss(seen)["ssthresh_bytes"])
            ),
            unit="B",
        )


def _slow_back(share: float) -> dict[str, Any]:
    back = estimates.ack_rate(share, RATE, SIZE, ACK + STAMP)
    scenario = _alone("cae", 1, 0, "unlimited", timestamps=True)
    scenario["dumbbell"]["bottleneck"]["reverse"] = {"rate": f"{back:.0f} bps"}
    return scenario


def _warned(seen: Recorded) -> dict[str, Any]:
    return seen.reactions("rto_backed_off")[0]


def _caes() -> Iterator[Check]:
    for share in (0.5, 0.7):
        yield Check(
            id=f"cae.estimate.share-{share:g}",
            law=(
                "acknowledgments that were sent 1 apart come 1/share apart: E = share: Kim, Choo "
                "2008, figure 3"
            ),
            expected=share,
            tolerance=1e-3,
            measure=paths.of_records(
                _slow_back(share), lambda seen: shown_by_control(_warned(seen))["estimate"]
            ),
        )
    yield Check(
        id="cae.backed-off",
        law="a warning doubles the timeout: Kim, Choo 2008, figure 3",
        expected=estimates.BACKED_OFF,
        tolerance=1e-3,
        measure=paths.of_records(
            _slow_back(0.5), lambda seen: _warned(seen)["rto_us"] / _warned(seen)["rto_us_before"]
        ),
    )
    for share in (0.7, 0.8):
        yield Check(
            id=f"cae.warnings.share-{share:g}",
            law="a warning if E is below 0.75, else none: Kim, Choo 2008, figure 3",
            expected=estimates.warnings(share),
            tolerance=0,
            measure=paths.of_records(
                _slow_back(share),
                lambda seen: min(len(seen.reactions("rto_backed_off")), 1),
            ),
        )


CHECKS = [*_vegas(), *_westwoods(), *_caes()]
