"""Commands with a live page, and what listens."""

from __future__ import annotations

import http.client
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


def refused(port: int) -> bool:
    """True if nobody listens."""
    with socket.socket() as found:
        return found.connect_ex(("127.0.0.1", port)) != 0


def port(address: str) -> int:
    return int(address.split(":")[2].partition("/")[0])


def fetch(address: str) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port(address), timeout=20)
    connection.request("GET", "/" + address.partition(f":{port(address)}/")[2])
    return connection.getresponse().read()


@contextmanager
def command(
    *words: object, after: Sequence[object] = ()
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A command with a live page, and its address. after: words behind `--live`."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dumbbell", *map(str, words), "--live", *map(str, after)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": ""},
    )
    assert process.stderr is not None
    try:
        told = next(line for line in process.stderr if line.startswith("live: "))
        found = re.search(r"http://\S+", told)
        assert found
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()
