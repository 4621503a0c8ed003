"""Progress of a run, for people: a bar in a notebook, a line on a terminal; nothing to install."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import ScenarioError

Progress = Callable[[int, int, float], Any]
"""Called as `progress(finished, runs, fraction)`: runs that ended, all runs, share of all simulated
time."""

_WIDTH = 30


@contextmanager
def shown(wanted: Progress | bool | None) -> Iterator[Progress | None]:
    """The function to call: the caller's own, a bar that disappears at the end (True), or
    nothing."""
    if not (callable(wanted) or isinstance(wanted, bool) or wanted is None):
        raise ScenarioError(
            f"progress={wanted!r} shows no progress\n"
            "help: write True for a bar, or a function of runs finished, all runs and the share"
        )
    if callable(wanted) or not wanted:
        yield wanted if callable(wanted) else None
    elif _in_notebook():
        with _notebook() as report:
            yield report
    else:
        try:
            yield lambda finished, runs, fraction: _line(
                f"{_bar(fraction)} {said(finished, runs, fraction)}"
            )
        finally:
            _line("")


def said(finished: int, runs: int, fraction: float) -> str:
    """The progress in words: a single run has only its simulated time to tell."""
    return f"{finished} of {runs} runs" if runs > 1 else f"{fraction:.0%} of simulated time"


def _in_notebook() -> bool:
    """True if a Jupyter kernel runs this process: only it has a display to update."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and getattr(shell, "kernel", None) is not None


@contextmanager
def _notebook() -> Iterator[Progress]:
    handle: Any = importlib.import_module("IPython.display").DisplayHandle()
    handle.display(_Bar(0, 0, 0.0))
    try:
        yield lambda finished, runs, fraction: handle.update(_Bar(finished, runs, fraction))
    finally:
        handle.update(_Bar(0, 0, 1.0, over=True))


class _Bar:
    """A state of the bar, as a notebook and as text."""

    def __init__(self, finished: int, runs: int, fraction: float, over: bool = False) -> None:
        self.text = "" if over else said(finished, runs, fraction)
        self.fraction, self.over = fraction, over

    def _repr_html_(self) -> str:
        return (
            ""
            if self.over
            else f'<progress max="1" value="{self.fraction:.3f}"></progress> {self.text}'
        )

    def __repr__(self) -> str:
        return "" if self.over else f"{_bar(self.fraction)} {self.text}"


def _bar(fraction: float) -> str:
    full = int(fraction * _WIDTH)
    return "█" * full + "░" * (_WIDTH - full)


@contextmanager
def work(terminal: bool) -> Iterator[Callable[[str, float], None]]:
    """The function to call while something long is done: with what it is, and the share of it that
    is over. Without a terminal each thing is told once."""
    told = ""

    def tell(what: str, share: float) -> None:
        nonlocal told
        if terminal:
            _line(f"{_bar(share)} {what}")
        elif what != told:
            sys.stderr.write(f"{what}\n")
        told = what

    try:
        yield tell
    finally:
        if terminal and told:
            _line("")


def _line(text: str) -> None:
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()
