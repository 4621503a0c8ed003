"""`man`: the manual page, from the texts of `--help`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cyclopts import App

_FILES = (
    (".dumbbell/store", "Finished runs of `sweep`, in the working directory."),
    ("dumbbell.schema.json", "The schema of scenario files, next to those of `new scenario`."),
)
_ENVIRONMENT = (("DUMBBELL_STORE", "The directory of finished runs, instead of .dumbbell/store."),)


def man() -> int:
    """Print the manual page.

    Example: `dumbbell man | man -l -`
    """
    print(page(), end="")
    return 0


def page() -> str:
    """The manual page, as roff."""
    from .. import __version__
    from . import EXIT_CODES, OPTIONS, app

    grammar = app()
    lines = [
        f'.TH DUMBBELL 1 "" "Dumbbell {_roff(__version__)}" "User Commands"',
        ".SH NAME",
        r"dumbbell \- a laboratory for congestion control",
        ".SH SYNOPSIS",
        ".B dumbbell",
        r"\fICOMMAND\fR [\fIOPTIONS\fR]",
        ".SH COMMANDS",
        *(line for names, apps in _commands((grammar,)) for line in _command(names, apps)),
        ".SH OPTIONS OF EVERY COMMAND",
        *_items(OPTIONS.items()),
        ".SH EXIT STATUS",
        _text(EXIT_CODES.removeprefix("Exit codes: ")),
        ".SH ENVIRONMENT",
        *_items(_ENVIRONMENT),
        ".SH FILES",
        *_items(_FILES),
    ]
    return "\n".join(lines) + "\n"


def _commands(apps: tuple[App, ...], names: str = "") -> Iterator[tuple[str, tuple[App, ...]]]:
    """Each command with its name, and the grammars from the whole one to its own."""
    for name in (name for name in apps[-1] if not name.startswith("-")):
        own, full = (*apps, apps[-1][name]), f"{names} {name}".strip()
        yield full, own
        yield from _commands(own, full)


def _command(name: str, apps: tuple[App, ...]) -> Iterator[str]:
    command = apps[-1]
    function = command.default_command
    with apps[0].app_stack(apps):
        found = command.assemble_argument_collection() if function is not None else []
        arguments = [each for each in found if each.parse and each.show]
    places = [each for each in arguments if not each.name.startswith("-")]
    yield f".SS dumbbell {_roff(' '.join([name, *(each.name for each in places)]))}"
    said = re.split(r"\n\s*\n", (getattr(function, "__doc__", None) or command.help).strip())
    yield "\n.PP\n".join(_text(paragraph) for paragraph in said)
    yield from _items((_names(each), _meaning(each)) for each in arguments)


def _names(argument: Any) -> str:
    takes_value = argument.name.startswith("-") and not argument.is_flag()
    return ", ".join(argument.names) + (" VALUE" if takes_value else "")


def _meaning(argument: Any) -> str:
    choices = argument.get_choices()
    return (argument.parameter.help or "") + (f" One of {', '.join(choices)}." if choices else "")


def _items(items: Any) -> Iterator[str]:
    for name, meaning in items:
        yield f".TP\n.B {_roff(name)}\n{_text(meaning)}"


def _text(text: str) -> str:
    """A paragraph; what stands in backquotes is bold."""
    line = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", _roff(" ".join(text.split())))
    return f"\\&{line}" if line.startswith((".", "'")) else line


def _roff(text: str) -> str:
    """Text without meaning for roff; hyphens of options stay such when they are copied."""
    return text.replace("\\", "\\e").replace("-", "\\-")
