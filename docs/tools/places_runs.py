"""Runs of docs/tools/places.py: what each measures, and what is kept of it."""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import dumbbell
from dumbbell import api
from dumbbell.errors import DumbbellError
from dumbbell.linux import kernels
from dumbbell.models import fairness
from dumbbell.rtl import sources
from dumbbell.studies.compare.peers.network import Network
from dumbbell.studies.compare.peers.simulators import ns2
from places_scenarios import ALL, CHEAP, JSON, Scenario

HERE = Path(__file__).resolve().parent
KEPT = HERE / "places"
SEEDS = {"sim": 20, "sim-ns2": 20, "linux": 5, "kernel": 5, "rtl": 20, "ns2": 20}
"""Runs of a scenario in each place, with seeds from 1 on."""


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
