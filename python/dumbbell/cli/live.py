"""`--live`: a page in the browser while a command runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from .. import api
from ..files.write import temporary_folder
from .browser import opened
from .options import command_line

if TYPE_CHECKING:
    from ..view.live import Live as Page

Live = Annotated[
    bool,
    Parameter(
        negative="",
        help="Show the runs in the browser while the command works, on a page that it serves on "
        "127.0.0.1 (docs/how-to/live.md).",
    ),
]


@dataclass(frozen=True, slots=True)
class Watched:
    """What runs tell a live page. Without --live there is no page, and nobody is told anything.

    asked: what of the runs is watched, a request's `watch`."""

    page: Page | None = None
    asked: api.JSON | None = None
    watch: api.Watch | None = None

    def watching(self, wanted: api.JSON) -> api.JSON:
        """A request whose runs are watched."""
        return wanted if self.asked is None else wanted | {"watch": self.asked}

    def run(self, wanted: api.JSON, progress: api.Progress) -> api.JSON:
        """Makes the runs of a request."""
        if self.page is None:
            return api.run(wanted, progress)
        return api.run(self.watching(wanted), self.heard(progress), watch=self.watch)

    def shell(self, wanted: api.JSON) -> api.JSON:
        """Runs a program."""
        if self.page is None:
            return api.shell(wanted)
        return api.shell(self.watching(wanted), self.watch)

    def heard(self, progress: api.Progress) -> api.Progress:
        """The progress, which the page shows, too."""
        page = self.page
        if page is None:
            return progress

        def both(finished: int, runs: int, fraction: float) -> Any:
            page.news.progress(finished, runs, fraction)
            return progress(finished, runs, fraction)

        return both

    def told(self, tell: Callable[[str], None]) -> Callable[[str], None]:
        """Lines about runs, each of which is a row of the page's table, too."""
        page, rows = self.page, list[str]()
        if page is None:
            return tell

        def both(line: str) -> None:
            rows.append(line)
            table = {"columns": ["run"], "rows": [[row] for row in rows]}
            page.news.table(table | {"text_columns": 1, "notes": []})
            tell(line)

        return both

    def end(self, write: Callable[[Path], object]) -> None:
        """The runs have ended: the page becomes the one that `write` writes to a file."""
        if self.page is not None:
            self.page.making()
            with temporary_folder() as folder:
                file = Path(folder) / "page.html"
                write(file)
                self.end_with(file)

    def end_with(self, file: Path) -> None:
        """The runs have ended: the page becomes this one."""
        if self.page is not None:
            self.page.end(file.read_text(encoding="utf-8"))


NOBODY = Watched()
"""Nobody watches."""


@contextmanager
def of_run(wanted: api.JSON, live: bool) -> Iterator[Watched]:
    """The page of a request: of one point with panels, of several with their table."""
    if not live:
        yield NOBODY
        return
    planned = api.plan(wanted | {"points": 0})
    if planned["points_total"] > 1:
        with of_study(live, str(planned["title"] or planned["name"])) as watched:
            yield watched
        return
    from ..view import live as pages
    from ..view.live import series

    first = series.first_page(wanted, command_line())
    with pages.session(first.page, opened) as page:
        yield Watched(page, first.watch or {}, page.news.piece)


@contextmanager
def of_study(
    live: bool, title: str, heading: str = "Points", columns: Sequence[str] = ()
) -> Iterator[Watched]:
    """The page of a study: a table of its points with these metrics."""
    if not live:
        yield NOBODY
        return
    from ..view import live as pages
    from ..view.live import points

    with pages.session(points.first_page(title, heading, command_line()), opened) as page:
        table = points.Points(page.news, columns)
        yield Watched(page, points.WATCH, table.piece)
