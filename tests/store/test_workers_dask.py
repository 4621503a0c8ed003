"""Workers of a Dask cluster, one of which is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dumbbell import api, workers
from dumbbell.workers import task
from helpers.command import document
from helpers.command import dumbbell as command
from helpers.stored import SCENARIO, here, request, rows, scenario_file, without_place

# Long enough that a worker can be killed in the middle.
LONG = SCENARIO.replace('"1 s"', '"150 s"')


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return scenario_file(tmp_path)


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Two workers, each a process of its own."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        yield made


def where(cluster: Any) -> str:
    return cluster.scheduler_address.replace("tcp:", "dask:")


def test_a_dask_cluster_loses_nothing_with_a_killed_worker(cluster: Any, tmp_path: Path) -> None:
    path, store = tmp_path / "small.toml", tmp_path / "store"
    path.write_text(LONG)
    outcome: list[Any] = []

    def sweep() -> None:
        outcome.append(workers.run(request(path, store), where(cluster), say=lambda line: None))

    thread = threading.Thread(target=sweep)
    thread.start()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (store.exists() and rows(store)):
        time.sleep(0.01)
    before = rows(store)
    victim = next(iter(cluster.workers.values()))
    os.kill(victim.process.pid, signal.SIGKILL)  # The worker; its nanny starts another.
    thread.join(timeout=120)
    assert not thread.is_alive()
    assert 0 < len(before) < 24, "the worker should be killed in the middle"
    assert before.items() <= rows(store).items()
    assert outcome[0]["from_store"] == 24
    assert without_place(outcome[0]) == without_place(here(path, tmp_path))


def test_the_command_is_the_same_on_a_cluster(cluster: Any, file: Path, tmp_path: Path) -> None:
    words = ("sweep", file, "--over", "queue.limit=20 pkt,30 pkt", "--stop", "ci95 < 3%")
    there = document(
        *words, "--workers", where(cluster), "--out", tmp_path / "out", "--record-every", "100 ms"
    )
    alone = document(*words, "--store", tmp_path / "alone", "--record-every", "100 ms")
    assert there["fingerprint"] == alone["fingerprint"]
    assert [p["stop"] for p in there["points"]] == [p["stop"] for p in alone["points"]]
    assert (tmp_path / "out" / "point-1" / "seed-1" / "flows.parquet").exists()
    again = command(*words, "--workers", where(cluster), "--record-every", "100 ms")
    assert again.returncode == 0
    assert "of the runs were in" in again.stdout


def test_failures_on_workers_are_rows(
    cluster: Any, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A parcel that is lost again and again is given up, and the rest is there."""
    wanted = request(file, tmp_path / "store")
    listed = api.call("jobs", wanted)
    bad = listed["jobs"][5]["key"]

    class Crew:
        def places(self) -> int:
            return 100

        def work(self, parcels: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], Any]]:
            for parcel in parcels:
                mine = any(job["key"] == bad for job in parcel["jobs"])
                yield parcel, OSError("out of memory") if mine else task.perform(parcel)

        def dismiss(self, whole: bool) -> None:
            assert whole

    heard: list[str] = []
    monkeypatch.setattr(workers, "hire", lambda where, store: Crew())
    said = workers.run(wanted, "dask://nowhere:1", say=heard.append)
    assert len(heard) == 3
    assert "out of memory" in heard[0]
    (failure,) = said["failures"]
    assert failure["seed"] == listed["jobs"][5]["plan"]["seed"]
    assert failure["message"] == "lost 3 times with its worker: out of memory"
    assert said["code"] == 1
    assert said["points"][0]["flows"][0]["goodput_bps"]["n"] == 7
    monkeypatch.undo()
    assert workers.run(wanted, where(cluster), say=heard.append)["valid"], (
        "a later sweep tries it again"
    )


def test_a_scheduler_that_is_not_there_leaves_no_tracebacks(file: Path, tmp_path: Path) -> None:
    code = (
        "from dumbbell.workers import dask; dask._PATIENCE_S = 1\n"
        "from dumbbell.cli import main\n"
        f"main(['sweep', {str(file)!r}, '--store', {str(tmp_path / 'store')!r}, '--workers', "
        f"'dask://127.0.0.1:1'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 4
    assert "there is no Dask cluster" in done.stderr
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
