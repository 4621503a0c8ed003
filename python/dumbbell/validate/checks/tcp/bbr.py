"""BBR alone on a path: the bandwidth that its cycle leaves unused, and the round-trip time.

The cycle's mean gain is one, so in the long run it uses all but the pacing margin (`bbr.used`):
0.99. The tolerance covers two effects: a probe lasts until a quarter more is in flight, and the
slow phase ends as soon as the queue is empty. Both raise the mean gain above one, by less than half
a percent if the round trip is much longer than the three quanta of 1 ms that the window allows.
PROBE_RTT is postponed. RTprop (`bbr.rt-prop`) is exact: one packet finds each link free.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ...check import Check
from ...laws.tcp import bbr
from ...measured import Measured
from ...runner import Runner
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


def _used(runner: Runner, scenario: dict[str, Any]) -> Measured:
    run = paths.run(runner, scenario)[0]
    return Measured(float(run["flows"][0]["goodput_bps"]) / (RATE * paths.MSS / SIZE))


def _rt_prop(runner: Runner, scenario: dict[str, Any]) -> Measured:
    """Returns the RTprop that the control shows with its last reaction."""
    control = paths.recorded(runner, scenario).reactions()[-1]["control"]
    shown = {name: float(value) for name, value in (word.split("=") for word in control.split())}
    return Measured(shown["rt_prop"])


def _hops() -> tuple[tuple[float, float], ...]:
    """There and back: access links are ten times as fast as the bottleneck."""
    links = (10 * RATE, RATE, 10 * RATE)
    return tuple((size, rate) for size in (SIZE, ACK) for rate in links)


CHECKS = [
    Check(
        id="bbr.used",
        law=(
            "1 - margin of the path, alone: the mean of the gains of PROBE_BW is 1; "
            "draft-cardwell-iccrg-bbr-00"
        ),
        expected=bbr.used(),
        tolerance=0.006,
        measure=partial(_used, scenario=_scenario()),
    ),
    Check(
        id="bbr.rt-prop",
        law=(
            "RTprop = propagation and one transmission on each link; "
            "draft-cardwell-iccrg-bbr-00 section 4.1.2"
        ),
        expected=bbr.round_trip(RTT, _hops()),
        tolerance=1e-4,
        measure=partial(_rt_prop, scenario=_scenario()),
        unit="s",
    ),
]
