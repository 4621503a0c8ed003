"""Commands that run on user-mode kernels: their guests, and what a system may deny them."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from dumbbell.linux import kernels

PTRACE, PERSONALITY, MEMFD_CREATE = 101, 135, 319
"""Numbers of system calls on x86-64."""

BULK = """
duration = "4 s"
warmup = "1 s"
[dumbbell.bottleneck]
rate = "10 Mbps"
delay = "10 ms"
[queue]
kind = "drop_tail"
limit = "30 pkt"
[[flow]]
name = "a"
cc = "cubic"
rtt = "40 ms"
[[flow]]
name = "b"
cc = "sack"
rtt = "40 ms"
start = "500 ms"
"""


def needed() -> Path:
    """The kernel's program. Skips where none was built, unless DUMBBELL_REQUIRE has `linux`."""
    kernel = kernels.current()
    if kernel is None:
        required = "linux" in os.environ.get("DUMBBELL_REQUIRE", "")
        (pytest.fail if required else pytest.skip)("no kernel: dumbbell linux build")
    assert kernel is not None
    return kernel.program


def denying(calls: Sequence[int], code: int) -> Callable[[], None]:
    """For `preexec_fn`: from now on these system calls fail with an error number, as in a
    container (seccomp(2))."""
    assert platform.machine() == "x86_64"
    load, equal, answer = 0x20, 0x15, 0x06
    allow, error = 0x7FFF0000, 0x00050000
    steps = [struct.pack("=HBBI", load, 0, 0, 0)]
    for at, call in enumerate(calls):
        steps.append(struct.pack("=HBBI", equal, len(calls) - at, 0, call))
    steps.append(struct.pack("=HBBI", answer, 0, 0, allow))
    steps.append(struct.pack("=HBBI", answer, 0, 0, error | code))
    program = ctypes.create_string_buffer(b"".join(steps))
    # struct sock_fprog: a length, and a pointer at the next multiple of eight.
    head = ctypes.create_string_buffer(
        struct.pack("=H6xQ", len(steps), ctypes.addressof(program)), 16
    )
    c_library = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, filtered = 38, 22, 2

    def deny() -> None:
        c_library.prctl(no_new_privileges, 1, 0, 0, 0)
        if c_library.prctl(set_seccomp, filtered, head, 0, 0):
            os._exit(99)
        assert program  # It must live until now.

    return deny


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "dumbbell", *map(str, words)]


def ended(
    words: Sequence[object],
    environment: Mapping[str, object] | None = None,
    before: Callable[[], None] | None = None,
    prefix: Sequence[object] = (),
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, `before` in its process, behind the words of `prefix`."""
    own = os.environ | {key: str(value) for key, value in (environment or {}).items()}
    done = subprocess.run(
        [*map(str, prefix), *command(*words)],
        env=own,
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=before,
    )
    done.stderr = flat(done.stderr)
    return done


def flat(said: str) -> str:
    """A message without the ends of its lines."""
    return " ".join(said.replace("│", " ").split())


def guests_of(parent: int) -> set[int]:
    """The kernels that a process and its children have started, without the kernels' own."""
    family = {parent}
    for number, above, line in sorted(_processes()):
        if above in family and b"time-travel=ext:" not in line:
            family.add(number)
    return {
        number
        for number, above, line in _processes()
        if above in family and b"time-travel=ext:" in line
    }


def groups(found: set[int]) -> set[int]:
    """The process groups of guests that run."""
    return {os.getpgid(guest) for guest in found}


def members(groups: set[int]) -> set[int]:
    """The living processes of process groups: those of a guest are one."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        fields = _stat(entry)
        if fields and int(fields[2]) in groups and fields[0] != "Z":
            found.add(int(entry.name))
    return found


def _stat(entry: Path) -> list[str]:
    try:
        return (entry / "stat").read_text().rsplit(") ", 1)[1].split()
    except (OSError, IndexError):
        return []


def _processes() -> Iterator[tuple[int, int, bytes]]:
    for entry in Path("/proc").glob("[0-9]*"):
        fields = _stat(entry)
        try:
            line = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if fields:
            yield int(entry.name), int(fields[1]), line


def has_worked(guest: int, seconds: float) -> None:
    """Waits until a guest has used so much processor time: more than its start takes."""
    ticks = seconds * os.sysconf("SC_CLK_TCK")
    end = time.monotonic() + 120
    while time.monotonic() < end:
        stat = Path(f"/proc/{guest}/stat").read_text(encoding="utf-8")
        used = stat.rpartition(") ")[2].split()[11:13]
        if sum(map(int, used)) >= ticks:
            return
        time.sleep(0.01)
    raise AssertionError(f"guest {guest} has not worked for {seconds} s")


@contextmanager
def running(
    words: Sequence[object], temporary: Path
) -> Iterator[tuple[subprocess.Popen[bytes], set[int]]]:
    """A command whose guests run: the process, and the guests. It is killed at the end."""
    own = os.environ | {"TMPDIR": str(temporary)}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command(*words), env=own, stdout=said, stderr=subprocess.PIPE)
        try:
            wait_for(lambda: bool(guests_of(process.pid)) or process.poll() is not None)
            assert process.poll() is None
            yield process, guests_of(process.pid)
        finally:
            process.kill()
            process.communicate()


def wait_for(what: Callable[[], bool], patience_s: float = 120) -> None:
    """Waits until something is true; fails if it does not become so."""
    until = time.monotonic() + patience_s
    while not what():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.05)
