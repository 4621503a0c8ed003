"""The script of the time page is what its TypeScript builds to, and that passes its own tests.
Skipped without Node, unless DUMBBELL_REQUIRE has `node`."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "python" / "dumbbell" / "view"
LARGEST_BYTES = 150_000


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of `web` with its pinned packages, so that the checkout stays as it is."""
    if not (shutil.which("node") and shutil.which("npm")):
        required = "node" in os.environ.get("DUMBBELL_REQUIRE", "").replace(",", " ").split()
        (pytest.fail if required else pytest.skip)("the time page is built with Node and npm")
    copy = tmp_path_factory.mktemp("page") / "web"
    shutil.copytree(ROOT / "web", copy, ignore=shutil.ignore_patterns("node_modules", "build"))
    run(copy, "npm", "ci")
    return copy


def run(web: Path, *command: str) -> None:
    """Runs a command there; its output shows where it fails."""
    vectors = {"DUMBBELL_VECTORS": str(ROOT / "crates/dumbbell-lab/tests/pack_vectors.json")}
    done = subprocess.run(
        command, cwd=web, capture_output=True, text=True, check=False, env=os.environ | vectors
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_committed_bundle_is_what_the_sources_build_to(web: Path) -> None:
    run(web, "node", "build.mjs", "--out", "fresh")
    for name in ("page.js", "live.js", "lab.js", "page.css", "lab.css"):
        stale = f"{name} differs from its sources: run `make web`"
        assert (web / "fresh" / name).read_bytes() == (BUILT / name).read_bytes(), stale


def test_the_sources_pass_their_types_and_tests(web: Path) -> None:
    run(web, "npm", "run", "check")
    run(web, "npm", "test")


def test_the_bundle_is_small_and_asks_for_nothing() -> None:
    script = (BUILT / "page.js").read_text(encoding="utf-8")
    assert len(script.encode()) <= LARGEST_BYTES
    for way in ("fetch(", "XMLHttpRequest", "import(", "eval(", "innerHTML", "</script"):
        assert way not in script


def test_only_a_live_page_asks_and_only_with_fetch() -> None:
    script = (BUILT / "live.js").read_text(encoding="utf-8")
    assert len(script.encode()) <= LARGEST_BYTES
    assert script.count("fetch(") == 2
    for way in (
        "XMLHttpRequest",
        "import(",
        "eval(",
        "innerHTML",
        "</script",
        "http://",
        "https://",
    ):
        assert way not in script.replace("http://www.w3.org/2000/svg", "")
