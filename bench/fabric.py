"""The published benchmark of parallel simulators: fat trees of switches with k ports.

    make fabric-bench                  # k = 4 and 8 for 1 s, k = 16 for 100 ms, on one core
    make fabric-bench ARGS="16=1s@2"   # one of them, on two threads

The scenario is bench/fabric.toml. Each run is a process of its own, and one of a single thread has
one processor. Its figures go to bench/fabric.json, and from there into
docs/explanation/performance.md. Processor time is that of the process from start to end: reading,
planning and results are in it. Wall time is longer on a busy machine, and so is processor time,
less.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SCENARIO = ROOT / "bench" / "fabric.toml"
FILE = ROOT / "bench" / "fabric.json"
RUNS = ("4=1s", "8=1s", "16=100ms")


def command(k: int, duration: str, threads: int) -> list[str]:
    """The command of one run, whose results nobody keeps."""
    words = ["-m", "dumbbell", "run", str(SCENARIO), "--json", "--threads", str(threads)]
    return [sys.executable, *words, "-s", f"fat_tree.k={k}", "-s", f"duration={duration}"]


def measured(k: int, duration: str, threads: int) -> dict[str, Any]:
    """One run, and what its process took."""
    processors = sorted(os.sched_getaffinity(0))[-threads:]
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        child = os.fork()
        if child == 0:
            os.sched_setaffinity(0, processors)
            os.dup2(out.fileno(), 1)
            words = command(k, duration, threads)
            os.execv(words[0], words)
        _, status, used = os.wait4(child, 0)
        wall = time.perf_counter() - start
        if status != 0:
            raise SystemExit(f"the run of k = {k} ended with status {status}")
        out.seek(0)
        result = json.load(out)
    cpu_s = used.ru_utime + used.ru_stime
    return {
        "k": k,
        "threads": threads,
        "duration_s": result["duration_s"],
        "hosts": k**3 // 4,
        "flows": result["sessions"][0]["flows"],
        "wall_s": round(wall, 2),
        "cpu_s": round(cpu_s, 2),
        "packet_hops": result["packet_hops"],
        "ns_per_hop": round(1e9 * cpu_s / result["packet_hops"], 1),
        "peak_mb": round(used.ru_maxrss / 1000),
        "goodput_gbps": round(result["totals"]["goodput_bps"] / 1e9, 1),
        "fingerprint": result["fingerprint"],
    }


def main(wanted: list[str]) -> int:
    """Measures, prints, and keeps the figures of what was run beside those of before."""
    kept = json.loads(FILE.read_text()) if FILE.exists() else {"runs": []}
    runs = {(run["k"], run["duration_s"], run["threads"]): run for run in kept["runs"]}
    for word in wanted or RUNS:
        case, _, threads = word.partition("@")
        k, _, duration = case.partition("=")
        run = measured(int(k), duration or "1 s", int(threads or 1))
        runs[run["k"], run["duration_s"], run["threads"]] = run
        print(json.dumps(run))
        kept = {"machine": platform.machine(), "runs": [runs[key] for key in sorted(runs)]}
        FILE.write_text(json.dumps(kept, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
