"""What a live page costs: processor time of a recorded run, with and without somebody who watches.

    python bench/live.py [PAIRS]

Each run has a process of its own, which plain and watched runs take in turn; what is printed are
medians of the pairs' ratios. The page is asked for its news by another process, which is not
counted. The first page and that of the end are not in the ratio: the one is made before the run,
the other as `view` makes it.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from dumbbell import api
from dumbbell.bench.workload import SCENARIO, Case
from dumbbell.view import live
from dumbbell.view.live import series

CASES = {
    "10 flows, 300 s": Case(10, "100 Mbps", "300 s", "red"),
    "100 flows, 20 s": Case(100, "1 Gbps", "20 s", "red"),
    "1000 flows, 4 s": Case(1000, "10 Gbps", "4 s", "red"),
}
EVERY = "10 ms"


def spent_s() -> float:
    """Processor time of this process, all of its threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def request(case: Case, out: str) -> dict[str, Any]:
    """The recorded run of a case."""
    wanted = api.request({"path": str(SCENARIO)}, case.overrides(), record={"every": EVERY})
    return wanted | {"out": out, "threads": 1}


def measure(case: Case, watched: bool) -> dict[str, float]:
    """Makes a run in this process, and tells what it spent."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = request(case, f"{folder}/run")
        began = spent_s()
        if not watched:
            data = api.run(wanted)
            return {"run_s": spent_s() - began, "wall_s": data["wall_s"]}
        first = series.first_page(wanted, "bench")
        made = spent_s() - began

        def browse(address: str) -> bool:
            subprocess.Popen([sys.executable, __file__, "--browse", address])
            time.sleep(1)
            return True

        with live.session(first.page, browse) as page:
            began = spent_s()
            data = api.run(
                wanted | {"watch": first.watch}, page.news.progress, watch=page.news.piece
            )
            spent = spent_s() - began
            page.end("<p>over</p>")
        return {"run_s": spent, "first_page_s": made, "wall_s": data["wall_s"]}


def browse(address: str) -> None:
    """Asks for the news, as a page does."""
    place, state = 0, "running"
    while state == "running":
        with urllib.request.urlopen(f"{address}news?from={place}") as answer:
            news = json.load(answer)
        place, state = news["next"], news["state"]
    urllib.request.urlopen(f"{address}page").read()


def child(name: str, how: str) -> dict[str, float]:
    """A run in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--do", name, how], capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Measures all cases."""
    if sys.argv[1:2] == ["--browse"]:
        browse(sys.argv[2])
    elif sys.argv[1:2] == ["--do"]:
        print(json.dumps(measure(CASES[sys.argv[2]], sys.argv[3] == "watched")))
    else:
        pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
        for name in CASES:
            rows = [(child(name, "watched"), child(name, "plain")) for _ in range(pairs)]
            ratios = [watched["run_s"] / plain["run_s"] for watched, plain in rows]
            plain_s = statistics.median(plain["run_s"] for _, plain in rows)
            first_s = statistics.median(watched["first_page_s"] for watched, _ in rows)
            print(
                f"{name}: ratio {statistics.median(ratios):.3f} ({min(ratios):.3f} to "
                f"{max(ratios):.3f}, {pairs} pairs), plain {plain_s:.2f} s, first page "
                f"{first_s:.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    assert Path(__file__).is_file()
    main()
