"""Papers on disk: where they are found, and `paper.toml` as objects, checked before anything runs."""

from __future__ import annotations

import difflib
import itertools
import os
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..errors import ScenarioError
from ..filename import component
from . import predicate
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
    """Where papers are looked for: in the package, in the checkout around it, and in `DUMBBELL_PAPERS`.

    The current folder and its parents are not searched: a paper can run Python, and others may write there.
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
    """The folder of a paper, which a name or a path with a slash gives. `ScenarioError` if there is none, or if two
    folders have the name."""
    if os.sep in name:
        folder = Path(os.path.abspath(name))  # noqa: PTH100 (the last component must be a name, and links stay)
        if not (folder / "paper.toml").is_file():
            raise ScenarioError(f"{name} is no paper: there is no file {folder / 'paper.toml'}")
        return folder
    places = [folder / name for folder in folders() if _is_name(name)]
    found = {place.resolve(): place for place in places if (place / "paper.toml").is_file()}
    if len(found) > 1:
        raise ScenarioError(
            f"there are {len(found)} papers `{name}`: {', '.join(map(str, found))}\nhelp: write the path of one of them"
        )
    if found:
        return next(iter(found.values()))
    known = names()
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    if near:
        raise ScenarioError(f"there is no paper `{name}`: did you mean `{near[0]}`?")
    raise ScenarioError(
        f"there is no paper `{name}`: known are {', '.join(known) or 'none'}. Write the path of a folder elsewhere, as "
        "in ./my-paper, or set DUMBBELL_PAPERS"
    )


def _is_name(name: str) -> bool:
    return component(name) == name


def load(name: str) -> Paper:
    """The paper that `find` finds. `ScenarioError` if its file contradicts itself, too."""
    return read(find(name))


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
        scheme_shares=tuple(raw.get("scheme", {}).get("shares", ())),
        points=_by_id(_points(folder, raw["point"], axes)),
        cells=_by_id(Cell(**cell) for cell in raw.get("cell", ())),
        numbers=_by_id(one for number in raw.get("number", ()) for one in _numbers(number, axes)),
        derived=raw.get("derived", {}),
        claims=tuple(Claim(**claim) for claim in raw.get("claim", ())),
        readings=_readings(raw),
        surface=_tuples(Surface, raw["surface"]) if "surface" in raw else None,
        hardware=_hardware(raw),
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
    if not entries:
        return None
    about: Readings = _tuples(Readings, {"show": {}} | raw["readings"] | {"entries": list(_by_id(entries).values())})
    return about


def _hardware(raw: dict[str, Any]) -> Hardware | None:
    if "hardware" not in raw:
        return None
    entries = raw["hardware"] | {
        "gain": Measure(**raw["hardware"]["gain"]),
        "measures": [Measure(**entry) for entry in raw["hardware"]["measures"]],
        "variants": list(_by_id(_tuples(Variant, entry) for entry in raw.get("variant", ())).values()),
    }
    wanted: Hardware = _tuples(Hardware, entries)
    return wanted


def _tuples(kind: Any, raw: dict[str, Any]) -> Any:
    """An object of `kind` from a table of the file, its lists as tuples."""
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()})


def _points(folder: Path, raw: Iterable[dict[str, Any]], axes: dict[str, list[Any]]) -> Iterator[Point]:
    """Points, each repeated along the axes that its id names: `red-{buffer}`."""
    for entry in raw:
        for here in _places(entry["id"], axes):
            yield Point(
                id=entry["id"].format(**here),
                scenario=folder / entry["scenario"],
                overrides=tuple(text.format(**here) for text in entry.get("overrides", ())),
                scheme=entry.get("scheme", False),
                tags=tuple(text.format(**here) for text in entry.get("tags", ())),
            )


def _place(axis: str, place: Any) -> dict[str, Any]:
    """What a place of an axis fills in: its value, or a table with further values beside the axis' own."""
    return place if isinstance(place, dict) else {axis: place}


def _numbers(raw: dict[str, Any], axes: dict[str, list[Any]]) -> Iterator[Number]:
    """A number, repeated along the axes that its id names: `total_{rate}`."""
    for here in _places(raw["id"], axes):
        axis = raw.get("over")
        at = tuple(raw.get("at") or (_place(axis, place)[axis] for place in axes[axis])) if axis else (0.0,)
        points = tuple(raw["point"].format(**here, **({axis: value} if axis else {})) for value in at)
        name, measure = raw["id"].format(**here), raw["measure"].format(**here)
        yield Number(name, points, at, measure, raw.get("scale", 1.0), raw.get("unit", ""))


def _places(text: str, axes: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """What the axes that a text names fill in, every combination."""
    used = [axis for axis in axes if f"{{{axis}}}" in text]
    for places in itertools.product(*(axes[axis] for axis in used)):
        here: dict[str, Any] = {}
        for axis, place in zip(used, places, strict=True):
            here |= _place(axis, place)
        yield here


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


def reach(paper: Paper, texts: Iterable[str]) -> set[str]:
    """Every number that the expressions speak of, those that numbers are derived from included."""
    found: set[str] = set()
    pending = list(texts)
    while pending:
        new = predicate.names(pending.pop()) - found
        found |= new
        pending += [paper.derived[name] for name in new if name in paper.derived]
    return found


def measures_at(paper: Paper, point: str) -> list[str]:
    """What numbers, cells and the hardware's table measure at a point, each once."""
    numbers = [number.measure for number in paper.numbers.values() if point in number.points]
    cells = [cell.measure for cell in paper.cells.values() if point == cell.point]
    return list(dict.fromkeys([*numbers, *cells, *_in_hardware(paper, point)]))


def _in_hardware(paper: Paper, point: str) -> list[str]:
    wanted = paper.hardware
    if wanted is None or point not in (*wanted.points, *wanted.quick_points, *wanted.baseline, *wanted.quick_baseline):
        return []
    return [wanted.carried, *(measure.measure for measure in (wanted.gain, *wanted.measures))]


def _check(paper: Paper) -> None:
    """Names that refer to nothing are found before the first run."""
    wrong = [*_check_cells(paper), *_check_readings(paper), *_check_hardware(paper)]
    for what, entries in (("point", paper.points.values()), ("figure", paper.pictures)):
        named = (entry.id for entry in entries)
        wrong += [
            f"{what} `{name}`: an id names a file: write letters, digits, `-`, `_` and `.`"
            for name in named
            if not _is_name(name)
        ]
    for point in paper.points.values():
        if not point.scenario.exists():
            wrong.append(f"point `{point.id}`: there is no file {point.scenario}")
    for number in paper.numbers.values():
        wrong += [f"number `{number.id}`: there is no point `{p}`" for p in number.points if p not in paper.points]
    for table in paper.tables:
        named = (text[1:] for row in table.rows for text in row if text.startswith("@"))
        wrong += [f"table `{table.id}`: there is no cell `{name}`" for name in named if name not in paper.cells]
    for prediction in paper.predictions:
        missing = (name for name in prediction.cells if name not in paper.cells)
        wrong += [f"prediction `{prediction.id}`: there is no cell `{name}`" for name in missing]
    if wrong:
        raise ScenarioError(f"{paper.folder / 'paper.toml'}:\n" + "\n".join(wrong))


def _check_cells(paper: Paper) -> Iterator[str]:
    known = {*paper.numbers, *paper.derived}
    for cell in paper.cells.values():
        if cell.missing is None and not cell.of and cell.point not in paper.points:
            yield f"cell `{cell.id}`: there is no point `{cell.point}`"
        if cell.baseline is not None and cell.baseline not in paper.cells:
            yield f"cell `{cell.id}`: there is no cell `{cell.baseline}`"
        for name in sorted(reach(paper, filter(None, (cell.of, cell.baseline_of))) - known):
            yield f"cell `{cell.id}`: there is no number `{name}`"


def _check_readings(paper: Paper) -> Iterator[str]:
    wanted = paper.readings
    if wanted is None:
        return
    claims = {claim.id for claim in paper.claims}
    known = {*paper.numbers, *paper.derived}
    if wanted.about not in claims:
        yield f"readings: there is no claim `{wanted.about}`"
    if wanted.effect not in known:
        yield f"readings: there is no number `{wanted.effect}`"
    yield from (f"readings: there is no claim `{name}`" for name in wanted.claims if name not in claims)
    yield from (f"readings: there is no cell `{name}`" for name in wanted.cells if name not in paper.cells)
    tags = {tag for point in paper.points.values() for tag in point.tags}
    for reading in wanted.entries:
        yield from (
            f"reading `{reading.id}`: no point has the tag `{tag}`" for tag in reading.tagged if tag not in tags
        )
        named = (name for pair in reading.numbers.items() for name in pair)
        yield from (
            f"reading `{reading.id}`: there is no number `{name}`" for name in named if name not in paper.numbers
        )


def _check_hardware(paper: Paper) -> Iterator[str]:
    wanted = paper.hardware
    if wanted is None:
        return
    for name in (*wanted.points, *wanted.quick_points, *wanted.baseline, *wanted.quick_baseline):
        if name not in paper.points:
            yield f"hardware: there is no point `{name}`"
    seen: set[str] = set()
    for variant in wanted.variants:
        for name in filter(None, (variant.against, variant.equals)):
            if name not in seen:
                yield f"variant `{variant.id}`: there is no variant `{name}` before it"
        seen.add(variant.id)
