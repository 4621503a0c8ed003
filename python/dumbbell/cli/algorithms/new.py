"""`new`: a first scenario, or the first lines of a new algorithm."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from ..options import Json, emit, show

new = App(
    name="new",
    help=(
        "Write a first scenario, or the first lines of an algorithm: a Rust file with a test that "
        "fails, or a Python one. Nothing is overwritten."
    ),
)

Name = Annotated[
    str, Parameter(help="Name of the algorithm in scenarios: small letters, digits and _.")
]
Python = Annotated[
    bool,
    Parameter(name="--python", help="Write a Python file here instead: no checkout is needed."),
]


@new.command
def scenario(
    file: Annotated[
        Path,
        Parameter(help="The file to write. Default: scenario.toml; .toml is added to a bare name."),
    ] = Path("scenario.toml"),
    /,
    *,
    json: Json = False,
) -> int:
    """Write a scenario with comments, and next to it the schema that editors use for completion.

    The first line of the scenario names the schema for the editor plugins Even Better TOML and
    Taplo.

    Example: `dumbbell new scenario lab.toml`
    """
    from ...language import new as scenarios

    written = scenarios.write_scenario(file)
    then = f"dumbbell run {shlex.quote(str(written[0]))}"
    if json:
        emit({"written": [str(path) for path in written], "next": then})
    else:
        show(*(f"wrote {path}" for path in written), f"next: {then}")
    return 0


@new.command
def aqm(name: Name, /, *, python: Python = False, json: Json = False) -> int:
    """Write the first lines of a queue algorithm, and a test.

    Example: `dumbbell new aqm my_red --python`
    """
    return _write("aqm", name, python, json)


@new.command
def cc(name: Name, /, *, python: Python = False, json: Json = False) -> int:
    """Write the first lines of a congestion control, and a test.

    Example: `dumbbell new cc my_reno --python`
    """
    return _write("cc", name, python, json)


def _write(kind: str, name: str, python: bool, json: bool) -> int:
    from ...plugins import new as templates

    done = templates.write_python(kind, name) if python else templates.write_rust(kind, name)
    if json:
        emit({"written": [str(path) for path in done.written], "next": done.then})
    else:
        show(*(f"wrote {path}" for path in done.written), f"next: {done.then}")
    return 0
