"""`plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ... import catalogue
from ...data import records, series
from ...data import summary as saved
from ...errors import ScenarioError
from ...language import overrides
from ...present.units import instant
from ..options import Json, Point, Use, emit, notes, show
from . import sweep_folder
from .sweep_folder import SweepAxes

Sets = Annotated[
    list[str],
    Parameter(name=["--set", "-s"], help="A parameter of the curve: KEY=VALUE. May be repeated."),
]
Out = Annotated[
    Path | None,
    Parameter(
        help="Directory for the figures. Default: `figures` in the result directory; of a curve or "
        "of several results: here."
    ),
]
Flows = Annotated[
    list[str],
    Parameter(
        name="--flow",
        help="Draw this flow only; of more than eight flows, draw it over the groups. May be "
        "repeated; `phase` and `scatter` take two.",
    ),
]


def plot(
    what: Annotated[str, Parameter(help="A result directory, or the word `curve`.")],
    /,
    *words: Annotated[
        str,
        Parameter(
            help="Kinds of figures: `cwnd`, `goodput`, `queue`, `delay`, `fct`, `curve`, `phase`, "
            "`acks`, `markers`, `delays`, `loss`, `scatter`, `timeseq`. Default: all that "
            "the records allow and that need no selection of flows. Further results "
            "(directories, flent's `.flent.gz`, captures) are drawn into the same figures: "
            "`cwnd`, `goodput`, `queue` and `delay`. `fct` of a sweep without --point shows "
            "all its points. After the word `curve`: an algorithm, which is measured alone "
            "and drawn with its law."
        ),
    ],
    flow: Flows = [],  # noqa: B006 (cyclopts reads it)
    begin: Annotated[
        str | None, Parameter(name="--from", help='Draw from this instant: "12 s".')
    ] = None,
    end: Annotated[str | None, Parameter(name="--to", help="Draw to this instant.")] = None,
    point: Point = None,
    seed: Annotated[
        int | None,
        Parameter(
            help="The seed of the replication that is drawn. Default: the first; goodput: all."
        ),
    ] = None,
    set: Sets = [],  # noqa: B006 (cyclopts reads it)
    sweep: SweepAxes | None = None,
    use: Use = [],  # noqa: B006
    out: Out = None,
    json: Json = False,
) -> int:
    """Draw figures of one result, or of several in the same axes, as SVG, PDF and PNG.

    If a result lacks the records that a figure needs, the run is repeated with them in a temporary
    directory. The repetition must have the fingerprint of the result, else the exit code is 5.
    `dumbbell plot curve red -s max_p=0.1` draws an algorithm without a result.

    Example: `dumbbell plot results/first cwnd queue`
    """
    from ... import figures

    part = (flow, begin, end)
    said: list[str] = []
    if what == "curve":
        _refuse_of_curve(
            words, {"--flow": flow, "--from": begin, "--to": end, "--point": point, "--seed": seed}
        )
        name = words[0] if words else "red"
        figure, note = _curve(name, set)
        drawn, remarks = {f"curve-{name}": figure}, [note]
        target = out or Path()
    elif sweep_folder.wanted(what, words, point, sweep):
        drawn = sweep_folder.figure(Path(what), sweep or SweepAxes())
        remarks = []
        target = out or Path(what) / "figures"
    else:
        kinds = [word for word in words if word in figures.KINDS]
        others = [word for word in words if word not in figures.KINDS]
        _known(others)
        remarks = []
        if others:
            from ...figures.overlay import results

            given = [results.find(name, point, seed) for name in (what, *others)]
            drawn, said = results.draw(given, kinds, _view(*part), use)
            target = out or Path()
        else:
            drawn, home, said = _of_result(what, kinds, _view(*part), (point, seed), use)
            target = out or home / "figures"
    written = [
        str(p) for title, figure in drawn.items() for p in figures.save(figure, target / title)
    ]
    notes(said)
    if json:
        emit({"written": written})
    else:
        show(*written, *remarks)
    return 0


def _known(words: list[str]) -> None:
    """Every word that is no kind of figure is a result."""
    from ... import figures

    for word in words:
        if not Path(word).exists():
            known = "\n".join(f"  {name:<8} {kind.title}" for name, kind in figures.KINDS.items())
            raise ScenarioError(
                f"there is no kind of figure `{word}`, and no result of this name; kinds are\n"
                f"{known}"
            )


def _view(flows: list[str], begin: str | None, end: str | None) -> Any:
    """The part of a run that the options choose."""
    from ... import figures

    view = figures.View(tuple(flows), instant("--from", begin), instant("--to", end))
    if view.from_s is not None and view.to_s is not None and not view.from_s < view.to_s:
        raise ScenarioError(f"--from {begin} is not before --to {end}")
    return view


def _of_result(
    what: str,
    kinds: list[str],
    view: Any,
    which: tuple[int | None, int | None],
    use: list[str],
) -> tuple[dict[str, Any], Path, list[str]]:
    """The figures of a result directory, where they belong, and what to say of a repeated run.
    which: point and seed."""
    from ... import figures
    from ...explain import on_demand, runs

    point, seed = which
    if kinds == ["fct"] and point is None and seed is None and view == figures.View():
        schemes = _schemes(Path(what))
        if len(schemes) > 1:
            return {"fct": figures.completions(schemes)}, Path(what), []
    home = _point(Path(what), point)
    run = _run(home, seed)
    source = figures.Source(run)
    if figures.missing(source, kinds) and on_demand.is_result(home):
        located = runs.locate(what, point, seed)
        drawn, said = figures.draw_on_demand(located, what, kinds, view, use)
        return drawn, home, said
    drawn = figures.draw(source, kinds, view)
    if "goodput" in drawn and seed is None and view == figures.View():
        drawn |= {k: f for k, f in figures.recorded(home).items() if k == "goodput"}
    if not drawn:
        raise ScenarioError(
            f"{what} has no recorded series: run with --record-every 100ms --out {what}"
        )
    return drawn, home, []


def _schemes(base: Path) -> dict[str, list[Any]]:
    """The recorded transfers of each point of a sweep, by what is special of it; none if it is no
    sweep."""
    if not (base / "summary.json").is_file() or "points" not in (data := saved.read(base)):
        return {}
    found = {}
    for i, given in enumerate(data["points"]):
        home = base / records.point_name(i, len(data["points"]))
        frames = [
            f
            for run in series.run_directories(home)
            if (f := series.read(run, "completions")) is not None
        ]
        if frames:
            found[", ".join(f"{k} = {v}" for k, v in given["overrides"].items()) or home.name] = (
                frames
            )
    return found


def _point(base: Path, point: int | None) -> Path:
    """The directory of a point; `base` itself if it is no sweep."""
    points = {
        int(p.name.partition("-")[2]): p
        for p in base.glob("point-*")
        if p.name.partition("-")[2].isdigit()
    }
    if not points and point in (None, 1):
        return base
    if point is None:
        raise ScenarioError(
            f"{base} holds a sweep: plot one of its points, --point {min(points)} to {max(points)}"
        )
    if point not in points:
        raise ScenarioError(f"{base} has no point {point}")
    return points[point]


def _run(home: Path, seed: int | None) -> Path:
    """The directory of one run: the one of a seed, or the first that has records."""
    from ...explain import on_demand
    from ...explain import runs as results

    if seed is None:
        found = series.run_directories(home)
        return found[0] if found else home
    if on_demand.is_result(home):
        return results.locate(home, seed=seed).directory
    if not (home / f"seed-{seed}").is_dir():
        raise ScenarioError(f"{home} has no recorded run with seed {seed}")
    return home / f"seed-{seed}"


def _refuse_of_curve(words: tuple[str, ...], options: dict[str, Any]) -> None:
    """What a configured curve has no use for is refused."""
    if len(words) > 1:
        raise ScenarioError(f"plot curve draws one algorithm: leave out {' '.join(words[1:])}")
    for option, value in options.items():
        if value not in (None, []):
            raise ScenarioError(
                f"{option} does not apply to `plot curve`, which draws no result: leave it out"
            )


def _curve(name: str, changes: list[str]) -> tuple[Any, str]:
    """The figure of an algorithm alone, and how well it keeps its law."""
    from ... import aqm_response
    from ...figures import aqm_response as drawing

    (algorithm, *_) = catalogue.find(name)
    known = [p.name for p in algorithm.parameters]
    given: dict[str, Any] = {}
    for change in changes:
        key, equals, value = change.partition("=")
        key = key.strip().removeprefix("queue.")
        if not equals or not value.strip():
            raise ScenarioError(f"-s {change}: write KEY=VALUE, as in -s max_p=0.1")
        if key not in (*known, "limit", "count_in_service"):
            raise ScenarioError(
                f"`{name}` has no parameter `{key}`; there are {', '.join(known)}, and `limit`"
            )
        given[key] = overrides.word(value.strip())
    curve = aqm_response.measure(name, given)
    return drawing.signalling(curve), drawing.differs(curve)
