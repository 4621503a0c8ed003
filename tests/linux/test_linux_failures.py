"""What a run on user-mode kernels says when the system denies it something, or a guest breaks: each
happens for real."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from helpers.live import guests
from helpers.live.guests import BULK, denying, ended

LOOPING = "int main(void) { for (;;); }"


@pytest.fixture(scope="module", autouse=True)
def kernel() -> Path:
    return guests.needed()


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("failures") / "two.toml"
    file.write_text(BULK)
    return file


@pytest.mark.parametrize(
    ("call", "code", "said"),
    [
        (guests.PTRACE, errno.EPERM, ("does not start", "forbids ptrace(2)", "seccomp=unconfined")),
        (guests.PERSONALITY, errno.EPERM, ("randomization of addresses", "seccomp=unconfined")),
        (guests.MEMFD_CREATE, errno.ENOSYS, ("memfd_create(2)", "seccomp=unconfined")),
    ],
)
def test_a_system_call_that_is_denied_is_named_with_a_remedy(
    scenario: Path, call: int, code: int, said: tuple[str, ...]
) -> None:
    told = ended(("run", scenario, "--on", "linux"), before=denying([call], code))
    assert told.returncode == 4, told.stderr
    assert all(words in told.stderr for words in said), told.stderr


def _in_a_mount_namespace(script: str) -> list[str]:
    """Words before a command that run it where `script` has mounted; skips if that is denied."""
    words = ["unshare", "--map-root-user", "--mount", "sh", "-e", "-c", f'{script}\nexec "$@"', "-"]
    tried = subprocess.run([*words, "true"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"no namespaces of users and mounts here: {tried.stderr}")
    return words


def test_no_folder_from_which_programs_may_run(scenario: Path, tmp_path: Path) -> None:
    mounts = _in_a_mount_namespace(
        f"mount -t tmpfs -o noexec none /dev/shm\nmount -t tmpfs -o noexec none {tmp_path}"
    )
    words = ("run", scenario, "--on", "linux", "-s", "duration=2s")
    told = ended(words, {"TMPDIR": tmp_path}, prefix=mounts)
    assert told.returncode == 4, told.stderr
    assert "noexec" in told.stderr
    assert "TMPDIR" in told.stderr


def test_without_dev_shm_the_temporary_folder_serves_and_the_run_is_the_same(
    scenario: Path, tmp_path: Path
) -> None:
    mounts = _in_a_mount_namespace("mount -t tmpfs -o noexec none /dev/shm")
    words = ("run", scenario, "--on", "linux", "-s", "duration=2s", "--json")
    usual, other = ended(words), ended(words, {"TMPDIR": tmp_path}, prefix=mounts)
    assert usual.returncode == other.returncode == 0, other.stderr
    prints = [line for told in (usual, other) for line in told.stdout.split(",") if "print" in line]
    assert len(prints) == 2
    assert prints[0] == prints[1]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", ["missing", "cut", "script"])
def test_a_kernel_that_is_missing_or_damaged(
    kernel: Path, scenario: Path, tmp_path: Path, damage: str
) -> None:
    program = tmp_path / "linux"
    if damage == "cut":
        program.write_bytes(kernel.read_bytes()[:100_000])
    elif damage == "script":
        program.write_text("#!/bin/sh\necho not today\n")
    if damage != "missing":
        program.chmod(0o755)
    told = ended(("run", scenario, "--on", "linux"), {"DUMBBELL_LINUX": program})
    assert told.returncode == 4, told.stderr
    assert str(program) in told.stderr
    assert damage != "script" or "not today" in told.stderr
    assert damage == "missing" or "dumbbell linux build" in told.stderr


def test_a_guest_that_loops_is_ended_by_its_processor_time(
    kernel: Path, scenario: Path, tmp_path: Path
) -> None:
    """The guest's first program is another: one that never sleeps."""
    if shutil.which("gcc") is None:
        pytest.skip("no compiler")
    (tmp_path / "loop.c").write_text(LOOPING)
    program = tmp_path / "init"
    compile_it = ["gcc", "-static", "-nostartfiles", "-Wl,-e,main", "-o", program]
    subprocess.run([*compile_it, tmp_path / "loop.c"], check=True)
    (tmp_path / "initramfs").write_bytes(_archive(program.read_bytes()))
    other = tmp_path / "linux"
    other.write_text(f'#!/bin/sh\nexec {kernel} "$@" initrd={tmp_path / "initramfs"}\n')
    other.chmod(0o755)
    bound = {"DUMBBELL_LINUX": other, "DUMBBELL_LINUX_PATIENCE": 1}
    told = ended(("run", scenario, "--on", "linux"), bound)
    assert told.returncode == 1, told.stderr
    assert "did not sleep for 1 s of processor time" in told.stderr


def _archive(program: bytes) -> bytes:
    """An initial file system with nothing but this program (cpio, "newc")."""

    def entry(name: str, mode: int, content: bytes) -> bytes:
        fields = [1, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + "".join(f"{field:08x}" for field in fields).encode()
        head += name.encode() + b"\0"
        head += b"\0" * (-len(head) % 4)
        return head + content + b"\0" * (-len(content) % 4)

    return entry("init", 0o100755, program) + entry("TRAILER!!!", 0, b"")


def test_a_guest_that_dies_in_the_middle(scenario: Path, tmp_path: Path) -> None:
    words = ("run", scenario, "--on", "linux", "-s", "duration=600s")
    with guests.running(words, tmp_path) as (process, found):
        (guest,), groups = found, guests.groups(found)
        guests.has_worked(guest, 0.5)
        os.kill(guest, signal.SIGKILL)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 1, said
    assert "guest 0: its kernel has ended (signal: 9" in guests.flat(said.decode())
    assert not guests.members(groups)


def test_a_guest_that_is_stopped_is_not_waited_for_without_end(
    scenario: Path, tmp_path: Path
) -> None:
    """It and the controller wait: it for the signal that continues it, the controller for it."""
    words = ("run", scenario, "--on", "linux", "-s", "duration=600s")
    with guests.running(words, tmp_path) as (process, found):
        (guest,), groups = found, guests.groups(found)
        os.kill(guest, signal.SIGSTOP)
        _, said = process.communicate(timeout=240)
    assert process.returncode == 1, said
    told = guests.flat(said.decode())
    assert "has said nothing for 15 s and does not work" in told
    assert "SIGSTOP" in told
    assert not guests.members(groups)
