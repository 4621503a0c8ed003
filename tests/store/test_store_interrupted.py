"""A store under kills, signals, two writers at once, and gc and repair beside a sweep: no row is
lost, nothing is left half."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import dumbbell
import pytest
from dumbbell import api
from helpers.command import document
from helpers.stored import rows, scenario_file, without_place

# Sixty runs that are over in a moment, with series, so that a kill may come between any two files.
AXES = ("--over", "queue.limit=20 pkt,30 pkt,40 pkt", "--replications", 20)
# What a store has when nobody is at work in it.
ENTRIES = {"store.json", "gate", "lock", "segments", "records"}
KILLS = 200


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return scenario_file(tmp_path)


# A process that has everything imported forks one child for each kill, so that 200 of them take
# seconds.
_KILLER = """
import json, os, random, signal, sys, time
from dumbbell import api
request, kills, seed = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
chance, span = random.Random(seed), 0.03
for _ in range(kills):
    child = os.fork()
    if child == 0:
        api.run(request)
        os._exit(0)
    time.sleep(chance.uniform(0.0, span))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print(json.dumps([]), flush=True)
    # A machine may be slow or busy: kills come later while nothing is finished, sooner when
    # everything is.
    span *= {"none": 1.3, "all": 0.8, "some": 1.0}[sys.stdin.readline().strip()]
"""


def test_200_kills_lose_nothing_and_leave_nothing_half(file: Path, tmp_path: Path) -> None:
    store, whole = tmp_path / "store", tmp_path / "whole"
    points = [dumbbell.language.overrides.axis("queue.limit", ["20 pkt", "30 pkt", "40 pkt"])]
    wanted = api.request(
        {"path": str(file)},
        points,
        replications=20,
        store=str(store),
        record={"every": "100 ms", "drops": True},
    )
    right = api.run(wanted | {"store": str(whole)})
    expected = rows(whole)
    assert len(expected) == 60

    killer = subprocess.Popen(
        [sys.executable, "-c", _KILLER, json.dumps(wanted), str(KILLS), "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert killer.stdin is not None
    assert killer.stdout is not None
    seen: dict[str, str] = {}
    partly = 0
    for _ in range(KILLS):
        assert killer.stdout.readline() == "[]\n"
        now = rows(store)
        assert seen.items() <= now.items(), "a row that was there is gone, or is another"
        assert now.items() <= expected.items(), "a row is not what an undisturbed run gives"
        for key in now:  # A row's series are there, whole.
            (series,) = (store / "records").glob(f"{key}-*")
            listed = json.loads(now[key])["records"]
            assert {f.name: f.stat().st_size for f in series.iterdir()} == {
                n: f["bytes"] for n, f in listed.items()
            }
        came = "none" if not now else "all" if len(now) == len(expected) else "some"
        partly += came == "some"
        seen = now
        if len(now) == len(expected):  # Begin again, so that every kill may hit a run.
            _clear(store)
            seen = {}
        killer.stdin.write(f"{came}\n")
        killer.stdin.flush()
    assert killer.wait(timeout=10) == 0
    assert partly > KILLS / 4, "most kills should hit a sweep that is going on"

    last = api.run(wanted)
    assert last["from_store"] == len(seen)
    assert without_place(last) == without_place(right)
    assert rows(store) == expected
    assert api.call("store", {"do": "check", "dir": str(store)})["ok"]
    left = {entry.name for entry in store.rglob("*") if entry.name.startswith(".")}
    assert left == set()
    # One more pass, with series to grow, clears what the last kill may have left; then there is
    # nothing.
    assert {entry.name for entry in store.iterdir()} == ENTRIES


def _clear(store: Path) -> None:
    """Empties a store, as by hand."""
    shutil.rmtree(store / "segments")
    shutil.rmtree(store / "records")
    (store / "segments").mkdir()
    (store / "records").mkdir()


def test_two_writers_at_once_are_both_right(file: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    words = ["sweep", file, *AXES, "--store", store, "--record-every", "100 ms", "--json"]
    both = [
        subprocess.Popen(
            [sys.executable, "-m", "dumbbell", *map(str, words)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    results = [json.loads(process.communicate(timeout=60)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert without_place(results[0]) == without_place(results[1])
    third = document(*words[:-1])
    assert third["from_store"] == 60
    assert without_place(third) == without_place(results[0])
    assert {entry.name for entry in store.iterdir()} == ENTRIES
    said = document("store", "gc", store)
    assert (said["kept"], said["segments"]) == (60, 1)
    assert without_place(document(*words[:-1])) == without_place(third)


# Looks after the store until it is told to end, and says how often it did.
_TIDIER = """
import json, select, sys
from dumbbell import api
store, n = sys.argv[1], 0
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    for action in ("gc", "check", "repair", "gc"):
        said = api.call("store", {"do": action, "dir": store})
        assert action != "check" or said["ok"], said
        n += 1
print(n)
"""


def test_sweeps_lose_no_row_to_gc_and_repair_beside_them(file: Path, tmp_path: Path) -> None:
    sweeps = int(os.environ.get("DUMBBELL_STRESS", "2"))
    store = tmp_path / "store"
    request = api.request(
        {"path": str(file)}, replications=12, store=str(store), record={"every": "100 ms"}
    )
    api.run(request | {"replications": 1, "overrides": ["queue.limit=99 pkt"]})
    tidier = subprocess.Popen(
        [sys.executable, "-c", _TIDIER, str(store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert tidier.stdout is not None
    assert tidier.stdout.readline() == "ready\n"
    lost = 0
    for sweep in range(sweeps):
        wanted = request | {"overrides": [f"queue.limit={20 + sweep} pkt"]}
        assert len(api.run(wanted)["runs"]) == 12
        lost += 12 - api.run(wanted)["from_store"]
    said, _ = tidier.communicate("end")
    assert tidier.returncode == 0
    assert lost == 0, f"{lost} of {12 * sweeps} rows lost"
    assert int(said) > 0
    left = api.call("store", {"do": "check", "dir": str(store)})
    assert (left["ok"], left["runs"]) == (True, 12 * sweeps + 1)
    assert {entry.name for entry in store.iterdir()} == ENTRIES


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_sweep_goes_on_where_it_stopped(
    file: Path, tmp_path: Path, end: signal.Signals
) -> None:
    store, out = tmp_path / "dumbbell-store", tmp_path / "out"
    words = ["sweep", file, *AXES, "-s", "duration=400 s", "--threads", 1, "--out", out]
    process = subprocess.Popen(
        [sys.executable, "-m", "dumbbell", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and (not store.exists() or len(rows(store)) < 2):
        time.sleep(0.02)
    process.send_signal(end)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stdout == ""
    assert "finished runs are in" in stderr
    assert "goes on from there" in stderr
    assert not out.exists()
    kept = len(rows(store))
    assert 2 <= kept < 60
    again = document(
        "sweep", file, "--over", "queue.limit=20 pkt", "-s", "duration=400 s", "--replications", 2
    )
    assert again["from_store"] == 2


def test_a_run_that_is_ended_by_sigterm_leaves_nothing(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["run", file, "-s", "duration=100000 s", "--record-every", "100 ms", "--out", out]
    process = subprocess.Popen(
        [sys.executable, "-m", "dumbbell", *map(str, words)], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not list(out.glob(".growing-*")):
        time.sleep(0.02)
    process.terminate()
    assert "interrupted" in process.communicate(timeout=10)[1]
    assert process.returncode == 130
    assert not out.exists()
