"""Runs `cargo test`, shows what it says, and says in the end which ten test programs took longest.

python tests/slowest.py cargo test --workspace
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable

_RUNNING = re.compile(
    r"^\s*(?:Running (?:unittests )?(?P<file>\S+) \((?P<program>[^)]+)\)|Doc-tests (?P<docs>\S+))"
)
_ENDED = re.compile(r"^test result: .* finished in (?P<seconds>[\d.]+)s")


def times(lines: Iterable[str]) -> list[tuple[float, str]]:
    """How long each test program took, seconds, longest first."""
    name, out = "?", []
    for line in lines:
        if begun := _RUNNING.match(line):
            # A program's name without its hash says the crate, too:
            # `target/release/deps/dumbbell_sim-1a2b`.
            program = re.sub(r"-[0-9a-f]+$", "", (begun["program"] or "").rpartition("/")[2])
            name = (
                f"{program} ({begun['file']})"
                if begun["file"]
                else f"documentation of {begun['docs']}"
            )
        elif ended := _ENDED.match(line):
            out.append((float(ended["seconds"]), name))
    return sorted(out, reverse=True)


def main(words: list[str]) -> int:
    """Runs the words and passes their output and their code on."""
    seen = []
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            print(line, end="", flush=True)
            seen.append(line)
    print("\nslowest 10 test programs in Rust")
    for seconds, name in times(seen)[:10]:
        print(f"{seconds:8.2f}s {name}")
    return running.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
