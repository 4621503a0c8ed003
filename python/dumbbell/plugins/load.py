"""Files with algorithms of a user's own: `dumbbell run scenario.toml --use mine.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType

from ..errors import ScenarioError
from ..files.reading import whole
from ..process.exit_guard import guard
from ..process.user_stdout import aside
from .base import Aqm, CongestionControl, Own, of_text
from .describe import Described, describe
from .failure import told


class Unusable(ScenarioError):
    """A file that brings nothing; `parts` are the cause and the fix."""

    def __init__(self, cause: str, fix: str, trace: str = "") -> None:
        super().__init__(f"{trace}{cause}\n  help: {fix}", {"cause": cause, "fix": fix})
        self.parts = (cause, fix)


def described(path: str) -> list[Described]:
    """The described classes of a file. `Unusable` says why there are none."""
    out = []
    for cls in classes(path):
        try:
            out.append(describe(cls))
        except TypeError as error:
            raise Unusable(
                f"{path}: {error}", "fix the class; docs/how-to/your-own.md has a complete example"
            ) from None
    return out


def classes(path: str | Path) -> list[type[Own]]:
    """The algorithms that a file defines, in its order; those that it imports are not its own."""
    file = Path(path)
    try:
        source = whole(file)
    except OSError as error:
        cause = (
            f"there is no file {path}"
            if not file.exists()
            else f"{path} cannot be read: {error.strerror}"
        )
        raise Unusable(
            cause, "check the path: `use` is relative to the file that contains it"
        ) from None
    module = _module(file.resolve(), str(path), source)
    mine = [c for c in vars(module).values() if isinstance(c, type) and issubclass(c, Own)]
    mine = [
        c for c in mine if c.__module__ == module.__name__ and c not in (Aqm, CongestionControl)
    ]
    mine = [c for c in dict.fromkeys(mine) if not c.__name__.startswith("_")]
    if not mine:
        fix = "derive a class from dumbbell.Aqm or dumbbell.CongestionControl"
        raise Unusable(f"{path} has no algorithm", fix)
    return mine


@cache
def _module(file: Path, shown: str, source: bytes) -> ModuleType:
    """The file as a module. An edited file is another one; the same file is read once."""
    module = ModuleType(f"dumbbell_own_{file.stem}_{of_text(str(file).encode() + source)}")
    module.__file__ = str(file)
    module.__dict__["__dumbbell_source_hash__"] = of_text(source)
    sys.modules[module.__name__] = module
    guard()
    try:
        with aside(), _beside(file):
            exec(compile(source, shown, "exec"), module.__dict__)
    except BaseException as error:
        del sys.modules[module.__name__]
        if isinstance(error, KeyboardInterrupt):
            raise
        cause, trace = told(error)
        raise Unusable(
            f"{shown} cannot be read: {cause}",
            "fix the file: `python` on it gives the same error",
            trace,
        ) from None
    return module


@contextmanager
def _beside(file: Path) -> Iterator[None]:
    """Modules beside the file can be imported by it."""
    folder = str(file.parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
