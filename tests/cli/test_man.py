"""The manual page: what it has, and that groff formats it without a warning."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from helpers.command import dumbbell


@pytest.fixture(scope="module")
def page() -> str:
    done = dumbbell("man")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_it_has_commands_options_and_exit_codes(page: str) -> None:
    assert page.startswith(".TH DUMBBELL 1 ")
    for line in (
        ".SS dumbbell run FILE",
        ".SS dumbbell new scenario FILE",
        ".SS dumbbell advise queue",
        ".B \\-\\-set, \\-s VALUE",
        ".B \\-\\-audit",
        ".SH EXIT STATUS",
    ):
        assert f"{line}\n" in page, line
    assert "\\-\\-no\\-audit" not in page


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_formats_it_without_a_warning(page: str) -> None:
    command = ["groff", "-ww", "-K", "utf8", "-man", "-T", "utf8", "-P", "-c"]
    done = subprocess.run(command, input=page.encode(), capture_output=True)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    said = re.sub(".\x08", "", done.stdout.decode())  # Bold letters are struck twice.
    assert "--record-every VALUE" in said
    assert re.search(r"One\s+of\s+sim,\s+kernel,\s+linux\.", re.sub("\u2010\\s+", "", said))
    assert "\\fB" not in said


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
def test_mandoc_finds_no_error(page: str) -> None:
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "error"], input=page, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")
