"""What comes with the package: papers, scenarios, exercises, and the hardware's sources.

In a checkout the folders here are links to those at its root, so that each file is in one place. A
wheel has the files themselves.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

__all__ = ["folder", "scenario", "scenarios", "title"]


def folder(name: Literal["classroom", "papers", "rtl", "scenarios"]) -> Path:
    """One of the folders: in a checkout that at its root."""
    return (Path(__file__).parent / name).resolve()


def scenarios() -> dict[str, Path]:
    """The files of the scenarios, by their names."""
    return {file.stem: file for file in sorted(folder("scenarios").glob("*.toml"))}


def scenario(name: str) -> Path | None:
    """The file of a scenario by its name; None if there is none."""
    return scenarios().get(name)


def title(file: Path) -> str:
    """What a scenario says of itself; empty if it says nothing."""
    return str(tomllib.loads(file.read_text(encoding="utf-8")).get("title", ""))
