"""`view`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ...errors import ScenarioError
from ..browser import opened
from ..options import Json, Point, Seed, Use, emit, notes, show

if TYPE_CHECKING:
    from ...view.results import Which


def view(
    *results: Annotated[
        str,
        Parameter(
            help="Result directories: of `run`, `sweep`, `compare`, `table`, `advise` or "
            "`reproduce`; captures (pcapng, pcap); flent's data (.flent, .flent.gz)."
        ),
    ],
    out: Annotated[
        Path | None,
        Parameter(
            help="Write the page to this file and do not open it. Default: `view.html` in the "
            "result directory; of several results: here."
        ),
    ] = None,
    flow: Annotated[
        list[str],
        Parameter(
            name="--flow",
            help="Show this flow by itself, with its events, although more than eight flows are "
            "grouped (of a file: beside the eight largest). May be repeated.",
        ),
    ] = [],  # noqa: B006 (cyclopts reads it)
    point: Point = None,
    seed: Seed = None,
    use: Use = [],  # noqa: B006
    json: Json = False,
) -> int:
    """Show results on one page in the browser.

    A run is drawn over one time axis: queues, windows, delays and goodput. Click an event to see
    its cause in the words of `dumbbell why`. Several runs are drawn side by side. If a simulated
    run lacks records, it is repeated in a temporary directory, and must have the same fingerprint.
    A live run shows what was recorded.

    A sweep, a comparison, a table, an advice and a reproduction have their own pages, with charts;
    they are written from the saved results. `--point` opens one point of a sweep over time. Each
    page is one HTML file that needs nothing else.

    Example: `dumbbell view results/first`
    """
    from ...view.results import Which
    from . import kinds

    if not results:
        raise ScenarioError("name at least one result: a directory, a capture or flent's data")
    single = len(results) == 1 and Path(results[0]).is_dir()
    file = out or (Path(results[0]) if single else Path()) / "view.html"
    found = kinds.find(results[0]) if single and point is None else None
    if found is None:
        _runs(results, file, Which(point, seed, tuple(flow), tuple(use)))
    else:
        kinds.write(found[0], Path(results[0]), found[1], file)
    if json:
        emit({"page": str(file.resolve())})
    elif out is not None or not opened(file.resolve().as_uri()):
        show(str(file))
    return 0


def _runs(results: Sequence[str], file: Path, which: Which) -> None:
    """The page of runs. `ScenarioError` for a study among several results."""
    from ...view import page
    from . import kinds

    for name in results:
        found = kinds.find(name) if len(results) > 1 else None
        if found is not None and found[0].file != "summary.json":
            raise ScenarioError(
                f"{name} is a {found[0].name}, which has a page of its own\nhelp: open it alone"
            )
    notes(page.write(results, file, which))
