"""The kernels that were built: where they are, and which one runs."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import EnvironmentLacks
from ..files import private

VARIABLE = "DUMBBELL_LINUX"
"""The environment's choice of a kernel: a program, instead of the one that was built last."""
PROGRAM, ABOUT, CURRENT = "linux", "about.json", "current"


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel: its program, and what is known of it (`release`, `source`)."""

    program: Path
    about: dict[str, Any]

    @property
    def recipe(self) -> str:
        """The hash of what it was made from; its release for a program that the user named."""
        here = self.program.parent
        return here.name if here.parent == folder() else str(self.about["release"])


def folder() -> Path:
    """The folder of all kernels of this user."""
    return private.cache() / "linux"


def current() -> Kernel | None:
    """The kernel that `--on linux` runs; None if there is none."""
    named = os.environ.get(VARIABLE)
    if named:
        return Kernel(Path(named).absolute(), {"release": named})
    here = folder()
    try:
        name = (here / CURRENT).read_text(encoding="utf-8").strip()
        about = json.loads((here / name / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    program = here / name / PROGRAM
    return Kernel(program, about) if program.is_file() else None


def needed() -> Kernel:
    """The kernel that `--on linux` runs. `EnvironmentLacks` if there is none."""
    kernel = current()
    if kernel is None:
        raise EnvironmentLacks(
            "no kernel has been built for --on linux\n"
            "help: build one, once: dumbbell linux build (some minutes)"
        )
    if not os.access(kernel.program, os.X_OK):
        raise EnvironmentLacks(f"{kernel.program} is not a program that can be run")
    return kernel
