"""Where `print` of a user's algorithm goes: in a command not among its own output, which programs read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout

_where: list[Callable[[], AbstractContextManager[object]]] = [nullcontext]


@contextmanager
def aside() -> Iterator[None]:
    """While this lasts, code of a user may run."""
    with _where[-1]():
        yield


def to_stderr() -> None:
    """From now on, what such code prints goes to standard error. For a process that is a command: a notebook shows it
    where it is."""
    _where[:] = [lambda: redirect_stdout(sys.stderr)]
