"""`classroom`: exercises for a course, and the check of their answers."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ..errors import DumbbellError
from ..files import write
from . import completers, output
from .options import Json, emit, show
from .usage_errors import DEFAULTS

CHECK_FAILED = 3

app = App(
    name="classroom",
    help="Exercises for a course, and the check of their answers.",
    default_parameter=DEFAULTS,
    help_flags=["--help", "-h"],
    version_flags=[],
)


@app.command(name="list")
def list_(*, json: Json = False) -> int:
    """List the exercises, in the order of the course.

    Example: `dumbbell classroom list`
    """
    from .. import classroom
    from ..present.grids import Grid

    found = [classroom.exercise(name) for name in classroom.names()]
    if json:
        keys = ("name", "title", "minutes", "goal")
        emit([{key: getattr(one, key) for key in keys} for one in found])
        return 0
    rows = [[one.name, one.title, str(one.minutes), str(len(one.questions))] for one in found]
    show(Grid("Exercises", ["name", "title", "minutes", "questions"], rows))
    return 0


@app.command
def new(
    name: Annotated[
        str,
        Parameter(
            help="The exercise, as `dumbbell classroom list` shows it.",
            completer=completers.exercises,
        ),
    ],
    folder: Annotated[Path, Parameter(help="Where to; it is made.")] = Path(),
    /,
) -> int:
    """Write the notebook of an exercise, and a file for its answers.

    Example: `dumbbell classroom new sawtooth`
    """
    from .. import classroom

    about = classroom.exercise(name)
    files = {
        folder / about.notebook.name: about.notebook.read_text(encoding="utf-8"),
        folder / f"{name}.toml": classroom.template(name),
    }
    for file in files:
        if file.exists():
            raise DumbbellError(f"{file} exists, and is left as it is")
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        write.write_new(file, text)
        show(str(file))
    return 0


@app.command
def check(
    files: Annotated[
        list[Path], Parameter(help="Files of answers.", completer=completers.scenarios)
    ],
    /,
    *,
    json: Json = False,
) -> int:
    """Check answers: run what the exercise asks about, and say what is right.

    A wrong answer gets a hint, not the answer. The exit code is 3 unless all are right.

    Example: `dumbbell classroom check sawtooth.toml`
    """
    from .. import classroom
    from ..present import messages

    reports = [classroom.check(file) for file in files]
    ok = all(report.ok for report in reports)
    if json:
        documents = [
            {**dataclasses.asdict(one), "right": one.right, "file": str(file)}
            for file, one in zip(files, reports, strict=True)
        ]
        emit({"ok": ok, "reports": documents})
        return 0 if ok else CHECK_FAILED
    for i, report in enumerate(reports):
        show(*([""] if i else []), messages.wrapped(str(report), output.columns()))
    return 0 if ok else CHECK_FAILED
