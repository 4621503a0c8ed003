"""Flent's data files (`.flent.gz`, `.flent`): rates, windows and round-trip times over time."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ScenarioError
from . import series

_SUMS = ("sum", "avg", "totals", "fairness")
_ABOUT = {"Test": "NAME", "Host": "HOST", "Date": "TIME", "Note": "NOTE"}

Points = list[tuple[float, float]]
"""Instants in seconds, and values."""


@dataclass(frozen=True, slots=True)
class Flow:
    """One rate of a test."""

    name: str
    goodput_bps: Points
    cwnd_packets: Points
    rtt_s: Points


@dataclass(frozen=True, slots=True)
class Data:
    """What a file has of flows, and of pings."""

    flows: list[Flow]
    ping_s: Points
    title: str = ""
    about: dict[str, str] = field(default_factory=dict)
    """What the file says of the test: its name, host and date."""


def is_flent(file: Path) -> bool:
    """True if a file has the name of flent's data."""
    return file.name.endswith((".flent.gz", ".flent"))


def read(file: Path) -> Data:
    """A data file. `ScenarioError` if it has neither rates nor pings, `CheckFailed` if it is
    damaged."""
    try:
        raw = file.read_bytes()
        document = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
        data = _data(document)
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"it is not flent's data: {error}"
        raise series.damaged(file, what, "run flent's test again") from None
    if not data.flows and not data.ping_s:
        raise ScenarioError(f"{file} has neither rates nor pings")
    return data


def _data(document: dict[str, Any]) -> Data:
    times = [float(t) for t in document["x_values"]]
    meta = document["metadata"].get("SERIES_META", {})
    raw = document.get("raw_values", {})
    flows: list[Flow] = []
    pings: Points = []
    for name, values in document["results"].items():
        about = meta.get(name, {})
        points = [(t, float(v)) for t, v in zip(times, values, strict=False) if v is not None]
        if about.get("UNITS") == "ms" and name.startswith("Ping"):
            pings += [(t, v / 1e3) for t, v in points]
        elif about.get("UNITS") == "Mbits/s" and not name.endswith(_SUMS):
            flows.append(
                Flow(
                    name=str(about.get("FLOW", name)),
                    goodput_bps=[(t, v * 1e6) for t, v in points],
                    cwnd_packets=_raw(raw.get(name, []), "tcp_cwnd", 1.0),
                    rtt_s=_raw(raw.get(name, []), "tcp_rtt", 1e-3),
                )
            )
    about = {
        label: str(document["metadata"][key])
        for label, key in _ABOUT.items()
        if document["metadata"].get(key) is not None
    }
    return Data(flows, pings, str(document["metadata"].get("TITLE") or ""), about)


def _raw(rows: list[dict[str, Any]], key: str, scale: float) -> Points:
    """A raw value over time, from the first row on."""
    if not rows:
        return []
    start = float(rows[0]["t"])
    return [(float(row["t"]) - start, float(row[key]) * scale) for row in rows if key in row]
