"""The scenarios whose results are compared with ns-2's: a bottleneck of 10 Mbit/s and 10 ms, 200 s
of which 20 s are left out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ..network import Flow, Network, Red

RATE = 10e6
BUFFER = 60
DURATION, WARMUP = 200.0, 20.0
SPREAD = 1.0
"""Flows start at a random time up to this, s, the same here and there."""

JITTER = 0.0008
"""s: a packet's time at the bottleneck. It breaks the phase effects of Drop Tail (Floyd, Jacobson,
1992), which else make a share depend on the last bit of a round-trip time."""

NEAR, FAR = 0.001, 0.015
"""s, of each access link: round-trip times of 24 ms and 80 ms."""

FLOYD = Red(5, 15, max_p=0.1, w_q=0.002)
"""Floyd, "RED: discussions of setting parameters", 1997."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Flows by the delays of their access links (s), their TCP, the queue."""

    name: str
    access: tuple[float, ...]
    cc: str = "newreno"
    red: Red | None = None
    delayed_ack: bool = False

    def network(self, seed: int) -> Network:
        """The run of a seed."""
        rng = random.Random(f"{self.name}, seed {seed}")
        flows = tuple(
            Flow(round(SPREAD * rng.random(), 9), access, self.cc, self.delayed_ack)
            for access in self.access
        )
        jitter = JITTER if len(flows) > 1 else 0.0
        return Network(
            RATE,
            BUFFER,
            flows,
            DURATION,
            WARMUP,
            red=self.red,
            jitter=jitter,
            handshake=True,
            seed=seed,
        )


def _spread(n: int) -> tuple[float, ...]:
    """Round-trip times from 24 ms to 24 + 20 (n - 1) ms."""
    return tuple(round(NEAR + 0.005 * i, 6) for i in range(n))


ONE, TWO, TEN = (NEAR,), (NEAR, FAR), _spread(10)

ALL: Sequence[Scenario] = (
    *(Scenario(f"drop_tail-1-{cc}", ONE, cc) for cc in ("tahoe", "reno", "newreno", "sack")),
    *(Scenario(f"drop_tail-2-{cc}", TWO, cc) for cc in ("newreno", "sack")),
    *(Scenario(f"drop_tail-10-{cc}", TEN, cc) for cc in ("tahoe", "reno", "newreno", "sack")),
    Scenario("drop_tail-10-delayed-ack", TEN, delayed_ack=True),
    *(Scenario(f"red-1-{cc}", ONE, cc, FLOYD) for cc in ("newreno", "sack")),
    *(Scenario(f"red-2-{cc}", TWO, cc, FLOYD) for cc in ("newreno", "sack")),
    *(Scenario(f"red-10-{cc}", TEN, cc, FLOYD) for cc in ("tahoe", "reno", "newreno", "sack")),
    Scenario(
        "red-10-gentle-wait", TEN, red=Red(5, 15, max_p=0.1, w_q=0.002, gentle=True, wait=True)
    ),
    Scenario("red-10-1993", TEN, red=Red(5, 15, max_p=0.02, w_q=0.002)),
    Scenario("red-10-delayed-ack", TEN, red=FLOYD, delayed_ack=True),
    Scenario("red-10-ecn", TEN, red=Red(5, 15, max_p=0.1, w_q=0.002, gentle=True, ecn=True)),
)
