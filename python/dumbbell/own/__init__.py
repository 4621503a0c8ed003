"""The import path of programs for [`dumbbell.plugins`]."""

from ..plugins import (
    MARK,
    PASS,
    SIGNAL,
    Aqm,
    BitsPerSecond,
    Bytes,
    CongestionControl,
    Own,
    Packets,
    Parameter,
    Seconds,
    drop,
    evict,
    mark,
    parameter,
    signal,
)

__all__ = [
    "MARK",
    "PASS",
    "SIGNAL",
    "Aqm",
    "BitsPerSecond",
    "Bytes",
    "CongestionControl",
    "Own",
    "Packets",
    "Parameter",
    "Seconds",
    "drop",
    "evict",
    "mark",
    "parameter",
    "signal",
]
