"""The testbed through the command line, on real kernels: short runs; nothing is asserted that a
busy machine spoils."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import dumbbell as dumbbell_package
import pytest
from helpers.live.kernels import need_kernels
from helpers.scenarios import LIVE


@pytest.fixture(scope="module", autouse=True)
def kernels() -> None:
    """Skips, or fails where the machine must be able to."""
    need_kernels()


def dumbbell(*words: object) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "dumbbell", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, dict[str, Any]]:
    """A recorded run: its directory, the exit code, the document."""
    there = tmp_path_factory.mktemp("live")
    (there / "one.toml").write_text(LIVE)
    code, out, err = dumbbell(
        "run",
        there / "one.toml",
        "--on",
        "kernel",
        "--out",
        there / "run",
        "--record-every",
        "10 ms",
        "--json",
    )
    assert code in (0, 5), err
    return there / "run", code, json.loads(out)


def test_a_live_run_is_conserved_replayed_and_says_what_it_is_worth(ran) -> None:
    _, code, document = ran
    block = document["validity"]
    assert document["on"] == "kernel"
    assert block["conservation"]["ok"]
    assert block["replay"]["packets"] > 100
    assert block["replay"]["mismatches"] == 0
    assert block["valid"] is (code == 0)
    assert bool(block["reasons"]) is (code == 5)
    flow = document["flows"][0]
    assert 0 < flow["goodput_bps"] < 4e6


def test_its_log_replays_the_same_and_an_altered_one_is_found(ran) -> None:
    directory, _, document = ran
    code, out, err = dumbbell("replay", directory, "--json")
    assert code == 0, err
    assert json.loads(out)["packets"] == document["validity"]["replay"]["packets"]
    log = directory / "run.log"
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 1
    altered = directory / "altered.log"
    altered.write_bytes(content)
    assert dumbbell("replay", altered)[0] == 3


def test_a_program_runs_inside_and_its_code_comes_back(tmp_path: Path) -> None:
    words = (
        "shell",
        "--rate",
        "8Mbps",
        "--delay",
        "1ms",
        "-s",
        "testbed.calibrate=false",
        "--out",
        tmp_path,
        "--json",
    )
    code, out, err = dumbbell(*words, "--", "sh", "-c", "readlink /proc/self/ns/net; exit 7")
    assert code == 7, err
    assert "net:[" in err  # What it prints goes aside, and it is elsewhere.
    assert str(Path("/proc/self/ns/net").readlink()) not in err
    assert json.loads(out)["program"]["exit_code"] == 7


def test_a_router_whose_core_is_taken_away_loses_its_class(tmp_path: Path) -> None:
    try:  # Only to learn whether it is permitted; the child that does it is another process.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except PermissionError:
        pytest.skip("real-time priority is not permitted here")
    file = tmp_path / "one.toml"
    file.write_text(LIVE.replace('"4 Mbps"', '"20 Mbps"'))
    script = Path(__file__).parents[2] / "bench" / "testbed_classes.py"
    core = max(os.sched_getaffinity(0))
    taker = subprocess.Popen([sys.executable, script, "--do", "core", str(core), "20", "20"])
    try:
        code, out, err = dumbbell("run", file, "--on", "kernel", "--class", "exact", "--json")
    finally:
        taker.kill()
        taker.wait()
    block = json.loads(out)["validity"]
    assert code == 5, err
    assert block["required"] == "exact"
    assert block["class"] != "exact"
    assert block["stalls"]["longest_ms"] > 10
    assert block["conservation"]["ok"] and block["replay"]["mismatches"] == 0
    assert any(
        "a late router may have moved the mean wait" in reason for reason in block["reasons"]
    )


@dataclass(frozen=True)
class Frame:
    """A packet of a capture: where and which way it went (1: in, 2: out), when, and its bytes from
    the IP header on."""

    interface: str
    way: int
    ns: int
    length: int
    packet: bytes
    comment: str

    @property
    def ecn(self) -> int:
        return self.packet[1] & 3

    @property
    def name(self) -> bytes:
        """What stays the same from host to host: all of the header but the ECN field and the
        checksum."""
        return self.packet[2:10] + self.packet[12:40]


def frames(file: Path) -> Iterator[Frame]:
    """Reads a pcapng file as draft-ietf-opsawg-pcapng describes it, independently of the
    product."""
    data, at, names = file.read_bytes(), 0, []
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        body = data[at + 8 : at + size - 4]
        if kind == 1:
            names.append(options(body[8:])[2][0].decode())
        elif kind == 6:
            interface, high, low, kept, length = struct.unpack_from("<5I", body)
            said = options(body[20 + -(-kept // 4) * 4 :])
            (way,) = struct.unpack("<I", said.get(2, [bytes(4)])[0])
            comment = said.get(1, [b""])[0].decode()
            frame = body[20 : 20 + kept]
            assert frame[12:14] == b"\x08\x00"
            yield Frame(names[interface], way, high << 32 | low, length - 14, frame[14:], comment)
        at += size


def options(data: bytes) -> dict[int, list[bytes]]:
    found: dict[int, list[bytes]] = {}
    at = 0
    while at + 4 <= len(data):
        code, length = struct.unpack_from("<HH", data, at)
        if code == 0:
            break
        found.setdefault(code, []).append(data[at + 4 : at + 4 + length])
        at += 4 + -(-length // 4) * 4
    return found


SERVER = """
import socket
echo, sink = socket.socket(type=socket.SOCK_DGRAM), socket.create_server(("", 7))
echo.bind(("", 7))
echo.sendto(*echo.recvfrom(99))
connection, _ = sink.accept()
while connection.recv(1 << 16):
    pass
"""
CLIENT = """
import socket, sys
echo = socket.socket(type=socket.SOCK_DGRAM)
echo.sendto(b"a datagram", (sys.argv[1], 7))
print(echo.recv(99))
sink = socket.create_connection((sys.argv[1], 7))
sink.sendall(bytes(600_000))
sink.shutdown(socket.SHUT_WR)
sink.recv(1)
"""


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Frame], dict[str, Any]]:
    """A datagram there and back, and a connection with ECN through a short queue: directory,
    packets, document."""
    there = tmp_path_factory.mktemp("captured")
    (there / "server.py").write_text(SERVER)
    (there / "client.py").write_text(CLIENT)
    queue = "red:min_th=2pkt,max_th=9pkt,w_q=0.5,max_p=0.5"
    words = ("--rate", "6Mbps", "--delay", "4ms", "--queue", queue, "--limit", "12pkt", "--ecn")
    words += (
        "--server",
        f"{sys.executable} {there}/server.py",
        "--pcap",
        there / "both.pcapng",
        "--out",
        there / "run",
    )
    words += ("-s", "testbed.calibrate=false", "--json", "--")
    before = time.time_ns()
    code, out, err = dumbbell("shell", *words, sys.executable, there / "client.py", "{server}")
    assert code in (0, 5), err
    seen = list(frames(there / "both.pcapng"))
    assert before < seen[0].ns <= seen[-1].ns < time.time_ns()
    return there / "run", seen, json.loads(out)


def test_a_capture_has_the_very_packets_on_both_sides_of_the_queue(captured) -> None:
    _, seen, _ = captured
    datagrams = [f for f in seen if f.packet[9] == 17]
    assert [(f.interface, f.way) for f in datagrams] == [
        ("client", 1),
        ("server", 2),
        ("server", 1),
        ("client", 2),
    ]
    assert all(f.packet[28:] == b"a datagram" for f in datagrams)
    addresses = [tuple(f.packet[12:20]) for f in datagrams]
    assert addresses == [(10, 77, 0, 1, 10, 77, 0, 2)] * 2 + [(10, 77, 0, 2, 10, 77, 0, 1)] * 2
    assert datagrams[1].ns - datagrams[0].ns >= 4_000_000
    syn = next(f for f in seen if f.packet[9] == 6)
    assert (syn.packet[33] & 2, syn.packet[40:44]) == (2, bytes([2, 4, 1460 >> 8, 1460 & 255])), (
        "Linux's own options"
    )
    long = [f for f in seen if f.length > 1000]
    assert {len(f.packet) for f in long} == {120}, "headers only"


def test_marks_and_drops_are_where_the_queue_made_them(captured) -> None:
    _, seen, document = captured
    queue = next(q for q in document["queues"] if q["name"] == "up")
    came = [f for f in seen if (f.interface, f.way) == ("client", 1)]
    left = [f for f in seen if (f.interface, f.way) == ("server", 2)]
    assert len(came) == queue["arrivals"]
    assert queue["marks"] > 0
    assert sum(f.ecn == 3 for f in came) == 0
    assert sum(f.ecn == 3 for f in left) == queue["marks"]
    dropped = [f for f in came if f.comment.startswith("dropped at up")]
    assert len(dropped) == sum(queue["drops"].values()) > 0
    assert all(any(reason in f.comment for reason in queue["drops"]) for f in dropped)
    assert sum("marked at up" in f.comment for f in came) == queue["marks"]
    names = [f.name for f in left]
    assert [f.name for f in came if f not in dropped][: len(names)] == names, (
        "the others, in their order"
    )


def test_a_link_of_a_live_run_has_real_packets_too_and_its_log_replays(
    captured, tmp_path: Path
) -> None:
    run, seen, document = captured
    queue = next(q for q in document["queues"] if q["name"] == "up")
    came, left = tmp_path / "came.pcapng", tmp_path / "left.pcapng"
    assert dumbbell("export", "pcapng", run, "--at", "up", "-o", came)[0] == 0
    assert (
        dumbbell(
            "export", "pcapng", run, "--at", "up", "--departed", "--snaplen", "60", "-o", left
        )[0]
        == 0
    )
    assert [f.packet for f in frames(came)] == [
        f.packet for f in seen if (f.interface, f.way) == ("client", 1)
    ]
    assert sum(f.ecn == 3 for f in frames(left)) == queue["marks"]
    assert sum(1 for _ in frames(left)) == queue["departures"]
    assert {len(f.packet) for f in frames(left)} <= set(range(47))
    code, out, err = dumbbell("replay", run, "--json")
    assert (code, json.loads(out)["verdict"]) == (0, "same"), err
    log = bytearray((run / "run.log").read_bytes())
    at = log.index(b"datagram")  # The bytes before are in the entry before.
    log[at] ^= 1
    (tmp_path / "run.log").write_bytes(log)
    code, _, err = dumbbell("export", "pcapng", tmp_path, "-o", tmp_path / "x.pcapng")
    assert code == 3 and "altered" in err, err


def test_headers_that_were_not_captured_are_not_invented(ran, tmp_path: Path) -> None:
    directory, _, _ = ran
    code, _, err = dumbbell("export", "pcapng", directory, "-o", tmp_path / "x.pcapng")
    assert code == 2 and "record.packets=true" in err, err
    assert not (tmp_path / "x.pcapng").exists()


def test_the_router_has_the_core_that_was_named_and_programs_stay_off_it(tmp_path: Path) -> None:
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("this machine has one core")
    show = "import os; print('cores', *sorted(os.sched_getaffinity(0)))"
    words = (
        "shell",
        "--rate",
        "8Mbps",
        "-s",
        "testbed.calibrate=false",
        "--json",
        "--out",
        tmp_path,
    )
    code, out, err = dumbbell(
        *words, "-s", f"testbed.core={cores[0]}", "--", sys.executable, "-c", show
    )
    assert code in (0, 5), err
    assert json.loads(out)["validity"]["core"] == cores[0]
    assert f"cores {' '.join(map(str, cores[1:]))}" in err
    code, _, err = dumbbell(*words, "-s", "testbed.core=4000", "--", "true")
    assert code == 4 and "core = 4000" in err and "no such core" in err, err
    code, _, err = dumbbell(*words, "-s", "testbed.core=last", "--", "true")
    assert code == 2 and "isolated" in err, err


def unprivileged(home: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `dumbbell` as a user who is not root; the interpreter is this one, or the system's if it
    is root's alone."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become somebody else")
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    paths = [
        str(Path(dumbbell_package.__file__).parents[2]),
        *(path for path in sys.path if "site-packages" in path),
    ]
    env = {
        **os.environ,
        "HOME": str(home),
        "MPLCONFIGDIR": str(home),
        "PYTHONPATH": os.pathsep.join(paths),
    }
    home.chmod(0o777)
    usable = (
        "import os, sys; from dumbbell import _native; sys.exit(not "
        "os.access(sys.executable, os.X_OK))"
    )

    def run(python: str, *words: object) -> subprocess.CompletedProcess[str]:
        command = [*user, python, *map(str, words)]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=120, env=env, cwd=home
        )

    pythons = (
        sys.executable,
        shutil.which(f"python3.{sys.version_info.minor}", path="/usr/bin:/bin"),
    )
    for python in filter(None, pythons):
        if run(python, "-c", usable).returncode == 0:
            return partial(run, python, "-m", "dumbbell")
    pytest.skip("no interpreter here is for other users")


def test_the_doctor_examines_what_a_user_without_privileges_will_run() -> None:
    with tempfile.TemporaryDirectory() as home:  # pytest's own directories are root's alone.
        check_doctor(unprivileged(Path(home)))


def check_doctor(run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = run("doctor", "--on", "kernel", "--json")
    found = json.loads(done.stdout)["testbed"]
    if not found["can"]["rootless"]:
        assert done.returncode == 4
        pytest.skip("no user namespaces here")
    assert (done.returncode, found["ok"], found["can"]["kernel"], found["can"]["programs"]) == (
        0,
        True,
        True,
        True,
    )
    assert not any("dumbbell doctor" in check["fix"] for check in found["checks"])
    # What it says is so.
    done = run("shell", "--rate", "8Mbps", "-s", "testbed.calibrate=false", "--json", "--", "true")
    assert done.returncode in (0, 5), done.stderr
    block = json.loads(done.stdout)["validity"]
    assert (block["datapath"], block["realtime"]) == (
        found["expect"]["datapath"],
        found["expect"]["realtime"],
    )
    assert block["conservation"]["ok"]
