"""Algorithms of a user's own that fail, never end or print: told, ended, kept apart."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell.errors import DumbbellError, ScenarioError
from helpers.plugins import (
    ARRIVE,
    BROKEN_FILES,
    CC,
    HALF_FULL,
    NET,
    ON_CONGESTION,
    RUNAWAY,
    TOML,
    USES,
    body,
    dumbbell_command,
)

# Mistakes
# --------------------------------------------------------------------------------------------------


WRONG_QUEUES = {
    "raises": (
        ARRIVE + "    return 1 / 0",
        "ZeroDivisionError: division by zero (mine.py, line 8, in arrive)",
    ),
    "no answer": (
        ARRIVE + "    pass",
        "arrive returned None: return PASS, MARK, SIGNAL, drop(...) or evict(...)",
    ),
    "a word": (ARRIVE + "    return 'drop'", "arrive returned 'drop'"),
    "a reason": (ARRIVE + "    return drop('because')", "`because` is not a reason of a queue"),
    "evicts": (
        ARRIVE + "    return evict(0)",
        'evict(0), which is an answer of `arrive` with needs = "held"',
    ),
    "evicts nobody": (
        "needs = 'held'\n" + ARRIVE + "    return evict(99)",
        "evict(99): only 0 packets wait",
    ),
    "no room": (
        "needs = 'held'\n"
        + ARRIVE
        + "    return PASS\ndef make_room(self, cx, queue, packet):\n    return 99",
        "make_room: slot 99, and only",
    ),
    "a tick of nothing": (
        ARRIVE + "    return PASS\ndef tick(self, cx, queue):\n    return 0",
        "tick returned 0 s: the next tick must lie ahead",
    ),
    "a tick of text": (
        ARRIVE + "    return PASS\ndef tick(self, cx, queue):\n    return 'soon'",
        "tick returned 'soon'",
    ),
    "needs": (
        "needs = 'much'\n" + ARRIVE + "    return PASS",
        'needs = "much": it is "arrival" or "held"',
    ),
    "start": (
        "def start(self, link):\n    link.nothing\n" + ARRIVE + "    return PASS",
        "AttributeError",
    ),
    "depart": (
        "needs = 'held'\n"
        + ARRIVE
        + "    return PASS\ndef depart(self, cx, queue, packet, sojourn):\n    return 3",
        "depart returned 3",
    ),
}
WRONG_CONTROLS = {
    "nan": (
        "def on_ack(self, ack, orders):\n    self.cwnd = float('nan')\n" + ON_CONGESTION,
        "cwnd is NaN",
    ),
    "negative": (
        "def on_ack(self, ack, orders):\n    self.cwnd = -5\n" + ON_CONGESTION,
        "cwnd is -5",
    ),
    "text": (
        "def on_ack(self, ack, orders):\n    self.cwnd = 'wide'\n" + ON_CONGESTION,
        "cwnd is 'wide': it is a number",
    ),
    "none": (
        "def on_ack(self, ack, orders):\n    self.cwnd = None\n" + ON_CONGESTION,
        "cwnd is None",
    ),
    "raises": (
        "def on_ack(self, ack, orders):\n    raise KeyError('x')\n" + ON_CONGESTION,
        "KeyError: 'x' (mine.py, line",
    ),
    "no clock": (
        "def on_ack(self, ack, orders):\n    self.timer = ack.now + 1\n" + ON_CONGESTION,
        "the class has no on_timer",
    ),
    "a clock that stands": (
        "def on_ack(self, ack, orders):\n    self.timer = ack.now\n"
        + ON_CONGESTION
        + "def on_timer(self, now, orders):\n    pass",
        "left `timer` where it was",
    ),
    "a tag of text": (
        "def on_ack(self, ack, orders):\n    pass\n"
        + ON_CONGESTION
        + "def on_sent(self, sent):\n    return 'me'",
        "on_sent returned 'me'",
    ),
    "no recovery": (
        "recovery = 'renoo'\ndef on_ack(self, ack, orders):\n    pass\n" + ON_CONGESTION,
        "recovery = 'renoo': write one of tahoe, reno, newreno, sack, or None",
    ),
    "no echo": (
        "echo = 3\ndef on_ack(self, ack, orders):\n    pass\n" + ON_CONGESTION,
        "echo = 3: write one of rfc3168",
    ),
}


def failing(tmp_path: Path, source: str, part: dict[str, Any]) -> DumbbellError:
    (tmp_path / "mine.py").write_text(source)
    with pytest.raises(DumbbellError) as raised:
        dumbbell.Scenario({**NET, "use": [str(tmp_path / "mine.py")], **part}).run()
    return raised.value


@pytest.mark.parametrize(("lines", "told"), WRONG_QUEUES.values(), ids=WRONG_QUEUES)
def test_a_queue_that_cannot_go_on_is_named(tmp_path: Path, lines: str, told: str) -> None:
    error = failing(tmp_path, body(lines), {"queue": {"kind": "mine", "limit": "5 pkt"}})
    assert error.code == 1
    problem = error.detail["problems"][0]
    assert told in problem["cause"]
    assert problem["cause"].startswith("mine failed at ")
    assert problem["algorithm"] == "mine"
    assert "mine.py" in problem["cause"]


@pytest.mark.parametrize(("lines", "told"), WRONG_CONTROLS.values(), ids=WRONG_CONTROLS)
def test_a_congestion_control_that_cannot_go_on_is_named(
    tmp_path: Path, lines: str, told: str
) -> None:
    error = failing(tmp_path, body(lines, CC), {"flow": [{"cc": "mine"}]})
    assert error.code == 1
    assert told in error.detail["problems"][0]["cause"]


def test_a_failure_ends_with_the_users_traceback_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HALF_FULL.replace("cx.rng.unit()", "cx.rng.uniform()"))
    (tmp_path / "s.toml").write_text(
        'use = ["mine.py"]\nqueue = { kind = "half_full", limit = "20 pkt" }\n' + TOML
    )
    done = dumbbell_command(
        "run", "s.toml", "--out", "results", "--record-every", "100 ms", cwd=tmp_path
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    assert 'mine.py", line 11, in arrive' in done.stderr
    assert "half_full failed at " in done.stderr
    assert not list(tmp_path.glob("results/**/*.parquet"))


def test_of_several_failures_the_first_traceback_is_shown(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HALF_FULL.replace("cx.rng.unit()", "cx.rng.uniform()"))
    (tmp_path / "s.toml").write_text(
        'use = ["mine.py"]\nqueue = { kind = "half_full", limit = "20 pkt" }\n' + TOML
    )
    done = dumbbell_command("run", "s.toml", "--replications", "2", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("Traceback (most recent call last):") == 1
    assert 'mine.py", line 11, in arrive' in done.stderr
    assert "2 runs failed" in done.stderr


@pytest.mark.parametrize(("source", "told"), BROKEN_FILES.values(), ids=BROKEN_FILES)
def test_a_broken_file_is_an_error_of_the_scenario(tmp_path: Path, source: str, told: str) -> None:
    error = failing(tmp_path, source, {})
    assert error.code == 2
    assert told in error.detail["problems"][0]["cause"]
    assert "None" not in error.detail["problems"][0]["cause"]


def test_two_sources_of_one_name_are_told(tmp_path: Path) -> None:
    for name, p in (("a.py", "0.1"), ("b.py", "0.2")):
        (tmp_path / name).write_text(HALF_FULL.replace("0.1", p))
    with pytest.raises(ScenarioError, match=r"b\.py brings `half_full`, and a\.py has that name"):
        dumbbell.Scenario({**NET, "use": [str(tmp_path / n) for n in ("a.py", "b.py")]}).check()
    (tmp_path / "b.py").write_text((tmp_path / "a.py").read_text())
    dumbbell.Scenario({**NET, "use": [str(tmp_path / n) for n in ("a.py", "b.py")]}).check()


# What is printed, and how a process ends
# --------------------------------------------------------------------------------------------------


def test_what_an_algorithm_prints_is_not_in_the_document(tmp_path: Path) -> None:
    text = HALF_FULL.replace("        if queue", "        print('decides')\n        if queue")
    (tmp_path / "mine.py").write_text("print('loads')\n" + text)
    (tmp_path / "s.toml").write_text(USES)
    deciding = ["run s.toml", "sweep s.toml --no-store -o queue.p=0.1,0.2"]
    reading = ["check s.toml", "list", "explain half_full", "schema"]
    for words in [*(f"{one} --use mine.py" for one in deciding + reading), "test mine.py"]:
        done = dumbbell_command(*words.split(), "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        json.loads(done.stdout)
        assert "loads\n" in done.stderr
        assert ("decides\n" in done.stderr) == (words.split()[0] in ("run", "sweep", "test"))


@pytest.mark.parametrize("place", ["loading", "deciding"])
def test_what_is_written_to_the_descriptor_is_not_in_the_document(
    tmp_path: Path, place: str
) -> None:
    """By the system's call, by C, and by a program."""
    lines = [
        "os.write(1, b'written\\n')",
        "ctypes.CDLL(None).puts(b'from C')",
        "os.system('echo started')",
    ]
    decision = "; ".join([*lines, "HalfFull.arrive = lambda *_: PASS", "return PASS"])
    text = (
        HALF_FULL.replace("        if queue", f"        {decision}\n        if queue")
        if place == "deciding"
        else HALF_FULL
    )
    loading = "\n".join(lines) if place == "loading" else ""
    (tmp_path / "mine.py").write_text(f"import ctypes, os\n{loading}\n{text}")
    (tmp_path / "s.toml").write_text(USES)
    done = dumbbell_command("run", "s.toml", "--use", "mine.py", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)
    for said in ("written", "from C", "started"):
        assert f"{said}\n" in done.stderr


@pytest.mark.parametrize(("place", "code"), [("loading", 2), ("deciding", 1)])
def test_leaving_the_process_is_no_success(tmp_path: Path, place: str, code: int) -> None:
    text = (
        HALF_FULL
        if place == "loading"
        else HALF_FULL.replace("        if queue", "        os._exit(0)\n        if queue")
    )
    (tmp_path / "mine.py").write_text(
        f"import os\n{'os._exit(0)' if place == 'loading' else ''}\n{text}"
    )
    (tmp_path / "s.toml").write_text(USES)
    done = dumbbell_command("run", "s.toml", "--use", "mine.py", "--json", cwd=tmp_path)
    assert done.returncode == code
    assert (
        "os._exit(0) would end the command without a result"
        in json.loads(done.stdout)["error"]["text"]
    )


def test_a_process_that_the_algorithm_forked_can_leave(tmp_path: Path) -> None:
    forking = (
        "import os\nif not os.fork():\n    "
        "os._exit(7)\nprint(os.waitstatus_to_exitcode(os.wait()[1]))\n"
    )
    (tmp_path / "mine.py").write_text(forking + HALF_FULL)
    done = dumbbell_command("list", "--use", "mine.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "7\n")


def test_a_recursion_without_end_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        RUNAWAY + HALF_FULL.replace("        if queue", "        deeper(0)\n        if queue")
    )
    (tmp_path / "s.toml").write_text(USES)
    done = dumbbell_command("run", "s.toml", "--use", "mine.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "more calls]" in done.stderr
    assert "RecursionError" in done.stderr
    assert done.stderr.count("in deeper") < 200


def test_a_file_that_has_no_end_is_refused(tmp_path: Path) -> None:
    pipe = str(tmp_path / "pipe.py")
    os.mkfifo(pipe)
    for file, what in (("/dev/zero", "a device"), (pipe, "a pipe")):
        with pytest.raises(ScenarioError) as refused:
            dumbbell.Scenario({**NET, "use": [file]}).check()
        cause = refused.value.detail["problems"][0]["cause"]
        assert cause == f"{file} cannot be read: it is {what}, and only regular files are read"
