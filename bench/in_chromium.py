"""What the benchmarks of pages share: their options, how Chromium starts, and the report."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

JSON = dict[str, Any]

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
"""Of Chromium."""


def parser(about: str | None, repeat: int, repeated: str) -> argparse.ArgumentParser:
    """The options that all have. `repeated`: what is done `repeat` times."""
    made = argparse.ArgumentParser(description=about)
    made.add_argument("--repeat", type=int, default=repeat, help=repeated)
    made.add_argument("--json", action="store_true", help="rows as JSON, with the machine's state")
    return made


def executable(parser: argparse.ArgumentParser) -> str:
    """Chromium's path; without one the program ends."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        parser.error("there is no Chromium")
    return found


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def report(
    rows: Sequence[JSON],
    text: str,
    missed: Mapping[str, Sequence[str]],
    as_json: bool,
    **state: Any,
) -> int:
    """Prints rows, as JSON or as `text`, with the state of the machine, and the budgets that were
    missed, by the rows' names; 3 if there are any."""
    state |= {
        "cpus": os.cpu_count(), "machine": platform.machine(), "load_after": os.getloadavg()[0],
    }  # fmt: skip
    if as_json:
        print(json.dumps({"state": state, "rows": rows, "missed": missed}, indent=1))
    else:
        print(text)
        print(f"\n{json.dumps(state)}")
        for name, why in missed.items():
            print(f"{name}: {', '.join(why)}", file=sys.stderr)
    return 3 if missed else 0
