"""Does what CONTRIBUTING.md says, on a copy: one file, one line, and the conformance suite judges
the algorithm; and `dumbbell new`, whose promised tests fail, and no others. Every test of the
catalogue runs on that copy's."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from dumbbell.aqm_response import laws
from dumbbell.aqm_response.theory import Over, Parameters
from dumbbell.plugins import new
from helpers import catalogue_checks

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [
    "cargo",
    "test",
    "--release",
    "--offline",
    "--config",
    ".cargo/checked.toml",
    "-p",
    "dumbbell-algos",
    "--lib",
    "--test",
    "catalogue",
]
SWIFTLY = (
    "profile.release.opt-level=0",
    "profile.release.debug=0",
    "profile.release.package.dumbbell-algos.opt-level=0",
)
"""What the page's command does not say: three tests run here, so that compiling is all that takes
time."""
COMMAND += [word for setting in SWIFTLY for word in ("--config", setting)]
SKETCHES = {"aqm": "sketched", "cc": "sketched_too"}


def steps() -> tuple[str, str, str, str]:
    """The page's file and its text, the file with the registry and the line that goes into it."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    file, code = re.search(
        r"<!-- file: (\S+) -->\n```rust\n(.*?)^```", page, re.DOTALL | re.MULTILINE
    ).groups()
    registry, line = re.search(
        r"\*\*One line\*\* in `(\S+)`.*?```text\n(.*?)```", page, re.DOTALL
    ).groups()
    return file, code, registry, line


def scratch_copy(where: Path) -> None:
    """A copy of the Rust workspace with what the page asks for.

    Files keep their times, and what is written gets the page's: cargo builds again only what has
    changed.
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
    for kind, name in SKETCHES.items():
        sketch(where, kind, name)


def sketch(where: Path, kind: str, name: str) -> None:
    """`dumbbell new` in the copy, and again: nothing is overwritten."""
    command = [sys.executable, "-m", "dumbbell", "new", kind, name]
    done = subprocess.run(command, cwd=where / "crates", capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    files = [
        where / line.removeprefix("wrote ")
        for line in done.stdout.splitlines()
        if line.startswith("wrote ")
    ]
    assert [f.name for f in files] == [f"{name}.rs", Path(new.REGISTRY[kind]).name]
    texts = [f.read_text() for f in files]
    again = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=60)
    assert again.returncode == 1
    assert "already" in again.stderr
    assert [f.read_text() for f in files] == texts
    templates = [
        *(ROOT / "python" / "dumbbell" / "plugins").rglob("*.rs.txt"),
        ROOT / new.REGISTRY[kind],
    ]
    written = max(t.stat().st_mtime for t in templates)
    for file in files:
        os.utime(file, (written, written))


def test_an_aqm_is_one_file_and_one_line() -> None:
    # In a target directory of its own: cargo takes crates at the same place of two workspaces for
    # the same.
    place = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "contributing"
    copy = place / "copy"
    scratch_copy(copy)
    environment = os.environ | {
        "CARGO_TARGET_DIR": str(place / "target"),
        "CARGO_TERM_COLOR": "never",
    }
    chosen = ["erd", "names_are_unique", *SKETCHES.values()]
    everything = ["--no-fail-fast", "--", "--show-output", *chosen]
    sketched = subprocess.run(
        [*COMMAND, *everything],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
    )
    failed = re.findall(r"^test (\S+) \.\.\. FAILED$", sketched.stdout, re.MULTILINE)
    promised = [
        "aqm::sketched::tests::signals_under_a_standing_load",
        "cc::sketched_too::tests::differs_from_rfc_5681",
    ]
    assert sorted(failed) == promised, sketched.stdout + sketched.stderr
    for text in (
        "it lets a queue grow without end: write its rule",
        "it opens its window as RFC 5681 does: write its rule",
    ):
        assert text in sketched.stdout
    for module in ("aqm::conformance::sketched", "cc::conformance::sketched_too"):
        assert (
            len(re.findall(rf"^test {module}::\S+ \.\.\. ok$", sketched.stdout, re.MULTILINE)) >= 5
        )
    check_catalogue(sketched.stdout)
    done = subprocess.run(
        [*COMMAND, "erd"], cwd=copy, env=environment, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = sum(int(n) for n in re.findall(r"test result: ok\. (\d+) passed", done.stdout))
    assert passed > 0, done.stdout
    assert re.search(r"^test \S*erd\S* \.\.\. ok$", done.stdout, re.MULTILINE), done.stdout
    algos = Path("crates/dumbbell-algos/src")
    written = [steps()[0], *(str(algos / kind / f"{name}.rs") for kind, name in SKETCHES.items())]
    formatted = subprocess.run(
        ["rustfmt", "--check", "--edition", "2024", *written],
        cwd=copy,
        capture_output=True,
        text=True,
    )
    assert formatted.returncode == 0, formatted.stdout


def check_catalogue(printed: str) -> None:
    """Figures, laws, explanations and rows of the documentation take the page's algorithm and the
    sketches as they take all others."""
    (document,) = re.findall(r"^catalogue (\{.*\})$", printed, re.MULTILINE)
    known = catalogue_checks.read(json.loads(document))
    assert {"erd", *SKETCHES.values()} <= {a.name for a in known}
    for check in catalogue_checks.CHECKS:
        check(known)
    law = laws.law_of(next(a for a in known if a.name == "erd"))
    assert isinstance(law, Over)
    parameters = Parameters({"level": "10 pkt", "p": 0.02})
    assert [law.law({"queue_packets": q}, parameters) for q in (10.0, 11.0)] == [0.0, 0.02]


def into_registry(source: str, line: str) -> str:
    """The source with the line as the first algorithm inside `registry!`."""
    head, brace, rest = source.partition("registry! {")
    assert brace, "no registry! in the file that the page names"
    return head + brace + rest.replace(first_algorithm(rest), line + first_algorithm(rest), 1)


def first_algorithm(registry: str) -> str:
    """The line of the first algorithm: `    drop_tail::DropTail,`."""
    return re.search(r"^ +\w+::\w+,\n", registry, re.MULTILINE)[0]
