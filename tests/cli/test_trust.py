"""What a stranger's names and files cannot do: SECURITY.md says it, and these tests hold it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import unsealed
from dumbbell.data import summary
from dumbbell.errors import ScenarioError
from dumbbell.files.filename import component
from dumbbell.reproduce import papers
from dumbbell.rtl import sources
from helpers.exports import SCENARIO

HOSTILE = [
    "/../../../x",
    "..",
    ".",
    "",
    "/",
    "a/../b",
    "nul\0byte",
    "n" * 300,
    "ü" * 300,
    "two\nlines",
    "-rf",
    ".hidden",
    " ",
    "\u202egnp.exe",
    "\ud800",
    "C:\\x",
    "tab\there",
    "e\u0301",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_one_component_and_a_file_can_have_it(name: str, tmp_path: Path) -> None:
    made = component(name)
    assert made == Path(made).name, "one component"
    assert made[0].isalnum() or made[0] == "_"
    assert made.isprintable() and len(made.encode()) <= 100
    (tmp_path / made).write_text("")
    assert [file.name for file in tmp_path.iterdir()] == [made]
    assert component(made) == made, "what is made is plain"


def test_plain_names_stay_and_different_names_stay_different() -> None:
    for plain in ("red-on-netfpga", "two_way", "Größe 3", "a.b", "min_th=5,x"):
        assert component(plain) == plain
    assert len({component(name) for name in HOSTILE}) == len(HOSTILE)


def run(*words: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "dumbbell", *map(str, words)]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=cwd,
        env=os.environ | environment,
        start_new_session=True,
    )


def test_a_scenario_name_does_not_leave_the_results_folder(tmp_path: Path) -> None:
    here = tmp_path / "a" / "b"
    here.mkdir(parents=True)
    (here / "s.toml").write_text(f'name = "/../../../ESCAPED"\n{SCENARIO}')
    done = run("compare", "red", "drop_tail", "-f", "s.toml", "--seeds", 2, "--no-store", cwd=here)
    assert done.returncode == 0, done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["a"]
    assert [file.parent.parent for file in here.rglob("index.html")] == [here / "results"]


def a_paper(folder: Path, name: str) -> Path:
    """A paper whose scenario runs Python."""
    paper = folder / name
    paper.mkdir(parents=True)
    (paper / "evil.py").write_text(
        f"from pathlib import Path\nPath({str(folder / 'RAN')!r}).write_text('')\n"
    )
    (paper / "s.toml").write_text(f'use = ["evil.py"]\n{SCENARIO}')
    (paper / "paper.toml").write_text(
        'title = "t"\ncitation = "c"\n[full]\nreplications = 5\n'
        '[quick]\nreplications = 5\n[[point]]\nid = "p"\nscenario = "s.toml"\n'
    )
    return paper


def test_papers_of_the_current_folder_and_above_are_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_paper(tmp_path / "papers", "planted")
    a_paper(tmp_path / "papers", "ea-red")
    below = tmp_path / "below"
    below.mkdir()
    for place in (tmp_path, below):
        monkeypatch.chdir(place)
        assert "planted" not in papers.names()
        assert papers.find("ea-red").parent != tmp_path / "papers"
        with pytest.raises(ScenarioError, match="there is no paper `planted`"):
            papers.find("planted")


def test_a_paper_is_found_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = a_paper(tmp_path, "mine")
    monkeypatch.chdir(tmp_path)
    assert papers.find("./mine") == papers.find(str(mine)) == papers.find("mine/") == mine
    monkeypatch.chdir(mine)
    assert papers.find("./") == mine
    with pytest.raises(ScenarioError, match="is not a paper: there is no file"):
        papers.find("./nowhere")


@pytest.mark.parametrize("name", ["..", ".", "", "-x", "a\0b"])
def test_what_is_no_name_is_no_paper(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_paper(tmp_path, "x")
    (tmp_path / "paper.toml").write_text("")
    monkeypatch.setenv("DUMBBELL_PAPERS", str(tmp_path / "x"))
    with pytest.raises(ScenarioError, match="there is no paper"):
        papers.find(name)


def test_two_papers_of_one_name_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_paper(tmp_path, "ea-red")
    monkeypatch.setenv("DUMBBELL_PAPERS", str(tmp_path))
    with pytest.raises(ScenarioError, match="there are 2 papers `ea-red`"):
        papers.find("ea-red")
    assert papers.find(f"{tmp_path}/ea-red") == tmp_path / "ea-red"
    monkeypatch.setenv(
        "DUMBBELL_PAPERS", str(papers.find(f"{tmp_path}/ea-red").parents[0] / "nothing")
    )
    own = papers.find("ea-red")
    monkeypatch.setenv("DUMBBELL_PAPERS", str(own.parent))
    assert papers.find("ea-red") == own, "the same folder twice is one paper"


def test_ids_of_a_paper_name_files(tmp_path: Path) -> None:
    paper = a_paper(tmp_path, "mine")
    text = (paper / "paper.toml").read_text()
    (paper / "paper.toml").write_text(text.replace('id = "p"', 'id = "../p"'))
    with pytest.raises(ScenarioError, match=r"point `\.\./p`: an id is the name of a file"):
        papers.read(paper)
    (paper / "paper.toml").write_text(f'{text}[[figure]]\nid = "/f"\ncaption = ""\n')
    with pytest.raises(ScenarioError, match="figure `/f`: an id is the name of a file"):
        papers.read(paper)


def test_hardware_of_the_current_folder_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = tmp_path / "rtl" / "red"
    planted.mkdir(parents=True)
    (planted / "core.f").write_text("")
    monkeypatch.chdir(tmp_path)
    assert sources.folder() != planted
    monkeypatch.setenv("DUMBBELL_RTL", str(planted))
    assert sources.folder() == planted


def test_a_child_process_takes_no_module_from_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('planted')\n")
    words = ("bench", "--flows", 2, "--time", "1 s", "--json")
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words", ["check -", "run /dev/zero", "script /dev/zero", "show /proc/self/fd/0"]
)
def test_what_has_no_end_is_refused(words: str, tmp_path: Path) -> None:
    """Endless input and devices, in seconds and in little memory."""
    command = [
        "sh",
        "-c",
        f"ulimit -v 4000000; exec {sys.executable} -P -m dumbbell {words} < /dev/zero",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "larger than 16 MiB" in done.stderr or "only regular files are read" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "plant", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.mkdir()]
)
def test_a_document_of_a_result_is_a_regular_file(
    plant: Callable[[Path], None], tmp_path: Path
) -> None:
    plant(tmp_path / "summary.json")
    with pytest.raises(ScenarioError, match="only regular files are read"):
        summary.read(tmp_path)
    done = run("export", "csv", tmp_path, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert "only regular files are read" in done.stderr


@pytest.fixture(scope="module")
def without_packets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a `result` without the packets that `why` and `diff` ask for: they repeat the
    run."""
    here = tmp_path_factory.mktemp("without")
    (here / "s.toml").write_text(SCENARIO)
    assert (
        run("run", "s.toml", "-s", "record.packets=false", "--out", "result", cwd=here).returncode
        == 0
    )
    return here


@pytest.mark.parametrize("override", [None, "use", ' u"s"e', 'use=["evil.py"] #'])
@pytest.mark.parametrize(
    "words", [["why", "--flow", "plain", "--time", "1 s"], ["diff", "result"]], ids=["why", "diff"]
)
def test_a_result_runs_no_program_by_itself(
    override: str | None, words: list[str], without_packets: Path, tmp_path: Path
) -> None:
    """Neither by its scenario, nor by what that extends, nor by what its summary says overrides."""
    result = tmp_path / "result"
    shutil.copytree(without_packets / "result", result)
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'RAN')!r}, 'w')\n")
    (tmp_path / "evil.toml").write_text('use = ["evil.py"]\n')
    document = unsealed(result)
    told = (result / "scenario.toml").read_text()
    if override is None:
        told = f'use = ["{tmp_path}/evil.py"]\n{told}'
    else:
        points = [document | {"overrides": {override: ["evil.py"]}}]
        (result / "summary.json").write_text(json.dumps(document | {"points": points}))
        words = [*words, "--point", "1"]
    (result / "scenario.toml").write_text(f'extends = "{tmp_path}/evil.toml"\n{told}')
    done = run(*words, "result", cwd=tmp_path)
    assert "Dumbbell does not run code from a result" in " ".join(done.stderr.split()), done.stderr
    assert done.returncode == 2
    assert not (tmp_path / "RAN").exists()


@pytest.mark.parametrize(
    "words",
    ["check s.toml", "show s.toml", "sharing s.toml", "export-tc s.toml", "list --use evil.py"],
)
def test_to_look_at_a_scenario_is_to_run_what_it_uses(words: str, tmp_path: Path) -> None:
    """Not what one wishes, but what SECURITY.md warns of."""
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'RAN')!r}, 'w')\n")
    (tmp_path / "base.toml").write_text('use = ["evil.py"]\n')
    (tmp_path / "s.toml").write_text(f'extends = "base.toml"\n{SCENARIO}')
    run(*words.split(), cwd=tmp_path)
    assert (tmp_path / "RAN").exists()
