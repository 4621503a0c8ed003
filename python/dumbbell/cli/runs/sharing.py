"""`sharing`."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from ... import api
from ...present import groups, stats
from ...present.grids import Grid
from ...present.units import significant
from ..options import Every, File, Json, Overrides, Use, emit, source
from ..options import show as print_out

_SHOWN = 12
"""Flows of which the table has the matrix, too."""


def sharing(
    file: File,
    /,
    *,
    set: Overrides = [],  # noqa: B006 (cyclopts reads it)
    use: Use = [],  # noqa: B006
    matrix: Annotated[
        bool, Parameter(help="Print the whole matrix, however many flows there are.")
    ] = False,
    every: Every = False,
    json: Json = False,
) -> int:
    """Show how much of each flow's path is shared with others (path-sharing intensity), without a
    run.

    Example: `dumbbell sharing lot.toml`
    """
    found = api.call("sharing", api.request(source(file), set, use=use or None))
    if json:
        emit(found)
        return 0
    flows = found["flows"]
    parts = [_grouped(flows) if len(flows) > groups.MOST and not every else _each(flows)]
    if found["matrix"] is not None and (matrix or len(flows) <= _SHOWN):
        names = [f["name"] for f in flows]
        cells = [
            [name, *(f"{x:.2f}" for x in row)]
            for name, row in zip(names, found["matrix"], strict=True)
        ]
        parts.append(
            Grid(
                "Share of the links of a row's flow that a column's flow uses",
                ["", *names],
                cells,
                1,
            )
        )
    most = found["most_shared"]
    users = max((link["flows"] for link in found["links"]), default=0)
    sentence = (
        f"{', '.join(most)}: shared most, by {users} flows"
        if most
        else "no link carries data of two flows"
    )
    print_out(*parts, sentence)
    return 0


_TITLE = "Path-sharing intensity"
_KEYS = ("links", "shared_links", "intensity")


def _each(flows: list[dict[str, Any]]) -> Grid:
    rows = [
        [f["name"], str(f["links"]), str(f["shared_links"]), f"{f['intensity']:.2f}"] for f in flows
    ]
    return Grid(_TITLE, ["flow", "links", "shared", "intensity"], rows)


def _grouped(flows: list[dict[str, Any]]) -> Grid:
    """A row for each template of flows, with the means over its flows."""
    members: dict[str, list[dict[str, Any]]] = {}
    for flow in flows:
        members.setdefault(groups.template(flow["name"]), []).append(flow)
    rows = [
        [name, str(len(of)), *(significant(stats.mean([f[key] for f in of]), 3) for key in _KEYS)]
        for name, of in members.items()
    ]
    note = "each number is the mean over the group; --all shows every flow"
    heads = ["group", "flows", "links", "shared", "intensity"]
    return Grid(_TITLE, heads, rows, notes=[note])
