"""Result directories with one wrong bit, by every command that reads them: refused in one form, or
the same answer."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import dumbbell
import polars
import pytest
from conftest import unsealed
from dumbbell import cli
from dumbbell.data import series
from helpers import power_loss

FLIPS = 110
COMMANDS: dict[str, tuple[str, ...]] = {
    "export": ("export", "csv", "{result}", "-o", "{scratch}/x.csv"),
    "plot": ("plot", "{result}", "cwnd", "--out", "{scratch}"),
    "why": ("why", "{result}", "--flow", "s.1", "--time", "0.5s", "--within", "1s", "--json"),
    "diff": ("diff", "{result}", "{result}", "--json"),
}
READS = {
    "export": ("summary.json",),
    "plot": ("flows.parquet",),
    "why": (
        "summary.json",
        "packets.parquet",
        "hops.parquet",
        "signals.parquet",
        "reactions.parquet",
    ),
    "diff": (
        "summary.json",
        "packets.parquet",
        "hops.parquet",
        "signals.parquet",
        "reactions.parquet",
    ),
}
"""Files without which a command has no answer."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    there = tmp_path_factory.mktemp("whole")
    (there / "net.toml").write_text(power_loss.SCENARIO, encoding="utf-8")
    dumbbell.Scenario.from_file(there / "net.toml").run(out=there / "result", record_drops=True)
    return there / "result"


def flips(whole: Path, count: int) -> Iterator[tuple[str, bytes]]:
    """Files of a result, by turns, each with another bit wrong."""
    chance = random.Random(5)
    names = sorted(one.name for one in whole.iterdir() if one.suffix in (".parquet", ".json"))
    for number in range(count):
        name = names[number % len(names)]
        data = bytearray((whole / name).read_bytes())
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        yield name, bytes(data)


def test_a_wrong_bit_is_never_believed(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = tmp_path / "result"
    shutil.copytree(whole, result)
    refused = 0

    def ask(command: str) -> tuple[int, str, str]:
        words = [word.format(result=result, scratch=tmp_path) for word in COMMANDS[command]]
        code = cli._code(words)
        out, errors = capsys.readouterr()
        return code, out, errors

    right = {command: ask(command) for command in COMMANDS}
    assert [code for code, _, _ in right.values()] == [0, 0, 0, 0]
    tables = ("flows", "queues", "packets", "hops", "signals", "reactions")
    for name, data in flips(whole, FLIPS):
        (result / name).write_bytes(data)
        for command in COMMANDS:
            if name not in READS[command]:
                continue
            code, out, errors = ask(command)
            assert code == 3 and (not out or json.loads(out)["error"]["code"] == 3), (
                f"{command}: {name}: {out}"
            )
            assert (
                f"{name} is damaged" in unfolded(errors) and "run the scenario again" in errors
            ), errors
            refused += 1
        table = name.removesuffix(".parquet")
        if table in tables:
            assert cli._code(["export", "csv", str(result), "--table", table]) == 3
            assert f"{name} is damaged" in unfolded(capsys.readouterr().err)
        shutil.copyfile(whole / name, result / name)
    assert refused > FLIPS
    assert {command: ask(command) for command in COMMANDS} == right


def unfolded(text: str) -> str:
    """A message without the breaks of its lines."""
    return " ".join(text.replace("│", " ").split()).replace("/ ", "/")


def test_loaders_refuse_what_commands_refuse(whole: Path, tmp_path: Path) -> None:
    result = tmp_path / "result"
    shutil.copytree(whole, result)
    data = bytearray((result / "flows.parquet").read_bytes())
    data[len(data) // 2] ^= 1
    (result / "flows.parquet").write_bytes(data)
    with pytest.raises(dumbbell.CheckFailed, match=r"is[\s│]+damaged"):
        dumbbell.Result.load(result).series("flows")
    with pytest.raises(dumbbell.CheckFailed, match="is damaged"):
        series.read(result, "flows")
    (result / "flows.parquet").unlink()
    with pytest.raises(dumbbell.CheckFailed, match="it is missing"):
        series.read(result, "flows")
    (result / "scenario.toml").write_text("", encoding="utf-8")
    (result / "packets.parquet").unlink()
    assert cli._code(["why", str(result), "--flow", "s.1", "--time", "0.5s"]) == 3


def test_a_result_of_an_earlier_release_is_read_without_digests(
    whole: Path, tmp_path: Path
) -> None:
    result = tmp_path / "result"
    shutil.copytree(whole, result)
    older = unsealed(result)
    frame = polars.read_parquet(result / "flows.parquet")
    frame.head(3).write_parquet(result / "flows.parquet")
    assert dumbbell.Result.load(result).json == older
    assert len(series.need(result, "flows")) == 3
    (result / "flows.parquet").write_bytes(b"PAR1")
    with pytest.raises(dumbbell.CheckFailed, match="is damaged"):
        series.read(result, "flows")


def test_a_result_is_a_copy_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(power_loss.SCENARIO, encoding="utf-8")
    scenario = dumbbell.Scenario.from_file(tmp_path / "net.toml")
    for name in ("made", "taken"):
        scenario.run(out=tmp_path / name, store=tmp_path / "store")
        assert {file.stat().st_nlink for file in (tmp_path / name).iterdir()} == {1}
    made, taken = (dumbbell.Result.load(tmp_path / name) for name in ("made", "taken"))
    parquet = {
        name: digest for name, digest in made.json["digests"].items() if name.endswith(".parquet")
    }
    assert parquet and parquet.items() <= taken.json["digests"].items()
