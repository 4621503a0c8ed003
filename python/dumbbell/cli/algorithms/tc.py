"""`import-tc` and `export-tc`."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from ... import api
from ...errors import ScenarioError
from ..options import File, Json, Overrides, emit, source

_SHOWN = 8
"""How many links an error names."""

Line = Annotated[
    str,
    Parameter(
        allow_leading_hyphen=True,
        help=(
            "What stands after `tc qdisc add dev DEV root`, or the whole line, or several; "
            "`-` reads them from stdin."
        ),
    ),
]


def import_tc(line: Line, /, *, json: Json = False) -> int:
    """Read a line of Linux's tc as tables of a scenario, each conversion explained."""
    read = api.import_tc(sys.stdin.read() if line == "-" else line)
    if json:
        emit(read)
    else:
        _remarks(read["explained"])
        print(read["toml"], end="")
    return 0


def export_tc(
    file: File,
    /,
    *,
    link: Annotated[
        str | None, Parameter(help="The link. Default: the first that has a queue of its own.")
    ] = None,
    dev: Annotated[str, Parameter(help="The network device.")] = "eth0",
    queue_only: Annotated[
        bool, Parameter(help="Only the queue: the device has the link's rate and delay.")
    ] = False,
    set: Overrides = [],  # noqa: B006 (cyclopts reads it)
    json: Json = False,
) -> int:
    """Write a link of a scenario as lines for Linux's tc, each conversion explained."""
    plan = api.plan(api.request(source(file), set, points=1))["points"][0]["plan"]
    links = {each["name"]: each for each in plan["links"]}
    reported = [each["name"] for each in plan["links"] if each["report"]]
    name = link or next(iter(reported), None)
    if name not in links:
        cause = f"there is no link `{name}`" if name else "no link here has a queue of its own"
        more = len(links) - _SHOWN
        known = [
            *list(links)[:_SHOWN],
            *([f"{more} more (see `dumbbell show`)"] if more > 0 else []),
        ]
        raise ScenarioError(f"{cause}; write --link with one of {', '.join(known)}")
    written = api.export_tc(links[name], dev, queue_only)
    if json:
        emit({"link": name, **written})
    else:
        _remarks(written["explained"])
        print(*written["lines"], sep="\n")
    return 0


def _remarks(sentences: list[str]) -> None:
    """Above what they explain, as remarks that both TOML and a shell skip."""
    for sentence in sentences:
        print(f"# {sentence}")
