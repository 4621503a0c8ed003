"""The theory of an algorithm, in one of three shapes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..present.units import seconds

Gauges = Mapping[str, float]
"""Gauges of an algorithm after one decision, with `queue_packets`, which the packet found."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """An algorithm's parameters with every default, as numbers: packets, seconds, or as they
    are."""

    values: Mapping[str, Any]

    def __getitem__(self, key: str) -> float:
        value = self.values[key]
        if isinstance(value, str):
            match = re.fullmatch(r"\s*([0-9.eE+-]+)\s*(?:pkts?|packets?|B)\s*", value)
            return float(match[1]) if match else seconds(value)
        return float(value)

    def word(self, key: str, default: str = "") -> str:
        """One that is a word."""
        return str(self.values.get(key, default))

    def gauge_or(self, gauges: Gauges, key: str) -> float:
        """One that some algorithms move: as the decision had it, else as it is set."""
        return gauges[key] if key in gauges else self[key]


@dataclass(frozen=True, slots=True)
class Over:
    """Signals per arriving packet over a quantity of which the law is a function, under a load that
    grows slowly from below the link's rate to several times that."""

    x: str
    """The gauge, or `queue_packets`."""
    label: str
    """The quantity with its unit."""
    text: str
    """The law, in a line."""
    law: Callable[[Gauges, Parameters], float]
    """Signals per packet at the decision that shows these gauges."""
    capable: bool = False
    """True if packets are ECN-capable, for algorithms that only mark."""
    apart: bool = False
    """True if each packet is of a flow of its own."""
    reasons: tuple[str, ...] = ("early", "forced")
    """Reasons that are signals."""
    queue: Mapping[str, Any] = field(default_factory=dict)
    """Overrides that the experiment sets."""
    steps: bool = False
    """True if the x are whole numbers."""
    dscp: tuple[str, ...] = ("be",)
    """Codepoints that packets come with in turn."""
    classes: tuple[str, ...] = ()
    """Names of the packets of the gauge `class` 0, 1, ..., where each class has a curve of its
    own."""


@dataclass(frozen=True, slots=True)
class Response:
    """The response of a probability, over time, to a queue that is held at a length: ECN-capable
    packets arrive at the moments at which others have left."""

    gauge: str
    """The gauge that moves."""
    label: str
    """The name of the gauge, with its unit."""
    text: str
    """The law, in a line."""
    law: Callable[[Sequence[float], Hold, Parameters], list[float]]
    """The gauge at these instants [s]."""
    frequency: Callable[[float, Hold, Parameters], float]
    """Signals per packet while the gauge has this value."""
    hold: Callable[[Parameters], Hold]
    """The experiment that measures the response: how the queue is held, and at what."""
    queue: Mapping[str, Any] = field(default_factory=dict)
    """Overrides that the experiment sets."""


@dataclass(frozen=True, slots=True)
class Instants:
    """Instants of the first, the second, ... signal, while the queue is held at a length."""

    text: str
    law: Callable[[int, Hold, Parameters], list[float]]
    """The instants of so many signals [s]."""
    hold: Callable[[Parameters], Hold]
    queue: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hold:
    """A queue that is held: its length [packets], for how long [s], and how long one packet takes
    to send [s]."""

    packets: int
    seconds: float
    service_s: float = 1e-3
    load: float = 1.0
    """Arrivals per packet sent; 1 holds the length."""

    @property
    def delay_s(self) -> float:
        """Waiting time of a packet."""
        return self.packets * self.service_s


Law = Over | Response | Instants
