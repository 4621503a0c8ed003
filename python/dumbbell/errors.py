"""Errors, each with the exit code that the command line ends with."""

from __future__ import annotations

from typing import Any


class DumbbellError(Exception):
    """A failure. `code` is the exit code, `detail` the same as an object for `--json`."""

    code = 1

    def __init__(self, rendered: str, detail: dict[str, Any] | None = None) -> None:
        super().__init__(rendered)
        self.detail = detail or {}

    @property
    def rendered(self) -> str:
        """The text for people, as the extension wrote it: each cause and each fix in one line."""
        return str(self.args[0])

    def _render_traceback_(self) -> list[str]:
        """The text for IPython: the message, which says where and what to write. A stack of ours
        says neither."""
        return [f"{type(self).__name__}: ", *self.rendered.splitlines()]


class ScenarioError(DumbbellError):
    """The scenario, a name or an option is wrong; the text shows where, and the fix."""

    code = 2


class CheckFailed(DumbbellError):
    """Something was checked and is not what it should be: a result file that is damaged, a log that
    was altered."""

    code = 3


class EnvironmentLacks(DumbbellError):
    """This machine lacks what the command needs; the text says what."""

    code = 4


class InvalidRun(DumbbellError):
    """A run ended, and its own checks (conservation of packets, audits) say that it is not
    valid."""

    code = 5


def of_code(code: int, rendered: str, detail: dict[str, Any] | None = None) -> BaseException:
    """The exception that belongs to an exit code."""
    if code == 130:
        return KeyboardInterrupt(rendered)
    for kind in (ScenarioError, CheckFailed, EnvironmentLacks, InvalidRun):
        if kind.code == code:
            return kind(rendered, detail)
    return DumbbellError(rendered, detail)
