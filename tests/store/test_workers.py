"""Workers of any kind: rows come back or are kept, other releases and wrong words are refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from dumbbell import api, workers
from dumbbell.errors import EnvironmentLacks, ScenarioError
from dumbbell.workers import task
from helpers.command import document
from helpers.stored import here, request, rows, scenario_file, without_place


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return scenario_file(tmp_path)


def test_a_worker_without_the_store_sends_its_rows(file: Path, tmp_path: Path) -> None:
    wanted = request(file, tmp_path / "store")
    listed = api.call("jobs", wanted)
    parcel = {key: value for key, value in listed.items() if key != "have"} | {
        "id": "of another store"
    }
    answer = task.perform(parcel)
    assert len(answer) == 24
    assert rows(tmp_path / "store") == {}
    workers._keep(listed, answer)
    assert without_place(api.run(wanted | {"assemble": True})) == without_place(
        here(file, tmp_path)
    )
    recorded = api.call("jobs", request(file, tmp_path / "store", record={"every": "100 ms"}))
    with pytest.raises(EnvironmentLacks, match="does not see the store"):
        task.perform(recorded | {"id": "of another store"})


def test_a_worker_of_another_release_is_named(file: Path, tmp_path: Path) -> None:
    listed = api.call("jobs", request(file, tmp_path / "store"))
    with pytest.raises(Exception, match="install the same release"):
        task.perform(listed | {"results_version": 0})
    listed["jobs"][0]["plan"]["warmup"] = "100 ms"
    with pytest.raises(Exception, match="means something else"):
        task.perform(listed)
    assert rows(tmp_path / "store").keys() <= {job["key"] for job in listed["jobs"]}


def test_a_worker_cannot_make_this_side_keep_what_nobody_asked_for(
    file: Path, tmp_path: Path
) -> None:
    listed = api.call("jobs", request(file, tmp_path / "store"))
    kept, other = listed["jobs"][0]["key"], "0" * 32
    row = task.perform({**listed, "jobs": listed["jobs"][:1], "id": "of another store"})[0]["row"]
    workers._keep(
        {**listed, "jobs": listed["jobs"][:1]},
        [{"key": kept, "row": row}, {"key": other, "row": row}],
    )
    assert rows(tmp_path / "store").keys() == {kept}


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("ssh:-oProxyCommand=x", 2, "there is no option"),
        ("ssh:-x", 2, "a host name does not begin with `-`"),
        ("dask://127.0.0.1:1", 4, "there is no Dask cluster"),
        ("dask", 2, "write dask://HOST:PORT"),
        ("cloud:9", 2, "write dask://HOST:PORT, ssh:HOST,HOST or slurm"),
        ("ssh:", 2, "name the hosts"),
        ("ssh:a,colour=red", 2, "there is no option `colour`"),
        ("slurm:time=soon", 2, "not a whole number"),
        ("slurm:jobs=0", 2, "not a whole number"),
        ("slurm:mem=much", 2, "not a number of GB"),
        ("slurm:short,long", 2, "one partition"),
        ("banana", 2, "write dask://HOST:PORT, ssh:HOST,HOST or slurm"),
        ("4", 2, "write dask://HOST:PORT, ssh:HOST,HOST or slurm"),
        ("dask://127.0.0.1:notaport", 2, "PORT from 1 to 65535"),
        ("dask://127.0.0.1:65536", 2, "PORT from 1 to 65535"),
    ],
)
def test_workers_that_are_not_there(
    words: str, code: int, says: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if code == 4:
        from dumbbell.workers import dask

        monkeypatch.setattr(dask, "_PATIENCE_S", 1)
        with pytest.raises(EnvironmentLacks, match=says):
            workers.hire(words, "")
        return
    with pytest.raises(ScenarioError, match=says) as caught:
        workers.run(request(file, file.parent / "store"), words)
    assert caught.value.code == code
    assert not (file.parent / "store").exists()


def test_wrong_workers_are_refused_where_nothing_is_left_to_do(file: Path, tmp_path: Path) -> None:
    words = ("sweep", file, "--over", "queue.limit=20 pkt", "--store", tmp_path / "store")
    document(*words)
    assert document(*words, "--workers", "4", code=2)["error"]["code"] == 2


@pytest.mark.parametrize(
    ("package", "where", "extra"),
    [("distributed", "dask://h:1", "dask"), ("submitit", "slurm", "slurm")],
)
def test_a_package_that_is_missing_is_named_with_its_cure(
    package: str, where: str, extra: str, file: Path
) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        f"from dumbbell.cli import main; main(['sweep', {str(file)!r}, '--workers', {where!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 4
    assert f"pip install 'dumbbell[{extra}]'" in done.stderr
    assert "Traceback" not in done.stderr
