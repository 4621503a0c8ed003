"""A score of the tests of floors 0 to 2 from a random sample of cargo-mutants' faults.

All faults of the sample are built into one copy, as choices that are made when a test runs. A first
run without a fault notes which tests reach which fault. Then each fault is on in the tests that
reach it: of its own crate first, then of the crates above, until one fails. The order is random, so
what is done when the time is up is a sample, too. `tests/mutants/run.sh --sample N` calls it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import selectors
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planting import CHAIN, NOTES, VARIABLE, Fault, NotPlantable, Text, plant, texts

CRATES = ("dumbbell-core", "dumbbell-algos", "dumbbell-tcp", "dumbbell-quic")
LEFT_OUT = {("dumbbell-core", "floors")}
"""Tests that read the source instead of running it."""
AGAIN = {"dumbbell-core": CRATES, "dumbbell-algos": CRATES[1:]}
"""The crates whose tests use a crate, itself included; the others only their own."""
QUICK_S = 2.0
"""Tests that take no longer in all run first: most faults need no more."""


@dataclass
class Binary:
    """A program of tests. alone: it has no tests by name (`harness = false`)."""

    crate: str
    name: str
    path: str
    folder: Path
    alone: bool = False
    seconds: float = 0.0
    tests: dict[str, float] = field(default_factory=dict)
    """Each test with the seconds that it takes."""
    reached: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    """For each fault the threads that reach it; a test's has its name."""
    without: str | None = None
    """Tests whose names contain this do not run."""


def main() -> int:
    """See the module's page. Exit codes: 0, 1 the tests fail without a fault, 2 nothing to do."""
    arguments = _arguments()
    tree, out = arguments.tree, arguments.out
    listed = json.loads(arguments.list.read_text())
    every = [Fault.of(number, entry) for number, entry in enumerate(listed)]
    if not every:
        print("there are no faults in these files", file=sys.stderr)
        return 2
    if arguments.only:
        named = set(arguments.only.read_text().splitlines())
        every = [fault for fault in every if fault.name in named]
    order = random.Random(arguments.seed).sample(every, min(arguments.sample, len(every)))
    sources = texts(tree, (fault.file for fault in order), arguments.extents)
    became: dict[int, dict[str, Any]] = {}
    planted = []
    for fault in order:
        try:
            sources[fault.file].node(fault)
            planted.append(fault)
        except NotPlantable as why:
            outcome = "unviable" if str(why) == CHAIN else "not planted"
            became[fault.number] = {"outcome": outcome, "by": str(why)}
    binaries = _built(tree, sources, planted, became)
    for binary in binaries:
        binary.without = arguments.without
        _first_run(binary, out)
        print(f"{binary.crate} {binary.name}: {binary.seconds:.1f} s", flush=True)
    started, done = time.monotonic(), []
    for fault in order:
        if time.monotonic() - started > arguments.minutes * 60:
            break
        if fault.number not in became:
            became[fault.number] = _tried(fault, binaries)
        one = became[fault.number]
        print(f"{one['outcome']}: {fault.name} [{one['by']}]", flush=True)
        done.append(fault)
        _write(out, arguments, len(every), done, became)
    print(_table(done, became))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", type=Path, required=True, help="`cargo mutants --list --json`")
    parser.add_argument("--tree", type=Path, required=True, help="the copy to plant in")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the outcome")
    parser.add_argument("--extents", type=Path, required=True, help="the program `extents`")
    parser.add_argument("--sample", type=int, required=True, help="number of faults")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=Path, help="a file with the faults to take, one a line")
    parser.add_argument("--without", help="leaves out the tests whose names contain this")
    parser.add_argument("--minutes", type=float, default=math.inf, help="of tests, without builds")
    return parser.parse_args()


def _built(
    tree: Path,
    sources: dict[str, Text],
    planted: list[Fault],
    became: dict[int, dict[str, Any]],
) -> list[Binary]:
    """Plants and builds; a fault in a line that does not compile is left out."""
    while True:
        planted = [fault for fault in planted if fault.number not in became]
        plant(tree, sources, planted)
        command = ["cargo", "test", "--offline", "--no-run", "--message-format=json"]
        for crate in CRATES:
            command += ["-p", crate]
        done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, text=True, check=False)
        messages = [json.loads(line) for line in done.stdout.splitlines() if line[:1] == "{"]
        if done.returncode == 0:
            return _binaries(tree, messages)
        errors = [
            message["message"]
            for message in messages
            if message.get("reason") == "compiler-message"
            and message["message"]["level"] == "error"
        ]
        blamed = _blamed(errors, planted) or _blamed(errors, planted, whole=True)
        for number, why in blamed.items():
            became[number] = {"outcome": "unviable", "by": why}
        print(f"{len(blamed)} faults do not compile", flush=True)
        if not blamed:
            print(*(error["rendered"] for error in errors), file=sys.stderr)
            raise SystemExit("the copy does not build, and no fault is to blame")


def _blamed(
    errors: list[dict[str, Any]], planted: list[Fault], whole: bool = False
) -> dict[int, str]:
    """The faults that errors of the compiler are about, with the error."""
    return {
        fault.number: str(error["message"])
        for error in errors
        for fault in planted
        if any(_blames(span, fault, whole) for span in error["spans"])
    }


def _blames(span: dict[str, Any], fault: Fault, whole: bool = False) -> bool:
    """Whether an error is in the lines of a fault; of a body, in its first, or in the `whole`."""
    if not span["is_primary"] or span["file_name"] != fault.file:
        return False
    last = fault.start[0] if fault.genre == "FnValue" and not whole else fault.end[0]
    return bool(span["line_start"] <= last and fault.start[0] <= span["line_end"])


def _binaries(tree: Path, messages: list[dict[str, Any]]) -> list[Binary]:
    found = []
    for message in messages:
        if not message.get("executable") or not message["profile"]["test"]:
            continue
        folder = Path(message["manifest_path"]).parent
        crate, target = folder.name, message["target"]["name"]
        if (crate, target) not in LEFT_OUT:
            alone = message["target"]["kind"] == ["example"]
            found.append(Binary(crate, target, message["executable"], folder, alone))
    return sorted(found, key=lambda b: (CRATES.index(b.crate), b.name))


def _first_run(binary: Binary, out: Path) -> None:
    """Runs it without a fault: how long its tests take, and what they reach."""
    notes = out / "reached.tsv"
    notes.unlink(missing_ok=True)
    started, ends = time.monotonic(), []
    environment = {k: v for k, v in os.environ.items() if k != VARIABLE}
    with subprocess.Popen(
        _command(binary),
        cwd=binary.folder,
        env={**environment, NOTES: str(notes), "CARGO_MANIFEST_DIR": str(binary.folder)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        said = []
        for line in process.stdout or ():
            said.append(line)
            if line.startswith("test ") and " ... " in line:
                ends.append((line[5:].partition(" ... ")[0].split(" - ")[0], time.monotonic()))
    if process.returncode:
        raise SystemExit(f"without a fault {binary.crate} {binary.name} fails:\n{''.join(said)}")
    binary.seconds = time.monotonic() - started
    # Two threads take the tests in the order of their names.
    times = [at for _, at in ends]
    begins = dict(zip(sorted(name for name, _ in ends), [started, started, *times], strict=False))
    binary.tests = {name: max(0.0, at - begins[name]) for name, at in ends}
    if notes.exists():
        for line in notes.read_text().splitlines():
            number, _, thread = line.partition("\t")
            binary.reached[int(number)].add(thread)


def _command(binary: Binary, tests: list[str] | None = None) -> list[str]:
    if binary.alone:
        return [binary.path]
    others = ["--skip", binary.without] if binary.without else []
    chosen = ["--exact", *tests] if tests else others
    return [binary.path, "--test-threads=2", *chosen]


def _tried(fault: Fault, binaries: list[Binary]) -> dict[str, Any]:
    """What becomes of a fault: `found`, `timeout` or `missed`, and by what."""
    reached = False
    for binary in binaries:
        if binary.crate not in AGAIN.get(fault.crate, (fault.crate,)):
            continue
        threads = binary.reached.get(fault.number)
        if not threads:
            continue
        reached = True
        named = threads <= binary.tests.keys() and not binary.alone
        for tests in _in_turn(binary, threads) if named else [None]:
            seconds = sum(binary.tests[t] for t in tests) if tests else binary.seconds
            outcome, by = _run(fault.number, binary, tests, 20 + 5 * seconds)
            if outcome != "missed":
                return {"outcome": outcome, "by": f"{binary.crate} {binary.name} {by}".strip()}
    return {"outcome": "missed", "by": "" if reached else "no test reaches it"}


def _in_turn(binary: Binary, names: set[str]) -> list[list[str]]:
    """The tests in two turns: those that take little time, then the others."""
    turns: tuple[list[str], list[str]] = ([], [])
    total = 0.0
    for name in sorted(names, key=binary.tests.__getitem__):
        total += binary.tests[name]
        turns[total > QUICK_S].append(name)
    return [turn for turn in turns if turn]


def _run(number: int, binary: Binary, tests: list[str] | None, limit: float) -> tuple[str, str]:
    """Runs tests with a fault on, until the first fails or `limit` seconds are over."""
    with subprocess.Popen(
        _command(binary, tests),
        cwd=binary.folder,
        env={
            **os.environ,
            VARIABLE: str(number),
            "CARGO_MANIFEST_DIR": str(binary.folder),
            "RUST_BACKTRACE": "0",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        assert process.stdout
        ends, rest = time.monotonic() + limit, b""
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            while True:
                left = ends - time.monotonic()
                if left <= 0 or not ready.select(left):
                    os.killpg(process.pid, signal.SIGKILL)
                    return "timeout", f"{limit:.0f} s"
                read = os.read(process.stdout.fileno(), 65536)
                if not read:
                    break
                *lines, rest = (rest + read).split(b"\n")
                for line in lines:
                    if line.startswith(b"test ") and line.endswith(b"FAILED"):
                        os.killpg(process.pid, signal.SIGKILL)
                        return "found", line.decode().split()[1]
        process.wait()
    return ("found", f"ended with {process.returncode}") if process.returncode else ("missed", "")


def _write(
    out: Path,
    arguments: argparse.Namespace,
    listed: int,
    done: list[Fault],
    became: dict[int, dict[str, Any]],
) -> None:
    document = {
        "listed": listed,
        "seed": arguments.seed,
        "faults": [
            {"name": fault.name, "number": fault.number, **became[fault.number]} for fault in done
        ],
    }
    (out / "sample.json").write_text(json.dumps(document, indent=1) + "\n")


OUTCOMES = ("found", "timeout", "missed", "unviable", "not planted")


def _table(done: list[Fault], became: dict[int, dict[str, Any]]) -> str:
    """The outcomes by crate, as a table in Markdown."""
    counts: dict[str, Counter[str]] = {crate: Counter() for crate in (*CRATES, "all")}
    for fault in done:
        for row in (fault.crate, "all"):
            counts[row][became[fault.number]["outcome"]] += 1
    lines = [f"| crate | {' | '.join(OUTCOMES)} | score, % |", "|---" * (len(OUTCOMES) + 2) + "|"]
    for crate, count in counts.items():
        found = count["found"] + count["timeout"]
        low, high = wilson(found, found + count["missed"])
        share = 100 * found / max(1, found + count["missed"])
        numbers = " | ".join(str(count[outcome]) for outcome in OUTCOMES)
        lines.append(f"| {crate} | {numbers} | {share:.0f} [{100 * low:.0f}, {100 * high:.0f}] |")
    return "\n".join(lines)


def wilson(found: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); (0, 1) of nothing."""
    if not of:
        return 0.0, 1.0
    z, share = 1.959964, found / of
    center = share + z * z / (2 * of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (center - half) / (1 + z * z / of), (center + half) / (1 + z * z / of)


if __name__ == "__main__":
    sys.exit(main())
