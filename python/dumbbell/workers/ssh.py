"""Workers on other machines, each a process at the other end of an ssh connection.

Nothing listens on a port: parcels and answers pass through the connection, as JSON. The command
`ssh` makes it, so that what the user's configuration says of a host holds.
"""

from __future__ import annotations

import json
import queue
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import IO

from ..errors import DumbbellError, EnvironmentLacks, of_code
from .crew import Answer, Parcel
from .options import SSH, number, read

_PATIENCE_S = 30
"""Longest time for an answer of a host."""
_GREETING = 1000
"""Lines that a login shell may print before the worker begins."""
_OPTIONS = (
    "BatchMode=yes",
    "ClearAllForwardings=yes",
    "ForwardAgent=no",
    "ForwardX11=no",
    "ControlMaster=no",
    "ServerAliveInterval=15",
)

_Heard = queue.SimpleQueue[tuple["_Worker", str]]


class Hosts:
    """Workers on the hosts of `HOST,HOST,...`. Options: `python` (there; default: the path of this
    one), `user`, `port`, `key`, `known_hosts`, `threads` (of each host; default: its cores)."""

    def __init__(self, text: str) -> None:
        names, options = read(text, SSH, "ssh")
        program = shutil.which("ssh")
        if program is None:
            raise EnvironmentLacks(
                "--workers ssh: this machine has no `ssh`: install an OpenSSH client"
            )
        threads = number(options, "threads", "ssh")
        there = [options.get("python", sys.executable), "-P", "-m", "dumbbell.workers.child"]
        there += [str(threads)] if threads else []
        command = [program, *_flags(options)]
        self._heard: _Heard = queue.SimpleQueue()
        self._commands = {
            name: [*command, "--", name, f"exec {shlex.join(there)}"] for name in names
        }
        self._workers: dict[str, _Worker] = {}
        try:
            for worker in self._missing():
                worker.greet(self._heard)
        except BaseException:
            self.dismiss(False)
            raise

    def places(self) -> int:
        """The threads of all workers."""
        return sum(worker.places for worker in self._workers.values())

    def work(self, parcels: list[Parcel]) -> Iterator[Answer]:
        """Deals out parcels. Those of a worker whose connection ends are lost. It is started again
        with the next call; if it cannot be, the others go on without it."""
        for worker in self._missing():
            try:
                worker.greet(self._heard)
            except EnvironmentLacks:
                del self._workers[worker.name], self._commands[worker.name]
                if not self._workers:
                    raise
        waiting = deque(parcels)
        while True:
            for worker in self._workers.values():
                while waiting and len(worker.busy) < worker.places:
                    worker.send(waiting.popleft())
            if not any(worker.busy for worker in self._workers.values()):
                return
            worker, line = self._heard.get()
            if line:
                yield worker.answer(line)
            elif self._workers.get(worker.name) is worker:
                del self._workers[worker.name]
                why = OSError(f"the connection to {worker.name} ended: {worker.ended()}")
                yield from ((parcel, why) for parcel in worker.busy.values())

    def dismiss(self, whole: bool) -> None:
        """Ends all workers."""
        for worker in self._workers.values():
            worker.ended()
        self._workers.clear()

    def _missing(self) -> list[_Worker]:
        """The workers that are not there, started at the same time."""
        new = [
            _Worker(name, command)
            for name, command in self._commands.items()
            if name not in self._workers
        ]
        self._workers |= {worker.name: worker for worker in new}
        return new


class _Worker:
    """One connection."""

    def __init__(self, name: str, command: list[str]) -> None:
        self.name = name
        self.places = 0
        self.busy: dict[int, Parcel] = {}
        self._sent = 0
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (as long as the worker)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
            errors="replace",
        )

    def greet(self, heard: _Heard) -> None:
        """Waits for the first answer. From then on, what it says is put into `heard`; an empty line
        is the end."""
        bell = threading.Timer(_PATIENCE_S, self._process.kill)
        bell.start()
        try:
            for line in self._out(_GREETING):
                if line.startswith('{"places"'):
                    self.places = int(json.loads(line)["places"])
                    break
        finally:
            bell.cancel()
        if self.places < 1:
            raise EnvironmentLacks(
                f"cannot start a worker on {self.name} ({self.ended()}): `ssh {self.name}` must "
                "work without a password, and the host must have dumbbell at the same path as "
                "here, or at python=PATH"
            )
        threading.Thread(target=self._listen, args=(heard,), daemon=True).start()

    def _out(self, lines: int) -> Iterator[str]:
        assert self._process.stdout is not None
        for _ in range(lines):
            line = self._process.stdout.readline()
            if not line:
                return
            yield line

    def _listen(self, heard: _Heard) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            heard.put((self, line))
        heard.put((self, ""))

    def send(self, parcel: Parcel) -> None:
        """Gives it a parcel. That a connection has ended is heard, not seen here."""
        assert self._process.stdin is not None
        self._sent += 1
        self.busy[self._sent] = parcel
        with suppress(OSError):
            self._process.stdin.write(json.dumps({"number": self._sent, "parcel": parcel}) + "\n")
            self._process.stdin.flush()

    def answer(self, line: str) -> Answer:
        """A line as the answer to a parcel. `DumbbellError` for what the worker refused."""
        try:
            said = json.loads(line)
            parcel = self.busy.pop(said["number"])
            error = said.get("error")
            if error is None:
                return parcel, said["answer"]
        except (ValueError, LookupError, TypeError, AttributeError):
            raise DumbbellError(
                f"the worker on {self.name} sent an unexpected answer: {line[:200]}"
            ) from None
        raise of_code(error["code"], error["text"], error["detail"])

    def ended(self) -> str:
        """Ends it, and says what it said last."""
        self._process.terminate()
        code = self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError):  # What could not be sent any more.
            self._process.stdin.close()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else f"exit code {code}"


def _flags(options: dict[str, str]) -> list[str]:
    """Options of ssh."""
    words = [word for option in _OPTIONS for word in ("-o", option)]
    words += ["-T", "-o", f"ConnectTimeout={_PATIENCE_S}"]
    for key, flag in (("user", "-l"), ("port", "-p"), ("key", "-i")):
        words += [flag, options[key]] if key in options else []
    if "known_hosts" in options:
        words += ["-o", f'UserKnownHostsFile="{options["known_hosts"]}"']
    return words
