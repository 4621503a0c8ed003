"""`why` as a command: which run of a result it asks, what it prints, what it refuses, and what it
needs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import dumbbell
import polars as pl
import pytest
from conftest import unsealed
from dumbbell import CheckFailed, EnvironmentLacks, ScenarioError, cli
from dumbbell.errors import DumbbellError
from dumbbell.explain import runs, why
from dumbbell.explain.why import record
from helpers.recorded_runs import BASE, first_repaired_drop, rows, run


@pytest.fixture(scope="module")
def overflow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A single flow against a short queue."""
    return run(tmp_path_factory.mktemp("why") / "overflow")


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    code = cli._code([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_run_without_packets_is_repeated_and_must_be_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run(tmp_path / "bare", packets=False, duration="2 s")
    code, printed, errors = command(capsys, "why", out, "--time", "1s", "--within", "1s", "--json")
    answer = json.loads(printed)
    assert code == 0 and answer["repeated"] and answer["kind"] != "nothing"
    assert errors.count("\n") == 1 and answer["fingerprint"] in errors
    assert sorted(p.name for p in out.iterdir()) == ["scenario.toml", "summary.json"]
    recorded = run(tmp_path / "recorded", duration="2 s")
    same = json.loads(
        command(capsys, "why", recorded, "--time", "1s", "--within", "1s", "--json")[1]
    )
    assert same["text"] == answer["text"] and not same["repeated"]
    unsealed(out, fingerprint="0" * 16)
    code, printed, errors = command(capsys, "why", out, "--time", "1s")
    assert (code, printed) == (5, "") and "instead of 0000000000000000" in errors


def test_points_and_seeds_are_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = {**BASE, "duration": "2 s", "flow": [{"name": "s", "start_spread": "100 ms"}]}
    out = tmp_path / "sweep"
    sweep = dumbbell.Scenario(tables).sweep(
        {"queue.limit": ["10 pkt", "30 pkt"]}, replications=2, seed=5, out=out
    )
    with pytest.raises(
        ScenarioError, match=r"select a point with --point\n  --point 1: queue.limit = 10 pkt"
    ):
        why.ask(out, "s", time_s=1.0)
    for point, limit in ((1, 10), (2, 30)):
        for seed in (5, 6):
            arguments = (
                "why",
                out,
                "--point",
                point,
                "--seed",
                seed,
                "--time",
                "1s",
                "--within",
                "1s",
                "--json",
            )
            answer = json.loads(command(capsys, *arguments)[1])
            assert answer["fingerprint"] == list(sweep)[point - 1][1].runs[seed - 5].fingerprint
            assert answer["decision"]["queue_packets"] == limit
    with pytest.raises(ScenarioError, match="no run with seed 7; its seeds are 5, 6"):
        why.ask(out, "s", time_s=1.0, point=1, seed=7)


def test_a_point_that_failed_is_named_and_others_answer(tmp_path: Path) -> None:
    out = run(tmp_path / "whole", duration="1 s")
    one = json.loads((out / "summary.json").read_text())
    failed = {"overrides": {"queue.max_p": 7}, "error": {"code": 2, "message": "7 is out of range"}}
    sweep = {
        "name": "known",
        "version": one["version"],
        "points": [failed, {"overrides": {}, **one}],
    }
    (tmp_path / "summary.json").write_text(json.dumps(sweep))
    (out / "summary.json").unlink()
    out.rename(tmp_path / "point-2")
    with pytest.raises(ScenarioError, match="has no result: 7 is out of range"):
        why.ask(tmp_path, "s", time_s=0.5, point=1)
    assert why.ask(tmp_path / "point-2", "s", time_s=0.5).flow == "s"


def test_an_algorithm_of_ones_own_is_explained_by_its_probe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(
        "import dumbbell\n"
        "from dumbbell import PASS, drop\n\n\n"
        "class HalfFull(dumbbell.Aqm):\n"
        '    """Drops by chance when more than half full."""\n\n'
        "    def start(self, link):\n"
        "        self.coin = 1.0\n\n"
        "    def arrive(self, cx, queue, packet, fits):\n"
        "        self.coin = cx.rng.unit()\n"
        '        return drop("early") if queue.fullness > 0.5 and self.coin < 0.1 else PASS\n\n'
        "    def probe(self):\n"
        '        return {"coin": self.coin}\n'
    )
    monkeypatch.chdir(tmp_path)
    scenario = {
        **BASE,
        "duration": "2 s",
        "use": ["mine.py"],
        "queue": {"kind": "half_full", "limit": "40 pkt"},
    }
    dumbbell.Scenario(scenario, name="own").run(out=tmp_path / "out")
    text = why.told(why.ask("out", "s", time_s=1.0, within_s=1.0, use=["mine.py"]))
    shown = (
        r"\(half_full\) .* early: it found \d+ packets waiting; the decision used coin = ([\d.]+)\."
    )
    (coin,) = re.findall(shown, text)
    assert float(coin) < 0.1
    monkeypatch.chdir("/")
    with pytest.raises(ScenarioError, match=r"cannot be repeated:\n[^$]*there is no file mine.py"):
        why.ask(tmp_path / "out", "s", time_s=1.0, use=["mine.py"])
    with pytest.raises(ScenarioError, match="Dumbbell does not run code from a result"):
        why.ask(tmp_path / "out", "s", time_s=1.0)
    use = [str(tmp_path / "mine.py")]
    repeated = record.load(runs.locate(tmp_path / "out"), "s", use)
    assert why.told(why.of_record(repeated, time_s=1.0, within_s=1.0)) == text


def test_json_has_the_rows_numbers_and_text_is_what_people_read(
    overflow: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drop = first_repaired_drop(overflow)
    code, printed, _ = command(capsys, "why", overflow, "--packet", drop["packet"], "--json")
    answer = json.loads(printed)
    assert code == 0
    for key in (
        "sent_ps",
        "dropped_ps",
        "dropped_at",
        "reason",
        "seq",
        "payload_bytes",
        "retransmit",
    ):
        assert answer["packet"][key] == drop[key]
    hop = (
        rows(overflow, "hops")
        .filter((pl.col("from") == "sender") & (pl.col("packet") == drop["packet"]))
        .row(-1, named=True)
    )
    shown = answer["packet"]["hops"][-1]
    assert {k: shown[k] for k in ("link", "arrived_ps", "backlog_packets", "dropped_ps")} == {
        k: hop[k] for k in ("link", "arrived_ps", "backlog_packets", "dropped_ps")
    }
    code, printed, _ = command(capsys, "why", overflow, "--seq", drop["seq"] + 17)
    assert code == 0
    assert " ".join(printed.split("\n\n")[0].split()) == answer["text"]
    for title in (
        f"Packet {drop['packet']} of s",
        "What decided",
        "What the sender did",
        "Sent again",
    ):
        assert title in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--time", "12.4"), "a time needs its unit: write --time 12.4s"),
        (("--time", "soon"), "this is not a time"),
        (("--time", "9 s"), "the run lasts from 0 s to 5 s: 9 s is outside"),
        (("--flow", "t", "--time", "1 s"), "there is no flow `t`; flows by number and name: 1 = s"),
        (("--packet", "99999999"), "sent no packet 99999999"),
        (("--seq", "99999999999"), "no packet of s carried byte 99999999999"),
        ((), "give a time"),
        (("--packet", "1", "--time", "1 s"), "selects the packet"),
        (("--point", "2", "--time", "1 s"), "it has no point 2"),
    ],
)
def test_wrong_questions(
    overflow: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    code, printed, errors = command(capsys, "why", overflow, *arguments)
    assert (code, printed) == (2, "")
    assert message in errors


def test_without_polars_the_fix_is_named(overflow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(EnvironmentLacks, match="pip install polars"):
        record.load(runs.locate(overflow), "s")


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    out = run(tmp_path / "damaged", duration="1 s")
    whole = (out / "hops.parquet").read_bytes()
    (out / "hops.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CheckFailed, match=r"hops\.parquet"):
        why.ask(out, "s", time_s=0.5)
    with pytest.raises(DumbbellError, match=r"`summary.json` is missing"):
        why.ask(tmp_path, "s", time_s=0.5)


def test_an_answer_needs_no_matplotlib(overflow: Path) -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from dumbbell import cli\n"
        f"sys.exit(cli._code(['why', {str(overflow)!r}, '--time', '1s', '--cwnd']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("At 1.0000 s cwnd was")
