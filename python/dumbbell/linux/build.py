"""Builds a kernel: once for each source and recipe, whole or not at all."""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import DumbbellError, EnvironmentLacks
from ..files import private
from . import kernels, recipe
from .kernels import ABOUT, CURRENT, PROGRAM, Kernel
from .source import Source

Tell = Callable[[str, float], None]
"""Called with what is done now, and the share of it that is over, 0 to 1."""

_TOOLS = {
    "gcc": "gcc",
    "make": "make",
    "flex": "flex",
    "bison": "bison",
    "bc": "bc",
    "xz": "xz-utils",
}
"""Programs that the build calls, and the packages that have them."""
_STEPS = 1050
"""Lines that the build writes, about: one for each file."""
_STEP = re.compile(r"  (?:AR|AS|CC|GEN|HOSTCC|LD|UPD|WRAP) ")
_LAST_LINES = 12
_STALE = ".building-"
_PR_SET_PDEATHSIG = 1


def lacking() -> dict[str, str]:
    """Programs that the build needs and this machine does not have, with their packages."""
    return {tool: package for tool, package in _TOOLS.items() if shutil.which(tool) is None}


def build(source: Source, tell: Tell = lambda what, share: None, jobs: int | None = None) -> Kernel:
    """The kernel of a source: as it was built before, or built now. From now on `--on linux` runs
    it.

    `EnvironmentLacks` if a program is missing or the source does not fit, `DumbbellError` if the
    build fails.
    """
    name = recipe.identity(source.identity)
    home = private.folder(kernels.folder())
    if not (home / name / PROGRAM).is_file():
        missing = lacking()
        if missing:
            raise EnvironmentLacks(
                f"to build a kernel, this machine lacks {', '.join(missing)}\n"
                f"help: apt-get install {' '.join(sorted(missing.values()))}"
            )
        with _alone(home):
            if not (home / name / PROGRAM).is_file():
                _make(source, home, name, tell, jobs or os.cpu_count() or 1)
    _choose(home, name)
    return kernels.needed()


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """One build at a time; what an earlier one left when it was killed is removed."""
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for stale in home.glob(f"{_STALE}*"):
            shutil.rmtree(stale, ignore_errors=True)
        yield


def _choose(home: Path, name: str) -> None:
    new = home / f"{CURRENT}.new"
    new.write_text(f"{name}\n", encoding="utf-8")
    new.replace(home / CURRENT)


def _make(source: Source, home: Path, name: str, tell: Tell, jobs: int) -> None:
    with tempfile.TemporaryDirectory(prefix=_STALE, dir=home) as temporary:
        work = Path(temporary)
        tell("getting the source", 0.0)
        tree = source.unpack(work)
        recipe.apply(tree)
        made = work / "made"
        made.mkdir()
        common = ["make", "-C", str(tree), "ARCH=um", f"O={made}"]
        if source.tree is not None:
            _run(["make", "-C", str(tree), "ARCH=um", "mrproper"], lambda line: None)
        options = f"KCONFIG_ALLCONFIG={recipe.CONFIG}"
        _run([*common, options, "allnoconfig"], lambda line: None)
        _compile([*common, f"-j{jobs}", "linux"], tell)
        subprocess.run(["strip", str(made / PROGRAM)], check=False)
        release = (made / "include/config/kernel.release").read_text(encoding="utf-8").strip()
        ready = work / "ready"
        ready.mkdir()
        shutil.move(made / PROGRAM, ready / PROGRAM)
        about = {"release": release, "source": source.name}
        (ready / ABOUT).write_text(json.dumps(about) + "\n", encoding="utf-8")
        with suppress(FileExistsError):
            ready.rename(home / name)


def _compile(command: list[str], tell: Tell) -> None:
    done = 0

    def heard(line: str) -> None:
        nonlocal done
        if _STEP.match(line):
            done += 1
            tell("compiling the kernel", min(done / _STEPS, 0.99))

    _run(command, heard)


def _run(command: list[str], heard: Callable[[str], None]) -> None:
    """Runs a step of the build; it ends with this process."""
    environment = {
        **{key: os.environ[key] for key in ("PATH", "HOME", "TMPDIR") if key in os.environ},
        **recipe.ENVIRONMENT,
        "LC_ALL": "C",
    }
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        env=environment,
        preexec_fn=_end_with_parent,
    )
    last: list[str] = []
    assert process.stdout is not None
    try:
        for line in process.stdout:
            heard(line)
            last = [*last[1 - _LAST_LINES :], line.rstrip()]
        code = process.wait()
    except BaseException:
        process.terminate()  # make ends its children.
        process.wait()
        raise
    if code:
        raise DumbbellError("the kernel does not build:\n" + "\n".join(last))


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
