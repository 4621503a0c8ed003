"""Scripts from Python and from the command line; what they mean is tested in Rust."""

from __future__ import annotations

import re
from pathlib import Path

import dumbbell
import pytest
from helpers.command import document
from helpers.command import dumbbell as command

ROOT = Path(__file__).resolve().parents[2]
HOLDS = "sender cc=newreno\n0 write 2 pkt\n0 > s1-s2\n"
FAILS = HOLDS + "0.1 < ack s3\n0.1 ? cwnd == 3 pkt\n"
UNREADABLE = HOLDS + "0.1 ? cwmd == 3 pkt\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"holds": HOLDS, "fails": FAILS, "unreadable": UNREADABLE}.items():
        (tmp_path / f"{name}.dbs").write_text(text)
    return tmp_path


def test_the_traces_of_the_rfcs_hold() -> None:
    told = document("script", ROOT / "scripts" / "tcp")
    assert told["ok"] and len(told["scripts"]) > 20
    assert {s["file"] for s in told["scripts"]} == {
        str(path) for path in (ROOT / "scripts" / "tcp").rglob("*.dbs")
    }


def test_an_outcome_in_python(folder: Path) -> None:
    assert dumbbell.scripts.run(folder / "holds.dbs").ok
    outcome = dumbbell.scripts.run(folder / "fails.dbs")
    (failure,) = outcome.failures
    assert not outcome.ok
    assert (failure.line, failure.at_s, failure.expected) == (5, 0.1, "cwnd == 3 pkt")
    assert failure.history[-1] == "0.100000 < ack 2001"
    assert f"{folder / 'fails.dbs'}:5:7" in str(outcome)


def test_what_cannot_be_read_is_refused_with_the_fix(folder: Path) -> None:
    with pytest.raises(dumbbell.ScenarioError, match="did you mean `cwnd`"):
        dumbbell.scripts.run(folder / "unreadable.dbs")
    with pytest.raises(dumbbell.ScenarioError, match=r"none\.dbs cannot be read: No such file"):
        dumbbell.scripts.run(folder / "none.dbs")
    (folder / "bytes.dbs").write_bytes(b"\xff\xfe")
    with pytest.raises(dumbbell.ScenarioError, match=r"bytes\.dbs cannot be read"):
        dumbbell.scripts.run(folder / "bytes.dbs")


@pytest.mark.parametrize("end", ["sender", "receiver"])
def test_every_name_that_a_claim_may_use_is_on_the_page(end: str) -> None:
    with pytest.raises(dumbbell.ScenarioError) as refused:
        dumbbell.scripts.run_text(f"{end}\n0 ? xylophone == 1")
    known = (
        re.sub(r"[\s│]+", " ", refused.value.rendered)
        .split("known are ")[1]
        .split(", and cc.NAME")[0]
        .split(", ")
    )
    page = (ROOT / "docs" / "reference" / "scripts.md").read_text()
    assert "deadline" in known
    assert [name for name in known if f"`{name}`" not in page] == []


def test_exit_codes(folder: Path) -> None:
    assert command("script", folder / "holds.dbs").returncode == 0
    done = command("script", folder / "holds.dbs", folder / "fails.dbs")
    assert done.returncode == 3
    assert "came 10000 B (10 pkt)" in done.stdout and "1 of 2 scripts hold" in done.stdout
    told = document("script", folder / "fails.dbs", code=3)
    assert not told["ok"] and told["scripts"][0]["failures"][0]["came"] == "10000 B (10 pkt)"
    refused = document("script", folder / "unreadable.dbs", code=2)
    assert refused["error"]["problems"][0]["line"] == 4
    (folder / "empty").mkdir()
    assert "has no script" in command("script", folder / "empty").stderr
