"""Arguments and answers of hooks: the objects of the simulator's side, under their names for
annotations."""

from __future__ import annotations

from .._native import (
    MARK,
    PASS,
    SIGNAL,
    Ack,
    Congestion,
    Cx,
    Flows,
    Link,
    Orders,
    Packet,
    Path,
    Queue,
    Rng,
    Sent,
    Verdict,
    drop,
    evict,
    mark,
    signal,
)

__all__ = [
    "MARK",
    "PASS",
    "SIGNAL",
    "Ack",
    "Congestion",
    "Cx",
    "Flows",
    "Link",
    "Orders",
    "Packet",
    "Path",
    "Queue",
    "Rng",
    "Sent",
    "Verdict",
    "drop",
    "evict",
    "mark",
    "signal",
]
