"""Records that a result does not have: the run is repeated, and must be the same."""

from __future__ import annotations

import json
from pathlib import Path

import dumbbell
import pytest
from conftest import unsealed
from dumbbell import cli
from dumbbell.data import recording

TABLES = {
    "duration": "3 s",
    "dumbbell": {"bottleneck": {"rate": "5 Mbps", "delay": "10 ms"}},
    "queue": {"kind": "red", "limit": "40 pkt"},
    "flow": [{"name": "s", "count": 2}],
}


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A result without records."""
    dumbbell.Scenario(TABLES, name="bare").run(out=tmp_path / "bare")
    return tmp_path / "bare"


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    """Exit code and stderr of a command."""
    code = cli._code([str(a) for a in arguments])
    return code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "lacks"),
    [
        (("plot", "{}"), "series"),
        (("plot", "{}", "cwnd", "delay"), "series and packets"),
        (("plot", "{}", "timeseq", "--flow", "s.2"), "packets"),
        (("plot", "{}", "acks"), "acknowledgments"),
        (("export", "csv", "{}", "--table", "queues", "-o", "{}.x"), "series"),
        (("export", "flent", "{}", "-o", "{}.x"), "series"),
        (("export", "pcap", "{}", "-o", "{}.x"), "packets"),
        (("export", "perfetto", "{}", "-o", "{}.x"), "series and packets"),
        (("export", "qlog", "{}", "-o", "{}.x"), "series and packets"),
        (("export", "mahimahi", "{}", "--at", "bottleneck", "-o", "{}.x"), "packets"),
    ],
)
def test_the_run_is_repeated_with_what_is_missing(
    words: tuple[str, ...], lacks: str, bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fingerprint = dumbbell.Result.load(bare).fingerprint
    code, errors = command(capsys, *(word.format(bare) for word in words))
    note = (
        f"{bare} has no recorded {lacks}: repeated the run (fingerprint {fingerprint}, unchanged)"
    )
    assert (code, errors) == (0, f"note: {note}\n")
    assert sorted(p.name for p in bare.iterdir() if p.is_file()) == [
        "scenario.toml",
        "summary.json",
    ]


@pytest.mark.parametrize("words", [("plot", "{}"), ("export", "pcapng", "{}", "-o", "{}.x")])
def test_another_fingerprint_ends_with_5(
    words: tuple[str, ...], bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unsealed(bare, fingerprint="0" * 16)
    code, errors = command(capsys, *(word.format(bare) for word in words))
    assert code == 5 and "instead of 0000000000000000" in errors


@pytest.mark.parametrize("words", [("plot", "{}", "delay"), ("export", "ns2", "{}", "-o", "{}.x")])
def test_a_live_run_names_the_option_of_the_next_one(
    words: tuple[str, ...], bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unsealed(bare, on="kernel")
    code, errors = command(capsys, *(word.format(bare) for word in words))
    assert code == 2 and "real kernels cannot be repeated" in errors
    assert "-s record.packets=true" in errors


def test_what_the_scenario_does_not_have_is_said(
    bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, errors = command(capsys, "plot", bare, "markers")
    assert code == 2 and "nothing was recorded of any marker" in errors


@pytest.mark.parametrize(
    ("duration_s", "period"),
    [(0.01, "1 ms"), (1, "1 ms"), (60, "100 ms"), (61, "100 ms"), (3600, "5000 ms")],
)
def test_a_period_gives_600_to_1500_instants(duration_s: float, period: str) -> None:
    assert recording.period(duration_s) == period


def test_run_out_keeps_series_that_are_small(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "net.toml", tmp_path / "out"
    text = 'duration = "3 s"\ndumbbell = { bottleneck = { rate = "5 Mbps", delay = "10 ms" } }\n'
    file.write_text(text + "[[flow]]\ncount = 2\n")

    def kept(*words: object) -> list[str]:
        code, _ = command(capsys, "run", file, "--out", out, *words)
        assert code == 0
        return sorted(p.stem for p in out.rglob("*.parquet"))

    assert kept() == ["flows", "queues"]
    warnings = json.loads((out / "summary.json").read_text())["warnings"]
    assert "W009" not in {one["code"] for one in warnings}  # The series are fine enough.
    assert 'every = "5 ms"' in (out / "scenario.toml").read_text()
    fingerprint = json.loads((out / "summary.json").read_text())["fingerprint"]
    again = dumbbell.Scenario.from_file(file).run()
    assert isinstance(again, dumbbell.Result) and fingerprint == again.fingerprint
    assert command(capsys, "plot", out) == (0, "")
    # With a store: its key is that of the plan, which says what is recorded.
    assert kept("--store", tmp_path / "store") == []
    assert kept("-s", "flow.0.count=400") == []
    # The period of the scenario stays.
    assert kept("-s", 'record.every="1 s"') == ["flows", "queues"]
    assert 'every = "1 s"' in (out / "scenario.toml").read_text()
