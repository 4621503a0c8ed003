"""Where a command reads a scenario from, and how it prints. Nothing here imports the parser."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import ScenarioError
from ..files.reading import LONGEST
from ..present import messages
from . import encoding, output

_NAME = re.compile(r"[a-z0-9-]+")
_HINT = " (--wide shows every column)"


def source(file: str) -> dict[str, str]:
    """Where a scenario comes from: a path, the name of one that ships, or the text on stdin."""
    if file != "-":
        if _is_pipe(file):
            raise ScenarioError(
                f"{file} cannot be read: it is a pipe\n"
                "help: write `-` and pass the text on standard input, or name a file"
            )
        return {"path": _path(file)}
    text = typed(LONGEST + 1)
    if len(text) > LONGEST:
        raise ScenarioError(f"the scenario on standard input is larger than {LONGEST >> 20} MiB")
    return {"text": text, "name": "stdin"}


def _is_pipe(file: str) -> bool:
    """True for what a shell puts in the place of `<(...)`, too: opening one may wait for ever."""
    try:
        return Path(file).is_fifo()
    except OSError:  # Whoever reads it says what is wrong.
        return False


def typed(most: int = -1) -> str:
    """The text on standard input, and of a long one as many characters as `most` says."""
    if sys.stdin is None:  # As after `<&-`.
        raise ScenarioError(
            "standard input is closed\nhelp: pass the text there, as in `< FILE`, or name a file"
        )
    return sys.stdin.read(most)


def _path(file: str) -> str:
    """The path of a file; of a scenario that ships, if there is no file and this is its name."""
    if not _NAME.fullmatch(file) or os.path.lexists(file):
        return file
    from .. import shipped

    found = shipped.scenario(file)
    if found is None:
        return file
    notes([f"there is no file {file} here: this is {found}, which ships with Dumbbell"])
    return str(found)


def emit(document: Any) -> None:
    """Prints the one JSON document of `--json`."""
    print(json.dumps(document, ensure_ascii=not encoding.is_unicode(), allow_nan=False))


def show(*renderables: Any) -> None:
    """Prints for people on stdout, as wide as `output.columns` says."""
    width = output.columns()
    if all(_is_plain(each, width) for each in renderables):
        print("\n".join(each.rstrip() for each in renderables))
        return
    from ..present import grids

    if not sys.stdout.isatty():
        print(grids.to_text(renderables, width, _HINT))
        return
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False, width=width or grids.UNBOUNDED)
    for each in renderables:
        console.print(grids.laid_out(each, width, _HINT), crop=False)


def _is_plain(each: Any, width: int | None) -> bool:
    """True if a console would print this as it is: a line of ASCII that is not too wide."""
    return (
        isinstance(each, str)
        and each.isascii()
        and each.isprintable()
        and (width is None or len(each) <= width)
    )


def notes(lines: Iterable[str]) -> None:
    """Prints remarks on stderr, but not with --quiet."""
    for line in () if output.OUTPUT.quiet else lines:
        print(messages.flowed(f"note: {line}", output.sentence_columns()), file=sys.stderr)


def warn(warnings: Iterable[Mapping[str, Any]]) -> None:
    """Prints the warnings of a plan or a result on stderr, but not with --quiet."""
    for warning in () if output.OUTPUT.quiet else warnings:
        print(messages.wrapped(warning["rendered"], output.message_columns()), file=sys.stderr)


def warn_in_short(warnings: Iterable[Mapping[str, Any]]) -> None:
    """Prints warnings about scenarios that the user did not write: a line for each kind on stderr,
    but not with --quiet."""
    for line in () if output.OUTPUT.quiet else messages.in_short(warnings):
        print(messages.flowed(line, output.sentence_columns()), file=sys.stderr)


def tell(line: str) -> None:
    """A line after each of some long runs, where no bar says how far it is."""
    if not sys.stderr.isatty() and not output.OUTPUT.quiet:
        print(line, file=sys.stderr, flush=True)
