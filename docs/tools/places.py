"""Runs the same scenarios in five places, and writes the tables of docs/explanation/agreement.md.

    python docs/tools/places.py                            # what is not kept, and the page
    python docs/tools/places.py --place linux ns2          # these places only
    python docs/tools/places.py --scenario sack-red        # these scenarios only
    python docs/tools/places.py --page                     # runs nothing; writes the page

The places are the simulator, a Linux kernel in virtual time, the machine's own kernel in real time,
RED as SystemVerilog in the simulator's network, and ns-2. What each run measured is kept in
places/PLACE.jsonl, a line for each run, with the hash of its input and with what made it. The
simulator's runs and those of the RTL take seconds and are made again each time. Of the others only
those are made whose input or whose place is another one. Causes of differences are written by hand
in places.toml, with the experiments behind them, which are made each time, too.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import hashlib
import json
import math
import os
import platform
import random
import sys
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import dumbbell
from dumbbell import api
from dumbbell.errors import DumbbellError
from dumbbell.linux import kernels
from dumbbell.models import fairness
from dumbbell.present.stats import Interval, interval
from dumbbell.rtl import sources
from dumbbell.studies.compare.peers import ours
from dumbbell.studies.compare.peers.network import Flow, Network, Red
from dumbbell.studies.compare.peers.results.agreement import welch
from dumbbell.studies.compare.peers.simulators import ns2

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = HERE.parent / "explanation" / "agreement.md"
KEPT = HERE / "places"
CAUSES = HERE / "places.toml"
PAPER = ROOT / "papers" / "red-on-netfpga" / "live.toml"

DURATION, WARMUP, SPREAD = 30.0, 5.0, 0.5
"""s: of a run, of what is left out of it, and up to which its flows start at random."""
RATE, LIMIT, PACKET = 10e6, 60, 1500
"""bit/s; packets; bytes."""
BOTTLENECK_MS = 5.0
SEEDS = {"sim": 20, "sim-ns2": 20, "linux": 5, "kernel": 5, "rtl": 20, "ns2": 20}
"""Runs of a scenario in each place, with seeds from 1 on."""
LIMIT_OF_DIFFERENCE = 0.05
"""The largest difference from the simulator without a mark, of its mean."""
OPEN = "open"
"""What stands for the cause of a difference that is not explained."""

RED = Red(5, 15, max_p=0.1, w_q=2**-9, mean_packet=PACKET)
"""Floyd's values of 1997, with the weight next to his that is a shift."""
PAPER_RED = Red(6, 12, max_p=0.02, w_q=0.002)

JSON = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """A place, and which simulation is beside it."""

    name: str
    title: str
    beside: str = ""


PLACES = {
    each.name: each
    for each in (
        Place("sim", "simulation, `linux`"),
        Place("linux", "Linux, virtual time", "sim"),
        Place("kernel", "kernel, real time", "sim"),
        Place("rtl", "RED as RTL", "sim"),
        Place("sim-ns2", "simulation, `ns2`"),
        Place("ns2", "ns-2", "sim-ns2"),
    )
}
CHEAP = ("sim", "sim-ns2", "rtl")
"""Places whose runs are made each time."""


@dataclass(frozen=True)
class Scenario:
    """Flows of one control by their round-trip times (ms), over one queue; or datagrams at a
    constant rate. absent: places where it cannot run, each with the reason."""

    name: str
    what: str
    control: str
    rtts: tuple[float, ...]
    red: Red | None = None
    datagrams_bps: float | None = None
    paper: bool = False
    absent: dict[str, str] = field(default_factory=dict, hash=False)

    def network(self, seed: int) -> Network:
        """The network of a seed, as ns-2 and the profile `ns2` have it."""
        draw = random.Random(f"{self.name}, seed {seed}")
        # The paper's wire has Ethernet's frames, of which ns-2 knows nothing: its link is slower.
        rate, delay, limit = RATE, BOTTLENECK_MS, LIMIT
        if self.paper:
            rate, delay, limit = 100e6 * PACKET / (PACKET + 38), 1.0, 36
        flows = tuple(
            Flow(
                round(SPREAD * draw.random(), 9),
                (rtt - 2 * delay) / 4000,
                self.control,
                datagrams_bps=self.datagrams_bps,
            )
            for rtt in self.rtts
        )
        return Network(
            rate,
            limit,
            flows,
            DURATION,
            WARMUP,
            delay_s=delay / 1000,
            red=self.red,
            payload=PACKET - 40,
            jitter=PACKET * 8 / rate if len(flows) > 1 else 0.0,
            handshake=True,
            seed=seed,
        )

    def scenario(self, place: str, seed: int) -> JSON:
        """The scenario of a seed in a place of ours."""
        network = self.network(seed)
        found: JSON = ours.scenario(network)
        if place == "sim-ns2":
            return found
        if self.paper:
            found = tomllib.loads(PAPER.read_text(encoding="utf-8")) | {
                key: found[key] for key in ("duration", "warmup", "seed")
            }
            for flow, started in zip(found["flow"], network.flows, strict=True):
                del flow["start_spread"]
                flow["start"] = f"{round(started.start * 1e9)} ns"
            if self.red is None:
                found["queue"] = {"kind": "drop_tail", "limit": found["queue"]["limit"]}
        else:
            ecn = {"ecn": found["tcp"]["ecn"]} if self.red and self.red.ecn else {}
            found |= {"profile": "linux", "tcp": ecn}
            for flow in found["flow"]:
                flow.pop("tcp", None)
        if place == "rtl":
            found["queue"] = self._rtl(network)
        return found

    def _rtl(self, network: Network) -> JSON:
        assert self.red is not None
        queue: JSON = {
            "kind": "red_rtl",
            "limit": f"{network.buffer} pkt",
            "min_th": f"{self.red.min_th} pkt",
            "max_th": f"{self.red.max_th} pkt",
            "max_p": self.red.max_p,
        }
        if self.paper:  # As the paper has it: each packet's own draw, and no decay in idle time.
            return queue
        halves = PACKET * 8 / network.rate_bps * math.log(2) / self.red.w_q
        return queue | {"gap": True, "idle_half_life": f"{1000 * halves:.1f} ms"}

    @property
    def measures(self) -> tuple[str, ...]:
        """What is compared."""
        several = ("jain",) if len(self.rtts) > 1 else ()
        mixed = ("share",) if len(set(self.rtts)) > 1 else ()
        marks = ("marks",) if self.red and self.red.ecn else ("drops",)
        return ("goodput", "queue", *marks, *several, *mixed)


_NO_RED = {"rtl": "the RTL is RED"}
_NO_CUBIC = {"ns2": "its CUBIC is that of Linux 2.6", "sim-ns2": "see ns-2"}
_NO_SPACING = {"ns2": "its RED spaces drops", "sim-ns2": "see ns-2"}

_MIXED = (20.0, 40.0, 60.0, 80.0)
_PAPER = (6.375, 3.0, 3.0)

ALL = (
    Scenario(
        "udp-drop_tail",
        "Datagrams at 12 Mbit/s over a full Drop Tail queue",
        "",
        (20.0,),
        datagrams_bps=12e6,
        absent=_NO_RED,
    ),
    Scenario(
        "udp-red", "Datagrams at 12 Mbit/s over RED", "", (20.0,), red=RED, datagrams_bps=12e6
    ),
    Scenario("sack-drop_tail", "One SACK flow, 20 ms", "sack", (20.0,), absent=_NO_RED),
    Scenario(
        "newreno-drop_tail", "Two NewReno flows, 40 ms", "newreno", (40.0,) * 2, absent=_NO_RED
    ),
    Scenario(
        "reno-drop_tail",
        "Two Reno flows, 40 ms",
        "reno",
        (40.0,) * 2,
        absent={
            "rtl": "the RTL is RED",
            "linux": "the kernel has no plain Reno",
            "kernel": "the kernel has no plain Reno",
            "sim": "see Linux",
        },
    ),
    Scenario(
        "sack-drop_tail-4",
        "Four SACK flows, 20 to 80 ms, Drop Tail",
        "sack",
        _MIXED,
        absent=_NO_RED,
    ),
    Scenario(
        "cubic-drop_tail",
        "Two CUBIC flows, 80 ms",
        "cubic",
        (80.0,) * 2,
        absent=_NO_RED | _NO_CUBIC,
    ),
    Scenario("sack-red", "One SACK flow, 20 ms, RED", "sack", (20.0,), red=RED),
    Scenario("sack-red-4", "Four SACK flows, 20 to 80 ms, RED", "sack", _MIXED, red=RED),
    Scenario("newreno-red", "Two NewReno flows, 40 ms, RED", "newreno", (40.0,) * 2, red=RED),
    Scenario(
        "cubic-red", "Four CUBIC flows, 40 ms, RED", "cubic", (40.0,) * 4, RED, absent=_NO_CUBIC
    ),
    Scenario(
        "sack-red-ecn",
        "Two SACK flows, 40 ms, RED that marks (ECN)",
        "sack",
        (40.0,) * 2,
        replace(RED, ecn=True),
        absent={"rtl": "it drops only"},
    ),
    Scenario(
        "paper-drop_tail",
        "RED on NetFPGA: three SACK flows, 100 Mbit/s, 36 packets, Drop Tail",
        "sack",
        _PAPER,
        paper=True,
        absent=_NO_RED,
    ),
    Scenario(
        "paper-red",
        "RED on NetFPGA: the same with its RED",
        "sack",
        _PAPER,
        PAPER_RED,
        paper=True,
        absent=_NO_SPACING,
    ),
)

UNITS = {
    "goodput": ("goodput [Mbit/s]", 1.0),
    "queue": ("mean queue [pkt]", 1.0),
    "drops": ("dropped [%]", 100.0),
    "marks": ("marked [%]", 100.0),
    "jain": ("Jain's index", 1.0),
    "share": ("share of the first [%]", 100.0),
}


def of_ours(document: JSON) -> dict[str, float]:
    """The measures of a result of ours."""
    queue = document["queues"][0]
    return {
        "goodput": sum(flow["goodput_bps"] for flow in document["flows"]) / 1e6,
        "queue": queue["mean_packets"],
        "drops": sum(queue["drops"].values()) / queue["arrivals"],
        "marks": queue["marks"] / queue["arrivals"],
        "jain": document["jain"] or 0.0,  # there is none if nobody got anything
        "share": document["flows"][0]["share"],
    }


def of_ns2(network: Network) -> dict[str, float]:
    """The measures of a run of ns-2."""
    found = ns2.run(network)
    return {
        "goodput": found.goodput_bps / 1e6,
        "queue": found.mean_queue,
        "drops": found.drop_rate,
        "marks": found.marks / found.arrivals,
        "jain": fairness.jain(found.goodputs) or 0.0,
        "share": found.shares[0],
    }


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def input_of(scenario: Scenario, place: str, seed: int) -> str:
    """The hash of what a place is given."""
    if place == "ns2":
        script = ns2.SCRIPT.read_text(encoding="utf-8")
        return _digest(ns2.script(scenario.network(seed)) + script)
    return _digest(json.dumps(scenario.scenario(place, seed), sort_keys=True))


@functools.cache
def made_by(place: str) -> tuple[str, str]:
    """What runs in a place: its version for people, and its recipe. `DumbbellError` if it is not
    on this machine."""
    if place in ("sim", "sim-ns2"):
        return f"Dumbbell {dumbbell.__version__}", dumbbell.__version__
    if place == "linux":
        kernel = kernels.needed()
        return f"Linux {kernel.about['release']}", kernel.recipe
    if place == "kernel":
        return f"Linux {platform.release()}", platform.release()
    if place == "ns2":
        return ns2.version(), ns2.version()
    text = "".join(file.read_text(encoding="utf-8") for file in sources.sources())
    return f"rtl/red {_digest(text)}", _digest(text)


def result(scenario: Scenario, place: str, seed: int) -> JSON:
    """Runs a scenario in a place of ours."""
    on = {"on": place} if place in ("linux", "kernel") else {}
    value = scenario.scenario(place, seed)
    return api.run(api.request({"value": value, "name": scenario.name}, [], **on))


Key = tuple[str, str, int]
"""A scenario, a place, a seed."""


def kept(place: str) -> dict[Key, JSON]:
    """What is kept of each run in a place."""
    file = KEPT / f"{place}.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    rows = map(json.loads, lines)
    return {(row["scenario"], row["place"], row["seed"]): row for row in rows}


def keep(place: str, rows: dict[Key, JSON]) -> None:
    """Keeps the runs of a place, in the order of the page."""
    names = [each.name for each in ALL]
    known = (key for key in rows if key[0] in names)
    order = sorted(known, key=lambda key: (names.index(key[0]), key[2]))
    text = "".join(json.dumps(rows[key]) + "\n" for key in order)
    (KEPT / f"{place}.jsonl").write_text(text, encoding="utf-8")


def measured(scenario: Scenario, place: str, seed: int) -> JSON | None:
    """The row of a run; None of a live run that is not valid."""
    version, recipe = made_by(place)
    row: JSON = {
        "scenario": scenario.name,
        "place": place,
        "seed": seed,
        "input": input_of(scenario, place, seed),
        "made_by": version,
        "recipe": recipe,
        "day": str(datetime.datetime.now(datetime.UTC).date()),
    }
    if place == "ns2":
        return row | {"measures": of_ns2(scenario.network(seed))}
    found = result(scenario, place, seed)
    if place == "kernel":
        if not found["valid"]:
            return None
        row["class"] = found["validity"]["class"]
    return row | {"measures": of_ours(found)}


def runs(
    scenarios: Sequence[Scenario], places: Sequence[str], seeds: int | None
) -> Iterator[tuple[Scenario, str, int]]:
    """The runs that are asked for, in each place seed by seed."""
    for place in places:
        for seed in range(1, (seeds or SEEDS[place]) + 1):
            yield from ((s, place, seed) for s in scenarios if place not in s.absent)


@dataclass(frozen=True)
class Experiment:
    """A change in a simulation, to find the cause of a difference. For the RTL its model is run,
    which is the same packet by packet."""

    scenario: Scenario
    place: str
    changes: tuple[str, ...]

    def run(self) -> JSON:
        """Makes its runs, one for each seed of the place."""
        rows = [self._one(seed) for seed in range(1, SEEDS[self.place] + 1)]
        return {
            "scenario": self.scenario.name,
            "place": self.place,
            "changes": list(self.changes),
            "input": input_of(self.scenario, self.place, 1),
            "made_by": made_by(self.place)[0],
            "measures": {name: [row[name] for row in rows] for name in self.scenario.measures},
        }

    def _one(self, seed: int) -> dict[str, float]:
        value = self.scenario.scenario(self.place, seed)
        if self.place == "rtl":
            value["queue"]["kind"] = "red_hw"
        wanted = api.request({"value": value, "name": self.scenario.name}, list(self.changes))
        return of_ours(api.run(wanted))


def experiments(causes: JSON) -> list[Experiment]:
    """The experiments behind the causes."""
    known = {scenario.name: scenario for scenario in ALL}
    return [
        Experiment(known[each["scenario"]], each["place"], tuple(each["changes"]))
        for each in causes["experiment"]
    ]


def tried(causes: JSON) -> None:
    """Makes the experiments, and keeps them."""
    lines = [json.dumps(each.run()) + "\n" for each in experiments(causes)]
    (KEPT / "experiments.jsonl").write_text("".join(lines), encoding="utf-8")


def kept_experiments() -> list[JSON]:
    """What is kept of the experiments."""
    lines = (KEPT / "experiments.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def experiments_table(rows: Sequence[JSON]) -> list[str]:
    """The experiments with what they gave."""
    columns = ["scenario", "simulation of", "change", "goodput [Mbit/s]", "mean queue [pkt]"]
    columns += ["dropped or marked [%]", "Jain's index", "share of the first [%]"]
    lines = [f"| {' | '.join(columns)} |", "| --- " * len(columns) + "|"]
    for row in rows:
        found = row["measures"]
        losses = "marks" if "marks" in found else "drops"
        told = [
            shown(name, found[name]) if name in found else "–"
            for name in ("goodput", "queue", losses, "jain", "share")
        ]
        changes = ", ".join(f"`{change}`" for change in row["changes"])
        title = {"sim": "Linux", "rtl": "RED as RTL", "sim-ns2": "ns-2"}[row["place"]]
        words = [f"`{row['scenario']}`", title, changes, *told]
        lines.append(f"| {' | '.join(words)} |")
    return lines


def run(
    scenarios: Sequence[Scenario], places: Sequence[str], seeds: int | None, again: bool = False
) -> None:
    """Makes the runs that are not kept, or all of them again, and keeps them."""
    lacking: set[str] = set()
    for scenario, place, seed in runs(scenarios, places, seeds):
        if place in lacking:
            continue
        try:
            recipe = made_by(place)[1]
        except DumbbellError as error:
            lacking.add(place)
            print(f"{place}: {error}", file=sys.stderr)
            continue
        key = (scenario.name, place, seed)
        old = kept(place).get(key, {})
        same = old.get("input") == input_of(scenario, place, seed) and old["recipe"] == recipe
        if same and not again and place not in CHEAP:
            continue
        row = measured(scenario, place, seed)
        if row is None:
            print(f"{scenario.name}, {place}, seed {seed}: not valid", file=sys.stderr)
            continue
        if same and old["measures"] == row["measures"]:
            row["day"] = old["day"]
        keep(place, kept(place) | {key: row})
        print(f"{scenario.name}, {place}, seed {seed}", file=sys.stderr)


@dataclass(frozen=True)
class Compared:
    """A measure of a place beside the simulation's, a number for each seed."""

    scenario: str
    place: str
    measure: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The relative difference of the place's mean from the simulation's."""
        mean, other = interval(self.ours).mean, interval(self.theirs).mean
        return (other - mean) / mean if mean else math.copysign(math.inf, other) if other else 0.0

    @property
    def far(self) -> bool:
        """True if the difference exceeds the limit."""
        return abs(self.ratio) > LIMIT_OF_DIFFERENCE

    @property
    def scattered(self) -> bool:
        """True if the 95 % interval of the difference includes zero."""
        found = welch(self.theirs, self.ours)
        assert found.low is not None and found.high is not None
        return found.low <= 0.0 <= found.high

    @property
    def differs(self) -> bool:
        """True if the difference exceeds the limit, and the seeds do not explain it."""
        return self.far and not self.scattered

    def __str__(self) -> str:
        text = shown(self.measure, self.theirs)
        if not self.far:
            return text
        return f"{text} ~" if self.scattered else f"**{text}**"


def shown(measure: str, values: Sequence[float]) -> str:
    """A mean with half of its 95 % interval, in the unit of the table."""
    scale = UNITS[measure][1]
    found: Interval = interval([scale * value for value in values])
    digits = 3 if measure in ("goodput", "jain", "drops", "marks") else 2
    half = found.half or 0.0
    return f"{found.mean:.{digits}f} ± {half:.{digits}f}"


def samples(rows: Iterable[JSON], scenario: Scenario) -> dict[str, list[JSON]]:
    """The runs of a scenario whose input is the present one, by their places."""
    found: dict[str, list[JSON]] = {place: [] for place in PLACES}
    for row in rows:
        current = row["scenario"] == scenario.name and row["place"] not in scenario.absent
        if current and row["input"] == input_of(scenario, row["place"], row["seed"]):
            found[row["place"]].append(row)
    return found


def compared(scenario: Scenario, runs_of: dict[str, list[JSON]]) -> list[Compared]:
    """Each measure in each place, beside the simulation's."""

    def values(place: str, measure: str) -> tuple[float, ...]:
        return tuple(row["measures"][measure] for row in runs_of[place])

    return [
        Compared(scenario.name, place, measure, values(of.beside, measure), values(place, measure))
        for measure in scenario.measures
        for place, of in PLACES.items()
        if of.beside and len(runs_of[place]) > 1
    ]


def cause_of(cell: Compared, causes: JSON) -> str:
    """The first cause that covers a cell."""
    asked = {"scenario": cell.scenario, "place": cell.place, "measure": cell.measure}

    def covers(cause: JSON) -> bool:
        return all(value in cause[key] for key, value in asked.items() if key in cause)

    return next((str(each["cause"]) for each in causes["cause"] if covers(each)), OPEN)


def table(scenario: Scenario, runs_of: dict[str, list[JSON]], causes: JSON) -> list[str]:
    """The table of a scenario, and what is said of its differences."""
    cells = {(cell.measure, cell.place): cell for cell in compared(scenario, runs_of)}
    lines = [
        f"### {scenario.what}",
        "",
        f"| `{scenario.name}` | " + " | ".join(place.title for place in PLACES.values()) + " |",
        "| --- " * (len(PLACES) + 1) + "|",
    ]
    for measure in scenario.measures:
        words = [UNITS[measure][0]]
        for place, of in PLACES.items():
            if len(runs_of[place]) < 2:
                words.append("–")
            elif of.beside:
                words.append(str(cells[measure, place]))
            else:
                found = [row["measures"][measure] for row in runs_of[place]]
                words.append(shown(measure, found))
        lines.append(f"| {' | '.join(words)} |")
    notes = [
        f"- –, {PLACES[place].title}: {why}."
        for place, why in scenario.absent.items()
        if PLACES[place].beside
    ]
    if classes := [row["class"] for row in runs_of["kernel"]]:
        counted = ", ".join(f"{classes.count(name)} {name}" for name in dict.fromkeys(classes))
        notes.append(f"- Class of the live runs: {counted}.")
    told: dict[tuple[str, str], list[str]] = {}
    for cell in cells.values():
        if cell.differs:
            said = f"{cell.measure} {100 * cell.ratio:+.0f} %".replace("-", "−")
            told.setdefault((cell.place, cause_of(cell, causes)), []).append(said)
    for (place, cause), which in told.items():
        cause = "**open**, no cause was found." if cause == OPEN else cause
        notes.append(f"- {PLACES[place].title}, {', '.join(which)}: {cause}")
    return [*lines, "", *(line for note in notes for line in _wrapped(note)), ""]


def _wrapped(text: str) -> list[str]:
    """The lines of a paragraph, or of an item of a list."""
    after = "  " if text.startswith("- ") else ""
    return textwrap.wrap(text, 100, subsequent_indent=after, break_on_hyphens=False)


def write() -> None:
    """Puts the tables into the page."""
    rows = [row for place in PLACES for row in kept(place).values()]
    causes = tomllib.loads(CAUSES.read_text(encoding="utf-8"))
    every: list[Compared] = []
    parts: list[str] = []
    used: list[JSON] = []
    for scenario in ALL:
        found = samples(rows, scenario)
        used += [row for runs_of in found.values() for row in runs_of]
        every += compared(scenario, found)
        parts += table(scenario, found, causes)
    days = sorted({row["day"] for row in used})
    versions = sorted({row["made_by"] for row in used})
    far = [cell for cell in every if cell.far]
    differ = [cell for cell in every if cell.differs]
    unknown = [cell for cell in differ if cause_of(cell, causes) == OPEN]
    told = (
        f"{' to '.join(dict.fromkeys((days[0], days[-1])))}; {', '.join(versions)}. "
        f"{len(every)} cells, {len(used)} runs. {len(every) - len(far)} cells are within 5 % of "
        f"the simulation. Of the other {len(far)}, the seeds explain {len(far) - len(differ)}, a "
        f"cause is known of {len(differ) - len(unknown)}, and {len(unknown)} are open."
    )
    head = [*_wrapped(told), ""]
    _put("places", [*head, *parts][:-1])
    _put("experiments", experiments_table(kept_experiments()))


def _put(name: str, lines: Sequence[str]) -> None:
    """Puts lines into a part of the page."""
    text = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- measured: {name} -->\n", "<!-- end measured -->"
    before, rest = text.split(begin)
    after = rest.split(end, maxsplit=1)[1]
    page = before + begin + "\n".join(lines) + "\n" + end + after
    PAGE.write_text(page, encoding="utf-8")


def main(words: list[str] | None = None) -> int:
    """Runs, and writes the page."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    names = [scenario.name for scenario in ALL]
    asked.add_argument("--place", nargs="+", choices=list(PLACES), default=list(PLACES))
    asked.add_argument("--scenario", nargs="+", choices=names, default=names, metavar="NAME")
    asked.add_argument("--seeds", type=int, help="runs of each scenario (by the place)")
    asked.add_argument("--again", action="store_true", help="make the runs that are kept, too")
    asked.add_argument("--page", action="store_true", help="run nothing, and write the page")
    given = asked.parse_args(words)
    if not given.page:
        tried(tomllib.loads(CAUSES.read_text(encoding="utf-8")))
        run(
            [each for each in ALL if each.name in given.scenario],
            given.place,
            given.seeds,
            given.again,
        )
    write()
    return os.EX_OK


if __name__ == "__main__":
    sys.exit(main())
