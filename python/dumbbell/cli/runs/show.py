"""`show`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ... import api
from ...errors import ScenarioError
from ...files.write import write_text
from ...present import groups, network
from ...present.grids import Grid
from .. import output
from ..options import Every, File, Json, Overrides, Use, emit, notes, source, warn_in_short
from ..options import show as print_out


def show(
    file: File,
    /,
    *,
    set: Overrides = [],  # noqa: B006 (cyclopts reads it)
    use: Use = [],  # noqa: B006
    point: Annotated[int, Parameter(help="The point of a sweep, counted from 1.")] = 1,
    json: Json = False,
    every: Every = False,
    dot: Annotated[bool, Parameter(help="Print the network for Graphviz.")] = False,
    svg: Annotated[
        Path | None, Parameter(help="Write the drawing of the network to this SVG file.")
    ] = None,
) -> int:
    """Draw a scenario's network, and list its flows with their paths and round-trip times.

    More than 20 flows are summarized in groups. In a network with named hosts, a path that was
    chosen from several of equal cost says from how many. `--json` prints the whole plan.

    Example: `dumbbell show first.toml --svg first.svg`
    """
    planned = api.plan(api.request(source(file), set, use=use or None))
    points = planned["points"]
    if not 1 <= point <= len(points):
        raise ScenarioError(f"there is no point {point}: the scenario has {len(points)}, from 1")
    chosen = points[point - 1]
    if svg is not None:
        _write(svg, chosen["plan"])
    if json:
        emit(chosen)
    elif dot:
        print(network.dot(chosen["plan"]))
    elif svg is not None:
        notes([f"wrote {svg}"])
    else:
        notes(planned.get("notes", []))
        warn_in_short(planned["warnings"])
        more = (
            f" · point {point} of {len(points)}: {chosen['overrides']}" if len(points) > 1 else ""
        )
        request = api.request(source(file), set, use=use or None)
        _print(chosen["plan"], more, every, api.call("paths", request, object))
    return 0


def _write(file: Path, plan: dict[str, Any]) -> None:
    """Writes the drawing. `ScenarioError` for another kind of file and for too large a network."""
    if file.suffix != ".svg":
        raise ScenarioError(f"--svg {file}: the name of an SVG file ends with .svg")
    try:
        write_text(file, network.document(plan))
    except ValueError as error:
        raise ScenarioError(
            f"--svg {file}: {error}; --dot prints the network for Graphviz"
        ) from None


def _print(whole: dict[str, Any], more: str, every: bool, paths: Any) -> None:
    """Prints a plan; more: what joins its first line; paths: those of a network with named hosts,
    for the first point."""
    plan = whole if every else network.for_people(whole)
    head = (
        f"{plan['name']} · {plan['duration']}, of which {plan['warmup']} warm-up · seed "
        f"{plan['seed']}{more}"
    )
    flows, shown = len(whole["flows"]), len(plan["flows"])
    grouped = any("group" in flow for flow in plan["flows"])
    many = "s" if shown > 1 else ""
    note = (
        f"{flows} flows in {shown} group{many}; the drawing has the first of each; --all shows "
        "every flow and link"
    )
    rows = network.link_rows(whole if grouped else plan, every)
    print_out(
        head,
        "",
        network.drawing(
            plan if paths is None else whole, None if every else groups.MOST, output.columns()
        ),
        "",
        Grid(
            "Flows",
            network.FLOWS,
            network.flow_rows(plan, _equal(paths)),
            len(network.FLOWS),
            notes=[note] if grouped else [],
        ),
        *([Grid("Links", network.LINKS, rows, len(network.LINKS))] if rows else []),
        *network.shared_buffers(whole),
        *_said(paths),
    )


_MOST_FAILURES = 6
"""The most failures of links that are named."""


def _equal(paths: Any) -> dict[str, int]:
    """By the names of flows, the number of paths of equal cost that each could take."""
    return {} if paths is None else {flow["name"]: flow["equal"] for flow in paths["flows"]}


def _said(paths: Any) -> list[str]:
    """How paths were chosen and when they change, in a sentence each; none if no flow has a choice
    and no link fails."""
    return [] if paths is None else [*_choices(paths), *_failures(paths)]


def _choices(paths: Any) -> list[str]:
    """Among how many paths flows were led, and how."""
    choice = [flow for flow in paths["flows"] if flow["equal"] > 1]
    if not choice:
        return []
    few, many = (pick(flow["equal"] for flow in choice) for pick in (min, max))
    among = str(few) if few == many else f"{few} to {many}"
    said = f"{len(choice)} of {_every(paths)} have a choice, among {among} paths of equal cost"
    if paths["by"] != "flow":
        return [f"routing: {paths['routing']}; {said}; each {paths['by']} takes one of them"]
    taken = {(flow["from"], flow["to"], *flow["via"]) for flow in choice}
    return [f"routing: {paths['routing']}; {said}; they take {len(taken)} different paths"]


def _failures(paths: Any) -> list[str]:
    """Which links fail, and how many flows that moves."""
    if not paths["down"]:
        return []
    said = [f"{down['link']} from {down['from']} to {down['to']}" for down in paths["down"]]
    more = len(said) - _MOST_FAILURES
    shown = ", ".join(said[:_MOST_FAILURES]) + (f" and {more} more" if more > 0 else "")
    moved = sum(flow["moves"] for flow in paths["flows"])
    return [f"down: {shown}; {moved} of {_every(paths)} change their paths"]


def _every(paths: Any) -> str:
    """The flows that are listed, in words."""
    first = "the first " if paths["omitted"] else ""
    return f"{first}{len(paths['flows'])} flows"
