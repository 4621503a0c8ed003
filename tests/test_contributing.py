"""Does what CONTRIBUTING.md says, on a copy: one file, one line, and the conformance suite judges the algorithm."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMAND = ["cargo", "test", "--release", "--offline", "--config", ".cargo/checked.toml", "-p", "dumbbell-algos", "erd"]


def steps() -> tuple[str, str, str, str]:
    """The page's file and its text, the file with the registry and the line that goes into it."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    file, code = re.search(r"\*\*One file\*\*, `(\S+)`:\n\n```rust\n(.*?)^```", page, re.DOTALL | re.MULTILINE).groups()
    registry, line = re.search(r"\*\*One line\*\* in `(\S+)`.*?```text\n(.*?)```", page, re.DOTALL).groups()
    return file, code, registry, line


def scratch_copy(where: Path) -> None:
    """A copy of the Rust workspace with what the page asks for.

    Files keep their times, and what is written gets the page's: cargo builds again only what has changed.
    """
    shutil.rmtree(where, ignore_errors=True)
    for name in ("crates", ".cargo"):
        shutil.copytree(ROOT / name, where / name)
    for name in ("Cargo.toml", "Cargo.lock", "clippy.toml", "rustfmt.toml"):
        shutil.copy2(ROOT / name, where)
    file, code, registry, line = steps()
    (where / file).write_text(code)
    (where / registry).write_text(into_registry((where / registry).read_text(), line))
    written = max((ROOT / name).stat().st_mtime for name in ("CONTRIBUTING.md", registry))
    for name in (file, registry):
        os.utime(where / name, (written, written))


def test_an_aqm_is_one_file_and_one_line() -> None:
    # In a target directory of its own: cargo takes crates at the same place of two workspaces for the same.
    place = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "contributing"
    copy = place / "copy"
    scratch_copy(copy)
    environment = os.environ | {"CARGO_TARGET_DIR": str(place / "target"), "CARGO_TERM_COLOR": "never"}
    done = subprocess.run(COMMAND, cwd=copy, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    passed = sum(int(n) for n in re.findall(r"test result: ok\. (\d+) passed", done.stdout))
    assert passed > 0, done.stdout
    assert re.search(r"^test \S*erd\S* \.\.\. ok$", done.stdout, re.MULTILINE), done.stdout
    formatted = subprocess.run(
        ["rustfmt", "--check", "--edition", "2024", steps()[0]], cwd=copy, capture_output=True, text=True
    )
    assert formatted.returncode == 0, formatted.stdout


def into_registry(source: str, line: str) -> str:
    """The source with the line as the first algorithm inside `registry!`."""
    head, brace, rest = source.partition("registry! {")
    assert brace, "no registry! in the file that the page names"
    return head + brace + rest.replace(first_algorithm(rest), line + first_algorithm(rest), 1)


def first_algorithm(registry: str) -> str:
    """The line of the first algorithm: `    drop_tail::DropTail,`."""
    return re.search(r"^ +\w+::\w+,\n", registry, re.MULTILINE)[0]
