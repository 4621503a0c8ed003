"""Papers on disk: where they are found, and `paper.toml` as objects, checked before anything
runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from .. import api, shipped
from ..errors import ScenarioError
from ..files import declared
from ..files.declared import filled
from ..files.filename import component
from . import checks, paper_file, ranges
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
from .paper_file import PaperFile

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
    """Folders in which papers are looked for: that of the package, and those of `DUMBBELL_PAPERS`.

    The current folder and its parents are not searched: a paper can run Python, and others may
    write there.
    """
    yield shipped.folder("papers")
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
            raise ScenarioError(f"{name} is not a paper: there is no file {folder / 'paper.toml'}")
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
        f"there is no paper `{name}`: known papers: {', '.join(known) or 'none'}. Write the path "
        "of a folder elsewhere, as in ./my-paper, or set DUMBBELL_PAPERS"
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
    said = declared.toml(file, PaperFile, lambda raw: ranges.written_out(folder, raw))
    try:
        paper = _paper(folder, said)
        wrong = list(checks.wrong(paper, said))
    except ScenarioError as error:
        raise declared.refusal(file, [str(error)]) from None
    if wrong:
        raise declared.refusal(file, wrong)
    return paper


def _paper(folder: Path, said: PaperFile) -> Paper:
    cells = _by_id(_cells(said))
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
        cells=cells,
        numbers=_by_id(_numbers(said)),
        derived=said.derived,
        claims=said.claim,
        findings=said.finding,
        readings=_readings(said),
        surface=said.surface,
        hardware=_hardware(said),
        predictions=tuple(_predictions(said, cells.values())),
        assumptions=said.assumption,
        tables=said.table,
        pictures=tuple(_by_id(map(_picture, said.figure)).values()),
        over_time=said.over_time,
        perturbations=tuple(_by_id(said.perturbation).values()),
    )


def _readings(said: PaperFile) -> Readings | None:
    if not said.reading:
        return None
    if said.readings is None:
        raise ScenarioError("[[reading]] needs [readings], which says how readings are compared")
    entries = tuple(_by_id(said.reading).values())
    return Readings(**msgspec.structs.asdict(said.readings), entries=entries)


def _hardware(said: PaperFile) -> Hardware | None:
    if said.hardware is None:
        return None
    return Hardware(
        **msgspec.structs.asdict(said.hardware), variants=tuple(_by_id(said.variant).values())
    )


def _points(folder: Path, said: PaperFile) -> Iterator[Point]:
    for entry in said.point:
        yield Point(entry.id, folder / entry.scenario, entry.overrides, entry.scheme, entry.tags)


def _numbers(said: PaperFile) -> Iterator[Number]:
    """Numbers at one point each, or at the points along an axis."""
    for entry in said.number:
        axis = entry.over
        at: tuple[float, ...] = (0.0,)
        points: tuple[str, ...] = (entry.point,)
        if axis is not None and axis not in said.axes:
            raise ScenarioError(f"number `{entry.id}`: there is no axis `{axis}`")
        if axis is not None:
            at = entry.at or ranges.along(axis, said.axes[axis])
            points = tuple(filled(entry.point, {axis: value}) for value in at)
        yield Number(entry.id, points, at, entry.measure, entry.scale, entry.unit)


def _cells(said: PaperFile) -> Iterator[Cell]:
    """Cells, with what patterns say of them."""
    for cell in said.cell:
        bases = (
            base.replace("*", rest)
            for pattern, base in said.baselines.items()
            if (rest := checks.rest(pattern, cell.id)) is not None
        )
        yield msgspec.structs.replace(
            cell,
            fitted=cell.fitted or any(checks.rest(p, cell.id) is not None for p in said.fitted),
            baseline=cell.baseline or next(bases, None),
        )


def _predictions(said: PaperFile, cells: Iterable[Cell]) -> Iterator[Prediction]:
    """Predictions; a pattern stands for all cells that it fits and nothing was fitted on."""
    free = [cell.id for cell in cells if not cell.fitted]
    for entry in said.prediction:
        named: list[str] = []
        for text in entry.cells:
            found = [name for name in free if checks.rest(text, name) is not None]
            named += found or [text]
        yield msgspec.structs.replace(entry, cells=tuple(named))


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


def points_of(paper: Paper, cell: Cell) -> set[str]:
    """The points that a cell is measured at."""
    if not cell.of:
        return {cell.point}
    names = reach(paper, filter(None, (cell.of, cell.baseline_of)))
    return {point for name in names & paper.numbers.keys() for point in paper.numbers[name].points}
