"""True if a simulator is here, and what to say if it is not or fails."""

from __future__ import annotations

import shutil
import subprocess

from .....errors import DumbbellError, EnvironmentLacks


def lacking(name: str, *packages: str) -> EnvironmentLacks:
    """The refusal of a comparison with a simulator that is not installed."""
    words = " ".join(packages)
    return EnvironmentLacks(
        f"{name} is not installed: this comparison needs the Debian "
        f"package{'s' * (len(packages) > 1)} {words}\nOn Debian or Ubuntu: sudo apt-get install "
        f"{words}   (or, as root in a checkout: make compare)",
        {"package": packages[0], "packages": list(packages)},
    )


def program(names: tuple[str, ...], simulator: str, *packages: str) -> str:
    """The path of the first of `names` that is in PATH."""
    for name in names:
        if path := shutil.which(name):
            return path
    raise lacking(simulator, *packages)


def failed(simulator: str, done: subprocess.CompletedProcess[str]) -> DumbbellError:
    """A peer's run that ended badly."""
    tail = "\n".join((done.stderr or done.stdout).strip().splitlines()[-8:])
    return DumbbellError(f"{simulator} ended with {done.returncode}:\n{tail}")
