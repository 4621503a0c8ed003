"""`import-tc` and `export-tc`."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from ... import api
from ...errors import ScenarioError
from ..options import File, Json, Overrides, emit, source
from ..printing import typed

_MOST_NAMED = 8
"""The most links that an error names."""

Line = Annotated[
    str,
    Parameter(
        allow_leading_hyphen=True,
        help=(
            "The text after `tc qdisc add dev DEV root`, or a whole line, or several; `-` reads "
            "them from stdin."
        ),
    ),
]


def import_tc(line: Line, /, *, json: Json = False) -> int:
    """Read a line of Linux's tc as tables of a scenario, and explain each conversion.

    Example: `dumbbell import-tc "fq_codel limit 1000 target 5ms"`
    """
    read = api.import_tc(typed() if line == "-" else line)
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
        str | None, Parameter(help="The link. Default: the first that has its own queue.")
    ] = None,
    dev: Annotated[str, Parameter(help="The network device of the tc lines.")] = "eth0",
    queue_only: Annotated[
        bool, Parameter(help="Only the queue: the device has the link's rate and delay.")
    ] = False,
    set: Overrides = [],  # noqa: B006 (cyclopts reads it)
    json: Json = False,
) -> int:
    """Write a link of a scenario as lines for Linux's tc, and explain each conversion.

    Example: `dumbbell export-tc first.toml --link bottleneck`
    """
    plan = api.plan(api.request(source(file), set, points=1))["points"][0]["plan"]
    chosen = _chosen(plan["links"], link)
    buffers = plan.get("shared_buffers", [])
    shared = next((buffer for buffer in buffers if buffer["node"] == chosen["from"]), None)
    written = api.export_tc(chosen, dev, queue_only, shared)
    if json:
        emit({"link": chosen["name"], **written})
    else:
        _remarks(written["explained"])
        print(*written["lines"], sep="\n")
    return 0


def _chosen(links: list[dict[str, Any]], name: str | None) -> dict[str, Any]:
    """The link of this name; without a name the first that has its own queue."""
    for link in links:
        if link["name"] == name if name else link["report"]:
            return link
    cause = f"there is no link `{name}`" if name else "no link here has its own queue"
    known = [link["name"] for link in links[:_MOST_NAMED]]
    if len(links) > _MOST_NAMED:
        known.append(f"{len(links) - _MOST_NAMED} more (see `dumbbell show`)")
    raise ScenarioError(f"{cause}; write --link with one of {', '.join(known)}")


def _remarks(sentences: list[str]) -> None:
    """Prints sentences as comments, which both TOML and a shell skip."""
    for sentence in sentences:
        print(f"# {sentence}")
