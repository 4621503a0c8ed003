"""Guards what a simulated packet and the plan of a flow cost, in instructions: exact, whatever else
the machine does.

    make guard              # compares with bench/instructions.json; part of `make test`
    make guard UPDATE=1     # writes what is measured now there: commit it with what moved it

Each case but one is the example `hop` of dumbbell-sim under valgrind's cachegrind, twice: for its
whole time, and for a start of it. The difference is the cost of the hops between, without the
program's own start and the set-up of the world. The last case is the example `plan` of dumbbell-lab
with many flows and with half of them: the cost of a flow from the scenario's text to the plan. A
cost that moved by more than 5 % in either direction ends
with 3; a gain must be recorded, too, or the next loss would hide in it.

Compilers differ, so costs are kept for each. One that is not known is held against the nearest
known one, and refused only when it is dearer by more than 25 %. Counts are those of x86-64's
baseline; on other processors nothing is compared.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "bench" / "instructions.json"
EXAMPLES = "target/release/examples"

GATE = 0.05
"""A cost may move so much, up or down."""
LOOSE = 0.25
"""What the code of an unknown compiler may be dearer."""

CASES = {
    "drop_tail, 10 flows": ("hop 10 100 {} drop_tail", 20, 1),
    "red, 10 flows": ("hop 10 100 {} red", 20, 1),
    "drop_tail held, 10 flows": ("hop 10 100 {} drop_tail held", 20, 1),
    "codel, 10 flows": ("hop 10 100 {} queue=codel", 20, 1),
    "profile linux, 10 flows": ("hop 10 100 {} linux", 20, 1),
    "drop_tail, 100 flows": ("hop 100 1000 {} drop_tail", 4, 1.5),
    "drop_tail, 1000 flows": ("hop 1000 10000 {} drop_tail", 1.5, 1.1),
    "drop_tail, fat tree k=8": ("hop 0 0 {} fat=8 drop_tail", 0.006, 0.002),
    "plan, for each of 8000 flows": ("plan {}", 8000, 4000),
}
"""A command with a time, seconds, or a number of flows; the whole of it, and what is taken off."""


@dataclass(frozen=True)
class Judgement:
    """What is to be said of one case, and whether it ends the guard."""

    text: str
    fails: bool = False


def judge(now: float, known: float | None, exact: bool) -> Judgement:
    """One case. `exact`: `known` is of this very compiler."""
    if known is None:
        return Judgement("not recorded yet: make guard UPDATE=1", fails=exact)
    moved = now / known - 1
    said = f"{100 * moved:+.1f} % of {known:.1f}"
    if not exact:
        return Judgement(
            f"{said}, another compiler's" + (" - DEARER" if moved > LOOSE else ""), moved > LOOSE
        )
    if moved > GATE:
        return Judgement(f"{said} - DEARER", fails=True)
    if moved < -GATE:
        return Judgement(f"{said} - CHEAPER: keep it, make guard UPDATE=1", fails=True)
    return Judgement(said)


def nearest(version: str, known: list[str]) -> str | None:
    """The known compiler whose version is nearest: releases count up in their second number."""

    def number(text: str) -> tuple[int, ...]:
        return tuple(int(n) for n in re.findall(r"\d+", text.split("-")[0])[:3])

    def distance(other: str) -> tuple[int, ...]:
        return tuple(abs(a - b) for a, b in zip(number(version), number(other), strict=True))

    return min(known, key=distance, default=None)


def compiler() -> str:
    """The version of rustc that cargo uses here."""
    told = subprocess.run(
        [os.environ.get("RUSTC", "rustc"), "-V"], capture_output=True, text=True, check=True
    ).stdout
    return told.split()[1]


def count(words: str) -> tuple[int, int]:
    """Instructions of one command, and its packet-hops or flows."""
    command = f"{EXAMPLES}/{words}"
    watch = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    done = subprocess.run([*watch, *command.split()], cwd=ROOT, capture_output=True, text=True)
    refs = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    hops = re.search(r"(?:hops|planned) (\d+) .*ok true", done.stdout)
    if done.returncode != 0 or refs is None or hops is None:
        raise SystemExit(
            f"`{command}` under valgrind ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return int(refs[1].replace(",", "")), int(hops[1])


def measured(workers: int) -> dict[str, float]:
    """Instructions for each packet-hop or flow of every case, side by side."""
    jobs = [(name, words.format(t)) for name, (words, *times) in CASES.items() for t in times]
    with ThreadPoolExecutor(workers) as pool:
        counts = list(pool.map(lambda job: count(job[1]), jobs))
    out: dict[str, float] = {}
    for name, whole, start in zip(CASES, counts[::2], counts[1::2], strict=True):
        out[name] = round((whole[0] - start[0]) / (whole[1] - start[1]), 2)
    return out


def record(kept: dict[str, Any], version: str, now: dict[str, float]) -> dict[str, Any]:
    """The file with what this compiler's code costs now."""
    versions = {**kept.get("rustc", {}), version: now}
    return {
        "what": "instructions for each packet-hop, or for each flow of a plan "
        "(docs/explanation/performance.md)",
        "rustc": {
            key: versions[key]
            for key in sorted(versions, key=lambda v: [int(n) for n in re.findall(r"\d+", v)])
        },
    }


def main(update: bool) -> int:
    """Measures, compares or records; 0, 3 if a cost moved, 4 if valgrind is missing."""
    if shutil.which("valgrind") is None:
        print(
            "The guard counts instructions with valgrind. On Debian or Ubuntu: sudo apt-get "
            "install valgrind",
            file=sys.stderr,
        )
        return 4
    version, here = compiler(), platform.machine()
    kept = json.loads(FILE.read_text()) if FILE.exists() else {}
    now = measured(os.cpu_count() or 1)
    if here != "x86_64":
        print(f"guard: on {here} there is nothing to compare with; measured:")
        for name, cost in now.items():
            print(f"  {name:<28} {cost:8.1f}")
        return 0
    if update:
        FILE.write_text(json.dumps(record(kept, version, now), indent=2) + "\n")
    known = kept.get("rustc", {})
    like = version if version in known else nearest(version, list(known))
    if like is not None and like != version:
        print(
            f"guard: rustc {version} is not recorded (make guard UPDATE=1 does it); "
            f"it may be dearer than {like} by {LOOSE:.0%}"
        )
    print(f"guard: instructions, rustc {version}")
    failed = False
    for name, cost in now.items():
        judgement = judge(cost, known.get(like, {}).get(name), exact=like == version)
        failed |= judgement.fails
        print(f"  {name:<28} {cost:8.1f}   {judgement.text}")
    if update:
        print(f"guard: recorded in {FILE.relative_to(ROOT)}")
    return 3 if failed and not update else 0


if __name__ == "__main__":
    sys.exit(main(update="--update" in sys.argv[1:]))
