"""Observations, actions and rewards; for any number of agents at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import api

Array = NDArray[np.float64]
Control = Literal["window", "rate"]
"""What an action sets: the congestion window, or the pacing rate."""

OBSERVED = (
    "goodput [Mbit/s]",
    "round-trip time, mean of the step [ms]",
    "least round-trip time so far [ms]",
    "share of bytes that were sent again",
    "share of bytes that came with a congestion mark",
    "congestion window [segments]",
    "in flight [segments]",
)
"""The numbers of an observation."""

LARGEST = 10_000.0
"""Segments of the largest window, unless an environment says otherwise."""
_HEADERS = 40
"""Bytes of IP and TCP headers of a segment."""


@dataclass(frozen=True, slots=True)
class Utility:
    """The reward of a step: the share of the link that a flow used, less the share of the
    round-trip time that was spent in queues, less losses.

        goodput / fair share - delay (1 - least rtt of the link / rtt) - loss (share sent again)
    """

    delay: float = 1.0
    loss: float = 10.0

    def of(
        self, goodput_mbps: Array, rtt_ms: Array, resent: Array, fair_mbps: Array, base_ms: Array
    ) -> Array:
        """Of each agent. fair_mbps, base_ms: the link's rate for each flow, and its round-trip
        time without a queue."""
        waiting = 1.0 - np.minimum(base_ms / np.maximum(rtt_ms, 1e-9), 1.0)
        value: Array = goodput_mbps / fair_mbps - self.delay * waiting - self.loss * resent
        return value


class Desk:
    """Agents of worlds side by side: their orders as bytes, and what they saw as observations."""

    def __init__(
        self, agents: int, step_s: float, control: Control, largest: float = LARGEST
    ) -> None:
        self.agents, self.step_s, self.control, self.largest = agents, step_s, control, largest
        self.window = np.full(agents, 10.0)  # segments
        self.rate = np.full(agents, np.nan)  # bit/s
        self.rtt = np.full(agents, np.nan)  # s
        self.segment = np.full(agents, 1460.0)  # bytes

    def orders(self, actions: Array) -> bytes:
        """The orders for actions in [-1, 1]: the window or the rate times 2 to that power."""
        factor = np.exp2(np.clip(actions, -1.0, 1.0))
        given = np.full((self.agents, 2), np.nan)
        if self.control == "window":
            self.window = np.clip(self.window * factor, 2.0, self.largest)
        else:
            self.rate = np.clip(self.rate * factor, 1e4, 1e12)
            # The rate rules: the window leaves it twice the room that it needs.
            room = 2.0 * self.rate * self.rtt / (8.0 * (self.segment + _HEADERS))
            self.window = np.clip(room, 4.0, self.largest)
            given[:, 1] = self.rate
        given[:, 0] = self.window * self.segment
        return given.tobytes()

    def begin(self, seen: Array, which: slice = slice(None)) -> None:
        """Worlds began anew: takes their windows, and a rate that fills these."""
        column = dict(zip(SEEN, seen.T, strict=True))
        self.segment[which] = column["segment_bytes"]
        self.window[which] = column["window_bytes"] / column["segment_bytes"]
        self.rtt[which] = column["rtt_s"]
        self.rate[which] = 8.0 * column["window_bytes"] / column["rtt_s"]

    def observed(self, seen: Array) -> Array:
        """The observations, a row for each agent."""
        acked, sent, resent, marked, rtt_mean, rtt, least, in_flight, window, segment = (
            seen[:, place] for place in _USED
        )
        self.rtt = np.where(np.isnan(rtt), self.rtt, rtt)
        out = np.empty((len(seen), len(OBSERVED)))
        out[:, 0] = acked * (8e-6 / self.step_s)
        out[:, 1] = 1e3 * np.where(np.isnan(rtt_mean), self.rtt, rtt_mean)
        out[:, 2] = 1e3 * least
        out[:, 3] = resent / np.maximum(sent, 1.0)
        out[:, 4] = np.minimum(marked / np.maximum(acked, 1.0), 1.0)
        out[:, 5] = window / segment
        out[:, 6] = in_flight / segment
        return out


SEEN = tuple(api.seen_by_agents())
_USED = tuple(
    SEEN.index(name)
    for name in (
        "acked_bytes",
        "sent_bytes",
        "resent_bytes",
        "marked_bytes",
        "rtt_mean_s",
        "rtt_s",
        "min_rtt_s",
        "in_flight_bytes",
        "window_bytes",
        "segment_bytes",
    )
)


def numbers(seen: bytes) -> Array:
    """What the simulator says of agents: a row each."""
    return np.frombuffer(seen).reshape(-1, len(SEEN))


def named(row: Array) -> dict[str, Any]:
    """One agent's numbers by their names; None where there is none."""
    said = (None if math.isnan(value) else value for value in row.tolist())
    return dict(zip(SEEN, said, strict=True))
