"""The page of `dumbbell validate --report`: what it counts, names and leaves out."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from pathlib import Path

import pytest
from dumbbell import cli
from dumbbell.validate import passport, report
from dumbbell.validate.check import Check, CheckResult
from dumbbell.validate.measured import Measured
from dumbbell.validate.runner import Runner


def results(select: str, fails: str = "") -> list[CheckResult]:
    """Results of checks that are not run: each measures what it expects, `fails` something else."""
    return [
        CheckResult(check, Measured(check.expected + 1e9 * (check.id == fails)), 0.0)
        for check in report.checks()
        if fnmatch.fnmatchcase(check.id, select)
    ]


def page(found: list[CheckResult], quick: bool = True) -> str:
    return passport.html(found, Runner(quick=quick), "dumbbell validate --report page.html")


def test_a_page_of_all_checks_has_every_line_and_every_fault() -> None:
    text = page(every := results("*"))
    assert f"All {len(every)} checks pass." in text
    for one in every:
        assert f"<code>{one.check.id}</code></th>" in text
    for fault in tomllib.loads((passport.HERE / "faults.toml").read_text("utf-8"))["fault"]:
        assert f"<code>{fault['id']}</code></th>" in text
    assert "were not run" not in text and "What fails" not in text


def test_lines_that_fail_come_first() -> None:
    text = page(results("rto.*", fails="rto.backoff.1"))
    first, rest = text.split("<h2>What was checked</h2>")
    assert "<code>rto.backoff.1</code>" in first and "<code>rto.backoff.2</code>" not in first
    assert re.search(r"<strong>1 of \d+ fail\.</strong>", first)
    assert "<code>rto.backoff.2</code>" in rest


def test_it_says_what_was_left_out() -> None:
    some = results("md1.*")
    left = len(report.checks()) - len(some)
    assert f"{left} checks were not run; <code>--quick</code> leaves out" in page(some)
    assert f"{left} checks were not run." in page(some, quick=False)


def test_a_fault_is_named_only_beside_its_lines() -> None:
    """A fault that concerns no line of the run says nothing about it."""
    found = passport.faults(["rto.backoff.1", "mm1.rho-0.5.L"])
    assert {"rto.no-backoff", "source.poisson-rate"} <= {fault.id for fault in found}
    assert all(fault.lines for fault in found)
    assert not passport.faults(["not.a.check"])


def test_what_could_not_be_measured_has_its_reason() -> None:
    check = Check("rto.backoff.1", "a law", 1.0, 0.0, lambda runner: Measured(1.0))
    assert "the run lost a packet" in page([CheckResult(check, None, 0.0, "the run lost a packet")])


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a page.html"
    with pytest.raises(SystemExit) as ended:
        cli.main(["validate", "--only", "drop_tail.limit.*", "--report", str(file)])
    assert not ended.value.code
    assert capsys.readouterr().out.endswith(f"report: {file}\n")
    text = file.read_text(encoding="utf-8")
    assert f"--only &#39;drop_tail.limit.*&#39; --report &#39;{file}&#39;" in text


@pytest.mark.parametrize("file", ["", "no such folder/page.html"])
def test_a_page_that_cannot_be_written_is_refused_before_the_run(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        cli.main(["validate", "--only", "drop_tail.limit.*", f"--report={file}"])
    told = capsys.readouterr()
    assert ended.value.code == 2
    assert "cannot be a file" in told.err and not told.out
