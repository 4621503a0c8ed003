"""Workers over ssh: a daemon on the loopback, and an `ssh` that runs its command here."""

from __future__ import annotations

import getpass
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dumbbell import api, workers
from dumbbell.errors import DumbbellError, EnvironmentLacks
from helpers.command import document
from helpers.command import dumbbell as command
from helpers.stored import here, request, scenario_file, without_place


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return scenario_file(tmp_path)


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


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # It has ended.
        return b""


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
    listed = api.call("jobs", wanted)
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
    with pytest.raises(EnvironmentLacks, match=rf"cannot start a worker on far \({expected}"):
        workers.hire("ssh:far", "")


def test_answers_over_ssh_are_data(no_network: Path) -> None:
    """Whatever a host answers, it is read as JSON or refused."""
    (no_network / "ssh").write_text(
        "#!/bin/sh\necho '{\"places\": 1}'\nread order\necho 'cos'\nread order\n"
    )
    crew = workers.hire("ssh:far", "")
    try:
        with pytest.raises(DumbbellError, match="the worker on far sent an unexpected answer: cos"):
            list(crew.work([{"jobs": []}]))
    finally:
        crew.dismiss(False)
