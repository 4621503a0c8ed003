"""Papers on disk: where they are found, and `paper.toml` as objects, checked before anything
runs."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from .. import api
from ..errors import ScenarioError
from ..files import declared
from ..files.declared import Real, filled
from ..files.filename import component
from . import checks, paper_file
from .checks import reach
from .entries import (
    Assumption,
    Cell,
    Claim,
    Effort,
    Hardware,
    Measure,
    Number,
    Paper,
    Picture,
    Point,
    Prediction,
    Reading,
    Readings,
    Surface,
    Table,
    Variant,
)
from .paper_file import PaperFile, Place

_MOST = 20_000
"""The most points of a paper, and the most entries of any other kind."""

Axes = Mapping[str, tuple[Place, ...]]

__all__ = [
    "Assumption",
    "Cell",
    "Claim",
    "Effort",
    "Hardware",
    "Measure",
    "Number",
    "Paper",
    "Picture",
    "Point",
    "Prediction",
    "Reading",
    "Readings",
    "Surface",
    "Table",
    "Variant",
    "find",
    "folders",
    "load",
    "measures_at",
    "names",
    "reach",
    "read",
]


def folders() -> Iterator[Path]:
    """Folders in which papers are looked for: in the package, in the checkout around it, and in
    `DUMBBELL_PAPERS`.

    The current folder and its parents are not searched: a paper can run Python, and others may
    write there.
    """
    for base in (Path(__file__).parents[1], Path(__file__).parents[3]):
        yield base / "papers"
    for entry in os.environ.get("DUMBBELL_PAPERS", "").split(os.pathsep):
        if entry:
            yield Path(entry)


def names() -> list[str]:
    """The papers at hand, each once."""
    found = {file.parent.name for folder in folders() for file in folder.glob("*/paper.toml")}
    return sorted(found)


def find(name: str) -> Path:
    """The folder of a paper, which a name or a path with a slash gives. `ScenarioError` if there is
    none, or if two folders have the name."""
    if os.sep in name:
        # The last component must be a name, and links stay.
        folder = Path(os.path.abspath(name))  # noqa: PTH100
        if not checks.is_file(folder / "paper.toml"):
            raise ScenarioError(f"{name} is no paper: there is no file {folder / 'paper.toml'}")
        return folder
    places = [folder / name for folder in folders() if _is_name(name)]
    found = {place.resolve(): place for place in places if checks.is_file(place / "paper.toml")}
    if len(found) > 1:
        raise ScenarioError(
            f"there are {len(found)} papers `{name}`: {', '.join(map(str, found))}\nhelp: write "
            f"the path of one of them"
        )
    if found:
        return next(iter(found.values()))
    known = names()
    near = api.nearest(name, known)
    if near:
        raise ScenarioError(f"there is no paper `{name}`: did you mean `{near}`?")
    raise ScenarioError(
        f"there is no paper `{name}`: known are {', '.join(known) or 'none'}. Write the path of a "
        f"folder elsewhere, as "
        "in ./my-paper, or set DUMBBELL_PAPERS"
    )


def _is_name(name: str) -> bool:
    return component(name) == name


def load(name: str) -> Paper:
    """The paper that `find` finds. `ScenarioError` if its file contradicts itself, too."""
    return read(find(name))


def read(folder: Path) -> Paper:
    """Reads and checks a paper's folder. `ScenarioError`, with everything that is wrong with the
    file."""
    file = folder / "paper.toml"
    said = declared.toml(file, PaperFile)
    try:
        paper = _paper(folder, said)
        wrong = list(checks.wrong(paper, said))
    except ScenarioError as error:
        raise declared.refusal(file, [str(error)]) from None
    if wrong:
        raise declared.refusal(file, wrong)
    return paper


def _paper(folder: Path, said: PaperFile) -> Paper:
    return Paper(
        name=folder.name,
        title=said.title,
        citation=said.citation,
        folder=folder,
        seed=said.seed,
        full=said.full,
        quick=said.quick,
        record=said.record,
        scheme_owns=said.scheme.owns,
        scheme_shares=said.scheme.shares,
        points=_by_id(_points(folder, said)),
        cells=_by_id(said.cell),
        numbers=_by_id(one for number in said.number for one in _numbers(number, said.axes)),
        derived=said.derived,
        claims=said.claim,
        readings=_readings(said),
        surface=said.surface,
        hardware=_hardware(said),
        predictions=said.prediction,
        assumptions=said.assumption,
        tables=said.table,
        pictures=tuple(_by_id(map(_picture, said.figure)).values()),
    )


def _readings(said: PaperFile) -> Readings | None:
    if not said.reading:
        return None
    if said.readings is None:
        raise ScenarioError(
            "there are [[reading]]s, and no [readings] that says what they are compared by"
        )
    entries = tuple(_by_id(said.reading).values())
    return Readings(**msgspec.structs.asdict(said.readings), entries=entries)


def _hardware(said: PaperFile) -> Hardware | None:
    if said.hardware is None:
        return None
    return Hardware(
        **msgspec.structs.asdict(said.hardware), variants=tuple(_by_id(said.variant).values())
    )


def _points(folder: Path, said: PaperFile) -> Iterator[Point]:
    """Points, each repeated along the axes that its id names: `red-{buffer}`."""
    for entry in said.point:
        for here in _places(entry.id, said.axes):
            yield Point(
                id=filled(entry.id, here),
                scenario=folder / entry.scenario,
                overrides=tuple(filled(text, here) for text in entry.overrides),
                scheme=entry.scheme,
                tags=tuple(filled(text, here) for text in entry.tags),
            )


def _place(axis: str, place: Place) -> dict[str, Any]:
    """The values that a place of an axis fills in: its value, or a table with further values beside
    the axis' own."""
    if not isinstance(place, dict):
        return {axis: place}
    if axis not in place:
        raise ScenarioError(f"axis `{axis}`: a place that is a table has a value `{axis}`")
    return place


def _numbers(entry: paper_file.Number, axes: Axes) -> Iterator[Number]:
    """A number, repeated along the axes that its id names: `total_{rate}`."""
    axis = entry.over
    if axis is not None and axis not in axes:
        raise ScenarioError(f"number `{entry.id}`: there is no axis `{axis}`")
    for here in _places(entry.id, axes):
        at = (entry.at or _along(axis, axes[axis])) if axis else (0.0,)
        points = tuple(filled(entry.point, here | ({axis: value} if axis else {})) for value in at)
        name, measure = filled(entry.id, here), filled(entry.measure, here)
        yield Number(name, points, at, measure, entry.scale, entry.unit)


def _along(axis: str, places: Iterable[Place]) -> tuple[Real, ...]:
    """The places of an axis, which are numbers."""
    values = tuple(_place(axis, place)[axis] for place in places)
    if not all(isinstance(value, (int, float)) for value in values):
        raise ScenarioError(
            f"axis `{axis}`: a number is taken `over` it, so that its places are numbers"
        )
    return values


def _places(text: str, axes: Axes) -> Iterator[dict[str, Any]]:
    """Every combination of the values of the axes that a text names."""
    named = declared.places(text)
    used = [axis for axis in axes if axis in named]
    if math.prod(len(axes[axis]) for axis in used) > _MOST:
        raise ScenarioError(f"`{text}`: its axes have more than {_MOST} combinations")
    for places in itertools.product(*(axes[axis] for axis in used)):
        here: dict[str, Any] = {}
        for axis, place in zip(used, places, strict=True):
            here |= _place(axis, place)
        yield here


def _picture(figure: paper_file.Figure) -> Picture:
    given = {key: value for key, value in msgspec.to_builtins(figure).items() if value is not None}
    own = {key: given.pop(key) for key in paper_file.COMMON if key in given}
    return Picture(**own, options=given)


def _by_id(items: Iterable[Any]) -> dict[str, Any]:
    """Entries by their ids, each once."""
    out: dict[str, Any] = {}
    for item in items:
        if item.id in out:
            raise ScenarioError(f"two entries have the id `{item.id}`")
        if len(out) == _MOST:
            raise ScenarioError(f"there are more than {_MOST} entries of a kind")
        out[item.id] = item
    return out


def measures_at(paper: Paper, point: str) -> list[str]:
    """Measures of numbers, cells and the hardware's table at a point, each once."""
    numbers = [number.measure for number in paper.numbers.values() if point in number.points]
    cells = [cell.measure for cell in paper.cells.values() if point == cell.point]
    return list(dict.fromkeys([*numbers, *cells, *_in_hardware(paper, point)]))


def _in_hardware(paper: Paper, point: str) -> list[str]:
    wanted = paper.hardware
    if wanted is None or point not in (
        *wanted.points,
        *wanted.quick_points,
        *wanted.baseline,
        *wanted.quick_baseline,
    ):
        return []
    return [wanted.carried, *(measure.measure for measure in (wanted.gain, *wanted.measures))]
