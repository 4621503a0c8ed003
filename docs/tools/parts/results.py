"""The tables of measurements in the pages, from the JSON Schema of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dumbbell import api

UNITS = {"bps": "bit/s", "pkt": "packets", "B": "bytes", "1": ""}
"""Units of the registry that pages write in another way."""

SEE = {
    "watch_above_packets": "networks.md#queues",
    "standing_packets": "queue-measures.md#the-standing-queue",
    "standing_sojourn_s": "queue-measures.md#the-standing-queue",
    "synchronization": "queue-measures.md#global-synchronization",
    "loss_epoch_share": "queue-measures.md#global-synchronization",
    "lock_out": "queue-measures.md#lock-out",
    "completion_s": "traffic.md#completion-times",
    "application": "traffic.md#sources",
    "path": "../explanation/path-mtu.md",
    "quic": "quic.md#results",
    "media": "scream.md#results",
    "acks": "records.md#acksparquet-a-row-for-each-acknowledgment",
    "reserved_bps": "diffserv-measures.md#colors",
    "flow.target_bps": "diffserv-measures.md#distance-to-the-target",
    "target_error_mean": "diffserv-measures.md#distance-to-the-target",
    "delay_min_s": "../explanation/delays.md#one-way-delay",
    "collisions": "links.md#duplex-mismatch",
    "arrivals_in": "diffserv-measures.md#colors",
    "flows": "results.md#a-flow",
    "totals": "results.md#all-flows-together",
    "queues": "queue-measures.md",
    "conservation": "results.md#conservation",
    "markers": "diffserv-measures.md#markers",
    "hosts": "hosts.md#results",
    "shared_buffers": "queue-measures.md#shared-buffers",
    "fragmentation": "frames.md#what-is-counted",
    "sessions": "traffic.md#completion-times",
    "validity": "../how-to/testbed.md#is-a-run-valid",
    "from_store": "../how-to/sweeps.md#the-store",
    "failures": "../how-to/sweeps.md#failures",
    "versus": "../how-to/sweeps.md#a-against-b",
    "runs": "results.md#replications",
    "digests": "records.md#digests",
    "blake3": "records.md#digests",
}
"""Where a page says more of a key, or of a key of one sort of row."""

Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]


def part(table: Table, name: str) -> str:
    """The keys of `document`, or of a sort of row: those that are always there, then by their
    condition."""
    schema = api.result_schema()
    rules = schema["properties"] if name == "document" else schema["$defs"][name]["properties"]
    if name == "document":
        rows = ([f"`{key}`", _unit(rule), _meaning(key, rule)] for key, rule in rules.items())
        return table(["key", "unit", "meaning"], rows)
    blocks = []
    for condition in dict.fromkeys(rule.get("x-when", "") for rule in rules.values()):
        said = f"{condition[0].upper()}{condition[1:]}:\n\n" if condition else ""
        mine = {key: rule for key, rule in rules.items() if rule.get("x-when", "") == condition}
        rows = (
            [
                f"`{key}`",
                _unit(rule),
                rule.get("x-statistic", ""),
                rule.get("x-better") or "",
                _meaning(key, rule, name),
            ]
            for key, rule in mine.items()
        )
        blocks.append(said + table(["key", "unit", "statistic", "better", "meaning"], rows))
    return "\n\n".join(blocks)


def _unit(rule: dict[str, Any]) -> str:
    unit = rule.get("x-unit", "")
    return UNITS.get(unit, unit)


def _meaning(key: str, rule: dict[str, Any], name: str = "") -> str:
    see = SEE.get(f"{name}.{key}") or SEE.get(key)
    more = f" [More]({see})." if see else ""
    return f"{rule['description']}{more}"
