"""Mistakes of a paper beyond the shape of its file: names that refer to nothing, expressions that
cannot be read, files that are not there. Everything is found before the first run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import ScenarioError
from ..files.declared import cut, filled, places
from ..files.filename import component
from . import predicate
from .entries import Paper, Picture
from .measures import buffer_size_grid
from .paper_file import PaperFile, misfits


def reach(paper: Paper, texts: Iterable[str]) -> set[str]:
    """Every number that the expressions speak of, those that numbers are derived from included."""
    found: set[str] = set()
    pending = list(texts)
    while pending:
        new = predicate.names(pending.pop()) - found
        found |= new
        pending += [paper.derived[name] for name in new if name in paper.derived]
    return found


def wrong(paper: Paper, said: PaperFile) -> Iterator[str]:
    """A sentence for each mistake. `said`: the file that the paper was made from."""
    broken = list(_expressions(paper))
    if broken:  # What cannot be read names no numbers.
        yield from broken
        return
    known = numbers(paper)
    yield from _check_patterns(paper, said)
    yield from _check_cells(paper, known)
    yield from _check_claims(paper, known)
    yield from _check_findings(paper, known)
    yield from _check_readings(paper, known)
    yield from _check_hardware(paper)
    yield from _check_over_time(paper, known)
    yield from _check_surface(paper)
    for what, entries in (("point", paper.points.values()), ("figure", paper.pictures)):
        for entry in entries:
            if component(entry.id) != entry.id:
                yield (
                    f"{what} `{cut(entry.id, 80)}`: an id is the name of a file: write letters, "
                    "digits, `-`, `_` and `.`"
                )
    for point in paper.points.values():
        if not is_file(point.scenario):
            yield f"point `{point.id}`: there is no file {cut(str(point.scenario), 300)}"
    for number in paper.numbers.values():
        yield from (
            f"number `{number.id}`: there is no point `{p}`"
            for p in number.points
            if p not in paper.points
        )
    for table in paper.tables:
        named = (text[1:] for row in table.rows for text in row if text.startswith("@"))
        yield from (
            f"table `{table.id}`: there is no cell `{name}`"
            for name in named
            if name not in paper.cells
        )
    for prediction in paper.predictions:
        missing = (name for name in prediction.cells if name not in paper.cells)
        yield from (f"prediction `{prediction.id}`: there is no cell `{name}`" for name in missing)
    for figure, picture in zip(said.figure, paper.pictures, strict=True):
        yield from (
            f"figure `{picture.id}`: {cause}"
            for cause in (*misfits(figure), *_in_figure(paper, picture, known))
        )


def rest(pattern: str, name: str) -> str | None:
    """What `*` stands for where a pattern fits a name, else None."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if pattern == name else None
    fits = len(name) >= len(head) + len(tail) and name.startswith(head) and name.endswith(tail)
    return name[len(head) : len(name) - len(tail)] if fits else None


def is_file(file: Path) -> bool:
    """True if a file that others name is there; a name that no system takes is none."""
    try:
        return file.is_file()
    except (OSError, ValueError):
        return False


def numbers(paper: Paper) -> set[str]:
    """Every name that an expression may use."""
    laws = buffer_size_grid.NAMES if paper.surface is not None else ()
    return {*paper.numbers, *paper.derived, *laws}


def _expressions(paper: Paper) -> Iterator[str]:
    """Expressions that cannot be read."""
    texts = [(f"derived number `{name}`", text) for name, text in paper.derived.items()]
    for cell in paper.cells.values():
        texts += [(f"cell `{cell.id}`", text) for text in (cell.of, cell.baseline_of) if text]
    for claim in paper.claims:
        own = (claim.reproduced, claim.in_part, *claim.show.values())
        texts += [(f"claim `{claim.id}`", text) for text in own if text]
    for finding in paper.findings:
        texts += [(f"finding on `{finding.claim}`", text) for text in finding.show.values()]
    if paper.over_time is not None:
        texts += [("over_time", text) for text in paper.over_time.show.values()]
    if paper.readings is not None:
        texts += [("readings", text) for text in paper.readings.show.values()]
    for where, text in texts:
        try:
            predicate.names(text)
        except ScenarioError as error:
            yield f"{where}: {error}"


def _check_claims(paper: Paper, known: set[str]) -> Iterator[str]:
    for name, text in paper.derived.items():
        missing = sorted(predicate.names(text) - known)
        yield from (f"derived number `{name}`: there is no number `{other}`" for other in missing)
    for claim in paper.claims:
        texts = [text for text in (claim.reproduced, claim.in_part, *claim.show.values()) if text]
        missing = sorted(set().union(*map(predicate.names, texts)) - known)
        yield from (f"claim `{claim.id}`: there is no number `{name}`" for name in missing)


def _check_findings(paper: Paper, known: set[str]) -> Iterator[str]:
    claims = {claim.id for claim in paper.claims}
    for finding in paper.findings:
        where = f"finding on `{finding.claim}`"
        if finding.claim not in claims:
            yield f"{where}: there is no such claim"
        missing = sorted(set().union(*map(predicate.names, finding.show.values())) - known)
        yield from (f"{where}: there is no number `{name}`" for name in missing)
        unnamed = sorted(set(places(finding.text)) - finding.show.keys())
        yield from (f"{where}: `show` has no `{name}`" for name in unnamed)


def _check_over_time(paper: Paper, known: set[str]) -> Iterator[str]:
    wanted = paper.over_time
    if wanted is None:
        return
    if not wanted.points:
        yield "over_time: `points` names no point"
    yield from (
        f"over_time: there is no point `{name}`"
        for name in wanted.points.values()
        if name not in paper.points
    )
    if not 0 <= wanted.from_s < wanted.until_s:
        yield "over_time: `from_s` is not before `until_s`"
    missing = sorted(set().union(*map(predicate.names, wanted.show.values())) - known)
    yield from (f"over_time: there is no number `{name}`" for name in missing)
    named = {name for text in wanted.text for name in places(text)}
    yield from (f"over_time: `show` has no `{name}`" for name in sorted(named - set(wanted.show)))


def _check_surface(paper: Paper) -> Iterator[str]:
    grid = paper.surface
    if grid is None:
        return
    if not grid.rates or not grid.rtts or min(*grid.rates, *grid.rtts) <= 0:
        yield "surface: `rates` and `rtts` are lists of numbers above 0"
        return
    for template in (grid.total, grid.inside, grid.wait, grid.out_loss, grid.tokens_lost):
        names = (filled(template, place) for _, place in buffer_size_grid.cells(grid))
        yield from (
            f"surface: there is no number `{name}`" for name in names if name not in paper.numbers
        )


def _in_figure(paper: Paper, picture: Picture, known: set[str]) -> Iterator[str]:
    """Names of a figure that refer to nothing."""
    options = picture.options
    if picture.claim is not None and all(claim.id != picture.claim for claim in paper.claims):
        yield f"there is no claim `{picture.claim}`"
    lines = options.get("lines", {})
    named = [*options.get("numbers", {}).values()]
    named += [name for line in lines.values() for name in line["numbers"]]
    named += [name for bars in options.get("panels", {}).values() for name in bars.values()]
    yield from (f"there is no number `{name}`" for name in named if name not in known)
    yield from (
        f"there is no point `{name}`"
        for name in options.get("points", {}).values()
        if name not in paper.points
    )
    cells = [name for line in lines.values() for name in line["cells"].values()]
    yield from (f"there is no cell `{name}`" for name in cells if name not in paper.cells)
    yield from (
        f"there is no line `{name}`" for name in options.get("crossover", ()) if name not in lines
    )
    places = [*options.get("numbers", {}), *(x for line in lines.values() for x in line["cells"])]
    yield from (f"`{cut(x, 80)}` is not a number" for x in places if not _is_number(x))
    if "file" in options and not is_file(paper.folder / options["file"]):
        yield f"there is no file {cut(options['file'], 300)}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_patterns(paper: Paper, said: PaperFile) -> Iterator[str]:
    for where, patterns in (("fitted", said.fitted), ("baselines", said.baselines)):
        for pattern in patterns:
            if all(rest(pattern, name) is None for name in paper.cells):
                yield f"{where}: there is no cell `{cut(pattern, 80)}`"


def _check_cells(paper: Paper, known: set[str]) -> Iterator[str]:
    for cell in paper.cells.values():
        if cell.missing is None and not cell.of and cell.point not in paper.points:
            yield f"cell `{cell.id}`: there is no point `{cell.point}`"
        if cell.baseline is not None and cell.baseline not in paper.cells:
            yield f"cell `{cell.id}`: there is no cell `{cell.baseline}`"
        for name in sorted(reach(paper, filter(None, (cell.of, cell.baseline_of))) - known):
            yield f"cell `{cell.id}`: there is no number `{name}`"


def _check_readings(paper: Paper, known: set[str]) -> Iterator[str]:
    wanted = paper.readings
    if wanted is None:
        return
    claims = {claim.id for claim in paper.claims}
    if wanted.about not in claims:
        yield f"readings: there is no claim `{wanted.about}`"
    if wanted.effect not in known:
        yield f"readings: there is no number `{wanted.effect}`"
    yield from (
        f"readings: there is no claim `{name}`" for name in wanted.claims if name not in claims
    )
    yield from (
        f"readings: there is no cell `{name}`" for name in wanted.cells if name not in paper.cells
    )
    tags = {tag for point in paper.points.values() for tag in point.tags}
    for reading in wanted.entries:
        yield from (
            f"reading `{reading.id}`: no point has the tag `{tag}`"
            for tag in reading.tagged
            if tag not in tags
        )
        named = (name for pair in reading.numbers.items() for name in pair)
        yield from (
            f"reading `{reading.id}`: there is no number `{name}`"
            for name in named
            if name not in paper.numbers
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
                yield f"variant `{variant.id}`: no variant `{name}` precedes it"
        seen.add(variant.id)
