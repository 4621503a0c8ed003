"""Measures the instructions in the table of docs/reference/queues.md and writes them to costs.json,
from which `make docs` makes the table.

    python docs/tools/costs.py            # every queue: half an hour on two cores
    python docs/tools/costs.py red pie    # only these

A cost is what `dumbbell bench --instructions` counts under valgrind for ten flows over 100 Mbit/s.
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from dumbbell import catalogue
from dumbbell.files.write import write_text
from parts.catalogue_rows import COSTS

OPTIONS = "--flows 10 --time 6s --profile ns2 --repeat 1 --no-reference --instructions --json"


def cost(queue: str) -> int:
    """Instructions for each packet-hop."""
    command = [sys.executable, "-m", "dumbbell", "bench", "--queue", queue, *OPTIONS.split()]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return round(json.loads(done.stdout)[0]["instructions_per_packet_hop"])


def main() -> None:
    """Measures what is asked for, two at a time, and writes after each."""
    costs = json.loads(COSTS.read_text(encoding="utf-8"))
    wanted = sys.argv[1:] or list(catalogue.pages(*catalogue.QUEUES))
    with ThreadPoolExecutor(2) as pool:
        for queue, now in zip(wanted, pool.map(cost, wanted), strict=True):
            print(f"{queue}: {now}", flush=True)
            costs["queues"][queue] = now
            write_text(COSTS, json.dumps(costs, indent=1) + "\n")


if __name__ == "__main__":
    main()
