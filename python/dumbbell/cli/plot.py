"""`plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from .. import catalogue
from ..errors import ScenarioError
from .options import Json, emit, show

Sets = Annotated[
    list[str], Parameter(name=["--set", "-s"], help="A parameter of the curve: KEY=VALUE. May be repeated.")
]
Out = Annotated[
    Path | None,
    Parameter(help="Directory for the figures. Default: `figures` in the result directory, or here."),
]


def plot(
    what: Annotated[str, Parameter(help="A result directory, or the word `curve`.")],
    name: Annotated[str | None, Parameter(help="After `curve`: the algorithm.")] = None,
    /,
    *,
    set: Sets = [],  # noqa: B006 (cyclopts reads it)
    out: Out = None,
    json: Json = False,
) -> int:
    """Draw windows, queues and goodput of a result directory, or `plot curve red -s max_p=0.1`."""
    from .. import figures

    if what == "curve":
        drawn = {f"curve-{name}": _curve(name or "red", set)}
        target = out or Path()
    else:
        drawn = figures.recorded(what)
        if not drawn:
            raise ScenarioError(f"{what} has no recorded series: run with --record-every 100ms --out {what}")
        target = out or Path(what) / "figures"
    written = [str(p) for title, figure in drawn.items() for p in figures.save(figure, target / title)]
    if json:
        emit({"written": written})
    else:
        show(*written)
    return 0


def _curve(name: str, changes: list[str]) -> Any:
    from ..figures.curve import Red, drop_probability

    (algorithm, *_) = catalogue.find(name)
    values = {p.name: p.default for p in algorithm.parameters}
    if not {"min_th", "max_th", "max_p"} <= values.keys():
        raise ScenarioError(f"`{name}` has no curve of a drop probability over an average queue")
    for change in changes:
        key, _, value = change.partition("=")
        if key.removeprefix("queue.") not in values:
            raise ScenarioError(f"`{name}` has no parameter `{key}`; there are {', '.join(values)}")
        values[key.removeprefix("queue.")] = value
    red = Red.of(values)
    return drop_probability([(name, red)], f"{name}: min_th {red.min_th:g}, max_th {red.max_th:g}, max_p {red.max_p:g}")
