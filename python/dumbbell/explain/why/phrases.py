"""Pieces of sentences about a decision, and the sentence that is right for any algorithm."""

from __future__ import annotations

from typing import Any

from ...present.units import significant, time_text
from .finding import Decision


def general(d: Decision) -> str:
    """Every gauge by its own name: right for any algorithm."""
    what, seen = found(d), gauges(d)
    return f"{what}; the decision used {seen}" if seen else what


def gauges(d: Decision) -> str:
    """All that the decision saw, by the algorithm's own names."""
    return ", ".join(f"{name} = {n(value)}" for name, value in d.gauges.items())


def found(d: Decision) -> str:
    """Number of packets that waited."""
    return (
        "the number of packets that it found waiting was not recorded"
        if d.queue_packets is None
        else waiting(d.queue_packets)
    )


def full(d: Decision) -> str:
    """That the queue had no room, and how much it holds."""
    limit = f", its limit is {d.limit}" if d.limit and d.limit != "unlimited" else ""
    return (
        "the queue had no room for it"
        if d.queue_packets is None
        else f"{waiting(d.queue_packets)}{limit}"
    )


def buffer(d: Decision) -> str:
    """That the buffer of all queues was full, and how much it holds."""
    limit = f" of {d.limit}" if d.limit and d.limit != "unlimited" else ""
    return f"the buffer{limit} was full"


def length(d: Decision, packets: float) -> str:
    """A length as the algorithm counts it: `7.4 packets`, in byte mode `7.4 packets of 500 B`."""
    mean = f" of {d.parameters.get('mean_packet_size')}" if d.parameters.get("byte_mode") else ""
    return f"{n(packets)} packets{mean}"


def by_size(d: Decision) -> str:
    """The effect of byte-mode drop on the probability."""
    drop = d.parameters.get("byte_drop", "off")
    over = {"mean_size": "mean_packet_size", "max_size": "the MTU"}.get(str(drop))
    if drop == "ns2":
        return (
            ", and p_a follows from it and the count, times the packet's size over mean_packet_size"
        )
    return f", the value of the curve times the packet's size over {over}" if over else ""


def waiting(packets: int) -> str:
    """`it found 12 packets waiting`."""
    return f"it found {counted(packets, 'packet')} waiting"


def counted(number: float, what: str) -> str:
    """`1 packet`, `2.5 packets`."""
    return f"{n(number)} {what}{'' if number == 1 else 's'}"


def said(d: Decision, name: str) -> str:
    """A parameter as the plan has it: `15 ms`."""
    value = d.parameters.get(name, "?")
    return n(value) if isinstance(value, int | float) else str(value)


def time(value: float) -> str:
    """A gauge in seconds in the unit that reads best."""
    return time_text(value) if value > 0 else "0 s"


def n(value: Any) -> str:
    """A number to four digits; what is tiny with its power of ten."""
    value = float(value)
    return f"{value:.3g}" if 0 < abs(value) < 1e-6 else significant(value, 4)


def ordinal(number: int) -> str:
    """`1st`, `12th`."""
    tail = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{tail}"
