"""Papers on disk: where they are found, and `paper.toml` as objects, checked before anything runs."""

from __future__ import annotations

import difflib
import itertools
import os
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..errors import ScenarioError


@dataclass(frozen=True, slots=True)
class Point:
    """One scenario with its overrides; `scheme` says that the paper's scheme is at work in it."""

    id: str
    scenario: Path
    overrides: tuple[str, ...] = ()
    scheme: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A printed number. `baseline` is the cell that its effect is measured from; `missing` names the datum
    without which it cannot be tested."""

    id: str
    what: str
    published: float
    decimals: int
    unit: str
    point: str = ""
    measure: str = ""
    scale: float = 1.0
    baseline: str | None = None
    fitted: bool = False
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A named number of the claims: a measurement at one point, or at several along `at`."""

    id: str
    points: tuple[str, ...]
    at: tuple[float, ...]
    measure: str
    scale: float = 1.0
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim in words and as predicates; `show` are the expressions whose values are its evidence."""

    id: str
    text: str
    reproduced: str = ""
    in_part: str = ""
    show: dict[str, str] = field(default_factory=dict)
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Another reading of what the paper leaves open: `choice` names what is read differently, `changes` are
    overrides of every point, `scheme_changes` of those with the scheme at work."""

    id: str
    choice: str
    what: str
    changes: tuple[str, ...] = ()
    scheme_changes: tuple[str, ...] = ()

    def at(self, point: Point) -> tuple[str, ...]:
        """The overrides at a point."""
        return self.changes + (self.scheme_changes if point.scheme else ())


@dataclass(frozen=True, slots=True)
class Readings:
    """One claim under every reading, one at a time. `effect` names a number that is positive where the claim holds;
    `what` says it in words, `over` what its points are; `show` are further expressions, averaged over the points."""

    about: str
    effect: str
    what: str
    unit: str
    over: str
    show: dict[str, str]
    entries: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Prediction:
    """Cells whose errors are told together: a row of a table that nothing was fitted on."""

    id: str
    what: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Assumption:
    """A choice that the paper does not print."""

    id: str
    what: str
    value: str
    chosen_by: str


@dataclass(frozen=True, slots=True)
class Table:
    """A printed table: rows of text, `@id` standing for a cell."""

    id: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of the report: its kind (a function of `pictures`) and what that kind asks for. It stands under
    the assumption `about` if it has one; `missing` names what it cannot be drawn without."""

    id: str
    caption: str
    kind: str = ""
    about: str | None = None
    missing: str | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is run: replications, overrides of every point, and where readings are compared (empty: everywhere)."""

    replications: int
    overrides: tuple[str, ...] = ()
    readings_at: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Paper:
    """`paper.toml`."""

    name: str
    title: str
    citation: str
    folder: Path
    seed: int
    full: Effort
    quick: Effort
    record: tuple[str, ...]
    scheme_owns: tuple[str, ...]
    points: dict[str, Point]
    cells: dict[str, Cell]
    numbers: dict[str, Number]
    derived: dict[str, str]
    claims: tuple[Claim, ...]
    readings: Readings | None
    predictions: tuple[Prediction, ...]
    assumptions: tuple[Assumption, ...]
    tables: tuple[Table, ...]
    pictures: tuple[Picture, ...]


def folders() -> Iterator[Path]:
    """Where papers are looked for: `DUMBBELL_PAPERS`, `papers/` here or above, and beside the package."""
    for entry in os.environ.get("DUMBBELL_PAPERS", "").split(os.pathsep):
        if entry:
            yield Path(entry)
    here = Path.cwd()
    for base in (here, *here.parents, Path(__file__).parents[3], Path(__file__).parents[1]):
        yield base / "papers"


def names() -> list[str]:
    """The papers at hand, each once."""
    found = {file.parent.name for folder in folders() for file in folder.glob("*/paper.toml")}
    return sorted(found)


def load(name: str) -> Paper:
    """The paper `name`. `ScenarioError` if there is none, or if its file contradicts itself."""
    for folder in folders():
        if (folder / name / "paper.toml").exists():
            return read(folder / name)
    known = names()
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"did you mean `{near[0]}`?" if near else f"known are: {', '.join(known) or 'none (set DUMBBELL_PAPERS)'}"
    raise ScenarioError(f"there is no paper `{name}`: {hint}")


def read(folder: Path) -> Paper:
    """Reads and checks a paper's folder."""
    try:
        raw = tomllib.loads((folder / "paper.toml").read_text())
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"{folder / 'paper.toml'}: {error}") from None
    try:
        paper = _paper(folder, raw)
    except (KeyError, TypeError) as error:
        raise ScenarioError(f"{folder / 'paper.toml'}: {error}") from None
    _check(paper)
    return paper


def _paper(folder: Path, raw: dict[str, Any]) -> Paper:
    axes = raw.get("axes", {})
    return Paper(
        name=folder.name,
        title=raw["title"],
        citation=raw["citation"],
        folder=folder,
        seed=raw.get("seed", 1),
        full=_effort(raw["full"]),
        quick=_effort(raw["quick"]),
        record=tuple(raw.get("record", ())),
        scheme_owns=tuple(raw.get("scheme", {}).get("owns", ())),
        points=_by_id(_points(folder, raw["point"], axes)),
        cells=_by_id(Cell(**cell) for cell in raw.get("cell", ())),
        numbers=_by_id(_number(number, axes) for number in raw.get("number", ())),
        derived=raw.get("derived", {}),
        claims=tuple(Claim(**claim) for claim in raw.get("claim", ())),
        readings=_readings(raw),
        predictions=tuple(_tuples(Prediction, entry) for entry in raw.get("prediction", ())),
        assumptions=tuple(Assumption(**entry) for entry in raw.get("assumption", ())),
        tables=tuple(_table(table) for table in raw.get("table", ())),
        pictures=tuple(_picture(picture) for picture in raw.get("figure", ())),
    )


def _effort(raw: dict[str, Any]) -> Effort:
    effort: Effort = _tuples(Effort, raw)
    return effort


def _readings(raw: dict[str, Any]) -> Readings | None:
    entries = tuple(_tuples(Reading, entry) for entry in raw.get("reading", ()))
    return Readings(**{"show": {}} | raw["readings"], entries=tuple(_by_id(entries).values())) if entries else None


def _tuples(kind: Any, raw: dict[str, Any]) -> Any:
    """An object of `kind` from a table of the file, its lists as tuples."""
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()})


def _points(folder: Path, raw: Iterable[dict[str, Any]], axes: dict[str, list[Any]]) -> Iterator[Point]:
    """Points, each repeated along the axes that its id names: `red-{buffer}`."""
    for entry in raw:
        used = [axis for axis in axes if f"{{{axis}}}" in entry["id"]]
        for values in itertools.product(*(axes[axis] for axis in used)):
            here = dict(zip(used, values, strict=True))
            yield Point(
                id=entry["id"].format(**here),
                scenario=folder / entry["scenario"],
                overrides=tuple(text.format(**here) for text in entry.get("overrides", ())),
                scheme=entry.get("scheme", False),
            )


def _number(raw: dict[str, Any], axes: dict[str, list[Any]]) -> Number:
    axis = raw.get("over")
    at = tuple(raw.get("at") or axes[axis]) if axis else (0.0,)
    points = tuple(raw["point"].format(**{axis: value}) if axis else raw["point"] for value in at)
    return Number(raw["id"], points, at, raw["measure"], raw.get("scale", 1.0), raw.get("unit", ""))


def _table(raw: dict[str, Any]) -> Table:
    return Table(raw["id"], raw["caption"], tuple(raw["header"]), tuple(map(tuple, raw["rows"])))


def _picture(raw: dict[str, Any]) -> Picture:
    own = {f.name for f in fields(Picture)} - {"options"}
    options = {key: value for key, value in raw.items() if key not in own}
    return Picture(**{key: value for key, value in raw.items() if key in own}, options=options)


def _by_id(items: Iterable[Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for item in items:
        if item.id in out:
            raise KeyError(f"two entries have the id `{item.id}`")
        out[item.id] = item
    return out


def _check(paper: Paper) -> None:
    """Names that refer to nothing are found before the first run."""
    wrong = []
    for point in paper.points.values():
        if not point.scenario.exists():
            wrong.append(f"point `{point.id}`: there is no file {point.scenario}")
    for cell in paper.cells.values():
        if cell.missing is None and cell.point not in paper.points:
            wrong.append(f"cell `{cell.id}`: there is no point `{cell.point}`")
        if cell.baseline is not None and cell.baseline not in paper.cells:
            wrong.append(f"cell `{cell.id}`: there is no cell `{cell.baseline}`")
    for number in paper.numbers.values():
        wrong += [f"number `{number.id}`: there is no point `{p}`" for p in number.points if p not in paper.points]
    for table in paper.tables:
        named = (text[1:] for row in table.rows for text in row if text.startswith("@"))
        wrong += [f"table `{table.id}`: there is no cell `{name}`" for name in named if name not in paper.cells]
    for prediction in paper.predictions:
        missing = (name for name in prediction.cells if name not in paper.cells)
        wrong += [f"prediction `{prediction.id}`: there is no cell `{name}`" for name in missing]
    if paper.readings and paper.readings.about not in {claim.id for claim in paper.claims}:
        wrong.append(f"readings: there is no claim `{paper.readings.about}`")
    if paper.readings and paper.readings.effect not in {*paper.numbers, *paper.derived}:
        wrong.append(f"readings: there is no number `{paper.readings.effect}`")
    if wrong:
        raise ScenarioError(f"{paper.folder / 'paper.toml'}:\n" + "\n".join(wrong))
