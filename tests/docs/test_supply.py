"""What Dumbbell is built from: pinned Python packages, and crates whose licenses are allowed and
told."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import notices
import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PINS = ROOT / "requirements"
PINNED = sorted(PINS.glob("*.txt"))


def pins(file: Path) -> dict[str, tuple[Requirement, list[str]]]:
    """The packages of a file, each with its hashes."""
    lines = [
        line
        for line in file.read_text(encoding="utf-8").splitlines()
        if not line.lstrip().startswith("#")
    ]
    found = {}
    for entry in "\n".join(lines).replace("\\\n", " ").splitlines():
        requirement, *hashes = entry.split("--hash=")
        known = Requirement(requirement.strip())
        found[canonicalize_name(known.name)] = (known, [one.strip() for one in hashes])
    return found


@pytest.mark.parametrize("file", PINNED, ids=lambda file: file.name)
def test_every_package_is_pinned_with_hashes(file: Path) -> None:
    entries = pins(file)
    assert entries
    for name, (requirement, hashes) in entries.items():
        assert re.fullmatch(r"==[^*]+", str(requirement.specifier)), name
        assert hashes and all(re.fullmatch("sha256:[0-9a-f]{64}", one) for one in hashes), name


@pytest.mark.parametrize("file", PINNED, ids=lambda file: file.name)
def test_pins_are_of_what_is_asked_for(file: Path) -> None:
    """`make pins` was not forgotten: what a person wrote, and what the package needs, is pinned as
    they say."""
    wanted, waiting = [], [file.with_suffix(".in")]
    while waiting:
        for line in waiting.pop().read_text().splitlines():
            if line.startswith("-r "):
                waiting.append(file.parent / line[3:])
            elif line and not line.startswith("#"):
                wanted.append(Requirement(line))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted += map(Requirement, project["dependencies"])
    entries = pins(file)
    for requirement in wanted:
        (version,) = entries[canonicalize_name(requirement.name)][0].specifier
        assert requirement.specifier.contains(version.version), requirement


def test_files_of_pins_name_no_index() -> None:
    for file in [*PINNED, *PINS.glob("*.in")]:
        assert not re.search(
            r"://|--(extra-)?index-url|--find-links|--trusted-host", file.read_text()
        ), file.name
    assert {file.stem for file in PINNED} == {file.stem for file in PINS.glob("*.in")}


def test_the_container_has_a_python_of_the_package_and_no_other_source_than_the_wheel() -> None:
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    steps = [line.split(" ", 1) for line in lines if not line.startswith("#")]
    assert [step for step, _ in steps] == ["FROM", "RUN", "WORKDIR", "ENTRYPOINT", "CMD"]
    image = dict(steps)["FROM"]
    python = re.fullmatch(r"python:(\d+\.\d+)-slim", image)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert python and SpecifierSet(project["requires-python"]).contains(python[1])
    install = dict(steps)["RUN"]
    assert install.endswith("pip install --no-cache-dir /wheels/dumbbell-*.whl")
    assert json.loads(dict(steps)["ENTRYPOINT"]) == list(project["scripts"])


def test_the_licenses_of_all_crates_are_allowed_and_told() -> None:
    if shutil.which("cargo") is None:
        pytest.skip("there is no cargo here")
    crates = notices.crates()
    text = notices.document(crates)
    assert {"serde", "rayon", "parquet", "pyo3"} <= {crate.name for crate in crates}
    assert all(f"\n{crate.name} {crate.version} (" in text for crate in crates)
    assert str(Path.home()) not in text


def test_crates_for_other_programs_can_be_packed() -> None:
    """Those up to the simulator are described, and need none but each other in their versions."""
    if shutil.which("cargo") is None:
        pytest.skip("there is no cargo here")
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    packages = {one["name"]: one for one in json.loads(found.stdout)["packages"]}
    packed = {name for name, one in packages.items() if one["publish"] is None}
    parts = ("macros", "core", "algos", "wire", "tcp", "quic", "scream", "plan", "net", "sim")
    assert packed == {f"dumbbell-{part}" for part in parts}
    for name in packed:
        one = packages[name]
        assert one["description"] and one["license"] and one["keywords"] and one["categories"], name
        own = [need for need in one["dependencies"] if need.get("path")]
        assert {need["name"] for need in own} <= packed, name
        assert all(need["req"] == f"^{one['version']}" for need in own), name


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("MIT/Apache-2.0", True),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND Apache-2.0 WITH LLVM-exception", True),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("GPL-3.0-only", False),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-2.0) AND LGPL-3.0", False),
        ("GPL-2.0 WITH Classpath-exception-2.0", False),
        ("none", False),
    ],
)
def test_an_expression_is_met_by_allowed_licenses_or_not(expression: str, allowed: bool) -> None:
    assert notices.is_allowed(expression) is allowed


def test_a_crate_that_is_not_allowed_or_has_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match=r"not allowed: copyleft 1\.0: GPL-3\.0-only"):
        notices.document([notices.Crate("copyleft", "1.0", "GPL-3.0-only", tmp_path)])
    with pytest.raises(LookupError, match=r"bare 1\.0 \(MIT\) comes without the text"):
        notices.document([notices.Crate("bare", "1.0", "MIT", tmp_path)])
