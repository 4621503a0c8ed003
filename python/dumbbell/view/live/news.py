"""What a live page shows, and what is new for whoever has seen a part of it."""

from __future__ import annotations

import json
import threading
import time
from typing import Any, Literal

MOST_BYTES = 1 << 28
"""Pieces that are kept for pages that open late; what comes after is in the page of the end."""
_GATHERED_S = 0.2
"""News of so long go out together."""
State = Literal["running", "ended", "failed"]


class News:
    """Everything since the start, from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._pieces: list[str] = []
        self._bytes = 0
        self._table = "null"
        self._version = 0
        self._progress: tuple[int, int, float] = (0, 0, 0.0)
        self._state: State = "running"
        self._message = ""

    @property
    def state(self) -> State:
        """How the command stands."""
        return self._state

    def piece(self, text: str) -> None:
        """Rows to append, as the verb `run` packs them."""
        with self._changed:
            if self._bytes + len(text) <= MOST_BYTES:
                self._pieces.append(text)
                self._bytes += len(text)
                self._changed.notify_all()
            else:
                self._message = "too many rows: the page is whole when the run has ended"

    def table(self, table: Any) -> None:
        """A table, which replaces the one before."""
        with self._changed:
            self._table = json.dumps(table, ensure_ascii=False)
            self._version += 1
            self._changed.notify_all()

    def progress(self, finished: int, runs: int, fraction: float) -> None:
        """How far the runs are."""
        with self._changed:
            self._progress = (finished, runs, fraction)
            self._changed.notify_all()

    def say(self, message: str) -> None:
        """A remark on how the command stands."""
        with self._changed:
            self._message = message
            self._changed.notify_all()

    def end(self, state: State, message: str = "") -> None:
        """Nothing more comes."""
        with self._changed:
            if self._state == "running":
                self._state, self._message = state, message
            self._changed.notify_all()

    def since(self, piece: int, version: int, wait_s: float) -> str:
        """What is new after the first `piece` pieces and this version of the table, as JSON:
        `{"next", "pieces", "version", "table": {...} | null, "progress", "state", "message"}`. If
        nothing is, it waits."""
        self._wait(piece, version, wait_s)
        with self._changed:
            pieces = self._pieces[piece:]
            told = {
                "next": len(self._pieces),
                "version": self._version,
                "progress": self._progress,
                "state": self._state,
                "message": self._message,
            }
            table = self._table if self._version > version else "null"
        # The pieces are JSON already.
        return f'{json.dumps(told)[:-1]}, "table": {table}, "pieces": [{",".join(pieces)}]}}'

    def _wait(self, piece: int, version: int, wait_s: float) -> None:
        with self._changed:
            before = self._progress, self._message

            def any_news() -> bool:
                grown = len(self._pieces) > piece or self._version > version
                changed = before != (self._progress, self._message)
                return grown or changed or self._state != "running"

            # Progress alone is told, too, but not at once: a page draws a few times a second.
            until = time.monotonic() + _GATHERED_S
            self._changed.wait_for(any_news, wait_s)
            while self._state == "running" and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
