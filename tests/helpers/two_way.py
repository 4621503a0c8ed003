"""A stand-in for the API, for *TCP CAE*: one flow whose goodput is what the paper prints."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

MBPS = {"reno": 2.0, "newreno": 2.4 / 2.5, "westwood": 2.4 / 5.5, "cae": 2.4}
"""Goodput at 1 % of errors: +20, +150 and +450 % of CAE over the others. Every other control
gets 1."""
NEEDLESS = {"cae": 1, "reno": 4}
WINDOW = {"reno": 9.0, "cae": 10.0}
PEAK = {"reno": 20.0, "cae": 18.0}
SEGMENT = 710
MS = 10**9


def run(wanted: dict[str, Any], progress: Any = None) -> dict[str, Any]:
    """`api.run` for the scenarios of tcp-cae."""
    cc, loss, quiet = read(wanted["overrides"])
    runs = [one(cc, loss, quiet, wanted["seed"] + i) for i in range(wanted["replications"])]
    if "out" in wanted:
        for result in runs:
            write_series(Path(wanted["out"]) / f"seed-{result['seed']}", cc, quiet)
    return {**runs[0], "runs": runs, "fingerprint": f"{cc}-{loss}-{quiet}"}


def read(overrides: list[str]) -> tuple[str, float, bool]:
    """The control at work, the error rate, and whether there is no background."""
    cc, loss, quiet = "reno", 0.01, False
    for override in overrides:
        key, _, value = override.partition("=")
        if key == "flow.s.cc.kind":
            cc = value
        if key == "flow.s.cc.threshold" and float(value) == 0 and cc == "cae":
            cc = "reno"
        if key == "link.wireless.impairment.0.loss":
            loss = float(value)
        quiet |= override == "flow.c.count=0"
    return cc, loss, quiet


def one(cc: str, loss: float, quiet: bool, seed: int) -> dict[str, Any]:
    """One run: the same seed and the same control give the same numbers."""
    rng = random.Random(f"{cc}/{loss}/{quiet}/{seed}")
    mbps = MBPS.get(cc, 1.0) * (1 + 0.002 * rng.gauss(0, 1)) * (1.2 - 20 * loss if loss else 5)
    if quiet:
        mbps = (
            3 + {"newreno": 0.1, "westwood": 0.2}.get(cc, 0.0) - 20 * loss + 0.001 * rng.gauss(0, 1)
        )
    flow = {
        "name": "s",
        "goodput_bps": 1e6 * mbps,
        "throughput_bps": 1e6 * mbps,
        "rtos": NEEDLESS.get(cc, 4),
    }
    queue = {
        "name": "wired_reverse",
        "mean_packets": 16.0,
        "p99_sojourn_s": 0.0012,
        "utilization": 1.0,
    }
    return {
        "seed": seed,
        "fingerprint": f"{cc}-{loss}-{quiet}-{seed}",
        "valid": True,
        "duration_s": 65.0,
        "warmup_s": 5.0,
        "flows": [flow],
        "queues": [queue],
    }


def write_series(directory: Path, cc: str, quiet: bool) -> None:
    """A run's series: acknowledgments 1 ms apart, one in ten late by 1 ms, and timeouts for data
    that D had."""
    directory.mkdir(parents=True, exist_ok=True)
    late = 0 if quiet else MS
    acks = [
        (k * MS, k * MS + 11 * MS + (late if k % 10 == 9 else 0), 1 + SEGMENT * k)
        for k in range(1, 200)
    ]
    timeouts = [(0.03 + 0.02 * k, 1 + SEGMENT * k) for k in range(NEEDLESS.get(cc, 4))]
    write_packets(directory, [(1 + SEGMENT * k, k * MS) for k in range(200)], acks)
    window = {
        "cwnd_bytes_before": SEGMENT * PEAK.get(cc, 15.0),
        "cwnd_bytes": SEGMENT,
        "phase_before": "open",
    }
    write_reactions(
        directory, [{"time_s": t, "una": una, "cause": "timeout", **window} for t, una in timeouts]
    )
    packets = WINDOW.get(cc, 8.0)
    row = {
        "flow": "s",
        "sent_bytes": 1,
        "cwnd_packets": packets,
        "cwnd_bytes": packets * SEGMENT,
        "phase": "open",
    }
    write_flows(
        directory,
        [{"time_s": 5 + 0.01 * k, "ssthresh_bytes": 8 * SEGMENT, **row} for k in range(10)],
    )


def write_packets(
    directory: Path, data: list[tuple[int, int]], acks: list[tuple[int, int | None, int]]
) -> None:
    """`packets.parquet` of the flow `s`: data as (seq, delivered_ps), acknowledgments as (sent,
    delivered, ack)."""
    import polars

    sender = [
        {
            "flow": "s",
            "from": "sender",
            "packet": i,
            "sent_ps": 0,
            "delivered_ps": at,
            "seq": seq,
            "ack": 1,
        }
        for i, (seq, at) in enumerate(data)
    ]
    receiver = [
        {
            "flow": "s",
            "from": "receiver",
            "packet": i,
            "sent_ps": sent,
            "delivered_ps": at,
            "seq": 1,
            "ack": ack,
        }
        for i, (sent, at, ack) in enumerate(acks)
    ]
    rows = [
        row | {"ts_val_ps": row["sent_ps"], "payload_bytes": SEGMENT} for row in sender + receiver
    ]
    polars.DataFrame(rows, infer_schema_length=None).write_parquet(directory / "packets.parquet")


def write_reactions(directory: Path, rows: list[dict[str, Any]]) -> None:
    """`reactions.parquet` of the flow `s`."""
    import polars

    kinds = {
        "time_s": polars.Float64,
        "una": polars.Int64,
        "cwnd_bytes_before": polars.Float64,
        "cwnd_bytes": polars.Float64,
    }
    kinds |= dict.fromkeys(("flow", "cause", "phase_before", "control"), polars.String)
    whole = [{"flow": "s", "control": "cwnd=710 bwe=250000", **row} for row in rows]
    polars.DataFrame(whole, schema=kinds).write_parquet(directory / "reactions.parquet")


def write_flows(directory: Path, rows: list[dict[str, Any]]) -> None:
    """`flows.parquet`."""
    import polars

    polars.DataFrame(rows).write_parquet(directory / "flows.parquet")
