"""What is wrong with a command line, in a sentence: the option, what was written, and what to
write.

Bounds that hold for every option of every command are here, too: `sane` is the parser's validator
for all of them.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args

from cyclopts import CycloptsError, Parameter
from cyclopts.exceptions import (
    CoercionError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)

from .. import api
from . import OPTIONS

MOST = 2**63 - 1
"""The largest whole number of an option."""
LONGEST = 4096
"""The longest path, name or quantity of an option, characters."""
_SHOWN = 60
"""Characters of a value that a message repeats."""


def sane(_: Any, value: Any) -> None:
    """Refuses what no option takes: a number below zero, beyond 64 bits or not finite, a null
    character, very long names. `ValueError`, as the parser wants it, with what to write."""
    if is_dataclass(
        value
    ):  # Options that commands share: which of them it is, the parser does not say.
        for each in fields(value):
            _named(each.name, getattr(value, each.name))
        return
    for each in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(each, bool):
            continue
        if isinstance(each, int) and not 0 <= each <= MOST:
            raise ValueError(
                f"write a whole number from 0 to {MOST}"
                if each > MOST
                else "write a whole number from 0 up"
            )
        if isinstance(each, float) and not (math.isfinite(each) and each >= 0):
            raise ValueError("write a finite number from 0 up")
        if isinstance(each, (str, Path)) and "\0" in str(each):
            raise ValueError("a null character is not allowed here")
        if isinstance(each, Path) and len(str(each)) > LONGEST:
            raise ValueError(f"a path has at most {LONGEST} characters")


def _named(name: str, value: Any) -> None:
    try:
        sane(None, value)
    except ValueError as error:
        raise ValueError(f"--{name.replace('_', '-')} {_short(str(value))}: {error}") from None


DEFAULTS = Parameter(negative=(), show_default=False, validator=sane)
"""What holds for every option."""

_NEGATIVE = re.compile(r"-(\d|\.\d|inf|nan)", re.IGNORECASE)


def with_values(words: list[str]) -> list[str]:
    """The words with each negative value joined to its option: `--rate -5Mbps` becomes
    `--rate=-5Mbps`. Else the parser takes the value for an option, and says that a value is
    missing. What stands after `--`, or is the program that `shell` runs, is left alone."""
    out: list[str] = []
    for i, word in enumerate(words):
        before = out[-1] if out else ""
        is_value = before.startswith("--") and "=" not in before
        if word == "--" or (
            words[0] == "shell" and i and not word.startswith("-") and not is_value
        ):
            return [*out, *words[i:]]
        if _NEGATIVE.match(word) and re.fullmatch(r"--[a-z][a-z-]*", before):
            out[-1] = f"{before}={word}"
        else:
            out.append(word)
    return out


def sentence(error: CycloptsError, commands: Iterable[str]) -> str:
    """What the parser found wrong. commands: the names of all commands."""
    match error:
        case UnknownCommandError(unused_tokens=[word, *_], app=app):
            known = [name for name in app or () if not name.startswith("-")] or list(commands)
            return f"there is no command `{_short(word)}`: {_near(word, known)}"
        case UnknownOptionError(token=token, argument_collection=arguments):
            word = (token.keyword or token.value).partition("=")[0]
            known = [
                name
                for argument in arguments
                if argument.parse
                for name in argument.names
                if name != "*"
            ] + list(OPTIONS)
            near = api.nearest(word, known) if word.startswith("--") else None
            return f"there is no option {_short(word)}" + (
                f": did you mean {near}?" if near else ""
            )
        case MissingArgumentError(argument=argument) if argument is not None:
            named = next(
                (name for name in argument.names if name in (error.root_input_tokens or ())), None
            )
            return f"{argument.name} is missing" if named is None else f"{named} needs a value"
        case UnusedCliTokensError(unused_tokens=[word, *_]):
            return f"`{_short(word)}` is an extra word"
        case RepeatArgumentError(token=token):
            return f"{token.keyword} appears twice"
        case CoercionError(token=token) if token is not None:
            return f"{_of(error, token)}: {_wanted(error.target_type)}"
        case ValidationError(argument=argument) if argument is not None and argument.tokens:
            return f"{_of(error, argument.tokens[0])}: {error.exception_message}"
        case ValidationError():
            return error.exception_message
    return str(error)


def _of(error: CycloptsError, token: Any) -> str:
    """The option and its value, as they were written."""
    name = token.keyword or (error.argument.name.lstrip("-").upper() if error.argument else "")
    return f"{name} {_short(token.value or token.implicit_value or '')}".strip()


def _wanted(kind: Any) -> str:
    if kind is int:
        return "this is not a whole number"
    if kind is float:
        return "this is not a number"
    if kind is bool:
        return "it takes no value"
    return (
        f"write {' or '.join(map(str, get_args(kind)))}"
        if get_args(kind)
        else "this is not allowed here"
    )


def _near(word: str, known: list[str]) -> str:
    near = api.nearest(word, known)
    if near:
        return f"did you mean `{near}`?"
    alike = difflib.get_close_matches(word, known, n=2)
    first = f"did you mean {' or '.join(f'`{name}`' for name in alike)}? Or " if alike else ""
    return f"{first}write one of {', '.join(known)}"


def _short(word: str) -> str:
    return word if len(word) <= _SHOWN else f"{word[:_SHOWN]}..."
