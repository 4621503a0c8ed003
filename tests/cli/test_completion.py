"""`dumbbell completion`: the scripts, and what bash completes with its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from dumbbell.shipped import scenarios
from helpers.command import dumbbell


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("completion")
    done = dumbbell("completion", "bash")
    assert (done.returncode, done.stderr) == (0, "")
    (folder / "script").write_text(done.stdout)
    command = folder / "dumbbell"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dumbbell "$@"\n')
    command.chmod(0o755)
    return folder / "script"


ASK = """
source "$1"
line="$2"
read -ra COMP_WORDS <<<"$line"
[[ $line == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE="$line" COMP_POINT=${#line}
eval "set -- $(complete -p dumbbell)"
while [[ $1 != -F ]]; do shift; done
"$2" dumbbell "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(script: Path, line: str, folder: Path | None = None) -> set[str]:
    """What bash offers for the last word of a line."""
    path = f"{script.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK, "bash", str(script), line],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
        cwd=folder,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("line", "offered", "not_offered"),
    [
        ("dumbbell sw", {"sweep"}, {"run"}),
        ("dumbbell new sc", {"scenario"}, {"aqm"}),
        ("dumbbell run x.toml --rep", {"--replications"}, {"--seed"}),
        ("dumbbell run x.toml --on ", {"sim", "kernel"}, {"both"}),
        ("dumbbell explain cod", {"codel"}, {"red"}),
        ("dumbbell explain flow.r", {"flow.rtt"}, {"flow.cc"}),
        ("dumbbell reproduce red-on", {"red-on-netfpga"}, {"ea-red"}),
        ("dumbbell run x.toml -s du", {"duration=", "dumbbell."}, {"queue="}),
        ("dumbbell run x.toml -s queue.li", {"queue.limit="}, {"queue.max_p="}),
        ("dumbbell run x.toml --set flow.0.r", {"flow.0.rtt="}, {"flow.0.cc="}),
        ("dumbbell sweep x.toml -o dumbbell.bottleneck.r", {"dumbbell.bottleneck.rate="}, set()),
        ("dumbbell compare drop_tail re", {"red"}, {"drop_tail"}),
        ("dumbbell advise queue --cc cu", {"cubic"}, {"reno"}),
    ],
)
def test_bash_completes(script: Path, line: str, offered: set[str], not_offered: set[str]) -> None:
    found = completed(script, line)
    assert offered <= found
    assert not found & not_offered


def test_bash_completes_files_of_scenarios(script: Path, tmp_path: Path) -> None:
    for name in ("first.toml", "other.txt", "folder/inner.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    shipped = set(scenarios())
    assert completed(script, "dumbbell run ", tmp_path) == {"first.toml", "folder/"} | shipped
    assert completed(script, "dumbbell run fir", tmp_path) == {"first", "first.toml"}
    assert completed(script, "dumbbell sweep cel", tmp_path) == {"cellular"}
    assert completed(script, "dumbbell run folder/", tmp_path) == {"folder/inner.toml"}
    assert completed(script, "dumbbell run x.toml --out ot", tmp_path) == {"other.txt"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_reads_its_script(shell: str, tmp_path: Path) -> None:
    done = dumbbell("completion", shell)
    assert done.returncode == 0
    assert all(word in done.stdout for word in ("reproduce", "replications", "__complete"))
    file = tmp_path / "script"
    file.write_text(done.stdout)
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed: its script was generated only")
    read = subprocess.run([shell, "-n", str(file)], capture_output=True, text=True)
    assert (read.returncode, read.stderr) == (0, "")
