"""Programs of others on a user-mode kernel: what they see, what is told, the same each time."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import unsealed
from dumbbell.linux import kernels
from helpers.command import dumbbell

SLOW = ("shell", "--on", "linux", "--rate", "10Mbps", "--delay", "20ms")
PYTHON = (sys.executable, "-c")
ANSWERS = """
import socket
here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
here.bind(("", 7000))
while True:
    asked, who = here.recvfrom(2000)
    here.sendto(asked.upper(), who)
"""
ASKS = """
import socket, sys, time
here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
here.settimeout(1)
for number in range(5):
    began = time.monotonic()
    here.sendto(b"question %d" % number, (sys.argv[1], 7000))
    answer = here.recv(2000).decode()
    print(f"{answer} {1e3 * (time.monotonic() - began):.6f}")
    time.sleep(0.1)
"""
LOOKS = """
import os, socket, subprocess, sys
print(sorted(os.environ))
print(os.getcwd(), os.path.exists("here"))
for place in (os.path.expanduser("~"), "/tmp", "/etc", "."):
    try:
        open(os.path.join(place, "written"), "w").close()
        print("written")
    except OSError as error:
        print(error.strerror)
print(socket.gethostbyname("server"), socket.gethostbyname("client"))
print(repr(sys.stdin.read()))
print(len(os.urandom(8)), subprocess.run(["true"]).returncode)
print("and this is an error", file=sys.stderr)
"""


@pytest.fixture(scope="module")
def kernel() -> None:
    """Skips where none was built, unless DUMBBELL_REQUIRE has `linux`."""
    if kernels.current() is None:
        required = "linux" in os.environ.get("DUMBBELL_REQUIRE", "")
        (pytest.fail if required else pytest.skip)("no kernel: dumbbell linux build")


def needs(program: str) -> str:
    """The program, as a guest finds it; skips where it is not installed."""
    found = shutil.which(program, path="/usr/local/bin:/usr/bin:/bin")
    return found or pytest.skip(f"{program} is not installed")


@pytest.fixture(scope="module")
def asked(
    kernel: None, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Five questions and answers over UDP, recorded: the directory, and what the command said."""
    here = tmp_path_factory.mktemp("asked")
    (here / "answers.py").write_text(ANSWERS)
    (here / "asks.py").write_text(ASKS)
    return here / "out", ask(here)


def ask(here: Path) -> subprocess.CompletedProcess[str]:
    server = f"{sys.executable} answers.py"
    words = ("--server", server, "--out", here / "out", "--pcap", "x.pcapng")
    asks = (sys.executable, "asks.py", "{server}")
    return dumbbell(*SLOW, *words, "--", *asks, timeout_s=240, cwd=here)


def summary(out: Path) -> dict[str, Any]:
    return json.loads((out / "summary.json").read_text())


def test_programs_meet_the_network_that_was_asked_for_in_virtual_time(
    asked: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    out, done = asked
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [words[:2] for words in lines] == [["QUESTION", str(n)] for n in range(5)]
    # 38 bytes of IP each way at 10 Mbit/s, and a few readings of the clock.
    assert all(float(words[2]) == pytest.approx(40 + 2 * 0.0304, abs=0.02) for words in lines)
    assert "5 packets" in done.stderr
    assert summary(out)["fingerprint"] in done.stderr
    program = summary(out)["program"]
    assert program["exit_code"] == 0
    assert program["ended_s"] - program["started_s"] == pytest.approx(5 * 0.14, abs=0.01)


def test_a_result_opens_like_any_other(
    asked: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    out, _ = asked
    assert dumbbell("view", out, "--out", tmp_path / "page.html").returncode == 0
    assert (tmp_path / "page.html").stat().st_size > 10_000
    assert (out / "queue.png").exists()
    packets = out.with_name("x.pcapng").read_bytes()
    assert packets.count(b"question 3") == 2, "before the queue and behind it"
    assert packets.count(b"QUESTION 3") == 2


def test_the_log_of_programs_replays_beside_its_summary(
    asked: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    out, _ = asked
    done = dumbbell("replay", out)
    assert done.returncode == 0, done.stderr
    assert f"{out / 'summary.json'} agrees with it" in done.stdout.replace("\n", " ")
    cut = out.with_name("cut")
    shutil.copytree(out, cut)
    unsealed(cut, fingerprint="0" * 16)
    done = dumbbell("replay", cut)
    assert done.returncode == 0
    assert "was not compared" in done.stdout and "agrees" not in done.stdout
    other = out.with_name("wrong")
    shutil.copytree(out, other)
    unsealed(other, fingerprint="0" * 16, duration_s=24 * 3600.0)
    done = dumbbell("replay", other)
    assert done.returncode == 3
    assert "CONTRADICTS" in done.stdout


def test_the_same_command_has_the_same_result(
    asked: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    out, done = asked
    before = summary(out)["fingerprint"]
    again = ask(out.parent)
    assert again.stdout == done.stdout
    assert summary(out)["fingerprint"] == before


def test_a_program_sees_the_files_of_this_machine_and_changes_none(
    kernel: None, tmp_path: Path
) -> None:
    (tmp_path / "here").touch()
    done = dumbbell(*SLOW, "--", *PYTHON, LOOKS, timeout_s=240, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "['HOME', 'LC_ALL', 'OPENSSL_ia32cap', 'PATH', 'TZ']"
    assert lines[1] == f"{tmp_path} True"
    assert lines[2:6] == ["written", "written", *["Read-only file system"] * 2]
    assert lines[6:] == ["10.77.0.2 10.77.0.1", "''", "8 0"]
    assert "and this is an error" in done.stderr
    assert "no packet crossed the link" in done.stderr


def test_an_exit_code_is_the_commands(kernel: None, tmp_path: Path) -> None:
    words = (*SLOW, "--out", tmp_path / "out", "--", "sh", "-c")
    assert dumbbell(*words, "exit 7", timeout_s=240).returncode == 7
    assert dumbbell(*words, "kill -9 $$", timeout_s=240).returncode == 128 + 9


def test_a_program_that_never_ends_is_ended(kernel: None, tmp_path: Path) -> None:
    words = (*SLOW, "--time", "1h", "--out", tmp_path / "out", "--json", "--", "sleep", "1d")
    done = dumbbell(*words, timeout_s=240)
    assert done.returncode == 128 + signal.SIGTERM, done.stderr
    data = json.loads(done.stdout)
    assert data["program"]["signal"] == signal.SIGTERM
    assert data["program"]["ended_s"] == pytest.approx(3600, abs=1)
    assert data["program"]["in_time"] is False
    assert data["duration_s"] == pytest.approx(3600, abs=1)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--", "no-such-program"], 4, "install no-such-program"),
        (["--", "/etc/passwd"], 4, "executable"),
        (["--server", "false", "--", "true"], 4, "before the program began"),
        (["--class", "loose", "--", "true"], 2, "no class"),
        (["--live", "--", "true"], 2, "--live"),
    ],
)
def test_what_cannot_be_run_is_told(
    kernel: None, tmp_path: Path, words: list[str], code: int, said: str
) -> None:
    refused = dumbbell(*SLOW, *words, timeout_s=240, cwd=tmp_path)
    assert refused.returncode == code, refused.stderr
    assert said in refused.stderr
    assert not list(tmp_path.glob("results/shell/*"))


def test_without_a_kernel_it_says_how_to_build_one(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dumbbell", *SLOW, "--", "true"]
    own = {key: value for key, value in os.environ.items() if key != kernels.VARIABLE}
    own["XDG_CACHE_HOME"] = str(tmp_path)
    told = subprocess.run(
        command, env=own, capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert told.returncode == 4
    assert "dumbbell linux build" in told.stderr


def test_iperf3_fills_the_link_and_is_the_same_twice(kernel: None, tmp_path: Path) -> None:
    needs("iperf3")
    words = (*SLOW, "--server", "iperf3 -s -1", "--out", tmp_path / "out", "--json")
    client = ("--", "iperf3", "-c", "{server}", "-t", "3", "--json")
    first, second = (json.loads(dumbbell(*words, *client, timeout_s=240).stdout) for _ in range(2))
    assert first["fingerprint"] == second["fingerprint"]
    assert first["program"]["iperf3"] == second["program"]["iperf3"]
    up = next(queue for queue in first["queues"] if queue["name"] == "up")
    assert up["utilization"] > 0.8
    sent = first["program"]["iperf3"]["streams"][0]["received"]["bps"]
    assert 8e6 < sent < 10e6 * 1448 / 1500


def test_curl_loads_a_file_from_a_server_in_python(kernel: None, tmp_path: Path) -> None:
    needs("curl")
    (tmp_path / "big").write_bytes(os.urandom(200_000))
    server = f"{sys.executable} -m http.server 80"
    speed = "%{size_download} %{time_total}\n"
    client = ("--", "curl", "-so", "/dev/null", "-w", speed, "http://{server}/big")
    done = dumbbell(*SLOW, "--server", server, *client, timeout_s=240, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    size, seconds = done.stdout.split()
    assert int(size) == 200_000
    assert 0.2 < float(seconds) < 0.5


def guests(session: int) -> int:
    """How many processes of a session are a guest's: its kernel, and each of its programs."""
    kernel = kernels.current()
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            stat = (process / "stat").read_text().rpartition(")")[2].split()
            found += (
                kernel is not None
                and int(stat[3]) == session
                and (process / "exe").readlink() == kernel.program
            )
        except OSError:
            continue
    return found


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_nothing_is_left_of_a_run_that_is_stopped(
    kernel: None, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    (tmp_path / "tmp").mkdir()
    command = [sys.executable, "-m", "dumbbell", *SLOW, "--", *PYTHON, "while True: pass"]
    own = os.environ | {"TMPDIR": str(tmp_path / "tmp")}
    with (tmp_path / "said").open("wb") as said:
        running = subprocess.Popen(
            command, env=own, stdout=said, stderr=said, cwd=tmp_path, start_new_session=True
        )
        try:
            patience = time.monotonic() + 120
            while guests(running.pid) < 2 or list((tmp_path / "tmp").iterdir()):
                assert running.poll() is None
                assert time.monotonic() < patience
                time.sleep(0.1)
        finally:
            running.send_signal(number)
            assert running.wait(60) == code
    patience = time.monotonic() + 30
    while guests(running.pid) and time.monotonic() < patience:
        time.sleep(0.1)
    assert not guests(running.pid)
    if number == signal.SIGINT:
        assert not list(tmp_path.glob("results/shell/*"))
