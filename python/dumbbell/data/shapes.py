"""Protocols of results, sweeps, scenarios and Arrow tables: the parts that presentation and models
use, so that they need not import the classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from .rows import Flow, Host, Marker, Queue, Rows, Session, SharedBuffer, Totals

Value = float | int | str | bool | None
"""Types of a cell."""


class TableLike(Protocol):
    """Columns by name."""

    @property
    def columns(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def column(self, name: str, limit: int | None = None) -> list[Value]: ...
    def numbers(self, name: str) -> list[float]: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class ResultLike(Protocol):
    """One point: the mean of its replications, each run by itself in `runs`."""

    json: dict[str, Any]

    @property
    def flows(self) -> Rows[Flow]: ...
    @property
    def queues(self) -> Rows[Queue]: ...
    @property
    def sessions(self) -> Rows[Session]: ...
    @property
    def markers(self) -> Rows[Marker]: ...
    @property
    def hosts(self) -> Rows[Host]: ...
    @property
    def shared_buffers(self) -> Rows[SharedBuffer]: ...
    @property
    def totals(self) -> Totals: ...
    @property
    def runs(self) -> Sequence[ResultLike]: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def valid(self) -> bool: ...
    def series(self, name: Any) -> TableLike: ...


class SweepLike(Protocol):
    """Points, each with what is swept and its result."""

    json: dict[str, Any]

    def __iter__(self) -> Iterator[tuple[dict[str, Any], ResultLike]]: ...
    def __len__(self) -> int: ...


class ScenarioLike(Protocol):
    """A scenario that can be planned."""

    def size(self) -> dict[str, Any]: ...
    def check(self, *, points: int | None = None) -> list[dict[str, Any]]: ...
