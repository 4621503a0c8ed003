"""The links of environments: a bottleneck with its buffer, and ranges from which one is drawn."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Span = float | tuple[float, float]
"""A value, or a range from which one is drawn."""

_PACKET = 1500
"""Bytes in which buffers are counted."""


@dataclass(frozen=True, slots=True)
class Link:
    """A bottleneck."""

    rate_mbps: float = 10.0
    """Mbit/s of IP packets."""
    rtt_ms: float = 40.0
    """Round-trip time without a queue."""
    buffer_bdp: float = 1.0
    """The buffer, in products of rate and round-trip time; at least five packets."""
    loss: float = 0.0
    """Probability that the link loses a packet."""
    queue: str = "drop_tail"
    """The queue algorithm, by its name in the catalogue."""

    @property
    def buffer_packets(self) -> int:
        """The buffer in packets of 1500 B."""
        product = self.rate_mbps * 1e6 * self.rtt_ms * 1e-3 / (8 * _PACKET)
        return max(5, math.ceil(self.buffer_bdp * product))

    def scenario(self, seconds: float, seed: int, agents: int = 1, under: str = "") -> str:
        """A scenario as JSON: flows over the link that are decided from outside, or by the control
        `under` of the catalogue."""
        way = round(self.rtt_ms * 5e8) / 1e6
        bottleneck = {
            "rate": f"{self.rate_mbps * 1e6:.0f} bps",
            "delay": f"{way:.6f} us",
        } | ({"impairment": [{"kind": "bernoulli", "loss": self.loss}]} if self.loss else {})
        flows = [
            {
                "name": f"flow_{number}",
                "rtt": f"{2 * way:.6f} us",
                # A delayed acknowledgment would look like a queue.
                "tcp": {"delayed_ack": "each"},
                "cc": {"kind": "agent", "number": number, "under": under},
            }
            for number in range(agents)
        ]
        return json.dumps(
            {
                "duration": f"{seconds:.6f} s",
                "warmup": "0 s",
                "seed": seed,
                "dumbbell": {
                    "bottleneck": bottleneck,
                    # All delay is at the bottleneck: senders are stepped exactly.
                    "access": {"rate": f"{max(1e9, self.rate_mbps * 1e7):.0f} bps"},
                },
                "queue": {"kind": self.queue, "limit": f"{self.buffer_packets} pkt"},
                "flow": flows,
            }
        )


@dataclass(frozen=True, slots=True)
class Links:
    """Ranges of links. Rates, round-trip times and buffers are drawn evenly on a logarithmic scale,
    losses on a linear one."""

    rate_mbps: Span = 10.0
    rtt_ms: Span = 40.0
    buffer_bdp: Span = 1.0
    loss: Span = 0.0
    queue: str = "drop_tail"

    def draw(self, random: np.random.Generator) -> Link:
        """One link."""
        return Link(
            _even(random, self.rate_mbps),
            _even(random, self.rtt_ms),
            _even(random, self.buffer_bdp),
            _even(random, self.loss, float, float),
            self.queue,
        )


def _even(
    random: np.random.Generator,
    span: Span,
    there: Callable[[float], float] = math.log,
    back: Callable[[float], float] = math.exp,
) -> float:
    """A draw that is even after the function `there`, whose inverse is `back`."""
    if not isinstance(span, tuple):
        return float(span)
    low, high = map(there, span)
    return back(random.uniform(low, high))
