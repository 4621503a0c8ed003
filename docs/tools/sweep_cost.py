"""What a sweep of a thousand small runs costs besides the runs, and what it costs when the store
has them all.

    python docs/tools/sweep_cost.py          # on an idle machine

The runs are simulated one after the other, so that their own times can be added up.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dumbbell import api

SCENARIO = """
duration = "10 s"
warmup = "1 s"
queue = { kind = "red", limit = "60 pkt" }
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
flow = [{ name = "s", count = 2, start_spread = "1 s" }]
[sweep.grid]
"queue.limit" = [LIMITS]
"dumbbell.bottleneck.delay" = [DELAYS]
"queue.max_p" = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1]
"""


def main(rounds: int = 5) -> None:
    """Prints both, as medians of some rounds."""
    limits = ", ".join(f'"{10 * n} pkt"' for n in range(2, 12))
    delays = ", ".join(f'"{n} ms"' for n in range(1, 11))
    costs, answers = [], []
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "thousand.toml"
        file.write_text(SCENARIO.replace("LIMITS", limits).replace("DELAYS", delays))
        for i in range(rounds):
            store = f"{scratch}/store-{i}"
            result = api.run(api.request({"path": str(file)}, threads=1, store=store))
            costs.append(result["wall_s"] / sum(point["wall_s"] for point in result["points"]) - 1)
            words = [
                sys.executable,
                "-m",
                "dumbbell",
                "sweep",
                str(file),
                "--store",
                store,
                "--json",
            ]
            began = time.perf_counter()
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
            answers.append(time.perf_counter() - began)
    print(f"over the simulation of its runs: {100 * statistics.median(costs):.1f} %")
    print(f"the whole command, when all is in the store: {statistics.median(answers):.2f} s")


if __name__ == "__main__":
    main()
