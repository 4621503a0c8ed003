"""Measures how far the profile `linux` agrees with Linux itself, and writes the table of
docs/explanation/linux-agreement.md.

    python docs/tools/agreement.py                           # every cell; half an hour of CPU time
    python docs/tools/agreement.py --cc cubic sack --rtt 20  # a part; the page keeps the others
    python docs/tools/agreement.py --series build/agreement  # and the series of both sides

    python docs/tools/agreement.py --seeds 12                # more runs of the kernel in each cell
    python docs/tools/agreement.py --simulator               # the kernel's numbers are those kept
    python docs/tools/agreement.py --apart                   # flagged cells, with other starts
    python docs/tools/agreement.py --causes                  # runs nothing; the causes are new

A cell is two flows of one congestion control over 10 Mbit/s, 30 s from their start, with the same
seeds on a user-mode kernel (`dumbbell run --on linux`) and in the simulator. The kernel takes one
or two seconds of processor time for a run; what it did is kept in agreement.jsonl under the hash of
the scenario and the kernel's release, so an interrupted measurement continues, and a kernel of
another release starts anew. The simulator runs every time; `--simulator` runs nothing else, on
machines without a kernel, too. Causes of differences are written by hand in agreement.toml.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import itertools
import json
import math
import os
import re
import statistics
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dumbbell import api
from dumbbell.catalogue import algorithms
from dumbbell.linux import kernels
from dumbbell.present.stats import student_t

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "explanation" / "linux-agreement.md"
KEPT = HERE / "agreement.jsonl"
CAUSES = HERE / "agreement.toml"

SECONDS, SEEDS, LIMIT = 30, 8, "60 pkt"
NEAR, APART = "100 ms", "2 s"
"""Within what time the flows start. Those that start near each other soon have one phase, so seeds
with the same first flow are nearly one run; with `--apart` each seed is a run of its own."""
QUEUES: dict[str, dict[str, Any]] = {
    "drop_tail": {},
    "red": {"min_th": "limit / 6", "max_th": "limit / 2", "ecn": True},
    "codel": {"ecn": True},
}
RTTS = (20, 80, 200)
"""Round-trip times without queues, ms."""
LIMITS = {"goodput": 0.03, "queue": 0.10, "drops": 0.15, "share": 0.05}
"""The largest difference without a flag, of the simulator's mean; of shares: in all."""
LEAST = {"goodput": 0.0, "queue": 0.5, "drops": 3.0, "share": 0.0}
"""Smaller differences than this have no flag: half a packet, three drops."""
CHANCE = 0.001
"""How often chance alone may exceed the interval. The table has 576 differences: of as many, less
than one does."""

UNKNOWN = "**not explained**"
"""The last column of a flagged cell whose cause is not known."""

JSON = dict[str, Any]
Kept = dict["Cell", dict[int, dict[str, float]]]
"""What the kernel measured in each cell, seed by seed."""


@dataclass(frozen=True, order=True)
class Cell:
    """Two flows of one congestion control over one queue."""

    control: str
    queue: str
    rtt: int
    spread: str = NEAR

    @property
    def scenario(self) -> JSON:
        """The scenario."""
        flow = {"cc": self.control, "rtt": f"{self.rtt} ms", "start_spread": self.spread}
        return {
            "profile": "linux",
            "duration": f"{SECONDS} s",
            "warmup": "0 s",
            "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": f"{self.rtt / 4:g} ms"}},
            "queue": {"kind": self.queue, "limit": LIMIT, **QUEUES[self.queue]},
            "flow": [{"name": name, **flow} for name in ("a", "b")],
        }

    @property
    def key(self) -> str:
        """The hash of the scenario."""
        text = json.dumps(self.scenario, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def __str__(self) -> str:
        return f"{self.control}-{self.queue}-{self.rtt}"


@dataclass(frozen=True)
class Compared:
    """A measure of a cell on both sides: a number for each seed, the same seeds in one order."""

    name: str
    simulated: tuple[float, ...]
    kernel: tuple[float, ...]

    @property
    def means(self) -> tuple[float, float]:
        """The simulator's mean and the kernel's."""
        return statistics.fmean(self.simulated), statistics.fmean(self.kernel)

    @property
    def differs(self) -> bool:
        """True if the difference is beyond the limit."""
        mean, kernel = self.means
        of = 1.0 if self.name == "share" else mean
        return abs(kernel - mean) > max(LIMITS[self.name] * of, LEAST[self.name])

    @property
    def scattered(self) -> bool:
        """True if the differences seed by seed scatter so much that their mean may be chance.

        A seed gives both sides the same instants at which the flows start. These alone move a cell
        at 200 ms by more than most differences between the two TCPs.
        """
        differences = [
            kernel - ours for ours, kernel in zip(self.simulated, self.kernel, strict=True)
        ]
        if len(differences) < 2:
            return True
        t = student_t(1 - CHANCE / 2, len(differences) - 1)
        error = statistics.stdev(differences) / math.sqrt(len(differences))
        return abs(statistics.fmean(differences)) <= t * error

    def __str__(self) -> str:
        digits = {"goodput": ".2f", "queue": ".1f", "drops": ".0f", "share": ".0f"}[self.name]
        unit = 100.0 if self.name == "share" else 1.0
        mean, kernel = self.means
        text = f"{unit * mean:{digits}} / {unit * kernel:{digits}}"
        if not self.differs:
            return text
        return f"{text} ~" if self.scattered else f"**{text}**"


def controls() -> list[str]:
    """The congestion controls that the kernel has, CUBIC and Reno first."""
    names = [a.name for a in algorithms() if a.kind == "cc" and "name" in a.kernel]
    first = ("cubic", "sack", "newreno")
    return sorted(names, key=lambda n: (first.index(n) if n in first else len(first), n))


def measures(document: JSON) -> dict[str, float]:
    """The measures of a result: Mbit/s, packets, drops with marks, the first flow's share."""
    queue = document["queues"][0]
    return {
        "goodput": sum(flow["goodput_bps"] for flow in document["flows"]) / 1e6,
        "queue": queue["mean_packets"],
        "drops": sum(queue["drops"].values()) + queue["marks"],
        "share": document["flows"][0]["share"],
    }


def result(cell: Cell, on: str, seed: int, series: Path | None) -> JSON:
    """Runs a cell, with its series in `series`."""
    options: JSON = {} if on == "sim" else {"on": on}
    if series is not None:
        options |= {"out": str(series / f"{cell}-{on}")}
    scenario = cell.scenario | ({"record": {"every": "10 ms"}} if series else {})
    found = api.run(
        api.request({"value": scenario, "name": str(cell)}, [f"seed={seed}"], **options)
    )
    if series is not None and on == "linux":
        (series / f"{cell}-{on}" / "run.log").unlink()
    return found


def kept(release: str) -> dict[tuple[str, int], dict[str, float]]:
    """What the kernel of this release did, by the hashes of scenarios and the seeds: that of the
    latest recipe. A recipe says how a kernel is built and how its clock runs, not what TCP does."""
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    rows = (json.loads(line) for line in lines)
    found = (row for row in rows if row["kernel"] == release)
    return {(row["scenario"], row["seed"]): row["measures"] for row in found}


def on_kernel(cells: list[Cell], seeds: int, kernel: kernels.Kernel, series: Path | None) -> Kept:
    """What the kernel does in each cell. It runs only what is not kept: seed by seed, so that each
    cell has about as many runs when it is interrupted."""
    release = str(kernel.about["release"])
    known = kept(release)
    made = {"kernel": release, "recipe": kernel.recipe}
    asked = list(itertools.product(range(1, seeds + 1), cells))
    for number, (seed, cell) in enumerate(asked, 1):
        if (cell.key, seed) in known:
            continue
        found = measures(result(cell, "linux", seed, series if seed == 1 else None))
        known[cell.key, seed] = found
        row = {"scenario": cell.key, "cell": str(cell), "seed": seed, **made}
        with KEPT.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row | {"measures": found}) + "\n")
        print(f"{number}/{len(asked)} {cell}, seed {seed}", file=sys.stderr)
    return as_kept(cells, release)


def as_kept(cells: list[Cell], release: str) -> Kept:
    """What the kernel did in those of the cells of which something is kept."""
    known = sorted(kept(release).items())
    rows = {c: {seed: found for (key, seed), found in known if key == c.key} for c in cells}
    return {cell: runs for cell, runs in rows.items() if runs}


def latest() -> str:
    """The release of the kernel whose numbers were kept last."""
    *_, last = KEPT.read_text(encoding="utf-8").splitlines()
    return str(json.loads(last)["kernel"])


def measured(
    cells: list[Cell], kernel: Kept, series: Path | None
) -> Iterator[tuple[Cell, list[Compared]]]:
    """Each cell on both sides."""
    for cell in cells:
        ours = [measures(result(cell, "sim", seed, None)) for seed in kernel[cell]]
        if series is not None:
            result(cell, "sim", 1, series)
        sides = ours, kernel[cell].values()
        both = [
            Compared(name, *(tuple(run[name] for run in side) for side in sides)) for name in LIMITS
        ]
        print(f"{cell}: {', '.join(map(str, both))}", file=sys.stderr)
        yield cell, both


def row(cell: Cell, both: list[Compared], causes: JSON) -> str:
    """A row of the table."""
    flagged = any(each.differs and not each.scattered for each in both)
    cause = _cause(cell, causes) if flagged else ""
    words = [f"`{cell.control}`", f"`{cell.queue}`", str(cell.rtt), *map(str, both), cause]
    return f"| {' | '.join(words)} |"


def _cause(cell: Cell, causes: JSON) -> str:
    """The cause of a flagged cell, for the last column."""
    return next((str(c["cause"]) for c in causes["cause"] if _covers(c, cell)), UNKNOWN)


def explained(page: str, causes: JSON) -> dict[Cell, str]:
    """The flagged rows of a page with the causes that are known now."""
    rows = {}
    for found in re.finditer(r"^\| `(\w+)` \| `(\w+)` \| (\d+) \| (.*) \|$", page, re.MULTILINE):
        cell = Cell(found[1], found[2], int(found[3]))
        *measured, _ = found[4].split(" | ")
        if any(text.startswith("**") for text in measured):
            words = [f"`{cell.control}`", f"`{cell.queue}`", str(cell.rtt), *measured]
            rows[cell] = f"| {' | '.join([*words, _cause(cell, causes)])} |"
    return rows


def _covers(cause: JSON, cell: Cell) -> bool:
    """True if a cause is one of this cell: each of its lists names it, or is not there."""
    asked = {"cc": cell.control, "queue": cell.queue, "rtt": cell.rtt}
    return all(value in cause[key] for key, value in asked.items() if key in cause)


def write(rows: dict[Cell, str], head: str) -> None:
    """Puts rows into the page; others stay. `head`: when and on what the table was measured."""
    text = PAGE.read_text(encoding="utf-8")
    begin, end = "<!-- measured: agreement -->\n", "<!-- end measured -->"
    before, rest = text.split(begin)
    old, after = rest.split(end, 1)
    every = {str(cell): line for cell, line in rows.items()}
    for line in old.splitlines():
        if found := re.match(r"\| `(\w+)` \| `(\w+)` \| (\d+) ", line):
            every.setdefault("-".join(found.groups()), line)
    order = [str(cell) for cell in grid(controls(), list(QUEUES), list(RTTS))]
    lines = [every[name] for name in order if name in every]
    flagged = sum("**" in line for line in lines)
    unknown = sum(UNKNOWN in line for line in lines)
    head = (
        f"{head}: {len(lines)} cells, {flagged} with a difference that is flagged,\n"
        f"{unknown} of these without a known cause.\n\n"
        "| control | queue | RTT [ms] | goodput [Mbit/s] | queue [pkt] | drops, marks "
        f"| share of the first [%] | cause |\n{'| --- ' * 8}|\n"
    )
    page = before + begin + head + "\n".join(lines) + "\n" + end + after
    PAGE.write_text(page, encoding="utf-8")


def apart(cells: list[Cell], page: str) -> list[Cell]:
    """Those of the cells that a page flags, with starts far apart."""
    flagged = re.findall(r"^\| `(\w+)` \| `(\w+)` \| (\d+) \| .*\*\*.*\|$", page, re.MULTILINE)
    names = {"-".join(each) for each in flagged}
    return [Cell(c.control, c.queue, c.rtt, APART) for c in cells if str(c) in names]


def row_apart(cell: Cell, both: list[Compared]) -> str:
    """A row of the table of cells with starts far apart."""
    return f"| `{cell}` | {len(both[0].kernel)} | {' | '.join(map(str, both))} |"


def write_apart(rows: dict[Cell, str], head: str) -> None:
    """Puts the table of cells with starts far apart into the page."""
    lines = list(rows.values())
    text = PAGE.read_text(encoding="utf-8")
    begin, end = "<!-- measured: apart -->\n", "<!-- end measured -->"
    before, rest = text.split(begin)
    _, after = rest.split(end, 1)
    flagged = sum("**" in line for line in lines)
    table = (
        f"{head}: {len(lines)} cells, {flagged} with a difference that is flagged.\n\n"
        "| cell | seeds | goodput [Mbit/s] | queue [pkt] | drops, marks "
        f"| share of the first [%] |\n{'| --- ' * 6}|\n"
    )
    page = before + begin + table + "\n".join(lines) + "\n" + end + after
    PAGE.write_text(page, encoding="utf-8")


def grid(names: list[str], queues: list[str], rtts: list[int]) -> list[Cell]:
    """The cells."""
    return [Cell(*each) for each in itertools.product(names, queues, rtts)]


def main(words: list[str] | None = None) -> int:
    """Measures, and writes the page."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    asked.add_argument("--cc", nargs="+", choices=controls(), default=controls(), metavar="NAME")
    asked.add_argument("--queue", nargs="+", choices=list(QUEUES), default=list(QUEUES))
    asked.add_argument("--rtt", nargs="+", type=int, choices=RTTS, default=list(RTTS))
    asked.add_argument(
        "--seeds", type=int, default=SEEDS, help=f"runs of each side in a cell ({SEEDS})"
    )
    asked.add_argument("--series", type=Path, help="keep the series of both sides here")
    only = asked.add_mutually_exclusive_group()
    only.add_argument("--causes", action="store_true", help="only write the causes anew")
    asked.add_argument("--apart", action="store_true", help="the flagged cells, with other starts")
    only.add_argument("--simulator", action="store_true", help="run the simulator only")
    given = asked.parse_args(words)
    causes = tomllib.loads(CAUSES.read_text(encoding="utf-8"))
    if given.causes:
        page = PAGE.read_text(encoding="utf-8")
        write(explained(page, causes), re.findall(r"^(.*): \d+ cells, ", page, re.MULTILINE)[0])
        return os.EX_OK
    cells = grid(given.cc, given.queue, given.rtt)
    if given.apart:
        cells = apart(cells, PAGE.read_text(encoding="utf-8"))
    rows = {}
    if given.simulator:
        release = latest()
        ran = as_kept(cells, release)
    else:
        kernel = kernels.needed()
        release = str(kernel.about["release"])
        ran = on_kernel(cells, given.seeds, kernel, given.series)
    for cell, both in measured(list(ran), ran, given.series):
        rows[cell] = row_apart(cell, both) if given.apart else row(cell, both, causes)
    head = f"{datetime.datetime.now(datetime.UTC).date()}, Linux {release}"
    if given.apart:
        write_apart(rows, head)
    else:
        write(rows, head)
    return os.EX_OK


if __name__ == "__main__":
    sys.exit(main())
