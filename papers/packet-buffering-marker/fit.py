"""Fits what the paper does not print, on the token-only half of table 1: round-trip time, packet
size, the bucket as a multiple of r x RTT, what a token stands for, which packets are acknowledged,
how large windows may be; and after that the length of a run, by how much the printed flows scatter.
Everything else is then a prediction.

Every point of the grid is run and stored in `fit.csv`, every length in `length.csv`; the chosen
point goes into the scenarios by hand, and its neighbors in the score into `neighbors.csv`, whose
rows are readings of `paper.toml`.

    python papers/packet-buffering-marker/fit.py              # the grid: some minutes
    python papers/packet-buffering-marker/fit.py --length     # the length, at the chosen point
    python papers/packet-buffering-marker/fit.py --best       # the best of the stored grid
"""

from __future__ import annotations

import csv
import itertools
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dumbbell import api
from dumbbell.present import stats

HERE = Path(__file__).parent
PRINTED = (1.095, 0.8017, 0.565)
"""Means of the token-only half: total and IN of the assured flows, total of best effort, Mbit/s."""
SCATTER = (0.0327, 0.0075, 0.0373)
"""Their standard deviations over the six flows."""
SEEDS = 4
HEADER = 40
AXES: dict[str, list[Any]] = {
    "rtt_ms": [10, 20, 25, 30, 35, 40, 50, 60, 80, 100],
    "packet_bytes": [576, 1000, 1500],
    "bucket": [0.5, 1, 1.5, 2, 3],
    "tokens": ["packet", "byte"],
    "acks": ["each", "second"],
    "window": ["20 pkt", "unlimited"],
}
COLUMNS = [*AXES, "total_mbps", "in_mbps", "best_effort_mbps", "rms_relative_error"]
LENGTHS = [20, 50, 100, 200, 400]
MARKER = "dumbbell.bottleneck.conditioner"


def changes(point: dict[str, Any]) -> list[str]:
    """Experiment 1 with the token bucket alone, at a point of the grid."""
    return [
        f"{MARKER}.kind=token_bucket",
        f"{MARKER}.burst={point['bucket']:g} BDP",
        f"{MARKER}.tokens={point['tokens']}",
        f"{MARKER}.packet_size={point['packet_bytes']} B",
        f"flow.*.rtt={point['rtt_ms']} ms",
        f"tcp.mss={point['packet_bytes'] - HEADER} B",
        f"queue.mean_packet_size={point['packet_bytes']} B",
        f"tcp.delayed_ack={point['acks']}",
        f"tcp.receive_window={point['window']}",
        "duration=60 s",
    ]


def measure(overrides: list[str], seeds: int) -> list[list[list[float]]]:
    """Of each run: totals and INs of the assured flows, totals of best effort, Mbit/s."""
    source = {"path": str(HERE / "experiment1.toml")}
    result = api.run(api.request(source, overrides, seed=1001, replications=seeds))
    return [_rates(run["flows"]) for run in result["runs"]]


def _rates(flows: list[dict[str, Any]]) -> list[list[float]]:
    assured, others = ([f for f in flows if f["name"].startswith(name)] for name in ("a", "b"))
    inside, total = "in_throughput_bps", "out_throughput_bps"
    return [
        [1e-6 * (f[inside] + f[total]) for f in assured],
        [1e-6 * f[inside] for f in assured],
        [1e-6 * (f[inside] + f[total]) for f in others],
    ]


def means(runs: list[list[list[float]]]) -> list[float]:
    """Over flows and runs."""
    return [stats.mean([x for run in runs for x in run[k]]) for k in range(3)]


def error(found: list[float]) -> float:
    """Root mean square of the three relative errors."""
    return math.sqrt(stats.mean([(x / y - 1) ** 2 for x, y in zip(found, PRINTED, strict=True)]))


def scatter_error(runs: list[list[list[float]]]) -> tuple[list[float], float]:
    """Standard deviations over the six flows of a run, root mean square over runs, and how far they
    are from the printed ones: the sum of squared logarithms of the ratios."""
    found = [
        math.sqrt(stats.mean([stats.deviation(run[k]) ** 2 for run in runs])) for k in range(3)
    ]
    return found, math.fsum(math.log(x / y) ** 2 for x, y in zip(found, SCATTER, strict=True))


def points() -> Iterator[dict[str, Any]]:
    """The grid."""
    for values in itertools.product(*AXES.values()):
        yield dict(zip(AXES, values, strict=True))


def best(rows: list[dict[str, str]]) -> dict[str, str]:
    """By the rule: the least score; a bucket as printed, of 1, before others if its score is below
    5 %."""

    def least(among: list[dict[str, str]]) -> dict[str, str]:
        return min(among, key=lambda row: float(row["rms_relative_error"]))

    printed = least([row for row in rows if float(row["bucket"]) == 1])
    return printed if float(printed["rms_relative_error"]) < 0.05 else least(rows)


def stored() -> list[dict[str, str]]:
    """The rows of fit.csv."""
    with (HERE / "fit.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def fit_grid() -> None:
    """Runs the grid and stores it."""
    with (HERE / "fit.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for point in points():
            found = means(measure(changes(point), SEEDS))
            writer.writerow([*point.values(), *(f"{x:.4f}" for x in found), f"{error(found):.4f}"])
            file.flush()


def fit_length() -> None:
    """Runs every length at the point of the scenario, 20 seeds each, and stores how flows
    scatter."""
    with (HERE / "length.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["length_s", "total_deviation", "in_deviation", "best_effort_deviation", "error"]
        )
        for length in LENGTHS:
            runs = measure([f"{MARKER}.kind=token_bucket", f"duration={length + 10} s"], 20)
            found, apart = scatter_error(runs)
            writer.writerow([length, *(f"{x:.4f}" for x in found), f"{apart:.4f}"])
            print(length, found, apart)


def main() -> None:
    """What the command line asks for."""
    if "--length" in sys.argv:
        return fit_length()
    if "--best" not in sys.argv:
        fit_grid()
    rows = stored()
    print(
        best(rows), *sorted(rows, key=lambda row: float(row["rms_relative_error"]))[:20], sep="\n"
    )
    return None


if __name__ == "__main__":
    main()
