"""What classes of live runs are worth: the same short runs on a disturbed machine, their class, and
their actual error.

Each run is `dumbbell run --on kernel` of three TCP flows over one link, in namespaces, while
something disturbs the machine: busy loops, memory, a real-time thread that takes the router's core
away at random times, or SIGSTOP of the whole process. What is right is known from the simulator
(profile `linux`, hosts with a jitter of 100 us, many seeds), whose scatter from seed to seed is the
least that a single run may be off by.

    python bench/testbed_classes.py --out results/testbed-classes.jsonl      # about 25 minutes
    python bench/testbed_classes.py --summary results/testbed-classes.jsonl
    python bench/testbed_classes.py --quick

It needs root for the real-time thread. Every process that it starts is ended by it, by its number.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import functools
import itertools
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RATES = {5: "24 pkt", 12: "30 pkt", 50: "60 pkt", 100: "80 pkt"}
"""Links, Mbit/s, with their buffers."""
QUEUES = {"drop_tail": {}, "red": {"min_th": "limit / 6", "max_th": "limit / 2"}}
DISTURBANCES = (
    "none", "busy:1", "busy:2", "memory", "core:1:5", "core:1:50", "core:5:2", "core:5:20",
    "core:20:1", "core:20:5", "core:50:1", "core:50:4", "stop:1:5", "stop:5:4", "stop:20:2",
    "stop:50:1",
)  # fmt: skip
"""`core:MS:PER_S`: the router's core is taken away; `stop:MS:PER_S`: all threads of the process are
stopped."""
QUICK = ("none", "core:5:20", "core:50:4")
SECONDS, WARMUP = 4, 1
SEEDS = 40
"""Simulated runs of which truth is the mean."""
PERMITTED = {"exact": 0.2, "good": 1.0, "loose": 5.0}
"""What the classes promise, percent."""
SCATTER = 3.0
"""Standard deviations of the simulator's seeds that are no error of the testbed."""

JSON = dict[str, Any]


def scenario(rate: int, queue: str) -> str:
    """Three flows over a link."""
    flows = "".join(
        f'[[flow]]\nname = "{name}"\ncc = "sack"\nrtt = "{rtt} ms"\nstart_spread = "100 ms"\n'
        for name, rtt in (("a", 10), ("b", 14), ("c", 20))
    )
    parameters = "".join(f'{key} = "{value}"\n' for key, value in QUEUES[queue].items())
    return (
        f'duration = "{SECONDS + WARMUP} s"\nwarmup = "{WARMUP} s"\nprofile = "linux"\n'
        f'[dumbbell.bottleneck]\nrate = "{rate} Mbps"\ndelay = "2 ms"\n'
        f'[queue]\nkind = "{queue}"\nlimit = "{RATES[rate]}"\n{parameters}{flows}'
    )


def measures(document: JSON) -> tuple[float, float]:
    """Goodput of all flows, bit/s, and the mean wait, s."""
    return sum(flow["goodput_bps"] for flow in document["flows"]), document["queues"][0][
        "mean_sojourn_s"
    ]


@functools.cache
def truth(rate: int, queue: str) -> JSON:
    """Mean and standard deviation of both measures in the simulator."""
    from dumbbell import api

    source = {"text": scenario(rate, queue), "name": "classes"}
    found = api.run(api.request(source, ["tcp.send_jitter=100 us"], replications=SEEDS, seed=1))
    columns = list(zip(*(measures(run) for run in found["runs"]), strict=True))
    return {
        name: {"mean": statistics.mean(values), "sd": statistics.stdev(values)}
        for name, values in zip(("goodput", "wait"), columns, strict=True)
    }


@contextlib.contextmanager
def disturbed(kind: str) -> Iterator[None]:
    """The machine while something else goes on; `stop` is done to the run itself."""
    name, _, rest = kind.partition(":")
    cores = sorted(os.sched_getaffinity(0))
    commands: list[list[str]] = []
    if name == "busy":
        commands = [["busy", str(core)] for core in cores for _ in range(int(rest))]
    elif name == "core":
        commands = [["core", str(cores[-1]), *rest.split(":")]]
    elif name == "memory":
        commands = [["memory"]] * len(cores)
    started = [subprocess.Popen([sys.executable, __file__, "--do", *words]) for words in commands]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


_PR_SET_PDEATHSIG = 1
"""Of prctl(2)."""


def do(words: list[str]) -> None:
    """One disturbance, until it is killed or its parent ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if words[0] == "busy":
        os.sched_setaffinity(0, {int(words[1])})
        while True:
            pass
    if words[0] == "memory":
        while True:  # Fresh pages: the kernel clears each, and takes them back.
            block = bytearray(256 << 20)
            del block
    core, spin_s, per_s = int(words[1]), float(words[2]) / 1e3, float(words[3])
    os.sched_setaffinity(0, {core})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(60))  # The router has 40.
    while True:
        time.sleep(random.expovariate(per_s))
        until = time.monotonic() + spin_s
        while time.monotonic() < until:
            pass


def stopping(process: subprocess.Popen[str], stop_s: float, per_s: float) -> None:
    """Stops the process at random times while it runs."""
    time.sleep(2.5)  # It calibrates first.
    while process.poll() is None:
        time.sleep(random.expovariate(per_s))
        process.send_signal(signal.SIGSTOP)
        time.sleep(stop_s)
        process.send_signal(signal.SIGCONT)


def live(rate: int, queue: str, kind: str, seed: int) -> JSON:
    """One run: its measures and its block."""
    with tempfile.TemporaryDirectory() as scratch, disturbed(kind):
        file = Path(scratch) / "classes.toml"
        file.write_text(scenario(rate, queue))
        command = [
            sys.executable,
            "-m",
            "dumbbell",
            "run",
            str(file),
            "--on",
            "kernel",
            "--json",
            "--seed",
            str(seed),
        ]
        # Whatever the estimate says: here it is the run that judges itself.
        command += ["-s", "testbed.calibrate=false"]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if kind.startswith("stop"):
            _, ms, per_s = kind.split(":")
            threading.Thread(
                target=stopping, args=(process, float(ms) / 1e3, float(per_s)), daemon=True
            ).start()
        out, err = process.communicate()
    if process.returncode not in (0, 5) or not out:
        return {"failed": err.strip()[-300:]}
    document = json.loads(out)
    goodput, wait = measures(document)
    return {
        "goodput": goodput,
        "wait": wait,
        "load": os.getloadavg()[0],
        "validity": document["validity"],
    }


def collect(out: Path, quick: bool) -> None:
    """Makes every run, in an order that spreads conditions over time."""
    out.parent.mkdir(parents=True, exist_ok=True)
    rates = (5, 50) if quick else tuple(RATES)
    cells = list(
        itertools.product(
            rates, ("drop_tail",) if quick else QUEUES, QUICK if quick else DISTURBANCES
        )
    )
    random.Random(1).shuffle(cells)
    with out.open("a", encoding="utf-8") as file:
        for number, (rate, queue, kind) in enumerate(cells, 1):
            row = {"rate": rate, "queue": queue, "kind": kind, **live(rate, queue, kind, number)}
            file.write(json.dumps(row) + "\n")
            file.flush()
            print(f"{number} of {len(cells)}: {line(row)}", file=sys.stderr, flush=True)


def error(row: JSON, name: str) -> tuple[float, float]:
    """By how many percent a measure is off, and by how many seeds scatter."""
    right = truth(row["rate"], row["queue"])[name]
    return 100 * (row[name] / right["mean"] - 1), 100 * SCATTER * right["sd"] / right["mean"]


def line(row: JSON) -> str:
    """A run in a line."""
    place = f"{row['rate']:>3} Mbps {row['queue']:<9} {row['kind']:<10}"
    if "failed" in row:
        return f"{place} FAILED {row['failed']}"
    block = row["validity"]
    errors = ", ".join(
        "{} {:+.2f} % (scatter {:.2f})".format(name, *error(row, name))
        for name in ("goodput", "wait")
    )
    bound = "/".join(f"{block['bound_percent'][name]:.2f}" for name in ("goodput", "wait"))
    return f"{place} {block['class'] or 'not valid':<9} bound {bound:<12} {errors}"


def summary(rows: list[JSON]) -> Iterator[str]:
    """By class: how many, how far off, and how many are off by more than the class says."""
    rows = [row for row in rows if "failed" not in row]
    yield (
        "| class | runs | goodput off by most [%] | mean wait off by, median, most [%] | off "
        "by more |"
    )
    yield "|---|---|---|---|---|"
    for name in (*PERMITTED, None):
        own = [row for row in rows if row["validity"]["class"] == name]
        if not own:
            continue
        off = {key: [abs(error(row, key)[0]) for row in own] for key in ("goodput", "wait")}
        beyond = [row for row in own if name and any(far(row, key, PERMITTED[name]) for key in off)]
        told = str(len(beyond)) if name else f"({sum(sound(row) for row in own)} are good to 5 %)"
        most = f"{max(off['goodput']):.2f}"
        waits = f"{statistics.median(off['wait']):.1f}, {max(off['wait']):.1f}"
        yield f"| {name or 'not valid'} | {len(own)} | {most} | {waits} | {told} |"


def far(row: JSON, key: str, permitted: float) -> bool:
    """Whether a measure is off by more than is permitted, and than seeds scatter."""
    off, scatter = error(row, key)
    return abs(off) > permitted + scatter


def sound(row: JSON) -> bool:
    """Whether a run that is called bad is as good as the loosest class."""
    return not any(far(row, key, PERMITTED["loose"]) for key in ("goodput", "wait"))


def main() -> None:
    """Reads the command line."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--out", type=Path, default=Path("results/testbed-classes.jsonl"))
    options.add_argument("--summary", type=Path, help="print the table of these runs")
    options.add_argument("--quick", action="store_true", help="six runs")
    options.add_argument("--do", nargs="+", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.do:
        do(given.do)
    if given.summary is None:
        collect(given.out, given.quick)
    rows = [json.loads(text) for text in (given.summary or given.out).read_text().splitlines()]
    print(
        "\n".join(
            [*map(line, sorted(rows, key=lambda r: (r["kind"], r["rate"]))), "", *summary(rows)]
        )
    )


if __name__ == "__main__":
    main()
