"""A run to export, and programs that read exports."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars

SCENARIO = """
duration = "20 s"
queue.kind = "red"
queue.limit = "40 pkt"
queue.min_th = "6 pkt"
queue.max_th = "20 pkt"
queue.max_p = 0.1
queue.ecn = true

[dumbbell.bottleneck]
rate = "8 Mbps"
delay = "10 ms"

[[flow]]
name = "selective"
rtt = "40 ms"

[[flow]]
name = "marked"
tcp = { ecn = "rfc3168" }
start = "0.3 s"

[[flow]]
name = "plain"
cc = "newreno"
tcp = { timestamps = false, window_scaling = false }
start = "0.7 s"

[[flow]]
name = "ends"
start = "1 s"
source = { kind = "fixed", size = "300 kB" }

[[flow]]
name = "ns2"
profile = "ns2"
start = "2 s"

[[flow]]
name = "datagrams"
source = { kind = "cbr", rate = "400 kbps" }
transport = "udp"
start = "3 s"

[record]
acks = true
every = "100 ms"
packets = true
"""
TCP = ("selective", "marked", "plain", "ends", "ns2")


def dumbbell(*words: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "dumbbell", *map(str, words)], capture_output=True, text=True
    )
    assert done.returncode == code, done.stderr
    return done


def said(done: subprocess.CompletedProcess[str]) -> str:
    """What a refusal says, its lines joined."""
    return re.sub(r"[\s│]+", " ", done.stderr)


def tshark(file: Path, *words: str) -> list[list[str]]:
    """Fields of the packets, checksums verified."""
    checks = [f"{protocol}.check_checksum:TRUE" for protocol in ("ip", "tcp", "udp")]
    options = [word for check in checks for word in ("-o", check)]
    done = subprocess.run(
        ["tshark", "-r", file, *options, *words], capture_output=True, text=True, check=True
    )
    return [line.split("\t") for line in done.stdout.splitlines()]


def in_order(file: Path) -> polars.DataFrame:
    """A record in the order of exports: by time, then as the scenario lists its flows or queues."""
    frame = polars.read_parquet(file)
    if "time_s" not in frame.columns:
        return frame
    names = json.loads(polars.read_parquet_metadata(file).get("dumbbell.order", "[]"))
    column = next((c for c in ("flow", "queue", "link") if c in frame.columns and names), None)
    ranks = (
        [names.index(str(name)) for name in frame[column].to_list()]
        if column
        else [0] * frame.height
    )
    return (
        frame.with_columns(polars.Series("rank", ranks))
        .sort("time_s", "rank", maintain_order=True)
        .drop("rank")
    )


def hops(run: Path) -> list[dict[str, Any]]:
    """What came to the bottleneck."""
    return (
        polars.read_parquet(run / "hops.parquet")
        .filter(polars.col("link") == "bottleneck")
        .to_dicts()
    )
