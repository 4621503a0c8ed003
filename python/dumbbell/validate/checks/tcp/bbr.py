"""BBR alone on a path: the bandwidth that its cycle leaves unused, and the round-trip time.

The cycle's mean gain is one, so in the long run it uses all but the pacing margin (`bbr.used`):
0.99. The tolerance covers two effects: a probe lasts until a quarter more is in flight, and the
slow phase ends as soon as the queue is empty. Both raise the mean gain above one, by less than half
a percent if the round trip is much longer than the three quanta of 1 ms that the window allows.
PROBE_RTT is postponed. RTprop (`bbr.rt-prop`) is exact: one packet finds each link free.
"""

from __future__ import annotations

from typing import Any

from ...check import Check
from ...laws.tcp import bbr
from ...readings import goodput
from ...recorded import shown_by_control
from ...runner import of_one_run
from .. import paths

RATE = 20e6
RTT = 0.2
SIZE, ACK = 1500, 40


def _scenario() -> dict[str, Any]:
    flow = paths.sender({"kind": "bbr", "min_rtt_window": "1000 s"}, RTT)
    link = {"rate": f"{RATE / 1e6:g} Mbps", "delay": "1 ms"}
    queue = {"kind": "drop_tail", "limit": "unlimited"}
    return {
        "duration": "60 s",
        "warmup": "10 s",
        "dumbbell": {"bottleneck": link},
        "queue": queue,
        "flow": [flow],
    }


def _hops() -> tuple[tuple[float, float], ...]:
    """There and back: access links are ten times as fast as the bottleneck."""
    links = (10 * RATE, RATE, 10 * RATE)
    return tuple((size, rate) for size in (SIZE, ACK) for rate in links)


CHECKS = [
    Check(
        id="bbr.used",
        law=(
            "a flow alone uses 1 - margin of the path, because the gains of PROBE_BW have a mean "
            "of 1; draft-cardwell-iccrg-bbr-00"
        ),
        expected=bbr.used(),
        tolerance=0.006,
        measure=of_one_run(_scenario(), lambda run: goodput(run) / (RATE * paths.MSS / SIZE)),
    ),
    Check(
        id="bbr.rt-prop",
        law=(
            "RTprop = propagation and one transmission on each link; "
            "draft-cardwell-iccrg-bbr-00 section 4.1.2"
        ),
        expected=bbr.round_trip(RTT, _hops()),
        tolerance=1e-4,
        measure=paths.of_records(
            _scenario(), lambda seen: shown_by_control(seen.reactions()[-1])["rt_prop"]
        ),
        unit="s",
    ),
]
