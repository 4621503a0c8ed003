"""The workload, as overrides of the scenario file beside this module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from .. import api
from ..errors import ScenarioError
from ..present.units import plain_rate, seconds

SCENARIO = Path(__file__).parent / "workload.toml"

GRID = (
    (10, "100 Mbps", "60 s"),
    (100, "1 Gbps", "20 s"),
    (1000, "10 Gbps", "5 s"),
    (10_000, "10 Gbps", "2 s"),
)
"""Flows, rate, simulated time: long enough for most of it to be steady, short enough to be run
often."""
QUEUES = ("drop_tail", "red")
PROFILES = ("ns2", "linux")

_PER_FLOW_BPS, _FASTEST_BPS = 10e6, 10e9
"""The rate of other numbers of flows: so much for each, and at most."""
_MOST_BITS, _LONGEST_S, _SHORTEST_S = 20e9, 60.0, 2.0
"""The time of other rates: until so much has passed."""
_RTT_S, _PACKET_BYTES = 0.024, 1000
_CAPS = ((10_000, 64), (0, 512))
"""Flows from which on, and the cap of the window, packets."""

_RED = {
    "min_th": "limit / 4",
    "max_th": "limit * 0.75",
    "w_q": 0.0005,
    "max_p": 0.1,
    "gentle": "true",
}
# The congestion control and the TCP settings of each profile.
_OF_PROFILE = {
    # Data flows at once, as in the simulators beside it.
    "ns2": ("newreno", {"tcp.handshake": "false", "tcp.reentry": "at"}),
    "rfc": ("sack", {"tcp.clock": "1 ms", "tcp.limited_transmit": "true"}),
    "linux": ("sack", {"tcp.clock": "1 ms", "tcp.limited_transmit": "true"}),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One run of the workload."""

    flows: int
    rate: str
    time: str
    queue: str = "drop_tail"
    profile: str = "ns2"
    cc: str | None = None

    @property
    def rate_bps(self) -> int:
        """The bottleneck's."""
        value = plain_rate(self.rate)
        assert value is not None, self.rate
        return round(value)

    @property
    def duration_s(self) -> float:
        """Simulated time."""
        return seconds(self.time)

    @property
    def control(self) -> str:
        """The congestion control: Reno's growth in every profile, with the recovery that is the
        profile's."""
        return self.cc or _OF_PROFILE[self.profile][0]

    def with_time(self, duration_s: float) -> Case:
        """The same workload with another duration."""
        return replace(self, time=f"{duration_s:.12g} s")

    def overrides(self, flows: int | None = None) -> list[str]:
        """Overrides that turn the file into this run; with `flows` of them in the same network."""
        cap = next(cap for least, cap in _CAPS if self.flows >= least)
        keys: dict[str, Any] = {
            "duration": self.time,
            "profile": self.profile,
            "dumbbell.bottleneck.rate": self.rate,
            "flow.0.cc": self.control,
            "flow.0.count": self.flows if flows is None else flows,
            "flow.0.start_step": f"{10**12 // self.flows} ps",
            "tcp.receive_window": f"{cap} pkt",
            "queue.kind": self.queue,
            "queue.limit": f"{max(1, int(self.rate_bps * _RTT_S / 8 / _PACKET_BYTES))} pkt",
            **_OF_PROFILE[self.profile][1],
        }
        if self.queue == "red":
            keys |= {f"queue.{key}": value for key, value in _RED.items()}
        return [f"{key}={value}" for key, value in keys.items()]

    def source(self) -> dict[str, str]:
        """Path of the scenario."""
        return {"path": str(SCENARIO)}


def cases(
    flows: int | None = None,
    rate: str | None = None,
    queue: str | None = None,
    time: str | None = None,
    profile: str | None = None,
    cc: str | None = None,
) -> Iterator[Case]:
    """The runs that are asked for: what is not said is that of the grid.

    Raises ScenarioError, naming the option, before anything is run.
    """
    if flows is not None and flows < 1:
        raise ScenarioError(f"--flows {flows}: a workload has at least one flow")
    if profile is not None and profile not in _OF_PROFILE:
        raise ScenarioError(
            f"--profile {profile}: this profile does not exist; write one of "
            f"{', '.join(_OF_PROFILE)}"
        )
    wanted: list[tuple[int, str, str]] = list(GRID)
    if flows is not None or rate is not None:
        wanted = [_fitting(flows if flows is not None else GRID[0][0], rate)]
    for kind, (count, bottleneck, spell), word in product(
        [profile] if profile else PROFILES, wanted, [queue] if queue else QUEUES
    ):
        yield _checked(Case(count, bottleneck, time or spell, word, kind, cc))


def _fitting(flows: int, rate: str | None) -> tuple[int, str, str]:
    """A point beside the grid."""
    own = next((line for line in GRID if line[0] == flows and rate in (None, line[1])), None)
    if own is not None:
        return own
    rate = rate or f"{min(flows * _PER_FLOW_BPS, _FASTEST_BPS):.0f} bps"
    lasts = max(_SHORTEST_S, min(_LONGEST_S, _MOST_BITS / _rate_bps(rate)))
    return flows, rate, f"{lasts:.3g} s"


_OPTIONS = {
    "dumbbell.bottleneck.rate": "--rate",
    "queue.kind": "--queue",
    "flow.0.cc.kind": "--cc",
    "flow.0.cc": "--cc",
    "duration": "--time",
    "flow.0.start_step": "--time",
    "flow.0.count": "--flows",
}


def _rate_bps(rate: str) -> float:
    """The rate as scenarios write it."""
    links = _plan([f"dumbbell.bottleneck.rate={rate}", "flow.0.count=1"])["links"]
    value = plain_rate(next(link for link in links if link["name"] == "bottleneck")["rate"])
    assert value is not None, links
    return value


def _checked(case: Case) -> Case:
    """Returns the run as the simulator resolves it; raises an error if the simulator refuses it."""
    words = replace(case, rate=f"{_rate_bps(case.rate):.0f} bps")
    _plan([f"duration={case.time}", "flow.0.count=1"])
    last = (1 - 1 / case.flows) * 1.0
    if words.duration_s <= last:
        raise ScenarioError(
            f"--time {case.time}: the last flow starts after {last:g} s; simulate longer than that"
        )
    _plan(words.overrides(flows=1))
    return words


def _plan(overrides: list[str]) -> dict[str, Any]:
    """The plan of the file with these overrides; what is refused is said of the option that it came
    from."""
    try:
        planned = api.plan(api.request({"path": str(SCENARIO)}, overrides, points=1))
    except ScenarioError as error:
        (first, *_) = error.detail["problems"]
        option = _OPTIONS.get(first.get("key", ""), first.get("key", ""))
        given = next(
            (o.partition("=")[2] for o in overrides if o.split("=")[0] in first.get("key", "")), ""
        )
        fix = f"; {first['fix']}" if first["fix"] else ""
        raise ScenarioError(f"{option} {given}: {first['cause']}{fix}", error.detail) from None
    plan: dict[str, Any] = planned["points"][0]["plan"]
    return plan
