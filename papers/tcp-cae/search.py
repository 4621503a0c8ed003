"""Looks through the free choices of *TCP CAE* for the printed order of its controls: CAE > Reno >
NewReno > Westwood.

Every point of a grid is run under all four, with the same seeds, and stored in `search.csv`: the
means of their goodputs and timeouts, the order, and whether each neighbour is told from the next
with 95 %. Nothing is fitted on it: `rules.md` says what the base is, and why.

    python papers/tcp-cae/search.py                 # run what is not stored, sum it up
    python papers/tcp-cae/search.py --sum           # sum up what is stored
"""

from __future__ import annotations

import csv
import itertools
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from dumbbell import api
from dumbbell.present import stats

HERE = Path(__file__).parent
FILE = HERE / "search.csv"
CONTROLS = ["reno", "newreno", "westwood", "cae"]
PRINTED = ("cae", "reno", "newreno", "westwood")
SEEDS = 5

PLACES = {
    "reverse": [],
    "ftp-forward": ["flow.m.from=N", "flow.m.to=M"],
    "behind-the-radio": ["flow.m.from=D", "flow.c.from=D"],
    "slow-reverse": ["link.wired.reverse.rate=0.5 Mbps"],
    "megabytes": [
        "link.wired.rate=800 Mbps",
        "link.wireless.rate=80 Mbps",
        *(f"link.{k}.rate=8 Gbps" for k in range(2, 7)),
    ],
}
"""Where the background runs; what it loads is the wired link, or behind the radio the wireless
one."""
LINK_MBPS = {
    "reverse": 100,
    "ftp-forward": 100,
    "behind-the-radio": 10,
    "slow-reverse": 0.5,
    "megabytes": 800,
}
LOADS = [0, 0.8, 0.9, 1.0, 1.1, 1.2]
"""The CBR's rate over that link's."""
CHOICES: dict[str, dict[str, list[str]]] = {
    "intervals": {"varied": ["flow.c.source.jitter=0.5"], "even": ["flow.c.source.jitter=0"]},
    "window": {"20": [], "unlimited": ["tcp.receive_window=unlimited"]},
    "min_rto": {"0.2 s": [], "1 s": ["tcp.min_rto=1 s"]},
    "clock": {"exact": [], "10 ms": ["tcp.clock=10 ms"]},
    "errors": {"data": [], "both": ["both"]},
}
BASE = ["varied", "20", "0.2 s", "exact", "data"]
ERRORS = [0.01, 0.05]
COLUMNS = [
    *("place", "load", *CHOICES, "loss"),
    *(f"{cc}_mbps" for cc in CONTROLS),
    *(f"{cc}_rtos" for cc in CONTROLS),
    *(
        "printed_order",
        "clear",
        "cae_over_reno",
        "cae_over_newreno",
        "cae_over_westwood",
        "reno_over_newreno",
    ),
]


def points() -> Iterator[tuple[list[str], list[str]]]:
    """Each point: what its row begins with, and its overrides."""
    for place, load, *picked, loss in itertools.product(PLACES, LOADS, *CHOICES.values(), ERRORS):
        if picked[0] == "even" and (load == 0 or picked[2:4] != ["0.2 s", "exact"]):
            # no CBR has no intervals; even ones are looked at with the base's timers alone
            continue
        if picked[3] != "exact" and picked[1:3] != BASE[1:3]:
            continue  # coarse clocks with the base's window and timer alone
        if place == "megabytes" and (load != 1.0 or picked != BASE):
            continue  # eight times the packets: at the base alone
        changes = [
            *PLACES[place],
            *_cbr(load, LINK_MBPS[place]),
            f"link.wireless.impairment.0.loss={loss}",
        ]
        for choice, value in zip(CHOICES.values(), picked, strict=True):
            changes += choice[value]
        if "both" in changes:
            changes.remove("both")
            changes.append(f"link.wireless.reverse.impairment.0.loss={loss}")
        yield [place, str(load), *picked, str(loss)], changes


def _cbr(load: float, mbps: float) -> list[str]:
    """Packets of 762 bytes with 28 of headers."""
    return (
        [f"flow.c.source.rate={load * mbps * 734 / 762:.6g} Mbps"] if load else ["flow.c.count=0"]
    )


def measure(changes: list[str]) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Goodput in Mbit/s, one value a seed, and mean timeouts, under each control."""
    goodputs, timeouts = {}, {}
    for cc in CONTROLS:
        request = api.request(
            {"path": str(HERE / "figure4.toml")},
            [f"flow.s.cc.kind={cc}", "duration=25 s", *changes],
            seed=1001,
            replications=SEEDS,
        )
        runs = api.run(request)["runs"]
        own = [next(flow for flow in run["flows"] if flow["name"] == "s") for run in runs]
        goodputs[cc] = [flow["goodput_bps"] / 1e6 for flow in own]
        timeouts[cc] = stats.mean([float(flow["rtos"]) for flow in own])
    return goodputs, timeouts


def row(
    begin: list[str], goodputs: dict[str, list[float]], timeouts: dict[str, float]
) -> list[str]:
    """A row of the file."""
    mean = {cc: stats.mean(values) for cc, values in goodputs.items()}
    has = all(mean[a] > mean[b] for a, b in itertools.pairwise(PRINTED))
    clear = all(_told(goodputs[a], goodputs[b]) for a, b in itertools.pairwise(PRINTED))
    gains = [("cae", "reno"), ("cae", "newreno"), ("cae", "westwood"), ("reno", "newreno")]
    return [
        *begin,
        *(f"{mean[cc]:.4f}" for cc in CONTROLS),
        *(f"{timeouts[cc]:.1f}" for cc in CONTROLS),
        *("yes" if x else "no" for x in (has, clear)),
        *(f"{100 * (mean[a] / mean[b] - 1):.1f}" if mean[b] else "" for a, b in gains),
    ]


def _told(better: list[float], worse: list[float]) -> bool:
    ends = stats.ci95([a - b for a, b in zip(better, worse, strict=True)])
    return ends is not None and ends[0] > 0


def summary(rows: list[dict[str, str]]) -> list[str]:
    """Where the printed order is, and how often each order is; equal means are `=`."""
    found, clear = (sum(r[key] == "yes" for r in rows) for key in ("printed_order", "clear"))
    told = [
        f"{len(rows)} points; the printed order in {found}, clearly in {clear}; at random in "
        f"{len(rows) / 24:.0f}"
    ]
    for key in ("place", "load", *CHOICES, "loss"):
        for value in dict.fromkeys(r[key] for r in rows):
            counts = count([r for r in rows if r[key] == value])
            told.append(
                f"{key} = {value}: "
                + ", ".join(f"{what} {number}" for what, number in counts.items())
            )
    return told + [
        f"{number:5} {order}" for order, number in Counter(map(order_of, rows)).most_common()
    ]


def count(rows: list[dict[str, str]]) -> dict[str, int]:
    """How often what is printed comes out, whole and in its parts."""
    mbps = [{cc: float(row[f"{cc}_mbps"]) for cc in CONTROLS} for row in rows]
    return {
        "points": len(rows),
        "printed order": sum(row["printed_order"] == "yes" for row in rows),
        "clearly": sum(row["clear"] == "yes" for row in rows),
        "CAE first": sum(m["cae"] > max(m["reno"], m["newreno"], m["westwood"]) for m in mbps),
        "CAE above Reno": sum(m["cae"] > m["reno"] for m in mbps),
        "CAE as Reno": sum(m["cae"] == m["reno"] for m in mbps),
        "CAE below Reno": sum(m["cae"] < m["reno"] for m in mbps),
        "Reno above NewReno": sum(m["reno"] > m["newreno"] for m in mbps),
        "Westwood last": sum(m["westwood"] < min(m["cae"], m["reno"], m["newreno"]) for m in mbps),
    }


def order_of(row: dict[str, str]) -> str:
    """The controls by their means."""
    mean = {cc: float(row[f"{cc}_mbps"]) for cc in CONTROLS}
    first, *others = sorted(CONTROLS, key=lambda cc: -mean[cc])
    told, last = first, first
    for cc in others:
        told += f" {'=' if mean[cc] == mean[last] else '>'} {cc}"
        last = cc
    return told


def _stored() -> list[list[str]]:
    """The rows of the file, if there is one."""
    if not FILE.exists():
        return []
    with FILE.open(newline="") as file:
        return list(csv.reader(file))[1:]


def main() -> None:
    """Runs what is not stored of the grid, and stores it; `--sum` only sums it up."""
    if "--sum" not in sys.argv:
        key = COLUMNS.index(f"{CONTROLS[0]}_mbps")
        stored = {tuple(row[:key]): row for row in _stored()}
        with FILE.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            for begin, changes in points():
                writer.writerow(stored.get(tuple(begin)) or row(begin, *measure(changes)))
                file.flush()
    with FILE.open(newline="") as file:
        print(*summary(list(csv.DictReader(file))), sep="\n")


if __name__ == "__main__":
    main()
