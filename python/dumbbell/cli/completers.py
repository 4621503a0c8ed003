"""What a shell offers for a word: names of the catalogue, keys of scenarios, files of scenarios.

The parser calls these functions while a line is typed (`Parameter(completer=...)`); the shell keeps
those that begin as the word does.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cyclopts.completion import CompletionContext


def queues(_: CompletionContext) -> list[str]:
    """Names of queues."""
    from .. import catalogue

    return _named(*catalogue.QUEUES)


def controls(_: CompletionContext) -> list[str]:
    """Names of congestion controls."""
    return _named("cc")


def papers(_: CompletionContext) -> Iterable[str]:
    """Names of papers."""
    from ..reproduce import papers

    return papers.names()


def exercises(_: CompletionContext) -> Iterable[str]:
    """Names of exercises."""
    from .. import classroom

    return classroom.names()


def explained(context: CompletionContext) -> list[str]:
    """What `explain` has a page for: algorithms, profiles of TCP, keys."""
    from .. import catalogue

    tables = [key for key in _keys(context.incomplete, ".", "") if key]
    if "." in context.incomplete:
        return tables
    profiles = [f"tcp/{name}" for name in catalogue.profiles()]
    return sorted({*catalogue.names(), "scenario", *profiles, *tables})


def overrides(context: CompletionContext) -> list[str]:
    """Keys of a scenario as after `-s` and `-o`, one table after the other: `queue.`, then
    `queue.limit=`."""
    return _keys(context.incomplete, ".", "=")


def scenarios(context: CompletionContext) -> list[str]:
    """Files of scenarios, folders, and the names of scenarios that ship."""
    from .. import shipped

    folder, slash, _ = context.incomplete.rpartition("/")
    before = f"{folder}{slash}"
    found = sorted(Path(before or ".").expanduser().iterdir())
    named = [] if slash else [*shipped.scenarios()]
    files = [
        f"{before}{path.name}{'/' if path.is_dir() else ''}"
        for path in found
        if path.is_dir() or path.suffix == ".toml"
    ]
    return files + named


def _named(*kinds: str) -> list[str]:
    from .. import catalogue

    known = catalogue.kinds()
    return sorted(name for kind in kinds for name in known[kind])


def _keys(written: str, table: str, value: str) -> list[str]:
    """The keys of the table that is written so far. table and value: what follows the key of a
    table, and of a value. An element of a list has its number, which is 0 here."""
    from ..language import keys

    above = written.rpartition(".")[0]
    path = ".".join(word for word in above.split(".") if not word.isdigit())
    found: set[str] = set()
    for key in keys.every():
        if key.path.rpartition(".")[0] != path:
            continue
        name = f"{above}.{key.name}" if above else key.name
        if any(not form.get("properties") for form in key.forms):
            found.add(f"{name}{value}")
        if key.keys:
            found.add(f"{name}{'.0' if key.is_list and value else ''}{table}")
    return sorted(found)
