"""Sweeps beyond one machine: a Dask cluster whose worker is killed, ssh to a daemon of our own,
Slurm's stand-in."""

from __future__ import annotations

import getpass
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dumbbell import api, workers
from dumbbell.errors import DumbbellError, EnvironmentLacks, ScenarioError
from dumbbell.language import overrides
from dumbbell.workers import task
from helpers.command import document
from helpers.command import dumbbell as command
from helpers.stored import SCENARIO, rows, without_place

# Long enough that a worker can be killed in the middle.
LONG = SCENARIO.replace('"1 s"', '"150 s"')


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SCENARIO)
    return path


def request(file: Path, store: Path, **options: Any) -> dict[str, Any]:
    axis = overrides.axis("queue.limit", ["20 pkt", "30 pkt", "40 pkt"])
    return api.request({"path": str(file)}, [axis], replications=8, store=str(store), **options)


def here(file: Path, tmp_path: Path, **options: Any) -> dict[str, Any]:
    """The same sweep on this machine, in a store of its own."""
    return api.run(request(file, tmp_path / "here", **options))


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
    listed = api.jobs(wanted)
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


def test_a_worker_without_the_store_sends_its_rows(file: Path, tmp_path: Path) -> None:
    wanted = request(file, tmp_path / "store")
    listed = api.jobs(wanted)
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
    recorded = api.jobs(request(file, tmp_path / "store", record={"every": "100 ms"}))
    with pytest.raises(EnvironmentLacks, match="does not see the store"):
        task.perform(recorded | {"id": "of another store"})


def test_a_worker_of_another_release_is_named(file: Path, tmp_path: Path) -> None:
    listed = api.jobs(request(file, tmp_path / "store"))
    with pytest.raises(Exception, match="install the same release"):
        task.perform(listed | {"results_version": 0})
    listed["jobs"][0]["plan"]["warmup"] = "100 ms"
    with pytest.raises(Exception, match="means something else"):
        task.perform(listed)
    assert rows(tmp_path / "store").keys() <= {job["key"] for job in listed["jobs"]}


def test_slurm_through_the_stand_in_that_runs_jobs_as_processes(file: Path, tmp_path: Path) -> None:
    words = ("sweep", file, "--over", "queue.limit=20 pkt,30 pkt", "--replications", 2)
    there = document(*words, "--workers", "slurm:cluster=local,jobs=2,time=5", timeout_s=120)
    assert there["fingerprint"] == document(*words, "--store", tmp_path / "alone")["fingerprint"]
    assert there["from_store"] == 4
    assert not (tmp_path / "dumbbell-store" / "slurm").exists()


def test_a_batch_job_that_is_ended_is_run_again(file: Path, tmp_path: Path) -> None:
    """The first job's process is killed, as a scheduler does that wants the node."""
    from dumbbell.workers.slurm import Batch

    wanted = request(file, tmp_path / "store") | {"replications": 1}
    listed = api.jobs(wanted)
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


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An ssh daemon on the loopback, with keys that are thrown away."""
    sshd = shutil.which("sshd") or "/usr/sbin/sshd"
    if not Path(sshd).exists():
        pytest.skip("there is no sshd on this machine: sweeps over ssh are not tested here")
    folder = tmp_path / "ssh"
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True
        )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "authorized").write_text((folder / "user.pub").read_text())
    (folder / "known").write_text(f"[127.0.0.1]:{port} {(folder / 'host.pub').read_text()}")
    (folder / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder / 'host'}\nPidFile none\nUsePAM "
        f"no\nStrictModes no\n"
        f"AuthorizedKeysFile {folder / 'authorized'}\nPasswordAuthentication no\nPermitRootLogin "
        f"yes\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # Where the daemon of root drops its rights.
    process = subprocess.Popen(
        [sshd, "-D", "-e", "-f", folder / "config"],
        stderr=(folder / "log").open("w"),
        start_new_session=True,
    )
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield {
        "port": str(port),
        "user": getpass.getuser(),
        "key": f"{folder / 'user'}",
        "known_hosts": f"{folder / 'known'}",
    }
    os.killpg(process.pid, signal.SIGTERM)
    process.wait(timeout=10)


def test_a_sweep_over_ssh(daemon: dict[str, str], file: Path, tmp_path: Path) -> None:
    options = ",".join(f"{key}={value}" for key, value in daemon.items())
    words = ("sweep", file, "--over", "queue.limit=20 pkt,30 pkt", "--replications", 3)
    there = command(
        *words, "--workers", f"ssh:127.0.0.1,{options},threads=1", "--json", timeout_s=120
    )
    assert there.returncode == 0, there.stderr
    said = json.loads(there.stdout)
    assert said["from_store"] == 6
    assert said["fingerprint"] == document(*words, "--store", tmp_path / "alone")["fingerprint"]


def listening() -> set[str]:
    """The inodes of sockets that listen."""
    lines = [
        line.split()
        for file in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{file}").read_text(encoding="utf-8").splitlines()[1:]
    ]
    return {words[9] for words in lines if words[3] == "0A"}


def sockets(process: int) -> set[str]:
    links = [str(link.readlink()) for link in Path(f"/proc/{process}/fd").iterdir()]
    return {link[8:-1] for link in links if link.startswith("socket:")}


def test_a_worker_over_ssh_listens_on_no_port(
    daemon: dict[str, str], file: Path, tmp_path: Path
) -> None:
    options = ",".join(f"{key}={value}" for key, value in daemon.items())
    crew = workers.hire(f"ssh:127.0.0.1,{options},threads=3", str(tmp_path))
    try:
        assert crew.places() == 3
        running = [
            int(f.parent.name)
            for f in Path("/proc").glob("[0-9]*/cmdline")
            if b"workers.child" in _read(f)
        ]
        assert running
        assert not [process for process in running if sockets(process) & listening()]
    finally:
        crew.dismiss(True)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # It has ended.
        return b""


@pytest.fixture
def no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An `ssh` that runs what it is asked to run here, after what a login shell may print."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "ssh").write_text(
        '#!/bin/sh\necho Welcome\nfor last; do :; done\nexec sh -c "$last"\n'
    )
    (folder / "ssh").chmod(0o700)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return folder


def test_a_worker_whose_connection_ends_loses_nothing(
    no_network: Path, file: Path, tmp_path: Path
) -> None:
    """The first worker is killed with parcels in its hands; the other goes on, and the first is
    started again."""
    wanted = request(file, tmp_path / "store")
    listed = api.jobs(wanted)
    crew = workers.hire("ssh:one,two,threads=1", listed["store"])
    work, killed = crew.work, []

    def work_and_kill(parcels: list[dict[str, Any]]) -> Iterator[Any]:
        for answer in work(parcels):
            if not killed:
                killed.append(crew._workers["one"]._process)
                killed[0].kill()
            yield answer

    crew.work = work_and_kill
    heard: list[str] = []
    try:
        workers._finish(wanted, listed, crew, lambda *state: None, heard.append)
    finally:
        crew.dismiss(True)
    assert len(killed) == 1
    assert all("the connection to one ended" in line for line in heard)
    assert without_place(api.run(wanted | {"assemble": True})) == without_place(
        here(file, tmp_path)
    )


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("echo >&2 no route; exit 255", "no route"),
        ("echo hello", "exit code 0"),
        ("echo '{\"places\": -1}'", "exit"),
    ],
)
def test_a_host_without_a_worker_is_named_with_its_cause(
    says: str, expected: str, no_network: Path
) -> None:
    (no_network / "ssh").write_text(f"#!/bin/sh\n{says}\n")
    with pytest.raises(EnvironmentLacks, match=rf"no worker could be started on far \({expected}"):
        workers.hire("ssh:far", "")


def test_a_worker_cannot_make_this_side_keep_what_nobody_asked_for(
    file: Path, tmp_path: Path
) -> None:
    listed = api.jobs(request(file, tmp_path / "store"))
    kept, other = listed["jobs"][0]["key"], "0" * 32
    row = task.perform({**listed, "jobs": listed["jobs"][:1], "id": "of another store"})[0]["row"]
    workers._keep(
        {**listed, "jobs": listed["jobs"][:1]},
        [{"key": kept, "row": row}, {"key": other, "row": row}],
    )
    assert rows(tmp_path / "store").keys() == {kept}


def test_answers_over_ssh_are_data(no_network: Path) -> None:
    """Whatever a host answers, it is read as JSON or refused."""
    (no_network / "ssh").write_text(
        "#!/bin/sh\necho '{\"places\": 1}'\nread order\necho 'cos'\nread order\n"
    )
    crew = workers.hire("ssh:far", "")
    try:
        with pytest.raises(
            DumbbellError, match="the worker on far did not answer in its own way: cos"
        ):
            list(crew.work([{"jobs": []}]))
    finally:
        crew.dismiss(False)


def test_jobs_of_a_store_that_others_can_write_to_are_refused(tmp_path: Path) -> None:
    from dumbbell.workers.slurm import Batch

    store = tmp_path / "store"
    store.mkdir()
    Batch("cluster=local", str(store))
    assert (store / "slurm").stat().st_mode & 0o777 == 0o700
    store.chmod(0o777)
    with pytest.raises(EnvironmentLacks, match="other users can write to the store"):
        Batch("cluster=local", str(store))


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("ssh:-oProxyCommand=x", 2, "there is no option"),
        ("ssh:-x", 2, "a host does not begin with `-`"),
        ("dask://127.0.0.1:1", 4, "there is no Dask cluster"),
        ("dask", 2, "write dask://HOST:PORT"),
        ("cloud:9", 2, "write dask://HOST:PORT, ssh:HOST,HOST or slurm"),
        ("ssh:", 2, "name the hosts"),
        ("ssh:a,colour=red", 2, "there is no option `colour`"),
        ("slurm:time=soon", 2, "no whole number"),
        ("slurm:jobs=0", 2, "no whole number"),
        ("slurm:mem=much", 2, "no number of GB"),
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


def test_slurm_needs_sbatch(file: Path) -> None:
    if shutil.which("sbatch"):
        pytest.skip("this machine has Slurm")
    done = command("sweep", file, "--workers", "slurm")
    assert done.returncode == 4
    assert "sbatch" in done.stderr
