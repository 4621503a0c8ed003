"""Files of answers: an empty one to fill in, and the reading of one."""

from __future__ import annotations

import math
import textwrap
import tomllib
from dataclasses import dataclass
from pathlib import Path

from ..errors import DumbbellError
from .rubric import Exercise, Question, exercise

Answer = float | str | dict[str, float]


@dataclass(frozen=True, slots=True)
class Answers:
    """What a file of answers has."""

    exercise: Exercise
    by: str
    given: dict[str, Answer]


def template(name: str) -> str:
    """A file of answers to fill in."""
    about = exercise(name)
    lines = [
        f"# {about.title}",
        "# Remove the # before an answer, and fill it in.",
        f'exercise = "{name}"',
        'by = ""',
        "",
        "[answers]",
    ]
    for question in about.questions:
        lines += ["", *textwrap.wrap(question.ask, 98, initial_indent="# ", subsequent_indent="# ")]
        lines += [f"#   {option.value}: {option.text}" for option in question.options]
        lines.append(f"# {question.id} = {_blank(question)}")
    return "\n".join(lines) + "\n"


def _blank(question: Question) -> str:
    if question.kind == "choice":
        return '""'
    if question.fields:
        return "{ " + ", ".join(f"{name} = 0" for name in question.fields) + " }"
    return "0" + (f" # {question.unit}" if question.unit else "")


def read(file: Path) -> Answers:
    """A file of answers. Raises an error that names what is wrong with it."""
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DumbbellError(f"cannot read {file}: {error}") from None
    name, given = found.get("exercise"), found.get("answers", {})
    if not isinstance(name, str):
        raise DumbbellError(f'{file}: exercise = "NAME" is missing')
    about = exercise(name)
    questions = {one.id: one for one in about.questions}
    if not isinstance(given, dict):
        raise DumbbellError(f"{file}: [answers] is not a table")
    for key, value in given.items():
        if key not in questions:
            raise DumbbellError(f"{file}: {name} does not ask for {key!r}: {', '.join(questions)}")
        wanted = _wanted(questions[key], value)
        if wanted:
            raise DumbbellError(f"{file}: {key} must be {wanted}")
    return Answers(about, str(found.get("by", "")), given)


def _wanted(question: Question, value: object) -> str:
    """What an answer must be; empty if it is."""
    if question.kind == "choice":
        known = [option.value for option in question.options]
        return "" if value in known else f"one of {', '.join(known)}"
    if question.fields:
        fine = (
            isinstance(value, dict)
            and set(value) == set(question.fields)
            and all(_is_number(one) for one in value.values())
        )
        return "" if fine else f"a table of numbers: {_blank(question)}"
    return "" if _is_number(value) else "a number"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
