"""`show`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ... import api
from ...errors import ScenarioError
from ...present import network
from ...present.grids import grid
from ..options import File, Json, Overrides, Use, emit, notes, source
from ..options import show as print_out

_LINKS = ("link", "rate", "delay", "queue", "MTU", "conditioner", "impairments")


def show(
    file: File,
    /,
    *,
    set: Overrides = [],  # noqa: B006 (cyclopts reads it)
    use: Use = [],  # noqa: B006
    point: Annotated[int, Parameter(help="Which point of a sweep, from 1.")] = 1,
    json: Json = False,
    dot: Annotated[bool, Parameter(help="Print the network for Graphviz.")] = False,
) -> int:
    """Draw a scenario's network, its flows and their round-trip times; `--json` prints the whole
    plan."""
    planned = api.plan(api.request(source(file), set, use=use or None))
    points = planned["points"]
    if not 1 <= point <= len(points):
        raise ScenarioError(f"there is no point {point}: the scenario has {len(points)}, from 1")
    chosen = points[point - 1]
    plan = chosen["plan"] if json or dot else network.for_people(chosen["plan"])
    if json:
        emit(chosen)
    elif dot:
        print(network.dot(plan))
    else:
        notes(planned.get("notes", []))
        more = (
            f" · point {point} of {len(points)}: {chosen['overrides']}" if len(points) > 1 else ""
        )
        head = (
            f"{plan['name']} · {plan['duration']}, of which {plan['warmup']} warm-up · seed "
            f"{plan['seed']}{more}"
        )
        flows = grid(
            "Flows",
            ["flow", "path", "cc", "source", "start", "base RTT"],
            network.flow_rows(plan),
            6,
        )
        rows = network.link_rows(plan)
        links = [grid("Links", _LINKS, rows, len(_LINKS))] if rows else []
        print_out(head, "", network.drawing(plan), "", flows, *links)
    return 0
