"""Measuring: each run in a process of its own, and the same run without the shortcuts beside it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DumbbellError, EnvironmentLacks, ScenarioError, of_code
from ..files.write import temporary_folder
from .workload import Case

JSON = dict[str, Any]

_SAME = ("fingerprint", "packet_hops", "flow_goodput_bps", "drop_rate")
"""Keys of the result that a shortcut may not change."""
_RECORD_EVERY = "10 ms"


@dataclass(frozen=True, slots=True)
class Way:
    """Options of a run that change its cost and not its result."""

    fold: bool = True
    """Run ahead between merges."""
    held: bool = False
    """Let every queue hold its packets, as one that decides when they leave must."""
    recorded: bool = False
    """Record flows and queues, 100 times a second."""

    straight: bool = True
    """Let TCP's ends take short ways where nothing out of the ordinary happens."""

    def others(self) -> dict[str, Way]:
        """Variants of the run: without each shortcut, and without all of them."""
        held = self.held
        ways = {
            "unfolded": Way(fold=False, held=held),
            "not_straight": Way(held=held, straight=False),
            "neither": Way(fold=False, held=held, straight=False),
            "arrival" if held else "held": Way(held=not held),
        }
        return ways | ({"unrecorded": Way(held=held)} if self.recorded else {})


def row(case: Case, way: Way, repeat: int, reference: bool, instructions: bool = False) -> JSON:
    """One line of the result: medians of `repeat` runs; with `reference` the same run in other
    ways."""
    runs = [run(case, way) for _ in range(repeat)]
    first = runs[0]
    if any(differ(first, other) for other in runs[1:]):
        raise DumbbellError(
            f"{name(case)}: two runs with the same seed differ, which must never happen"
        )
    few = _child(_order(case, way, flows=1, only_set_up=True))
    costs = [_ns(one) for one in runs]
    loops = [statistics.mean(one["calibration_ns"]) for one in runs]
    line = {
        "flows": case.flows,
        "rate_bps": case.rate_bps,
        "queue": case.queue,
        "profile": case.profile,
        "cc": case.control,
        "duration_s": case.duration_s,
        "held": way.held,
        "recorded": way.recorded,
        **_same_work(first),
        "ns_per_packet_hop": statistics.median(costs),
        "ns_per_packet_hop_runs": costs,
        "process_ns_per_packet_hop": statistics.median(
            one["run_process_s"] * 1e9 / one["packet_hops"] for one in runs
        ),
        "calibration_ns": statistics.median(loops),
        "calibration_ratio": statistics.median(
            cost / loop for cost, loop in zip(costs, loops, strict=True)
        ),
        "plan_s": statistics.median(one["plan_s"] for one in runs),
        "setup_s": statistics.median(one["setup_s"] for one in runs),
        **_memory(case, runs, few),
        "instructions_per_packet_hop": counted(case, way) if instructions else None,
    }
    line["reference"] = (
        {word: _beside(first, run(case, other)) for word, other in way.others().items()}
        if reference
        else None
    )
    return line


def name(case: Case) -> str:
    """A run in words."""
    return f"{case.flows} flows, {case.rate}, {case.time}, {case.queue}, {case.profile}"


def equal(line: JSON) -> bool:
    """True if no other way of the same run gave something else."""
    return all(other["equal"] for other in (line["reference"] or {}).values())


def _ns(told: JSON) -> float:
    return float(told["run_s"] * 1e9 / told["packet_hops"])


def _same_work(told: JSON) -> JSON:
    return {
        "packet_hops": told["packet_hops"],
        "events": told["events"],
        "delivered": told["delivered"],
        "goodput_bps": sum(told["flow_goodput_bps"]),
        "drop_rate": told["drop_rate"],
        "fingerprint": told["fingerprint"],
    }


def differ(one: JSON, other: JSON) -> list[str]:
    """Differences of two runs that must be equal."""
    return [key for key in _SAME if one[key] != other[key]]


def _beside(first: JSON, other: JSON) -> JSON:
    differs = differ(first, other)
    return {
        **_same_work(other),
        "ns_per_packet_hop": _ns(other),
        "equal": not differs,
        "differs": differs,
    }


def _memory(case: Case, runs: Sequence[JSON], few: JSON) -> JSON:
    """Memory: what each further flow takes, against the same network with a single one."""
    more = case.flows - 1

    def at(key: str) -> float | None:
        known = [one[key] for one in runs if one[key] is not None]
        return statistics.median(known) if known else None

    def per_flow(key: str, floor: str) -> float | None:
        of, less = at(key), few[floor]
        return None if of is None or less is None or more < 1 else (of - less) / more

    return {
        "bytes_per_flow": per_flow("rss_set_up_bytes", "rss_set_up_bytes"),
        "plan_bytes_per_flow": per_flow("rss_planned_bytes", "rss_planned_bytes"),
        "peak_bytes_per_flow": per_flow("peak_rss_bytes", "rss_set_up_bytes"),
        "peak_rss_bytes": at("peak_rss_bytes"),
        "one_flow_rss_bytes": few["rss_set_up_bytes"],
    }


def run(case: Case, way: Way) -> JSON:
    """The cost of one run, as the verb `bench` answers it."""
    if not way.recorded:
        return _child(_order(case, way))
    with temporary_folder() as scratch:
        return _child(_order(case, way, out=str(scratch)))


def _order(
    case: Case,
    way: Way,
    flows: int | None = None,
    only_set_up: bool = False,
    out: str | None = None,
) -> JSON:
    asked = {
        "source": case.source(),
        "overrides": case.overrides(flows),
        "fold": way.fold,
        "hold": way.held,
        "straight": way.straight,
        **({"out": out, "record": {"every": _RECORD_EVERY}} if out else {}),
    }
    return {"run": asked, "only_set_up": only_set_up}


def _child(order: JSON, before: Sequence[str] = ()) -> JSON:
    """Runs an order in a process of its own; `before`: the words of a program that watches it."""
    words = [*before, sys.executable, "-P", "-m", "dumbbell.bench.child"]
    package = str(Path(__file__).parents[2])
    env = {**os.environ, "PYTHONPATH": package, "PYTHONHASHSEED": "0"}
    done = subprocess.run(words, input=json.dumps(order), capture_output=True, text=True, env=env)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise DumbbellError(
            f"a run ended with {_end(done.returncode)}" + (f": {lines[-1]}" if lines else "")
        )
    answer: JSON = json.loads(done.stdout)
    if "error" in answer:
        error = answer["error"]
        raise of_code(error["code"], error["text"], error["detail"])
    told: JSON = answer["bench"]
    return {**told, "stderr": done.stderr} if before else told


def _end(code: int) -> str:
    """The end of a process, in words."""
    if code >= 0:
        return f"code {code}"
    return f"signal {-code}" + (
        " (did it need more memory than there is?)" if -code == signal.SIGKILL else ""
    )


def counted(case: Case, way: Way) -> float:
    """Instructions for each packet-hop in steady state, exact: those of the run less those of its
    first half."""
    if shutil.which("valgrind") is None:
        raise EnvironmentLacks(
            "--instructions needs valgrind. On Debian or Ubuntu: sudo apt-get install valgrind"
        )
    half = case.with_time(case.duration_s / 2)
    if half.duration_s < 1:
        raise ScenarioError(
            "--instructions counts the second half of the run, in which all flows are active: "
            "give --time 2s or more"
        )
    (whole, hops), (start, hops_of_start) = (_instructions(one, way) for one in (case, half))
    return (whole - start) / (hops - hops_of_start)


def _instructions(case: Case, way: Way) -> tuple[int, int]:
    with temporary_folder() as scratch:
        order = _order(case, way, out=str(scratch) if way.recorded else None)
        told = _child(
            order,
            ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"],
        )
    refs = re.search(r"I\s+refs:\s+([\d,]+)", told["stderr"])
    if refs is None:
        raise DumbbellError(f"valgrind did not count: {told['stderr'].strip()[-300:]}")
    return int(refs[1].replace(",", "")), told["packet_hops"]


def rows(
    cases: Sequence[Case], way: Way, repeat: int, reference: bool | None, instructions: bool
) -> Iterator[JSON]:
    """A line for each case. `reference`: None means where it takes little time."""
    for case in cases:
        beside = case.flows <= SMALL if reference is None else reference
        yield row(case, way, repeat, beside, instructions)


SMALL = 100
"""Flows up to which a run is made without the shortcuts, too, unless something else is asked."""
