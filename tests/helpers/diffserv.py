"""A stand-in for the API, for the paper on the data buffer: what is printed, a best size by its
law."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

CONDITIONER = "dumbbell.bottleneck.conditioner"
COEFFICIENT = 0.9
"""Of the best size, in r RTT / L."""
PACKET_BITS = 12000
SPARE = {10.0: 1 / 3, 12.0: 0.48, 8.0: 0.48, 6.0: 0.48, 14.0: 0.375}
"""What each flow has beside its reservation, Mbit/s, by the bottleneck's rate: enough to be above
its IN."""
MS = 10**9


def run(wanted: dict[str, Any], progress: Any = None) -> dict[str, Any]:
    """`api.run` for the scenarios of packet-buffering-marker."""
    told = read(
        wanted["source"]["path"] if "source" in wanted else wanted["path"], wanted["overrides"]
    )
    runs = [one(told, wanted["seed"] + i) for i in range(wanted["replications"])]
    if "out" in wanted:
        for result in runs:
            write_series(
                Path(wanted["out"]) / f"seed-{result['seed']}", told["size"] > 0, told["queue"]
            )
    return {**runs[0], "runs": runs, "fingerprint": str(sorted(map(str, told.items())))}


def read(path: str, overrides: list[str]) -> dict[str, Any]:
    """What is at work: the size of the data buffer (0: none), the link, the flows with reservation
    and round trip."""
    name = Path(path).stem
    told: dict[str, Any] = {
        "size": 3,
        "depth": 1.0,
        "kind": "data_buffer",
        "queue": "rio",
        "link": 10.0,
    }
    told["link"] = {"experiment2": 12.0, "experiment3": 14.0}.get(name, 10.0)
    told |= {"paced": set(), "cc": "reno"}
    flows = {
        f["name"]: dict(f) for f in tomllib.loads(Path(path).read_text(encoding="utf-8"))["flow"]
    }
    for override in overrides:
        key, _, value = override.partition("=")
        if key == f"{CONDITIONER}.size":
            told["size"] = int(value.removesuffix(" pkt"))
        elif key == f"{CONDITIONER}.kind":
            told["kind"] = value
        elif key == f"{CONDITIONER}.burst":
            told["depth"] = float(value.split()[0]) if value.endswith("BDP") else 1.0
        elif key == "queue.kind":
            told["queue"] = value
        elif key == "dumbbell.bottleneck.rate":
            told["link"] = float(value.removesuffix(" Mbps"))
        elif key.startswith("flow.") and key.count(".") == 2 and key.split(".")[1] in flows:
            flows[key.split(".")[1]][key.split(".")[2]] = value
            if key.endswith(".cc"):
                told["cc"] = value
        elif key.endswith(".tcp.pacing"):
            told["paced"].add(key.split(".")[1])
    if told["kind"] != "data_buffer":
        told["size"] = 0
    elif told["size"] == 0:
        told["kind"] = "token_bucket"
    return told | {"flows": flows}


def rate(text: str | None) -> float:
    """Mbit/s."""
    if text is None:
        return 0.0
    number, unit = text.split()
    return float(number) * {"Mbps": 1.0, "kbps": 1e-3}[unit]


def best_size(reserved: float, rtt_s: float) -> float:
    """By the law."""
    return COEFFICIENT * 1e6 * reserved * rtt_s / PACKET_BITS


def one(told: dict[str, Any], seed: int) -> dict[str, Any]:
    """One run: the same seed and the same edge give the same numbers."""
    rng = random.Random(
        f"{told['size']}/{told['kind']}/{told['queue']}/{told['cc']}/{told['depth']}/{seed}"
    )
    flows, markers = [], []
    for name, entry in told["flows"].items():
        for i in range(1, entry["count"] + 1):
            flow, marker = _flow(told, name, entry, rng)
            flows.append(flow | {"name": f"{name}.{i}"})
            markers.append(marker | {"flow": f"{name}.{i}", "link": "bottleneck"})
    over = 4.0 if told["cc"] == "timed_transmission" else 1.0
    queue = {
        "name": "bottleneck",
        "mean_sojourn_s": 0.02,
        "arrivals_in": over * 7000,
        "drops_in": 100 * over**2 if told["link"] == 6 else 0,
    }
    return {
        "seed": seed,
        "fingerprint": str(seed),
        "valid": True,
        "duration_s": 30.0,
        "warmup_s": 5.0,
        "flows": flows,
        "queues": [queue],
        "markers": markers,
    }


def _flow(
    told: dict[str, Any], name: str, entry: dict[str, Any], rng: random.Random
) -> tuple[dict, dict]:
    reserved, rtt = rate(entry.get("reserved")), float(entry["rtt"].split()[0]) * 1e-3
    size, best = told["size"], best_size(reserved, rtt)
    if told["link"] == 6:
        best /= 5
    paced = name in told["paced"]
    kept = 1 - (0.2 if size == 0 else 0.052 if size <= 3 else 0.04 / size)
    if paced and reserved:
        kept = 0.97
    if told["depth"] > 4:
        kept = 0.99
    inside = reserved * kept
    spare = SPARE[told["link"]]
    rise = min(size, best) / max(best, 1e-9) if best >= 0.5 else 0.0
    lost = 0.004 * max(0.0, size - best)
    # Unlike reservations: small ones above, large ones below their target, nearer with a buffer.
    tilt = (
        0.25 * (0.7 - reserved) * (1.0 if size == 0 else 0.5)
        if told["link"] != 10
        else -0.1 * (reserved > 0)
    )
    # What the total is does not depend on the colors.
    beyond = spare + tilt - 0.2 * reserved + 0.2 * reserved * rise - lost + reserved - inside
    if told["kind"] == "marker_feedback":
        beyond = 0.05
    if told["queue"] == "rate_proportional":
        beyond += 0.05 * reserved**2
    if told["queue"] == "wfq":
        beyond = spare
    if not reserved:
        inside, beyond = 0.0, 0.9 if paced else 0.6 if told["size"] == 0 else 0.5
        beyond = (
            {True: 0.4, False: 0.6}[paced]
            if not any("reserved" in f for f in told["flows"].values())
            else beyond
        )
    noise = 1 + 0.002 * rng.gauss(0, 1)
    total = max(inside + 0.01, inside + beyond) * noise
    if reserved and rtt >= 0.08 and told["link"] == 14:
        total -= 0.3
    flow = {
        "in_throughput_bps": 1e6 * inside * noise,
        "out_throughput_bps": 1e6 * (total - inside * noise),
        "goodput_bps": 1e6 * total,
        "sent_packets": 10000,
        "in_sent_packets": 8000 if reserved else 0,
        "in_lost_packets": 200 if told["link"] == 6 or told["depth"] > 4 else 0,
        "out_lost_packets": 100,
        "out_sent_packets": 2000,
        "rtos": 3,
        "srtt_mean_s": rtt + 0.02,
    }
    share = 1 - kept if reserved else 0.0
    return flow, {
        "tokens_lost_share": share * (1 + 0.01 * rng.random()),
        "out_packets": 2000,
        "held_mean_packets": 1.5 if told["size"] else 0.0,
    }


def write_series(directory: Path, buffered: bool, queue: str) -> None:
    """A run's series: acknowledgments in bunches of four without the buffer, evenly with it."""
    import polars

    directory.mkdir(parents=True, exist_ok=True)
    every = [10 * k if buffered else 40 * (k // 4) + k % 4 for k in range(2500)]
    polars.DataFrame([{"flow": "a.1", "arrived_ps": MS * t} for t in every]).write_parquet(
        directory / "acks.parquet"
    )
    times = [0.5 * k for k in range(60)]
    rows = [{"time_s": t, "flow": "a.1", "cwnd_packets": 8.0} for t in times]
    polars.DataFrame(rows).write_parquet(directory / "flows.parquet")
    rows = [
        {"time_s": t, "flow": "a.1", "link": "bottleneck", "tokens": 2.0, "tokens_lost": 5.0 * t}
        for t in times
    ]
    polars.DataFrame(rows).write_parquet(directory / "markers.parquet")
    known = {"flows": 10.0} if queue in ("r_rtt_adaptive", "drio") else {}
    polars.DataFrame([{"time_s": t, **known} for t in times]).write_parquet(
        directory / "queues.parquet"
    )
