"""Fits the round-trip times that the paper does not print, on four of its 24 numbers: sender 1's
throughput and share under Drop Tail with buffers of 24 and 54 packets. Everything else of the table
is then a prediction.

Every point of a grid is run and stored in `fit.csv`, with the sum of squared relative errors of the
four numbers; the best point goes into `testbed.toml` by hand, with the flatness of the optimum in
`paper.toml`.

    python papers/red-on-netfpga/fit.py

Other readings of what is not printed would have led to other round-trip times. With overrides the
fit is made under one, into a file of its own:

    python papers/red-on-netfpga/fit.py fit-jitter-0.csv 'tcp.send_jitter=0 s' \\
        'duration=20 s' 'warmup=4 s'
"""

from __future__ import annotations

import csv
import statistics
import sys
from pathlib import Path

from dumbbell import api

HERE = Path(__file__).parent
PRINTED = {24: (11.0, 11.23596), 54: (15.5, 15.73604)}
"""Drop Tail at both ends of the table: Mbit/s of sender 1, its share in %."""

SHORT_MS = [2.25, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 10, 12, 16, 20]
"""Round-trip times of senders 2 and 3; the path itself takes 2 ms."""
RATIOS = [1 + k / 8 for k in range(2, 25)]
"""Sender 1's round-trip time over theirs: 1.25 to 4 in steps of 1/8."""
SEEDS = 5
COLUMNS = [
    "rtt_1_ms",
    "rtt_2_3_ms",
    "dt_24_mbps",
    "dt_24_share",
    "dt_54_mbps",
    "dt_54_share",
    "rms_relative_error",
]


def measure(long_ms: float, short_ms: float, reading: list[str]) -> dict[int, tuple[float, float]]:
    """Sender 1's Mbit/s and share in % at both buffers, means over the seeds."""
    overrides = [
        "queue.kind=drop_tail",
        f"flow.0.rtt={long_ms} ms",
        f"flow.1.rtt={short_ms} ms",
        f"flow.2.rtt={short_ms} ms",
        *reading,
    ]
    found = {}
    for buffer in PRINTED:
        request = api.request(
            {"path": str(HERE / "testbed.toml")},
            [*overrides, f"queue.limit={buffer} pkt"],
            seed=1001,
            replications=SEEDS,
        )
        flow = api.run(request)["flows"][0]
        found[buffer] = (flow["goodput_bps"]["mean"] / 1e6, 100 * flow["share"]["mean"])
    return found


def error(found: dict[int, tuple[float, float]]) -> float:
    """Root mean square of the four relative errors."""
    pairs = [pair for b in PRINTED for pair in zip(found[b], PRINTED[b], strict=True)]
    squares = [((ours - printed) / printed) ** 2 for ours, printed in pairs]
    return statistics.fmean(squares) ** 0.5


def main() -> None:
    """Runs the grid, stores it, and prints the ten best points."""
    name, *reading = sys.argv[1:] or ["fit.csv"]
    rows = []
    for short in SHORT_MS:
        for ratio in RATIOS:
            found = measure(short * ratio, short, reading)
            values = [round(v, 3) for b in PRINTED for v in found[b]]
            rows.append([short * ratio, short, *values, round(error(found), 4)])
            print(*rows[-1], flush=True)
    with (HERE / name).open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    best = sorted(rows, key=lambda r: r[-1])
    print("best:")
    for row in best[:10]:
        print(*row)


if __name__ == "__main__":
    main()
