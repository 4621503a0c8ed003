"""Files of others, read through declared shapes: plain typed classes that say which keys a file has
and of which types.

A shape is a subclass of `Shape`. What is wrong with a file is one `ScenarioError` (exit code 2):
the file, the line where it can be found, the key, what stands there, and what belongs there. What a
reader accepts is bounded: `LARGEST` bytes of text, finite numbers up to `MOST` in size.
"""

from __future__ import annotations

import math
import re
import string
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ..errors import ScenarioError
from . import reading

LARGEST = 1 << 20
"""The longest text of a TOML file, bytes."""
MOST = 1e30
"""The largest number, whatever it counts."""
_SHOWN = 80
"""Characters of a value or a key that a message repeats."""

Real = int | float
"""A number that keeps its type: an integer in a file stays one in a report."""

T = TypeVar("T")


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a file: its keys are the class's fields, and no others are accepted."""


Rewrite = Callable[[dict[str, Any]], tuple[dict[str, Any], Callable[[str], str]]]
"""Makes a file's document into the one that a shape describes, and says where the file has what a
path of that one names."""


def toml(file: Path, shape: type[T], rewrite: Rewrite = lambda raw: (raw, str)) -> T:
    """A TOML file as an object of `shape`. `ScenarioError` if it cannot be read, or says something
    else."""
    said = text(file)
    try:
        raw = tomllib.loads(said)
    except RecursionError:
        raise ScenarioError(f"{file} is not TOML: its values are nested too deeply") from None
    except ValueError as error:  # Syntax, and numbers or dates beyond what Python reads.
        raise ScenarioError(f"{file} is not TOML: {cut(str(error), 300)}") from None
    in_file: Callable[[str], str] = str
    try:
        raw, in_file = rewrite(raw)
        return convert(raw, shape)
    except Wrong as error:
        wrong = Wrong(in_file(error.path), error.cause)
        line = _line(said, wrong.path)
        place = f", line {line}" if line else ""
        raise ScenarioError(f"{file}{place}: {wrong}") from None


def text(file: Path) -> str:
    """The text of a file, of at most `LARGEST` bytes. `ScenarioError` if it cannot be read."""
    try:
        data = reading.whole(file, LARGEST)
    except FileNotFoundError:
        raise ScenarioError(f"there is no file {file}") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a null character.
        raise ScenarioError(
            f"{file} cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ScenarioError(
            f"{file}, line {line}: byte {data[error.start]:#04x} is not UTF-8 text"
        ) from None


_SENTENCES = 20
"""Mistakes that one refusal names."""
_LONGEST = 300
"""Characters of each."""


def refusal(file: Path, wrong: Sequence[str]) -> ScenarioError:
    """The mistakes of a file, a sentence for each mistake; of very many the first."""
    sentences = [cut(sentence, _LONGEST) for sentence in wrong[:_SENTENCES]]
    more = [f"... and {len(wrong) - _SENTENCES} more"] if len(wrong) > _SENTENCES else []
    if len(wrong) == 1:
        return ScenarioError(f"{file}: {sentences[0]}")
    return ScenarioError("\n".join([f"{file}:", *sentences, *more]))


class Wrong(Exception):
    """The mistake of a document, in a sentence. path: where, as in `point[2].id`; empty: the whole
    document."""

    def __init__(self, path: str, cause: str) -> None:
        super().__init__(f"`{path}`: {cause}" if path else cause)
        self.path = path
        self.cause = cause


def convert(raw: Any, shape: type[T]) -> T:
    """A document as an object of `shape`. `Wrong` says where it is something else."""
    _bounded(raw)
    try:
        return msgspec.convert(raw, shape)
    except msgspec.ValidationError as error:
        raise _wrong(str(error)) from None


def _bounded(raw: Any) -> None:
    """Refuses numbers that no measurement and no parameter has. Without recursion: tables may be
    nested deeply."""
    pending: list[tuple[str, Any]] = [("", raw)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            pending += [(f"{path}.{key}" if path else key, inner) for key, inner in value.items()]
        elif isinstance(value, list):
            pending += [(f"{path}[{i}]", inner) for i, inner in enumerate(value)]
        elif isinstance(value, float) and not math.isfinite(value):
            raise Wrong(cut(path, _SHOWN), f"the value is {value}, but must be a finite number")
        elif isinstance(value, (int, float)) and abs(value) > MOST:
            raise Wrong(cut(path, _SHOWN), f"this number is larger than {MOST:g}")


_TYPES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
    "object": "a table",
    "array": "a list",
    "datetime": "a date",
    "date": "a date",
    "time": "a time of day",
}
_MESSAGE = re.compile(r"(?P<cause>.*?)(?: - at `\$\.?(?P<path>.*)`)?", re.DOTALL)
_TYPED = re.compile(
    r"Expected `(?P<wanted>[^`]*)`(?P<bound> [<>]=? \S+)?(?:, got `(?P<found>[^`]*)`)?"
)
_OF_LENGTH = re.compile(r"Expected `array` of length (?P<wanted>\S+), got (?P<found>\S+)")
_MISSING = re.compile(r"Object missing required field `(?P<key>.*)`", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<key>.*)`", re.DOTALL)


def _wrong(message: str) -> Wrong:
    """The library's message in a user's words."""
    parts = _MESSAGE.fullmatch(message)
    cause, path = (parts["cause"], parts["path"] or "") if parts else (message, "")
    if match := _OF_LENGTH.fullmatch(cause):
        return Wrong(
            path,
            f"this is a list of {match['found']}, but must be a list of {match['wanted']}",
        )
    if match := _MISSING.fullmatch(cause):
        return Wrong(path, f"the key `{match['key']}` is missing")
    if match := _UNKNOWN.fullmatch(cause):
        return Wrong(path, f"there is no key `{cut(match['key'], _SHOWN)}` here")
    if match := _TYPED.fullmatch(cause):
        wanted = f"{_words(match['wanted'])}{_bound(match['bound'])}"
        if not match["found"]:
            return Wrong(path, f"this must be {wanted}")
        return Wrong(path, f"this is {_words(match['found'])}, but must be {wanted}")
    return Wrong(path, cause)


def _words(types: str) -> str:
    return " or ".join(
        dict.fromkeys(_TYPES.get(name.strip(), name.strip()) for name in types.split("|"))
    )


def _bound(bound: str | None) -> str:
    if bound is None:
        return ""
    sign, number = bound.split()
    words = {">=": "from", "<=": "up to", ">": "above"}
    return f" {words.get(sign, 'below')} {number}"


_STEP = re.compile(r"\[(\d+)\]|\[\.\.\.\]|([^.\[\]]+)")


def _line(text: str, path: str) -> int | None:
    """The line of a key in TOML as it is usually written; of its table where it is not found, else
    None."""
    steps = [number or name for number, name in _STEP.findall(path)]
    if not steps:
        return None
    lines = text.splitlines()
    name, *rest = steps
    listed = bool(rest) and rest[0].isdigit()
    header = rf"\[\[\s*{re.escape(name)}\s*\]\]" if listed else rf"\[\s*{re.escape(name)}\s*[\].]"
    nth = int(rest.pop(0)) if listed else 0
    starts = [i for i, line in enumerate(lines) if re.match(rf"\s*{header}", line)]
    if len(starts) <= nth:
        return _key_line(lines, 0, name)
    start = starts[nth] + 1
    line = _key_line(lines, start, rest[0] if rest else "") or start
    if len(rest) > 1 and rest[1].isdigit():
        return _row_line(lines, line, int(rest[1])) or line
    return line


def _key_line(lines: list[str], start: int, key: str) -> int | None:
    """The line, from 1, of `key = ...` in the table that begins at `start`."""
    wanted = re.compile(rf"\s*\"?{re.escape(key)}\"?\s*[=.]")
    for i, line in enumerate(lines[start:], start + 1):
        if key and wanted.match(line):
            return i
        if line.startswith("["):
            return None
    return None


def _row_line(lines: list[str], start: int, nth: int) -> int | None:
    """The line, from 1, of a table in a list that has one on each line from `start` on."""
    for i, line in enumerate(lines[start:], start + 1):
        if line.startswith(("[", "]")):
            return None
        nth -= line.lstrip().startswith("{")
        if nth < 0:
            return i
    return None


def cut(text: str, most: int) -> str:
    """The first `most` characters of a text on one line; `...` stands for the rest."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}..."


def filled(template: str, values: Mapping[str, Any]) -> str:
    """A template with a value in each place, as in `red-{buffer}`; `{{` and `}}` are braces.
    `ScenarioError` for a place that has no value. Only names are looked up: nothing is evaluated,
    and no value is formatted."""
    out: list[str] = []
    for literal, name in _places(template):
        out.append(literal)
        if name is not None:
            if name not in values:
                raise ScenarioError(
                    f"`{cut(template, _SHOWN)}`: there is no axis `{cut(name, _SHOWN)}`"
                )
            out.append(str(values[name]))
    return "".join(out)


def places(template: str) -> set[str]:
    """The names in a template. `ScenarioError` if its braces do not pair."""
    return {name for _, name in _places(template) if name is not None}


def _places(template: str) -> Iterable[tuple[str, str | None]]:
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        raise ScenarioError(f"`{cut(template, _SHOWN)}`: {error}") from None
    for literal, name, form, conversion in parts:
        if form or conversion or (name is not None and not name.isidentifier()):
            raise ScenarioError(
                f"`{cut(template, _SHOWN)}`: write the name of an axis in braces, as in "
                "{buffer}; literal braces are {{ and }}"
            )
        yield literal, name
