"""What `view` opens besides runs: results of sweeps and studies, by the document in their folder.

A new kind is one entry of `KINDS`: the document's name, keys that only this document has, and the
function that makes a page of it. Nothing runs again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import ScenarioError
from ...files import reading
from ...files.write import write_text

Document = Any
"""A saved document, as its study's types declare it."""
Write = Callable[[Path, Document, Path], None]
"""Writes the page of a folder and its document to a file."""
Text = Callable[[Path, Document], str]
"""The text of that page."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Results of one kind: what they are called, the file that describes them, keys by which its
    document is told from those of other kinds, and what writes their page."""

    name: str
    file: str
    keys: frozenset[str]
    write: Write


def find(folder: str | Path) -> tuple[Kind, Document] | None:
    """The kind of a folder's results, with their document; None for a run, and for anything that
    is no result. `ScenarioError` if a document is there and cannot be read."""
    for name in dict.fromkeys(kind.file for kind in KINDS):
        file = Path(folder) / name
        if file.is_file():
            document = _read(file)
            for kind in KINDS:
                if kind.file == name and kind.keys <= document.keys():
                    return kind, document
    return None


def write(kind: Kind, folder: Path, document: Document, file: Path) -> None:
    """Writes the page. `ScenarioError` if the document lacks what the page shows."""
    from jinja2 import UndefinedError

    try:
        kind.write(folder, document, file)
    except (KeyError, TypeError, IndexError, AttributeError, UndefinedError) as error:
        raise ScenarioError(
            f"{folder / kind.file} is not a {kind.name} of this version: {error!r}\n"
            "help: make it again"
        ) from error


def _read(file: Path) -> Document:
    try:
        document = json.loads(reading.text(file, _LONGEST))
    except (OSError, ValueError) as error:
        raise ScenarioError(f"{file} cannot be read: {error}") from None
    if not isinstance(document, Mapping):
        raise ScenarioError(f"{file} does not hold a document")
    return document


_LONGEST = 1 << 30
"""Bytes of a document."""


def _page(text: Text) -> Write:
    return lambda folder, document, file: write_text(file, text(folder, document))


def _sweep(folder: Path, document: Document, file: Path) -> None:
    from ...studies.sweep import page

    page.write(document, file, directory=folder)


def _queues(folder: Path, document: Document) -> str:
    from ...studies.compare.queues import page
    from ...studies.frame import over_time, publish

    return page.html(document, publish.read(folder), over_time.load(folder))


def _kernel(folder: Path, document: Document) -> str:
    from ...studies.compare.kernel import page
    from ...studies.frame import publish

    return page.html(document, publish.read(folder))


def _table(folder: Path, document: Document) -> str:
    from ...studies.frame import publish
    from ...studies.tables import page

    return page.html(document, publish.read(folder))


def _advice_queue(folder: Path, document: Document) -> str:
    from ...studies.advise.queue import page
    from ...studies.frame import publish

    return page.html(document, document.get("failures", []), publish.read(folder))


def _advice_mtu(folder: Path, document: Document) -> str:
    from ...studies.advise.mtu import page
    from ...studies.frame import publish

    return page.html(document, publish.read(folder))


def _advice_marker(folder: Path, document: Document) -> str:
    from ...studies.advise.marker import page
    from ...studies.frame import publish

    return page.html(document, publish.read(folder))


def _reproduction(folder: Path, document: Document) -> str:
    from ...reproduce import papers, report
    from ...studies.frame import over_time, publish

    paper = papers.load(document["paper"])
    return report.html(paper, document, publish.read(folder), over_time.load(folder))


def _campaign(folder: Path, document: Document) -> str:
    from ...reproduce import papers
    from ...reproduce.testbed import entries, page
    from ...studies.frame import publish

    campaign = entries.read(papers.load(document["paper"]))
    return page.html(campaign, document, publish.read(folder))


def _cpu_cost(folder: Path, document: Document) -> str:
    from ...reproduce import papers
    from ...reproduce.cpu_cost import page
    from ...studies.frame import publish

    return page.html(papers.load(document["paper"]), document, publish.read(folder))


KINDS = (
    Kind("sweep", "summary.json", frozenset({"points"}), _sweep),
    Kind("comparison of queues", "results.json", frozenset({"schemes", "best"}), _page(_queues)),
    Kind("comparison with kernels", "results.json", frozenset({"profile"}), _page(_kernel)),
    Kind("table", "results.json", frozenset({"table", "sums"}), _page(_table)),
    Kind("advice on a queue", "advice.json", frozenset({"tc", "fails"}), _page(_advice_queue)),
    Kind("advice on an MTU", "advice.json", frozenset({"crc"}), _page(_advice_mtu)),
    Kind(
        "advice on a marker", "advice.json", frozenset({"bucket_sentence"}), _page(_advice_marker)
    ),
    Kind("reproduction", "report.json", frozenset({"readings", "claims"}), _page(_reproduction)),
    Kind("reproduction on kernels", "report.json", frozenset({"effects"}), _page(_campaign)),
    Kind("measurement of costs", "report.json", frozenset({"judged"}), _page(_cpu_cost)),
)
"""Every kind, the documents that are told apart by their keys."""
