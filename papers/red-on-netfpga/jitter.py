"""Separates what two differences between the reproduction and a Linux kernel do to sender 1: the
TCP of the hosts, and the jitter of their departures.

    python papers/red-on-netfpga/jitter.py [STORE]     # 12 runs of the kernel: 10 minutes of CPU

Each of three TCPs runs with and without jitter: that of `testbed.toml` (hosts of 2011), that of
`live.toml` (the profile `linux`), and a Linux kernel in virtual time. The kernel has no setting for
jitter. So the network here has its links written out, and the wire behind each sender delays each
packet by a time of its own, uniform from 0 to the most, in order; `tcp.send_jitter` does the same.
Network and seeds are those of the reproduction, and runs are as long as its quick ones. Means and
intervals go to `jitter.csv`. Runs are kept in the store, by default `.dumbbell/store`, so that an
interrupted measurement continues.
"""

from __future__ import annotations

import csv
import sys
import tomllib
from pathlib import Path
from typing import Any

from dumbbell import api
from dumbbell.present import stats

HERE = Path(__file__).parent
HOSTS = {"2011": "testbed.toml", "profile linux": "live.toml", "kernel": "live.toml"}
"""The TCP of the hosts, and the file that has it."""
JITTERS_US = (100, 0)
BUFFERS = (24,)
SEED, SEEDS = 1, 3
DURATION, WARMUP = "20 s", "4 s"
MEASURES = ("dt", "red", "gain")
COLUMNS = [
    *("hosts", "jitter_us", "buffer", "runs"),
    *(f"{name}_{part}" for name in MEASURES for part in ("mbps", "low", "high")),
    *("dt_queue", "red_queue", "dt_drops", "red_drops"),
]


def scenario(file: str, scheme: str, buffer: int, jitter_us: float) -> dict[str, Any]:
    """The network of a file with its links written out, and jitter behind each sender."""
    base = tomllib.loads((HERE / file).read_text(encoding="utf-8"))
    bottleneck, access = (base["dumbbell"][name] for name in ("bottleneck", "access"))
    queue = {**base["queue"], "limit": f"{buffer} pkt"}
    if scheme == "dt":
        queue = {"kind": "drop_tail", "limit": f"{buffer} pkt"}
    tcp = {key: value for key, value in base.get("tcp", {}).items() if key != "send_jitter"}
    framing = {"framing": bottleneck["framing"]}
    jitter = {"kind": "jitter", "max": f"{jitter_us} us", "keep_order": True}
    links = [{**bottleneck, "name": "bottleneck", "between": ["left", "right"], "queue": queue}]
    flows = []
    for flow in base["flow"]:
        name = flow["name"]
        delay = (_ms(flow["rtt"]) / 2 - _ms(bottleneck["delay"])) / 2
        wire = {"rate": access["rate"], "delay": f"{delay} ms", **framing}
        ends = {"from": name, "to": f"{name}-receiver"}
        first = {**wire, "between": [ends["from"], "left"]}
        links += [
            first | ({"impairment": [jitter]} if jitter_us else {}),
            {**wire, "between": ["right", ends["to"]]},
        ]
        flows.append({key: flow[key] for key in ("name", "cc", "start_spread")} | ends)
    return {
        "profile": base["profile"],
        "duration": DURATION,
        "warmup": WARMUP,
        "tcp": tcp,
        "host": [{"name": host} for flow in flows for host in (flow["from"], flow["to"])],
        "router": [{"name": "left"}, {"name": "right"}],
        "link": links,
        "flow": flows,
    }


def _ms(text: str) -> float:
    return float(text.removesuffix(" ms"))


def runs(hosts: str, scheme: str, buffer: int, jitter_us: float, store: Path) -> list[api.JSON]:
    """The runs of one combination, by seed."""
    value = scenario(HOSTS[hosts], scheme, buffer, jitter_us)
    request = api.request(
        {"value": value, "name": f"{scheme}-{buffer}"},
        seed=SEED,
        replications=SEEDS,
        store=str(store),
        on="linux" if hosts == "kernel" else None,
    )
    found: list[api.JSON] = api.run(request)["runs"]
    return found


def row(hosts: str, jitter_us: float, buffer: int, store: Path) -> list[str]:
    """Both schemes, and their difference seed by seed."""
    made = {scheme: runs(hosts, scheme, buffer, jitter_us, store) for scheme in ("dt", "red")}
    far = {name: [_far(run) for run in each] for name, each in made.items()}
    far["gain"] = [red - dt for dt, red in zip(far["dt"], far["red"], strict=True)]
    numbers = []
    for name in MEASURES:
        low, high = stats.ci95(far[name])
        numbers += [stats.mean(far[name]), low, high]
    queues = {name: [run["queues"][0] for run in each] for name, each in made.items()}
    numbers += [stats.mean([q["mean_packets"] for q in queues[name]]) for name in ("dt", "red")]
    numbers += [
        stats.mean([sum(q["drops"].values()) for q in queues[name]]) for name in ("dt", "red")
    ]
    return [hosts, f"{jitter_us}", f"{buffer}", f"{SEEDS}", *(f"{x:.3f}" for x in numbers)]


def _far(run: api.JSON) -> float:
    """Goodput of sender 1, Mbit/s."""
    flow = next(flow for flow in run["flows"] if flow["name"] == "snd1")
    return float(flow["goodput_bps"]) / 1e6


def main() -> None:
    """Measures everything, and writes the table."""
    store = Path(sys.argv[1] if len(sys.argv) > 1 else ".dumbbell/store")
    rows = []
    for buffer in BUFFERS:
        for hosts in HOSTS:
            for jitter_us in JITTERS_US:
                rows.append(row(hosts, jitter_us, buffer, store))
                print(*rows[-1], flush=True)
                write(rows)


def write(rows: list[list[str]]) -> None:
    """Writes what has been measured so far."""
    with (HERE / "jitter.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
