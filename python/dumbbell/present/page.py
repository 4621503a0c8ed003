"""A result as a page by itself, HTML or Markdown: what `dumbbell run --page` writes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import result
from ..errors import ScenarioError
from ..files.write import write_text
from . import messages, templates
from .grids import Grid
from .tables import result_grids, summary_line, sweep_grid

_KINDS = (".html", ".md")
_POINTS_IN_FULL = 20
_NETWORK = "Network"
Heading = tuple[str, list[Grid], str]


@dataclass(frozen=True, slots=True)
class About:
    """What a page says of how its result was made."""

    command: str
    scenario: str
    """The scenario as text; empty if it is not known."""
    network: str
    """A drawing as text."""
    picture: str
    """The drawing as HTML."""


def check(file: Path) -> None:
    """`ScenarioError` before anything runs, if the page's format is none that there is."""
    if file.suffix not in _KINDS:
        raise ScenarioError(f"--page {file}: a page ends with {' or '.join(_KINDS)}")


def write(
    data: dict[str, Any], file: Path, records: Path | None = None, about: About | None = None
) -> None:
    """Writes the page of a result's JSON. records: the run's directory, whose series are drawn
    (HTML only)."""
    parts = list(_parts(data))
    name = str(data.get("name") or "Result")
    warnings = messages.in_short(data.get("warnings", []))
    if file.suffix == ".md":
        text = _markdown(name, parts, _facts(data), warnings, about)
    else:
        text = templates.render(
            templates.PAGES / "result.html.j2",
            name=name,
            facts=_facts(data),
            points=parts,
            warnings=warnings,
            figures=_figures(records),
            picture=about.picture if about else "",
            sources=[named for named in _sources(about) if named[0] != _NETWORK],
        )
    write_text(file, text)


def _facts(data: dict[str, Any]) -> list[tuple[str, str]]:
    """What identifies a result."""
    points = data.get("points") or [data]
    seeds = points[0].get("seeds") or [points[0].get("seed")]
    found = {
        "Version": data.get("version"),
        "Seed" if len(seeds) == 1 else "Seeds": ", ".join(str(s) for s in seeds if s is not None),
        "Fingerprint": data.get("fingerprint"),
    }
    return [(name, str(value)) for name, value in found.items() if value]


def _parts(data: dict[str, Any]) -> list[Heading]:
    """The parts of the page: for each point its title, its tables, and the line about the run."""
    outcome = result.read(data)
    if isinstance(outcome, result.Result):
        return [("", result_grids(outcome), summary_line(outcome))] if "flows" in data else []
    if len(outcome) > _POINTS_IN_FULL:
        return [("", [sweep_grid(outcome)], f"{len(outcome)} points")]
    titles = [
        "  ".join(f"{key} = {value}" for key, value in changes.items()) for changes, _ in outcome
    ]
    points = [point for _, point in outcome]
    return [
        (title, result_grids(point), summary_line(point))
        for title, point in zip(titles, points, strict=True)
        if "flows" in point.json
    ]


def _markdown(
    name: str,
    parts: list[Heading],
    facts: list[tuple[str, str]],
    warnings: list[str],
    about: About | None,
) -> str:
    lines = [f"# {_plain(name)}", "", *(f"- {fact}: {_plain(value)}" for fact, value in facts), ""]
    for title, grids, said in parts:
        lines += [f"## {_plain(title)}", ""] if title else []
        for g in grids:
            lines += [f"### {_plain(g.title)}", "", _table(g), ""]
        lines += [_plain(said), ""]
    lines += [part for one in warnings for part in (_plain(one), "")]
    for title, text in _sources(about):
        lines += [f"## {title}", "", *(f"    {line}" for line in text.splitlines()), ""]
    return "\n".join(lines)


def _sources(about: About | None) -> list[tuple[str, str]]:
    """What the result was made from, by headings."""
    if about is None:
        return []
    found = ((_NETWORK, about.network), ("Scenario", about.scenario), ("Command", about.command))
    return [(title, text) for title, text in found if text]


def _plain(text: str) -> str:
    """Text that Markdown shows as it is: in one line, without markup and without HTML."""
    return re.sub(r"([\\`*_\[\]<>&#|~])", r"\\\1", " ".join(text.split()))


def _table(g: Grid) -> str:
    """A table in Markdown."""
    rule = ["---" if i < g.text_columns else "---:" for i in range(len(g.columns))]
    rows = [g.columns, rule, *g.rows]
    lines = ["| " + " | ".join(map(_plain, row)) + " |" for row in rows]
    return "\n".join([*lines, *(f"\n{_plain(note)}" for note in g.notes)])


_CAPTIONS = {
    "cwnd": "Congestion windows over time. For up to four flows with the slow-start threshold and, "
    "if drops were recorded, the sender's reactions.",
    "goodput": "Goodput over time: data that the receiving applications got.",
    "queue": "Length of the queues over time, with RED's average and thresholds.",
}


def _figures(records: Path | None) -> list[tuple[str, str]]:
    """The figures of what was recorded, as SVG, each with its caption; none where nothing was."""
    if records is None:
        return []
    from .. import figures

    if any(records.glob("point-*")):
        return []
    return [
        (figures.svg(one, f"figure-{name}"), _CAPTIONS[name])
        for name, one in figures.recorded(records).items()
    ]
