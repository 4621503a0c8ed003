"""Runs with records to ask `why` about, and what their rows hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dumbbell
import polars as pl

BASE: dict[str, Any] = {
    "duration": "5 s",
    "profile": "ns2",
    "tcp": {"receive_window": "unlimited"},
    "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "10 ms"}},
    "queue": {"kind": "drop_tail", "limit": "20 pkt"},
    "flow": [{"name": "s"}],
}


def run(out: Path, packets: bool = True, **changes: Any) -> Path:
    tables = {**BASE, **changes}
    if packets:
        tables["record"] = {"packets": True, "every": "50 ms"}
    result = dumbbell.Scenario(tables, name="known").run(out=out)
    assert result.json["code"] == 0
    return out


def rows(directory: Path, name: str) -> pl.DataFrame:
    frame = pl.read_parquet(directory / f"{name}.parquet")
    return frame.with_columns(pl.selectors.categorical().cast(pl.String))


def first_repaired_drop(directory: Path) -> dict[str, Any]:
    """The drop that the first recovery answers: of the byte that the sender was waiting for."""
    packets, reactions = rows(directory, "packets"), rows(directory, "reactions")
    (una, *_) = reactions.filter(pl.col("cause") == "loss")["una"]
    return packets.filter(pl.col("dropped_ps").is_not_null() & (pl.col("seq") == una)).row(
        0, named=True
    )
