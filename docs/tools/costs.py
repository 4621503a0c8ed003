"""Measures the instructions in the table of docs/queues.md and writes them there.

    python docs/tools/costs.py            # every queue: half an hour on two cores
    python docs/tools/costs.py red pie    # only these

A cost is what `dumbbell bench --instructions` counts under valgrind for ten flows over 100 Mbit/s.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "queues.md"
ROW = re.compile(r"^(\|[^|]*\| `(\w+)` \| [^|]+ \| [a-z ]+ \|) \d+ \|$", re.MULTILINE)
OPTIONS = "--flows 10 --time 6s --profile ns2 --repeat 1 --no-reference --instructions --json"


def cost(queue: str) -> int:
    """Instructions for each packet-hop."""
    command = [sys.executable, "-m", "dumbbell", "bench", "--queue", queue, *OPTIONS.split()]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return round(json.loads(done.stdout)[0]["instructions_per_packet_hop"])


def main() -> None:
    """Measures what is asked for, two at a time, and writes after each."""
    text = PAGE.read_text()
    wanted = sys.argv[1:] or [match[2] for match in ROW.finditer(text)]
    with ThreadPoolExecutor(2) as pool:
        for queue, now in zip(wanted, pool.map(cost, wanted), strict=True):
            print(f"{queue}: {now}", flush=True)
            text = ROW.sub(
                lambda row, q=queue, n=now: f"{row[1]} {n} |" if row[2] == q else row[0], text
            )  # type: ignore[misc]
            PAGE.write_text(text)


if __name__ == "__main__":
    main()
