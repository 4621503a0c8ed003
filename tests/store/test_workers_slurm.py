"""Workers that are jobs of Slurm: submitit's stand-in runs them as processes here."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from dumbbell import api, workers
from dumbbell.errors import EnvironmentLacks
from dumbbell.workers.slurm import Batch
from helpers.command import document
from helpers.command import dumbbell as command
from helpers.stored import request, scenario_file, without_place


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return scenario_file(tmp_path)


def test_slurm_through_the_stand_in_that_runs_jobs_as_processes(file: Path, tmp_path: Path) -> None:
    words = ("sweep", file, "--over", "queue.limit=20 pkt,30 pkt", "--replications", 2)
    there = document(*words, "--workers", "slurm:cluster=local,jobs=2,time=5", timeout_s=120)
    assert there["fingerprint"] == document(*words, "--store", tmp_path / "alone")["fingerprint"]
    assert there["from_store"] == 4
    assert not (tmp_path / "dumbbell-store" / "slurm").exists()


def test_a_batch_job_that_is_ended_is_run_again(file: Path, tmp_path: Path) -> None:
    """The first job's process is killed, as a scheduler does that wants the node."""
    wanted = request(file, tmp_path / "store") | {"replications": 1}
    listed = api.call("jobs", wanted)
    batch = Batch("cluster=local,jobs=2", listed["store"])
    submit = batch._executor.submit
    killed: list[str] = []

    def submit_and_kill(*args: Any) -> Any:
        job = submit(*args)
        if not killed:
            killed.append(job.job_id)
            os.kill(int(job.job_id), signal.SIGKILL)
        return job

    batch._executor.submit = submit_and_kill
    heard: list[str] = []
    workers._finish(wanted, listed, batch, lambda *state: None, heard.append)
    batch.dismiss(True)
    assert len(killed) == len(heard) == 1
    alone = api.run(wanted | {"store": str(tmp_path / "alone")})
    assert without_place(api.run(wanted | {"assemble": True})) == without_place(alone)


def test_jobs_of_a_store_that_others_can_write_to_are_refused(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    Batch("cluster=local", str(store))
    assert (store / "slurm").stat().st_mode & 0o777 == 0o700
    store.chmod(0o777)
    with pytest.raises(EnvironmentLacks, match="other users can write to the store"):
        Batch("cluster=local", str(store))


def test_slurm_needs_sbatch(file: Path) -> None:
    if shutil.which("sbatch"):
        pytest.skip("this machine has Slurm")
    done = command("sweep", file, "--workers", "slurm")
    assert done.returncode == 4
    assert "sbatch" in done.stderr
