"""What the package writes: one place that does, whole or not at all, on the disk at exit 0; scratch
folders; text."""

from __future__ import annotations

import ast
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell.cli import encoding
from dumbbell.errors import DumbbellError, ScenarioError
from dumbbell.files import write
from dumbbell.present import page
from dumbbell.present.progress import said
from dumbbell.process import interrupt
from helpers import full_disk, power_loss

PACKAGE = Path(dumbbell.__file__).parent
TESTS = Path(__file__).parents[1]
DUMBBELL = (sys.executable, "-m", "dumbbell")

ELSEWHERE = {
    ("cli/__init__.py", "os.open"),  # /dev/null
    ("cli/__init__.py", "open"),  # what stands for a standard error that is closed
    ("files/reading.py", "os.open"),  # to read
    ("testbed/lock.py", "os.open"),  # the lock of the testbed
    ("testbed/lock.py", "write_text"),  # the process's name, in /proc
    ("linux/build.py", "open"),  # the lock of the kernels
    ("linux/build.py", "tempfile.TemporaryDirectory"),  # beside the kernels, which it becomes
    ("linux/build.py", "write_text"),  # in that folder, before it is renamed into place
    ("linux/recipe.py", "write_text"),  # a source tree in that folder
    ("workers/child.py", "open"),  # standard output, which whoever asked reads
    ("rtl/tools.py", "open"),  # a program's log, in a scratch folder, which the program writes
    ("rtl/verify/check.py", "tempfile.mkdtemp"),  # stays: who has a failed proof wants its trace
}
WRITERS = {
    "write_text",
    "write_bytes",
    "savefig",
    "mkdtemp",
    "mkstemp",
    "TemporaryDirectory",
    "NamedTemporaryFile",
}


def writes(call: ast.Call) -> str | None:
    """What a call is called, if it may write a file or make a temporary one."""
    named = ast.unparse(call.func)
    name = named.rpartition(".")[2]
    if isinstance(call.func, ast.Attribute) and name in WRITERS:
        return named if named.startswith(("tempfile.", "os.")) else name
    if named == "os.open":
        return named
    modes = [
        a.value
        for a in (*call.args, *(k.value for k in call.keywords))
        if isinstance(a, ast.Constant)
    ]
    writing = any(
        isinstance(mode, str) and re.fullmatch(r"[rbt]*[wax+][wbt+]*", mode) for mode in modes
    )
    return "open" if name in ("open", "fdopen") and writing else None


def test_no_other_place_of_the_package_writes_files() -> None:
    found = set()
    for file in sorted(PACKAGE.rglob("*.py")):
        name = str(file.relative_to(PACKAGE))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            what = writes(node) if isinstance(node, ast.Call) else None
            if what and name not in ("files/write.py", "figures/style/__init__.py"):
                found.add((name, what))
    assert found == ELSEWHERE


@pytest.mark.parametrize(
    ("code", "writer"),
    [
        ("file.write_text('a')", "write_text"),
        ("open(name, 'w')", "open"),
        ("file.open(mode='rb+')", "open"),
        ("file.open('x')", "open"),
        ("figure.savefig(out)", "savefig"),
        ("tempfile.mkdtemp()", "tempfile.mkdtemp"),
        ("open(name)", None),
        ("file.open('rb')", None),
        ("write_text(file, 'a')", None),
    ],
)
def test_a_writer_is_known_by_its_call(code: str, writer: str | None) -> None:
    (call,) = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call))
    assert writes(call) == writer


def test_files_are_replaced_whole_and_a_new_one_replaces_none(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "c.txt"
    write.write_text(file, "é")
    assert file.read_bytes() == "é".encode()
    write.write_json(file, {"a": 1})
    assert json.loads(file.read_text(encoding="utf-8")) == {"a": 1}
    with pytest.raises(DumbbellError, match=r"cannot be\W+written"):
        write.write_new(file, "b")
    with pytest.raises(ValueError, match="half"), write.writing(file) as out:
        out.write(b"half")
        raise ValueError("half")
    assert json.loads(file.read_text(encoding="utf-8")) == {"a": 1}
    with pytest.raises(DumbbellError, match=r"cannot be\W+written") as caught:
        write.write_text(file.parent, "a folder is in the way")
    assert caught.value.code == 1 and str(file.parent) in caught.value.rendered
    assert sorted(one.name for one in file.parent.iterdir()) == ["c.txt"]


def test_a_line_that_was_cut_short_does_not_take_the_next_with_it(tmp_path: Path) -> None:
    file = tmp_path / "new" / "rows.jsonl"
    write.append_line(file, "1")
    file.write_bytes(b"1\n2\n{cut")
    write.append_line(file, "3")
    write.append_line(file, "4")
    assert file.read_bytes() == b"1\n2\n{cut\n3\n4\n"


_OWNER = """
import time
from dumbbell.files import write
with write.temporary_folder() as there:
    print(there, flush=True)
    time.sleep(600)
"""


def test_scratch_of_a_killed_process_goes_with_the_next_and_a_living_ones_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "dumbbell-mine").mkdir()
    owners = [
        subprocess.Popen([sys.executable, "-c", _OWNER], stdout=subprocess.PIPE, text=True)
        for _ in "ab"
    ]
    killed, living = owners
    try:
        places = [Path(owner.stdout.readline().strip()) for owner in owners if owner.stdout]
        assert all(place.parent.parent == tmp_path for place in places)
        killed.kill()
        killed.wait()
        with write.temporary_folder() as own:
            assert sorted(tmp_path.iterdir()) == sorted(
                [tmp_path / "dumbbell-mine", places[1].parent, own.parent]
            )
        assert not own.parent.exists()
    finally:
        for owner in owners:
            owner.kill()
            owner.wait()
            if owner.stdout:
                owner.stdout.close()
    assert living.returncode == -signal.SIGKILL


def test_a_folder_goes_with_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    one = write.Scratch()
    dumbbell.Scenario.from_text(power_loss.SCENARIO).run(out=one.path)
    lock = os.open(one.name, os.O_RDONLY)
    with pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    del one
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(lock)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_is_not_heard_while_a_report_is_written() -> None:
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("own"))
    try:
        with interrupt.held():
            os.kill(os.getpid(), signal.SIGINT)
        assert heard == []
        os.kill(os.getpid(), signal.SIGINT)
        assert heard == ["own"]
    finally:
        signal.signal(signal.SIGINT, before)


def test_one_run_shows_its_simulated_time() -> None:
    assert said(0, 1, 0.374) == "37% of simulated time"
    assert said(2, 5, 0.5) == "2 of 5 runs"


def test_markdown_shows_names_as_they_are() -> None:
    text = page._markdown("<b>*a*</b> | [x](y)\n# z", [], [], ["warning: *it* is odd"], None)
    assert text.splitlines()[0] == r"# \<b\>\*a\*\</b\> \| \[x\](y) \# z"
    assert r"warning: \*it\* is odd" in text.splitlines()


def in_namespace(program: Any, folder: Path, words: list[str], *options: str) -> dict[str, Any]:
    """What a program of the tests says that has mounts of its own. Skipped where that is not
    permitted."""
    tool, need = ["unshare", "-m", *options], "netns" if options else "loop"
    image = (
        "truncate -s 1M i && mkfs.ext4 -q i && mkdir d && mount -o loop i d && umount d && "
        "rmdir d && rm i"
    )
    asked = ["sh", "-c", "mount -t tmpfs tmpfs /mnt" if options else image]
    able = subprocess.run([*tool, *asked], cwd=folder, capture_output=True, text=True)
    if able.returncode:
        why = f"no mounts of its own here: {able.stderr.strip()}"
        (pytest.fail if need in os.environ.get("DUMBBELL_REQUIRE", "") else pytest.skip)(why)
    (folder / "net.toml").write_text(power_loss.SCENARIO, encoding="utf-8")
    done = subprocess.run(
        [*tool, sys.executable, program.__file__, folder, *words],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize(
    "names", [["run", "run again", "export", "plot", "vectors"], ["sweep"]], ids=["out", "store"]
)
def test_what_was_written_outlives_a_loss_of_power(names: list[str], tmp_path: Path) -> None:
    found = in_namespace(power_loss, tmp_path, names)
    for name in names:
        assert found[name]["code"] == 0, name
        assert found[name]["lost"] == [], name
    assert found[names[-1]]["files"] >= 5


def test_a_disk_that_is_full_or_forbidden_is_a_message_and_older_files_stay(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(power_loss.SCENARIO, encoding="utf-8")
    subprocess.run(
        [*DUMBBELL, "run", "net.toml", "--out", "out"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    found = in_namespace(full_disk, tmp_path, list(full_disk.COMMANDS), "-r")
    assert len(found) == 2 * len(full_disk.COMMANDS)
    for name, one in found.items():
        assert one["code"] == 1, f"{name}: {one['says']}"
        cause = "No space left" if name.startswith("full") else "Read-only file system"
        assert cause in " ".join(one["says"].replace("│", " ").split()), f"{name}: {one['says']}"
        assert "Traceback" not in one["says"]
        assert one["changed"] == [] and one["left"] == [], name


@pytest.mark.parametrize(
    ("text", "shown"),
    [("┃ a │", "| a |"), ("━━┳━╇", "--+-+"), ("3 × 4 ± 1 µs", "3 x 4 +- 1 us"), ("é ▅", "e #")],
)
def test_what_an_encoding_lacks_has_a_substitute(text: str, shown: str) -> None:
    encoding.prepare()
    assert text.encode("ascii", "dumbbell").decode() == shown


PLAIN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def plain(
    *words: str | bytes, cwd: Path, text: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """A command in a locale of ASCII."""
    return subprocess.run(
        [*DUMBBELL, *words], cwd=cwd, input=text, capture_output=True, env=os.environ | PLAIN
    )


def test_a_terminal_of_ascii_breaks_nothing(tmp_path: Path) -> None:
    scenario = power_loss.SCENARIO.replace('name = "s"', 'name = "é"')
    (tmp_path / "net.toml").write_text(f'title = "Zürich → Genève"\n{scenario}', encoding="utf-8")
    shown = plain("run", "net.toml", "--page", "page.html", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.isascii() and b"1 s simulated - in" in shown.stdout
    assert "é" in (tmp_path / "page.html").read_text(encoding="utf-8")
    document = plain("run", "net.toml", "--json", cwd=tmp_path)
    assert [flow["name"] for flow in json.loads(document.stdout)["flows"]] == ["é.1", "é.2"]
    for words in (("show", "net.toml"), ("list",)):
        done = plain(*words, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout.isascii(), done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("run", b"caf\xe9.toml"),
        ("run", "net.toml", "-s", b"name=\xe9"),
        ("run", "net.toml", "--out", b"\xe9"),
        ("import-tc", b"pfifo limit \xe9"),
    ],
)
def test_a_word_that_is_not_utf_8_is_a_message(
    words: tuple[str | bytes, ...], tmp_path: Path
) -> None:
    done = subprocess.run([*DUMBBELL, *words], cwd=tmp_path, capture_output=True)
    assert done.returncode == 2
    assert b"is not text in the encoding" in done.stderr and b"Traceback" not in done.stderr


def test_text_on_standard_input_that_is_not_utf_8_is_a_message(tmp_path: Path) -> None:
    done = subprocess.run(
        [*DUMBBELL, "import-tc", "-"], cwd=tmp_path, capture_output=True, input=b"pfifo \xe9"
    )
    assert done.returncode == 2
    assert b"not UTF-8" in done.stderr and b"Traceback" not in done.stderr


def test_a_name_that_is_not_utf_8_is_an_error_of_the_scenario() -> None:
    with pytest.raises(ScenarioError, match="UTF-8"):
        dumbbell.Scenario.from_file("caf\udce9.toml").check()
