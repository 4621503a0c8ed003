"""`dumbbell conform`: its answer, its page, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from dumbbell import cli

FAST = ["--only", "rfc9743.7.4.*", "--seeds", "2", "--no-store"]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        cli.main(["conform", *words])
    said = capsys.readouterr()
    code = ended.value.code
    assert isinstance(code, int)
    return code, said.out, said.err


def document(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    code, out, _ = run(capsys, *words, "--json")
    assert code == 0
    return json.loads(out)


def test_each_check_has_what_the_contract_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "cc", "cubic", *FAST)
    for check in found["checks"]:
        assert {"id", "section", "criterion", "measured", "verdict", "scenario"} <= set(check)
        assert check["verdict"] in ("pass", "fail", "not applicable")
        assert check["quote"] and check["reason"] and check["ci95"] and check["n"] == 2
    assert found["algorithm"] == "cubic" and found["valid"]


def test_a_failed_criterion_is_a_result(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["cc", "sack", "--only", "rfc9743.5.1.2.wait", "--seeds", "2", "--no-store"]
    code, out, _ = run(capsys, *words)
    assert code == 0 and out.startswith("fail") and "It fails in RFC 9743" in out
    assert run(capsys, *words, "--strict")[0] == 3


def test_the_page_has_the_sections_and_needs_nothing_else(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(capsys, "cc", "cubic", *FAST, "--out", str(tmp_path))[0] == 0
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Extremely low-power links" in page and "rfc9743.7.4.slow" in page
    assert "<script src" not in page and "<link" not in page
    kept = json.loads((tmp_path / "conform.json").read_text(encoding="utf-8"))
    assert [one["id"] for one in kept["checks"]] == ["rfc9743.7.4.slow", "rfc9743.7.4.waste"]


def test_all_queues_are_one_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--only", "rfc7928.5.3.flood", "--seeds", "2", "--no-store", "--out", str(tmp_path)]
    code, out, _ = run(capsys, "aqm", "--all", *words)
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line}
    assert code == 0 and rows["queue"] == ["pass", "fail", "5.3"]
    assert rows["drop_tail"] == ["1", "0", "1/1"] and "fq_codel" in rows
    assert "fq_codel" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_finished_runs_come_from_the_store(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["cc", "cubic", "--only", "rfc9743.7.4.*", "--seeds", "2", "--store", str(tmp_path)]
    first, again = (document(capsys, *words) for _ in range(2))
    assert (first["from_store"], again["from_store"]) == (0, 2)
    assert first["checks"] == again["checks"]


def test_a_list_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "aqm", "codel", "--list")
    assert code == 0 and "rfc7928.8.2.6.fast.use" in out
    rows = document(capsys, "cc", "cubic", "--list", "--quick")["criteria"]
    assert not [row for row in rows if ".110." in row["id"]]


def test_a_scenario_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "cc", "cubic", "--scenario", "rfc9743.5.1.2.wait")
    assert code == 0 and 'limit = "5 BDP"' in out
    code, out, _ = run(capsys, "cc", "bbr3", "--scenario", "rfc9743.5.2.1.reno/against")
    assert code == 0 and "bbr3" not in out.split("\n\n", 1)[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["cc", "cubik"], "did you mean `cubic`"),
        (["cc", "codel"], "this is a queue"),
        (["cc", "bbr3:beta=2"], "out of range"),
        (["cc", "cubic:wings=2"], "there is no parameter `wings`"),
        (["aqm"], "name one queue, or write --all"),
        (["aqm", "codel", "--all"], "name one queue, or write --all"),
        (["cc", "cubic", "--only", "rfc1.*"], "there is no criterion"),
        (["cc", "cubic", "--scenario", "bbr.A.9.time"], "has no scenario"),
        (["cc", "cubic", "--seeds", "1"], "gives no interval"),
    ],
)
def test_mistakes_are_named(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    code, _, err = run(capsys, *words)
    assert code == 2 and said in " ".join(err.split())
