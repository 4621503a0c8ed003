"""The workload by which simulators are compared: many bulk flows through one bottleneck."""

from __future__ import annotations

import random
from dataclasses import dataclass

from .network import Flow, Network, Red

BASE_RTT = 0.024
"""s: four access links of 1 ms, the bottleneck's 10 ms twice."""

LAST_START = 1.0
SPREAD = 0.010
"""Flow i of N starts at i/N s, and later by a random time up to SPREAD, s. The seed draws these
times; every simulator is told the same ones. The seed is also that of the simulator's own chance,
which RED needs."""

# Longest first: flows from which on a run lasts so long (s). ns-3 takes some 4 us for each
# packet-hop.
_SECONDS = {
    "ns2": ((1000, 5.0), (100, 20.0), (0, 60.0)),
    "ns3": ((1000, 2.0), (100, 5.0), (0, 20.0)),
}

CONTROLS = {"ns2": "newreno", "ns3": "sack"}
"""The TCP is what ns-2 and ns-3 can do alike with us. NewReno beside ns-2; SACK with proportional
rate reduction and a handshake beside ns-3, because ns-3.37 without SACK sends again much of what
has arrived."""


@dataclass(frozen=True, slots=True)
class Workload:
    """N flows, the bottleneck's rate (bit/s) and queue, how long (s), and beside which
    simulator."""

    flows: int
    rate_bps: float
    queue: str
    duration: float
    against: str = "ns2"

    def network(self, seed: int) -> Network:
        """The run of a seed."""
        buffer = buffer_of(self.rate_bps)
        red = (
            Red(buffer / 4, 3 * buffer / 4, max_p=0.1, w_q=0.0005, gentle=True)
            if self.queue == "red"
            else None
        )
        flows = tuple(Flow(start, cc=CONTROLS[self.against]) for start in starts(self.flows, seed))
        window = 64 if self.flows >= 10_000 else 512
        modern = self.against == "ns3"
        return Network(
            self.rate_bps,
            buffer,
            flows,
            self.duration,
            red=red,
            window=window,
            handshake=modern,
            prr=modern,
            seed=seed,
        )


def buffer_of(rate_bps: float) -> int:
    """One bandwidth-delay product, packets of 1000 bytes."""
    return int(rate_bps * BASE_RTT / 8000 + 1e-9)


def starts(flows: int, seed: int) -> list[float]:
    """Start of each flow, s, in whole nanoseconds."""
    rng = random.Random(f"{flows} flows, seed {seed}")
    return [round(LAST_START * i / flows + SPREAD * rng.random(), 9) for i in range(flows)]


def rate_for(flows: int) -> float:
    """10 Mbit/s for each flow, and at most 10 Gbit/s."""
    return min(flows * 10e6, 10e9)


def seconds_for(flows: int, peer: str) -> float:
    """Duration of a run beside a peer: as long as steady state needs, and less where the peer is
    slow."""
    return next(seconds for least, seconds in _SECONDS[peer] if flows >= least)
