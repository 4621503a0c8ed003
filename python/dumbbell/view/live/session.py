"""A command with a live page: the server is there as long as the command, and the page at its end
needs it no more."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ...errors import DumbbellError
from .server import Server

_FOR_A_BROWSER_S = 10.0
"""How long a command that has ended waits for a browser."""
_FOR_OUR_BROWSER_S = 30.0
"""How long it waits for one that it has opened."""
_FOR_THE_END_S = 30.0
"""How long it waits for a browser to fetch the end."""
_GONE_S = 15.0
"""A page that has not asked for so long is closed."""
_FOR_A_FAILURE_S = 2.0

Opened = Callable[[str], bool]
"""Opens an address in the user's browser; False if there is none."""


class Live:
    """The live page of a command."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.news = server.news

    def making(self) -> None:
        """The runs have ended, and their page is being made."""
        self.news.say("the runs have ended, and their page is being made")

    def end(self, page: str) -> None:
        """The run has ended: `page` replaces the live one."""
        self._server.last = page.encode()
        self.news.end("ended")


@contextmanager
def session(first: str, opened: Opened) -> Iterator[Live]:
    """Serves `first`, which asks for the news, and at the end the page of `Live.end`.

    The address is printed to standard error and given to `opened`. When the block is over, it waits
    until a browser has fetched the end; Ctrl-C ends that. An exception is told to the page.
    """
    server = Server(first)
    try:
        print(f"live: {server.address}", file=sys.stderr, flush=True)
        there = opened(server.address)
        try:
            yield Live(server)
        except BaseException as error:
            interrupted = isinstance(error, KeyboardInterrupt)
            server.news.end("failed", "interrupted" if interrupted else _said(error))
            if server.news.state == "ended":  # The result is there, and says that it is not valid.
                _wait(server, browser=there)
            elif not interrupted and server.heard:
                server.fetched.wait(_FOR_A_FAILURE_S)
            raise
        _wait(server, browser=there)
    finally:
        server.close()


def _said(error: BaseException) -> str:
    """What went wrong, in a line."""
    problems = error.detail.get("problems") if isinstance(error, DumbbellError) else None
    cause = "; ".join(str(problem["cause"]) for problem in problems or ())
    rendered = str(getattr(error, "rendered", "") or error)
    return cause or rendered.strip().partition("\n")[0] or type(error).__name__


def _wait(server: Server, browser: bool) -> None:
    """Waits until a browser has the end, as long as one may still come for it: the one that was
    opened (`browser`), or another. Ctrl-C ends that."""
    server.news.end("failed", "the command ended without a result")  # Unless it has ended.
    since, patience_s = time.monotonic(), _FOR_OUR_BROWSER_S if browser else _FOR_A_BROWSER_S
    if not server.heard:
        text = f"the run has ended; the page waits {patience_s:.0f} s for a browser"
        print(f"{text} (Ctrl-C ends that)", file=sys.stderr, flush=True)
    with suppress(KeyboardInterrupt):
        _until_fetched(server, since, patience_s)


def _until_fetched(server: Server, since: float, patience_s: float) -> None:
    while not server.fetched.wait(0.1):
        now = time.monotonic()
        if server.heard:
            if now - max(server.heard, since) > _GONE_S or now - since > _FOR_THE_END_S:
                return
        elif now - since > patience_s:
            return
