"""`linux`: the kernel of `--on linux`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from .options import Json, emit, show
from .usage_errors import DEFAULTS

app = App(
    name="linux",
    help="Build the kernel that `--on linux` runs.",
    default_parameter=DEFAULTS,
    help_flags=["--help", "-h"],
    version_flags=[],
)


@app.command
def build(
    *,
    source: Annotated[
        Path | None,
        Parameter(
            help="A kernel's source tree, 6.1 or later, with your own patches if you like. "
            "Default: the distribution's source package."
        ),
    ] = None,
    jobs: Annotated[
        int | None, Parameter(help="Compilers at the same time. Default: all cores.")
    ] = None,
    json: Json = False,
) -> int:
    """Build a user-mode Linux into your cache, once (some six minutes of processor time).

    The exit code is 4 if a tool or the source is missing.

    Example: `dumbbell linux build`
    """
    from ..linux import build as builds
    from ..linux import source as sources
    from ..present import progress

    from_where = sources.of_tree(source) if source is not None else sources.of_distribution()
    with progress.work(sys.stderr.isatty()) as tell:
        kernel = builds.build(from_where, tell, jobs)
    found = {"program": str(kernel.program), **kernel.about}
    if json:
        emit(found)
    else:
        show(f"Linux {kernel.about['release']}, from {kernel.about['source']}: {kernel.program}")
    return 0
