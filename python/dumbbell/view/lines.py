"""The panels of a run and the lines in them: words, columns and units, in one place for pages of
results, live pages and the laboratory in the browser."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

PANELS = {
    "queue": ("Queue", "packets"),
    "probability": ("Probability of a drop or a mark", ""),
    "cwnd": ("Congestion window", "packets"),
    "delay": ("Round-trip time and queueing delay", "ms"),
    "goodput": ("Goodput, means over {period} s", "Mbit/s"),
}
"""The title and the unit of each panel, in the order in which a signal travels."""


@dataclass(frozen=True, slots=True)
class Line:
    """A column as a line of a panel.

    `scale` is divided by what `per` names: the bytes in a packet of the flow, or the rate of the
    queue's link [bit/s]. `part` is the name of what it shows beside the flow or the queue itself,
    and of its look. A `detail` is only shown of few flows.
    """

    panel: str
    column: str
    scale: float = 1.0
    label: str = "{name}"
    per: Literal["", "packet_bytes", "rate"] = ""
    part: str = ""
    shape: Literal["line", "step"] = "line"
    dash: tuple[float, ...] = ()
    width: float = 1.4
    detail: bool = False


FLOW = (
    Line("cwnd", "cwnd_packets"),
    Line(
        "cwnd",
        "ssthresh_bytes",
        label="{name}, ssthresh",
        per="packet_bytes",
        part="ssthresh",
        shape="step",
        dash=(4.0, 3.0),
        width=1.0,
        detail=True,
    ),
    Line(
        "cwnd",
        "in_flight_bytes",
        label="{name}, in flight",
        per="packet_bytes",
        part="in flight",
        shape="step",
        dash=(1.0, 2.0),
        width=1.0,
        detail=True,
    ),
    Line("delay", "srtt_us", 1e-3),
)
"""A flow by itself; a group has the lines that are no details."""
GOODPUT = Line("goodput", "goodput_bps", 1e-6)
LENGTH = Line("queue", "queue_packets", shape="step")
AVERAGE = Line("queue", "avg", label="{name}, average", part="average", width=2.2)
CHANCE = Line("probability", "", label="{name}, {part}")
"""A probability of a queue; its column and its part are the name of the gauge."""
WAIT = Line("delay", "queue_bytes", 8e3, label="queue of {name}", per="rate", shape="step")
THRESHOLDS = ("min_th", "max_th")
PROBABILITY = re.compile(r"p|drop_prob|p_.*")
"""The names that the catalogue gives to the probability of a signal."""
