"""A study as files: the document as JSON, the figures, and a page that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ...errors import ScenarioError
from ...files import reading
from ...files.filename import component
from ...files.write import write_json, write_text
from ...language.overrides import toml
from ...process import interrupt
from . import over_time

if TYPE_CHECKING:
    from ...figures.style.chart import Chart
    from .drawing import NamedFigure
    from .over_time import OverTime


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure on a page: its name, its caption, its `<svg>` element, and the charts of its
    panels."""

    name: str
    caption: str
    svg: str
    charts: Sequence[Chart] = ()

    @property
    def places(self) -> list[str]:
        """Where the page draws the charts again."""
        from ...view import charts

        return charts.places(self.name, self.charts)


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
_FIGURES = Path("figures") / "figures.json"
"""What the figures show, in their order: name, caption and charts of each."""


def tools() -> None:
    """`EnvironmentLacks` if matplotlib is not installed: better said before the runs."""
    from ...figures import style  # noqa: F401 (it raises)


def publish(
    document: Mapping[str, object],
    drawn: Sequence[NamedFigure],
    page: Page,
    directory: Path,
    files: Files = RESULTS,
    recorded: OverTime | None = None,
) -> None:
    """Writes the figures, the document and the page into `directory`; their paths join the
    document. recorded: runs over time that are there already. An interrupt is too late then: what
    it would stop is over."""
    with interrupt.held():
        over_time.save(directory, recorded)
        _write(document, drawn, page, directory, files)


def _write(
    document: Mapping[str, object],
    drawn: Sequence[NamedFigure],
    page: Page,
    directory: Path,
    files: Files,
) -> None:
    from ... import figures

    paths = cast(MutableMapping[str, object], document)
    paths[files.page_key] = str((directory / files.page).resolve())
    if files.data_key:
        paths[files.data_key] = str((directory / files.data).resolve())
    saved = [figures.save(one.figure, directory / "figures" / one.name) for one in drawn]
    if files.figures_key:
        paths[files.figures_key] = [str(path.resolve()) for one in saved for path in one]
    if drawn or (directory / _FIGURES).exists():
        write_json(directory / _FIGURES, {"figures": [_described(one) for one in drawn]})
    write_json(directory / files.data, document)
    write_text(directory / files.page, page(read(directory)))


def _described(one: NamedFigure) -> dict[str, object]:
    from ...figures.style import chart

    described = [chart.to_json(each) for each in one.figure.charts]
    return {"name": one.name, "caption": one.caption, "charts": described}


def read(directory: Path) -> list[Shown]:
    """The figures that `publish` wrote into a directory, with their charts; none if it wrote none.
    `ScenarioError` if they are damaged."""
    from ...figures import style
    from ...figures.style import chart

    file = directory / _FIGURES
    if not file.is_file():
        return []
    try:
        return [
            Shown(
                name := str(one["name"]),
                str(one["caption"]),
                style.inline(
                    (file.parent / f"{component(name)}.svg").read_text(encoding="utf-8"),
                    f"figure-{name}",
                ),
                [chart.of_json(each) for each in one["charts"]],
            )
            for one in json.loads(reading.text(file))["figures"]
        ]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ScenarioError(f"{file} is damaged: {error}\nhelp: make the study again") from None


def publish_page(
    document: Mapping[str, object], drawn: Sequence[NamedFigure], page: Page, file: Path
) -> None:
    """Writes the page alone; the document says that there is nothing beside it."""
    paths = cast(MutableMapping[str, object], document)
    paths.update(page=str(file.resolve()), results=None, figures=[])
    write_text(file, page([shown(one) for one in drawn]))


def shown(one: NamedFigure) -> Shown:
    """A figure as a page shows it."""
    from ...figures import style

    svg = style.svg(one.figure, f"figure-{one.name}")
    return Shown(one.name, one.caption, svg, one.figure.charts)


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
