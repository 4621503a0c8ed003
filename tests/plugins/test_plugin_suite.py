"""The suite and the first lines, for algorithms of a user's own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from dumbbell import api
from dumbbell.errors import ScenarioError
from dumbbell.plugins.new import write_rust
from helpers import plugin_examples
from helpers.plugin_examples import PaperRed, PlainTail, Reno5681
from helpers.plugins import ARRIVE, BROKEN_FILES, CC, ON_CONGESTION, body, dumbbell_command

# The suite
# --------------------------------------------------------------------------------------------------


def test_the_transcriptions_pass_the_suite() -> None:
    document = api.examine([PlainTail, PaperRed, Reno5681])
    failed = [c for a in document["algorithms"] for c in a["checks"] if c["verdict"] != "pass"]
    assert failed == []
    assert document["ok"]
    assert [len(a["checks"]) for a in document["algorithms"]] == [9, 9, 7]
    assert plugin_examples.__file__.endswith(document["algorithms"][0]["file"])


WRONG = {
    "documents_itself": body("p: float = 0.5\n" + ARRIVE + "    return PASS"),
    "accounts_for_every_packet": body(
        ARRIVE
        + (
            "    return drop() if queue.packets > 3 else PASS\ndef probe(self):\n    return "
            "{'x': float('inf')}"
        )
    ),
    "repeats_itself": body(
        "import random\n" + ARRIVE + "    return drop() if self.random.random() < 0.3 else PASS"
    ),
    "marks_what_it_may_mark": body(ARRIVE + "    return SIGNAL if queue.packets > 2 else PASS"),
    "needs_what_it_says": body(
        "def start(self, link):\n    self.n = 0\n"
        + ARRIVE
        + (
            "    return drop() if self.n > 3 else PASS\ndef admitted(self, packet):\n    "
            "self.n += 1\n"
        )
        + "def gone(self, packet, how):\n    self.n -= 1"
    ),
    "keeps_the_limit": body(ARRIVE + "    return drop('overflow') if queue.packets > 2 else PASS"),
    "is_what_its_log_says": body(
        "all = []\n"
        + ARRIVE
        + "    self.all.append(1)\n    return drop() if len(self.all) % 7 == 0 else PASS"
    ),
    "falls_on_congestion": body(
        "def on_ack(self, ack, orders):\n    self.cwnd += 1\n"
        "def on_congestion(self, event, orders):\n    if event.cause == 'timeout':\n        "
        "self.cwnd = self.mss\n",
        CC,
    ),
    "starts_with_a_segment": body(
        "def start(self, path):\n    super().start(path)\n    self.cwnd = 10\n"
        "def on_ack(self, ack, orders):\n    pass\ndef on_congestion(self, event, orders):\n    "
        "self.cwnd = self.mss\n",
        CC,
    ),
    "keeps_the_rules": body("def on_ack(self, ack, orders):\n    pass\n" + ON_CONGESTION, CC),
}


@pytest.mark.parametrize("check", WRONG)
def test_the_suite_finds_what_is_wrong(tmp_path: Path, check: str) -> None:
    (tmp_path / "mine.py").write_text(WRONG[check])
    done = dumbbell_command("test", "mine.py", "--json", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    checks = {c["name"]: c for c in json.loads(done.stdout)["algorithms"][0]["checks"]}
    assert checks[check]["verdict"] == "fail"
    assert checks[check]["reason"]
    told = dumbbell_command("test", "mine.py", cwd=tmp_path)
    assert told.returncode == 3
    assert f"fail  {check}:" in told.stdout


def test_a_finding_is_shown_with_as_little_traffic_as_it_takes(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        body(ARRIVE + "    return 1 // (3 - queue.packets) and PASS or PASS")
    )
    done = dumbbell_command("test", "mine.py", "--json", cwd=tmp_path)
    reasons = [
        c["reason"]
        for c in json.loads(done.stdout)["algorithms"][0]["checks"]
        if c["verdict"] == "fail"
    ]
    assert reasons
    assert all("ZeroDivisionError" in r and "line 8, in arrive" in r for r in reasons)
    assert max(int(n) for r in reasons for n in re.findall(r"(\d+) packets\)$", r)) <= 8, reasons


def test_what_cannot_be_examined_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def (:\n")
    assert dumbbell_command("test", "mine.py", cwd=tmp_path).returncode == 2
    assert dumbbell_command("test", "none.py", cwd=tmp_path).returncode == 2
    assert dumbbell_command("test", "mine.txt", cwd=tmp_path).returncode == 2


def test_the_suite_refuses_what_a_run_refuses(tmp_path: Path) -> None:
    for case in ("abstract", "annotation", "default", "no default", "catalogue"):
        source, told = BROKEN_FILES[case]
        (tmp_path / "mine.py").write_text(source)
        done = dumbbell_command("test", "mine.py", "--json", cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr
        assert told in " ".join(json.loads(done.stdout)["error"]["text"].split())


def test_the_speed_of_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    told = {
        (): "name one file",
        ("none.py",): "there is no file none.py",
        ("empty.py",): "empty.py has no algorithm",
    }
    for words, what in told.items():
        command = [sys.executable, "-m", "dumbbell.bench.plugin_speed", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout) == (2, "")
        assert what in done.stderr
        assert "Traceback" not in done.stderr


# The first lines
# --------------------------------------------------------------------------------------------------


def test_the_first_lines_in_python_are_typed_and_pass_the_suite(tmp_path: Path) -> None:
    for kind in ("aqm", "cc"):
        name = f"my_{kind}"
        done = dumbbell_command("new", kind, name, "--python", "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["written"] == [f"{name}.py"]
        assert dumbbell_command("test", f"{name}.py", cwd=tmp_path).returncode == 0
        source = (tmp_path / f"{name}.py").read_text()
        again = dumbbell_command("new", kind, name, "--python", cwd=tmp_path)
        assert again.returncode == 1
        assert "already exists" in again.stderr
        assert (tmp_path / f"{name}.py").read_text() == source
    strict = [sys.executable, "-m", "mypy", "--strict", "my_aqm.py", "my_cc.py"]
    typed = subprocess.run(strict, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert typed.returncode == 0, typed.stdout


def test_names_that_cannot_be_are_refused(tmp_path: Path) -> None:
    for name in ("MyRed", "7up", "red", "lambda"):
        assert dumbbell_command("new", "aqm", name, "--python", cwd=tmp_path).returncode == 2
    for name in ("fn", "mod", "self", "type", "async"):
        with pytest.raises(
            ScenarioError,
            match=f"`{name}` is a keyword of Rust: use another name, as my_{name}",
        ):
            write_rust("aqm", name, tmp_path)
    outside = dumbbell_command("new", "aqm", "my_own", cwd=tmp_path)
    assert outside.returncode == 1
    assert "not in a checkout" in outside.stderr
    assert list(tmp_path.iterdir()) == []
