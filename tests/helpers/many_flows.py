"""A stand-in for the API, for *ea-RED*: N flows whose Jain index is the one that the test asks
for."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

FAIRNESS = {"drop_tail": 0.62, "red": 0.60, "ea_red": 0.80}
"""Jain's index under each scheme; under every other it is 0.5."""


def run(wanted: dict[str, Any], progress: Any = None) -> dict[str, Any]:
    """`api.run` for the scenarios of ea-red."""
    scheme, n = read(wanted["overrides"])
    runs = [one(scheme, n, wanted["seed"] + i) for i in range(wanted["replications"])]
    if "out" in wanted:
        for result in runs:
            write_series(Path(wanted["out"]) / f"seed-{result['seed']}")
    return {**runs[0], "runs": runs, "fingerprint": f"{scheme}-{n}"}


def read(overrides: list[str]) -> tuple[str, int]:
    """Scheme and number of flows; a later override wins, as in the simulator."""
    scheme, counts = "red", {"a": 0, "b": 0, "c": 0}
    for override in overrides:
        key, _, value = override.partition("=")
        if key in ("queue", "queue.kind"):
            scheme = value
        if key.startswith("flow.") and key.endswith(".count"):
            counts[key.split(".")[1]] = int(value)
    return scheme, sum(counts.values())


def goodputs(index: float, n: int) -> list[float]:
    """Rates of n flows with this Jain index, at least 1/2: half of them get more, by the share d
    with 1 / (1 + d^2)."""
    d = (1 / index - 1) ** 0.5
    half = n // 2
    return [1e4 * (1 + d)] * half + [1e4 * (1 - d)] * half + [1e4] * (n % 2)


def one(scheme: str, n: int, seed: int) -> dict[str, Any]:
    """One run: the same seed and the same scheme give the same numbers."""
    rng = random.Random(f"{scheme}/{n}/{seed}")
    index = FAIRNESS.get(scheme, 0.5) * (1 + 0.002 * rng.gauss(0, 1))
    window = {"ea_red": 1.5}.get(scheme, 2.0) + 0.01 * rng.gauss(0, 1)
    sent = {"drop_tail": 10600, "red": 10950, "ea_red": 11250}.get(scheme, 10000) + rng.gauss(0, 10)
    flows = [
        {
            "name": f"a.{i}",
            "goodput_bps": rate,
            "cwnd_mean_packets": window * (1 + {"ea_red": 0.1}.get(scheme, 0.2) * (i % 2)),
        }
        for i, rate in enumerate(goodputs(index, n))
    ]
    queue = {
        "name": "bottleneck",
        "kind": scheme,
        "mean_packets": 40 + rng.gauss(0, 0.1),
        "drops": {},
        "marks": 0,
    }
    return {
        "seed": seed,
        "fingerprint": f"{scheme}-{n}-{seed}",
        "valid": True,
        "duration_s": 70.0,
        "warmup_s": 0.0,
        "jain": index,
        "totals": {
            "goodput_bps": sum(flow["goodput_bps"] for flow in flows),
            "sent_packets": sent,
            "rtos": 5 * n,
        },
        "flows": flows,
        "queues": [queue],
    }


def write_series(directory: Path) -> None:
    """A run's `flows` and `queues`, the average always above the thresholds."""
    import polars

    directory.mkdir(parents=True, exist_ok=True)
    times = [10.0 * k for k in range(8)]
    flows = [
        {
            "time_s": t,
            "flow": f"a.{i}",
            "delivered_bytes": int(t * (100 + i)),
            "sent_bytes": int(t * 200),
        }
        for t in times
        for i in range(3)
    ]
    queues = [
        {
            "time_s": t,
            "queue": "bottleneck",
            "queue_packets": 49.0,
            "avg": 48.0,
            "min_th": 40.0,
            "max_th": 45.0,
        }
        for t in times
    ]
    polars.DataFrame(flows).write_parquet(directory / "flows.parquet")
    polars.DataFrame(queues).write_parquet(directory / "queues.parquet")
    (directory.parent / "scenario.toml").write_text('[[flow]]\nname = "a"\n')
