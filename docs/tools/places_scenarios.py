"""The places that docs/tools/places.py compares, and the scenarios that run in them."""

from __future__ import annotations

import math
import random
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dumbbell.studies.compare.peers import ours
from dumbbell.studies.compare.peers.network import Flow, Network, Red

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAPER = ROOT / "papers" / "red-on-netfpga" / "live.toml"

DURATION, WARMUP, SPREAD = 30.0, 5.0, 0.5
"""s: of a run, of what is left out of it, and up to which its flows start at random."""
RATE, LIMIT, PACKET = 10e6, 60, 1500
"""bit/s; packets; bytes."""
BOTTLENECK_MS = 5.0

RED = Red(5, 15, max_p=0.1, w_q=2**-9, mean_packet=PACKET)
"""Floyd's values of 1997, with the weight next to his that is a shift."""
PAPER_RED = Red(6, 12, max_p=0.02, w_q=0.002)

JSON = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """A place, and which simulation is beside it."""

    name: str
    title: str
    beside: str = ""


PLACES = {
    each.name: each
    for each in (
        Place("sim", "simulation, `linux`"),
        Place("linux", "Linux, virtual time", "sim"),
        Place("kernel", "kernel, real time", "sim"),
        Place("rtl", "RED as RTL", "sim"),
        Place("sim-ns2", "simulation, `ns2`"),
        Place("ns2", "ns-2", "sim-ns2"),
    )
}
CHEAP = ("sim", "sim-ns2", "rtl")
"""Places whose runs are made each time."""


@dataclass(frozen=True)
class Scenario:
    """Flows of one control by their round-trip times (ms), over one queue; or datagrams at a
    constant rate. absent: places where it cannot run, each with the reason."""

    name: str
    what: str
    control: str
    rtts: tuple[float, ...]
    red: Red | None = None
    datagrams_bps: float | None = None
    paper: bool = False
    absent: dict[str, str] = field(default_factory=dict, hash=False)

    def network(self, seed: int) -> Network:
        """The network of a seed, as ns-2 and the profile `ns2` have it."""
        draw = random.Random(f"{self.name}, seed {seed}")
        # The paper's wire has Ethernet's frames, of which ns-2 knows nothing: its link is slower.
        rate, delay, limit = RATE, BOTTLENECK_MS, LIMIT
        if self.paper:
            rate, delay, limit = 100e6 * PACKET / (PACKET + 38), 1.0, 36
        flows = tuple(
            Flow(
                round(SPREAD * draw.random(), 9),
                (rtt - 2 * delay) / 4000,
                self.control,
                datagrams_bps=self.datagrams_bps,
            )
            for rtt in self.rtts
        )
        return Network(
            rate,
            limit,
            flows,
            DURATION,
            WARMUP,
            delay_s=delay / 1000,
            red=self.red,
            payload=PACKET - 40,
            jitter=PACKET * 8 / rate if len(flows) > 1 else 0.0,
            handshake=True,
            seed=seed,
        )

    def scenario(self, place: str, seed: int) -> JSON:
        """The scenario of a seed in a place of ours."""
        network = self.network(seed)
        found: JSON = ours.scenario(network)
        if place == "sim-ns2":
            return found
        if self.paper:
            found = tomllib.loads(PAPER.read_text(encoding="utf-8")) | {
                key: found[key] for key in ("duration", "warmup", "seed")
            }
            for flow, started in zip(found["flow"], network.flows, strict=True):
                del flow["start_spread"]
                flow["start"] = f"{round(started.start * 1e9)} ns"
            if self.red is None:
                found["queue"] = {"kind": "drop_tail", "limit": found["queue"]["limit"]}
        else:
            ecn = {"ecn": found["tcp"]["ecn"]} if self.red and self.red.ecn else {}
            found |= {"profile": "linux", "tcp": ecn}
            for flow in found["flow"]:
                flow.pop("tcp", None)
        if place == "rtl":
            found["queue"] = self._rtl(network)
        return found

    def _rtl(self, network: Network) -> JSON:
        assert self.red is not None
        queue: JSON = {
            "kind": "red_rtl",
            "limit": f"{network.buffer} pkt",
            "min_th": f"{self.red.min_th} pkt",
            "max_th": f"{self.red.max_th} pkt",
            "max_p": self.red.max_p,
        }
        if self.paper:  # As the paper has it: each packet's own draw, and no decay in idle time.
            return queue
        halves = PACKET * 8 / network.rate_bps * math.log(2) / self.red.w_q
        return queue | {"gap": True, "idle_half_life": f"{1000 * halves:.1f} ms"}

    @property
    def measures(self) -> tuple[str, ...]:
        """What is compared."""
        several = ("jain",) if len(self.rtts) > 1 else ()
        mixed = ("share",) if len(set(self.rtts)) > 1 else ()
        marks = ("marks",) if self.red and self.red.ecn else ("drops",)
        return ("goodput", "queue", *marks, *several, *mixed)


_NO_RED = {"rtl": "the RTL is RED"}
_NO_CUBIC = {"ns2": "its CUBIC is that of Linux 2.6", "sim-ns2": "see ns-2"}
_NO_SPACING = {"ns2": "its RED spaces drops", "sim-ns2": "see ns-2"}

_MIXED = (20.0, 40.0, 60.0, 80.0)
_PAPER = (6.375, 3.0, 3.0)

ALL = (
    Scenario(
        "udp-drop_tail",
        "Datagrams at 12 Mbit/s over a full Drop Tail queue",
        "",
        (20.0,),
        datagrams_bps=12e6,
        absent=_NO_RED,
    ),
    Scenario(
        "udp-red", "Datagrams at 12 Mbit/s over RED", "", (20.0,), red=RED, datagrams_bps=12e6
    ),
    Scenario("sack-drop_tail", "One SACK flow, 20 ms", "sack", (20.0,), absent=_NO_RED),
    Scenario(
        "newreno-drop_tail", "Two NewReno flows, 40 ms", "newreno", (40.0,) * 2, absent=_NO_RED
    ),
    Scenario(
        "reno-drop_tail",
        "Two Reno flows, 40 ms",
        "reno",
        (40.0,) * 2,
        absent={
            "rtl": "the RTL is RED",
            "linux": "the kernel has no plain Reno",
            "kernel": "the kernel has no plain Reno",
            "sim": "see Linux",
        },
    ),
    Scenario(
        "sack-drop_tail-4",
        "Four SACK flows, 20 to 80 ms, Drop Tail",
        "sack",
        _MIXED,
        absent=_NO_RED,
    ),
    Scenario(
        "cubic-drop_tail",
        "Two CUBIC flows, 80 ms",
        "cubic",
        (80.0,) * 2,
        absent=_NO_RED | _NO_CUBIC,
    ),
    Scenario("sack-red", "One SACK flow, 20 ms, RED", "sack", (20.0,), red=RED),
    Scenario("sack-red-4", "Four SACK flows, 20 to 80 ms, RED", "sack", _MIXED, red=RED),
    Scenario("newreno-red", "Two NewReno flows, 40 ms, RED", "newreno", (40.0,) * 2, red=RED),
    Scenario(
        "cubic-red", "Four CUBIC flows, 40 ms, RED", "cubic", (40.0,) * 4, RED, absent=_NO_CUBIC
    ),
    Scenario(
        "sack-red-ecn",
        "Two SACK flows, 40 ms, RED that marks (ECN)",
        "sack",
        (40.0,) * 2,
        replace(RED, ecn=True),
        absent={"rtl": "it drops only"},
    ),
    Scenario(
        "paper-drop_tail",
        "RED on NetFPGA: three SACK flows, 100 Mbit/s, 36 packets, Drop Tail",
        "sack",
        _PAPER,
        paper=True,
        absent=_NO_RED,
    ),
    Scenario(
        "paper-red",
        "RED on NetFPGA: the same with its RED",
        "sack",
        _PAPER,
        PAPER_RED,
        paper=True,
        absent=_NO_SPACING,
    ),
)
