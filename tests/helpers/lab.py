"""A stand-in for the API: results near what the paper prints, by a formula of buffer, scheme and
seed."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from conftest import FLOWS, write_series

MBPS = {
    "drop_tail": {24: 11.0, 30: 11.5, 36: 13.2, 42: 13.9, 48: 14.4, 54: 15.5},
    "red": {24: 17.2, 30: 18.3, 36: 19.2, 42: 20.0, 48: 18.9, 54: 17.9},
}


def run(wanted: dict[str, Any], progress: Any = None) -> dict[str, Any]:
    """`api.run` for the scenario of red-on-netfpga."""
    scheme, buffer = read(wanted["overrides"])
    runs = [one(scheme, buffer, wanted["seed"] + i) for i in range(wanted["replications"])]
    if "out" in wanted:
        for result in runs:
            write_series(
                Path(wanted["out"]) / f"run-{result['seed']}", result["seed"], scheme == "drop_tail"
            )
    return {**runs[0], "runs": runs, "fingerprint": f"{scheme}-{buffer}"}


def read(overrides: list[str]) -> tuple[str, int]:
    """Scheme and buffer; a later override wins, as in the simulator."""
    scheme, buffer = "red", 36
    for override in overrides:
        key, _, value = override.partition("=")
        if key in ("queue", "queue.kind"):
            scheme = value.removesuffix("_hw").removesuffix(
                "_rtl"
            )  # Bit for bit the same, here as there.
        if key == "queue.limit":
            buffer = int(value.removesuffix(" pkt"))
    return scheme, buffer


def one(scheme: str, buffer: int, seed: int) -> dict[str, Any]:
    """One run: the same seed and the same scheme give the same numbers."""
    rng = random.Random(f"{scheme}/{buffer}/{seed}")
    mine = MBPS[scheme].get(buffer, 16.0) * (1 + 0.02 * rng.gauss(0, 1))
    total = 94 + rng.gauss(0, 0.3) + (0.8 if scheme == "red" else 0)
    goodputs = [mine, (total - mine) / 2, (total - mine) / 2]
    calm = scheme == "red"
    return {
        "seed": seed,
        "fingerprint": f"{scheme}-{buffer}-{seed}",
        "valid": True,
        "duration_s": 20.0,
        "warmup_s": 0.0,
        "wall_s": 0.1,
        "flows": [
            {
                "name": name,
                "cc": "newreno",
                "goodput_bps": 1e6 * mbps,
                "share": mbps / total,
                "srtt_mean_s": 0.01,
                "sent_packets": 10_000,
                "lost_packets": 100,
                "cwnd_mean_packets": (40 if calm else 35) + rng.gauss(0, 1),
            }
            for name, mbps in zip(FLOWS, goodputs, strict=True)
        ],
        "queues": [
            {
                "name": "bottleneck",
                "kind": scheme,
                "mean_packets": (8 if calm else 24) + rng.gauss(0, 0.5),
                "drops": {"early": 300} if calm else {"overflow": 400 + seed},
                "utilization": 0.98 if calm else 0.96 + rng.gauss(0, 0.001),
                "marks": 0,
            }
        ],
    }
