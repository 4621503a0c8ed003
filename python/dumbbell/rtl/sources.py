"""The hardware's sources: their folder, and the files of each top module, in order.

The lists are beside the sources, in the form that simulators read (`core.f`, `module.f`, ...): one
path a line, relative to the list. Nobody keeps a second one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .. import shipped
from ..errors import EnvironmentLacks

__all__ = ["TOPS", "folder", "folders", "listed", "sources"]

TOPS = {"core": "red_core", "module": "red_nf1g", "axis": "red_axis", "pipeline": "udp_red"}
"""The top module of each list."""


def folders() -> Iterator[Path]:
    """Places of `rtl/red`: `DUMBBELL_RTL` (that folder itself), and the package.

    The current folder and its parents are not searched: the tools that read the sources can run
    programs, and others may write there.
    """
    for entry in os.environ.get("DUMBBELL_RTL", "").split(os.pathsep):
        if entry:
            yield Path(entry)
    yield shipped.folder("rtl") / "red"


def folder() -> Path:
    """The folder of the hardware's sources. `EnvironmentLacks` if there is none."""
    for found in folders():
        if (found / "core.f").exists():
            return found
    raise EnvironmentLacks(
        "the package has no hardware sources: install it again, or set DUMBBELL_RTL to the folder "
        "rtl/red of a checkout"
    )


def sources(what: str = "core") -> list[Path]:
    """The ordered sources of `core`, `module`, `axis` or `pipeline`, each file once, after what it
    builds on."""
    return listed(folder() / f"{what}.f")


def listed(file: Path) -> list[Path]:
    """The files that a list names, in order: `-F other.f` stands for that list's, a comment begins
    with `//`."""
    if not file.exists():
        raise EnvironmentLacks(f"there is no list of sources {file}")
    found: list[Path] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        words = line.split("//")[0].split()
        if words[:1] == ["-F"]:
            found += listed(file.parent / words[1])
        else:
            found += [file.parent / word for word in words]
    return list(dict.fromkeys(found))
