"""Folders stay small enough to be read at a glance."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST = 20
"""Files of a folder."""
MOST_IN_THE_ROOT = 8
"""Modules of the package's root, which is its public face."""

CATALOGUES = {"aqm", "cc"}
"""Folders with one algorithm a file: they grow with the catalogue."""


def folders() -> list[Path]:
    """Every folder of the code, without what tools write."""
    tops = [
        *(ROOT / "crates").glob("*/src"),
        *(ROOT / "crates").glob("*/tests"),
        ROOT / "python",
        ROOT / "tests",
    ]
    inside = [
        folder for top in tops for folder in [top, *(f for f in top.rglob("*") if f.is_dir())]
    ]
    return [folder for folder in inside if "__pycache__" not in folder.parts]


def test_no_folder_is_crowded() -> None:
    counts = {
        f.relative_to(ROOT): sum(1 for p in f.iterdir() if p.suffix in (".py", ".rs"))
        for f in folders()
    }
    crowded = {str(f): n for f, n in counts.items() if n > MOST and f.name not in CATALOGUES}
    assert crowded == {}


def test_the_root_of_the_package_is_its_public_face() -> None:
    modules = sorted(path.name for path in (ROOT / "python" / "dumbbell").glob("*.py"))
    assert len(modules) <= MOST_IN_THE_ROOT, modules
