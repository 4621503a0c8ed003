"""What the commands of all studies share: where runs are made and kept, and how a document is
answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from ...errors import ScenarioError, of_code
from ..options import emit, show, warn_in_short


def measuring(
    store: Path | None, no_store: bool, workers: str | None, threads: int | None
) -> tuple[Callable[..., Mapping[str, Any]], dict[str, object]]:
    """How runs are made, and the request's options for that."""
    from ..runs.sweep import default_store, measure

    if no_store and (store or workers):
        other = "--store" if store else "--workers"
        raise ScenarioError(f"--no-store and {other} exclude each other: leave one of them out")
    if workers is not None:
        from ...workers.options import check

        check(workers)
    kept = None if no_store else str(store or default_store())
    return lambda wanted, heard, *watched: measure(wanted, workers, heard, *watched), {
        "store": kept,
        "threads": threads,
    }


def answered(
    document: Mapping[str, Any], json: bool, told: Callable[[], Iterable[RenderableType] | None]
) -> int:
    """Prints the document, or the warnings about its scenarios, what is told of it (None: nothing
    can be) and where it is. The exit code is that of the runs; what failed is said after what came
    out."""
    from ..runs.run import what_failed

    code = int(document.get("code", 0))
    if json:
        emit(document)
        return code
    warn_in_short(document.get("scenario_warnings", []))
    if (said := told()) is not None:
        last = []
        if document.get("from_store"):
            last.append(f"{document['from_store']} of the runs were in the store")
        if document.get("page"):
            last.append(f"page: {document['page']}")
        show(*said, *last)
    if code:
        raise of_code(code, what_failed(document))
    return code
