"""Workers as batch jobs of Slurm, through submitit."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import submitit

from ..errors import DumbbellError, EnvironmentLacks
from ..files import private
from .crew import Answer, Parcel
from .options import SLURM, memory, number, read
from .task import perform

# Between two looks at the queue, seconds.
_BEAT_S = 0.5


class Batch:
    """Batch jobs. Options: `partition`, `account`, `qos`, `constraint`, `mem` (GB) as Slurm has
    them; `time` of a job, minutes (60); `cpus` of a job (1), each of which makes one run at a time;
    `jobs`, the most that are queued at once (16); `cluster` (`slurm`; `local` runs the same jobs as
    processes here)."""

    def __init__(self, text: str, store: str) -> None:
        names, options = read(text, SLURM, "slurm")
        options |= {"partition": names[0]} if names else {}
        cluster = options.get("cluster", "slurm")
        if cluster == "slurm" and shutil.which("sbatch") is None:
            raise EnvironmentLacks(
                "--workers slurm: this machine has no `sbatch`; start the sweep on a machine "
                "that submits jobs"
            )
        self._cpus = number(options, "cpus", "slurm") or 1
        self._jobs = number(options, "jobs", "slurm") or 16
        self._folder = _folder(Path(store))
        self._executor = submitit.AutoExecutor(folder=self._folder / "%j", cluster=cluster)
        own = {
            f"slurm_{key}": options[key]
            for key in ("partition", "account", "qos", "constraint")
            if key in options
        }
        size = memory(options)
        minutes = number(options, "time", "slurm") or 60
        self._executor.update_parameters(
            name="dumbbell",
            timeout_min=minutes,
            cpus_per_task=self._cpus,
            **({} if size is None else {"mem_gb": size}),
            **(own if cluster == "slurm" else {}),
        )

    def places(self) -> int:
        """So that there is about one parcel for each job that may be queued: starting one takes a
        while."""
        return max(1, self._jobs // 4)

    def work(self, parcels: list[Parcel]) -> Iterator[Answer]:
        """Submits parcels, so many at once, and looks after them."""
        waiting = list(reversed(parcels))
        queued: dict[submitit.Job[Any], Parcel] = {}
        try:
            while waiting or queued:
                while waiting and len(queued) < self._jobs:
                    parcel = waiting.pop()
                    queued[self._executor.submit(perform, parcel, self._cpus)] = parcel
                for job in [job for job in queued if job.done()]:
                    yield queued.pop(job), _answer(job)
                if queued:
                    time.sleep(_BEAT_S if len(queued) == self._jobs or not waiting else 0)
        finally:
            for job in queued:
                job.cancel()

    def dismiss(self, whole: bool) -> None:
        """Takes the jobs' files away if all went well; else their logs say what happened."""
        if whole:
            shutil.rmtree(self._folder, ignore_errors=True)


def _folder(store: Path) -> Path:
    """Directory of the files of jobs: beside the rows, the place that every node sees. They are
    pickles, and whoever can write one runs programs as this user; so nobody else may."""
    about = store.stat()
    if about.st_uid not in (0, os.geteuid()) or about.st_mode & 0o022:
        raise EnvironmentLacks(
            f"--workers slurm: other users can write to the store {store}, and could run programs "
            "as you: name your own with --store DIR, or `chmod go-w` it"
        )
    return private.folder(store / "slurm")


def _answer(job: submitit.Job[Any]) -> list[dict[str, Any]] | Exception:
    """The answer of a job; one that was ended by others has given nothing, one that failed by
    itself ends the sweep."""
    try:
        error = job.exception()
    except submitit.core.utils.UncompletedJobError as gone:
        return gone
    if error is None:
        return list(job.result())
    if isinstance(error, submitit.core.utils.FailedJobError):
        raise DumbbellError(f"a batch job failed: {error}")
    return error
