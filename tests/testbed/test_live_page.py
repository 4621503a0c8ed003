"""What a run on real kernels tells while it goes on."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dumbbell import api
from helpers.live.commands import command, fetch, port, refused
from helpers.live.kernels import need_kernels
from helpers.live.packed import inflated, joined, numbers, same
from helpers.scenarios import LIVE

SCENARIO = (
    LIVE.replace("1 s", "2 s")
    + """
[record]
every = "20 ms"
"""
)
TABLES = [
    {
        "id": "flow",
        "file": "flows.parquet",
        "columns": ["time_s", "cwnd_packets", "ssthresh_bytes", "srtt_us", "in_flight_bytes"],
        "of": {"flow": "a"},
    },
    {
        "id": "queue",
        "file": "queues.parquet",
        "columns": ["time_s", "queue_packets", "queue_bytes", "avg"],
        "of": {"queue": "bottleneck"},
    },
]


@pytest.fixture(scope="module", autouse=True)
def kernels() -> None:
    """Skips, or fails where the machine must be able to."""
    need_kernels()


def test_the_rows_of_a_running_run_are_those_of_its_records(tmp_path: Path) -> None:
    told: list[str] = []
    source = {"text": SCENARIO, "name": "one"}
    wanted = api.request(source, on="kernel", out=str(tmp_path / "run"), watch={"tables": TABLES})
    data = api.run(wanted, watch=told.append)
    assert data["validity"]["replay"]["mismatches"] == 0
    assert len(told) > 2  # Two seconds, four times a second.
    pieces = joined([json.loads(text) for text in told])
    files = [table | {"file": str(tmp_path / "run" / str(table["file"]))} for table in TABLES]
    packed = api.call("pack", {"tables": files})
    blobs = inflated(packed["blobs"])

    def written(table: str, column: str) -> np.ndarray:
        return numbers(packed["tables"][table]["columns"][column], blobs)

    # The replay goes on to the end of the plan, the router to its last packet.
    rows = len(pieces["queue"]["time_s"])
    assert rows > 0.8 * len(written("queue", "time_s"))
    for column, values in pieces["queue"].items():
        same(values, written("queue", column)[:rows], column)
    # A sample that came late has an instant of its own in both.
    instants = {round(t, 6): i for i, t in enumerate(written("flow", "time_s"))}
    places = [instants[round(t, 6)] for t in pieces["flow"]["time_s"]]
    assert len(places) > 0.8 * len(instants)
    for column, values in pieces["flow"].items():
        same(values, written("flow", column)[places], column)


def test_the_page_of_a_program_is_there_while_it_runs(tmp_path: Path) -> None:
    sends = "import socket,sys,time\ns=socket.socket(socket.AF_INET,socket.SOCK_DGRAM)\n"
    sends += "for _ in range(150): s.sendto(bytes(1000),(sys.argv[1],9));time.sleep(0.01)"
    words = ["shell", "--rate", "8Mbps", "-s", "testbed.calibrate=false", "--out", tmp_path]
    program = ["--", sys.executable, "-c", sends, "{server}"]
    with command(*words, after=program) as (process, address):
        seen: list[Any] = []
        while not seen or seen[-1]["state"] == "running":
            place = seen[-1]["next"] if seen else 0
            seen.append(json.loads(fetch(f"{address}news?from={place}")))
        assert seen[-1]["state"] == "ended"
        fetch(f"{address}page")
        assert process.wait(60) in (0, 5)
    assert refused(port(address))
    pieces = joined([piece for one in seen for piece in one["pieces"]])
    assert len(pieces["0/queues/up"]["queue_bytes"]) > 10
