"""A study as files: the document as JSON, the figures, and a page that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ...files.write import write_json, write_text
from ...language.overrides import toml
from ...process import interrupt

if TYPE_CHECKING:
    from .drawing import NamedFigure


Shown = tuple["NamedFigure", str]
"""A figure with its `<svg>` element."""
Page = Callable[[Sequence[Shown]], str]
"""The text of a page with these figures, of a document that has its paths."""


@dataclass(frozen=True, slots=True)
class Files:
    """Names of a study's files, and the keys of the document under which it tells the paths of the
    page, of itself and of the figures (None: it does not)."""

    data: str
    page: str = "index.html"
    page_key: str = "page"
    data_key: str | None = None
    figures_key: str | None = "figures"


RESULTS = Files("results.json", data_key="results")
ADVICE = Files("advice.json")
REPORT = Files("report.json", "report.html", "report", figures_key=None)


def tools() -> None:
    """`EnvironmentLacks` if matplotlib is not installed: better said before the runs."""
    from ...figures import style  # noqa: F401 (it raises)


def publish(
    document: Mapping[str, object],
    drawn: Sequence[NamedFigure],
    page: Page,
    directory: Path,
    files: Files = RESULTS,
) -> None:
    """Writes the figures, the document and the page into `directory`; their paths join the
    document. An interrupt is too late then: what it would stop is over."""
    with interrupt.held():
        _write(document, drawn, page, directory, files)


def _write(
    document: Mapping[str, object],
    drawn: Sequence[NamedFigure],
    page: Page,
    directory: Path,
    files: Files,
) -> None:
    from ... import figures
    from ...figures import style

    paths = cast(MutableMapping[str, object], document)
    paths[files.page_key] = str((directory / files.page).resolve())
    if files.data_key:
        paths[files.data_key] = str((directory / files.data).resolve())
    saved = [figures.save(one.figure, directory / "figures" / one.name) for one in drawn]
    if files.figures_key:
        paths[files.figures_key] = [str(path.resolve()) for one in saved for path in one]
    shown = []
    for one, written in zip(drawn, saved, strict=True):
        svg = next(path for path in written if path.suffix == ".svg").read_text(encoding="utf-8")
        shown.append((one, style.inline(svg, f"figure-{one.name}")))
    write_json(directory / files.data, document)
    write_text(directory / files.page, page(shown))


def publish_page(
    document: Mapping[str, object], drawn: Sequence[NamedFigure], page: Page, file: Path
) -> None:
    """Writes the page alone; the document says that there is nothing beside it."""
    from ...figures import style

    paths = cast(MutableMapping[str, object], document)
    paths.update(page=str(file.resolve()), results=None, figures=[])
    write_text(file, page([(one, style.svg(one.figure, f"figure-{one.name}")) for one in drawn]))


def scenario_text(scenario: Mapping[str, object]) -> str:
    """A scenario as TOML for people: a table for each part."""
    flat, tables, lists = [], [], []
    for key, value in scenario.items():
        if isinstance(value, dict):
            tables.append(f"[{key}]\n{_lines(value)}")
        elif isinstance(value, list) and all(isinstance(item, dict) for item in value):
            lists += [f"[[{key}]]\n{_lines(item)}" for item in value]
        else:
            flat.append((isinstance(value, list), f"{key} = {toml(value)}"))
    flat.sort(key=lambda one: one[0])  # Lists of values behind the single ones.
    return "\n\n".join(["\n".join(text for _, text in flat), *tables, *lists])


def _lines(table: Mapping[str, object]) -> str:
    return "\n".join(f"{key} = {toml(value)}" for key, value in table.items())


def parameters_text(config: Mapping[str, object]) -> str:
    """Every parameter of an algorithm: `limit = 10, ecn = false`."""
    named = (f"{k} = {v if isinstance(v, str) else json.dumps(v)}" for k, v in config.items())
    return ", ".join(named) or "none"


def seeds_text(seeds: Sequence[int]) -> str:
    """Seeds in words: `1 to 5`."""
    if len(seeds) > 2 and seeds[-1] - seeds[0] + 1 == len(seeds):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds)) or "none"
