"""What is in a capture or a trace, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .grids import Grid

_TRACED = ("sent_packets", "received_packets", "received_bytes", "dropped_packets")
_REST = (("other_packets", "not of TCP"), ("unreadable_packets", "without readable headers"))


def tables(found: Mapping[str, Any]) -> list[Grid | str]:
    """The tables of a capture or a trace, each with the lines below it. found: what the verb
    `read_capture` answers."""
    if "flows" in found:
        head = ["flow", "type", "sent", "received", "bytes received", "dropped"]
        rows = [
            [str(f["fid"]), kind, *(str(f[key].get(kind, 0)) for key in _TRACED)]
            for f in found["flows"]
            for kind in sorted({kind for key in _TRACED for kind in f[key]})
        ]
        between = [str(f["fid"]) for f in found["flows"] if not f["whole_way"]]
        remark = [
            f"flows {', '.join(between)}: counted at the traced links; the trace has neither end "
            "of their path"
        ]
        return [
            Grid("Flows", head, rows, 2),
            f"{found['lines']} lines",
            *(remark if between else []),
        ]
    head = [
        "from",
        "to",
        "packets",
        "bytes",
        "unique",
        "again",
        "lost",
        "marked",
        "RTT ms: min",
        "mean",
        "max",
        "of",
    ]
    rows = [
        row for c in found["connections"] for row in (_side(c["a"], c["b"]), _side(c["b"], c["a"]))
    ]
    other = [f"{found[key]} {what}" for key, what in _REST if found[key]]
    return [
        Grid("TCP connections", head, rows, 2),
        ", ".join([f"{found['packets']} packets", *other]),
    ]


def _side(side: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    rtt = [side[f"rtt_{name}_s"] for name in ("min", "mean", "max")]
    return [
        f"{side['address']}:{side['port']}",
        f"{other['address']}:{other['port']}",
        *(
            str(side[k])
            for k in (
                "packets",
                "payload_bytes",
                "unique_bytes",
                "retransmits",
                "lost_packets",
                "marks",
            )
        ),
        *("" if seconds is None else f"{seconds * 1e3:.3f}" for seconds in rtt),
        str(side["rtt_samples"]),
    ]
