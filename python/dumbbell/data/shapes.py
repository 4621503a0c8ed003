"""Protocols for presentation and models: what they use of results, sweeps, scenarios and Arrow
tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from .rows import Flow, Host, Marker, Queue, Rows, Session, Totals

Value = float | int | str | bool | None
"""Types of a cell."""


class TableLike(Protocol):
    """Columns by name."""

    @property
    def columns(self) -> list[str]: ...  # noqa: D102
    def __len__(self) -> int: ...
    def column(self, name: str, limit: int | None = None) -> list[Value]: ...  # noqa: D102
    def numbers(self, name: str) -> list[float]: ...  # noqa: D102


class ResultLike(Protocol):
    """One point: the mean of its replications, each run by itself in `runs`."""

    json: dict[str, Any]

    @property
    def flows(self) -> Rows[Flow]: ...  # noqa: D102
    @property
    def queues(self) -> Rows[Queue]: ...  # noqa: D102
    @property
    def sessions(self) -> Rows[Session]: ...  # noqa: D102
    @property
    def markers(self) -> Rows[Marker]: ...  # noqa: D102
    @property
    def hosts(self) -> Rows[Host]: ...  # noqa: D102
    @property
    def totals(self) -> Totals: ...  # noqa: D102
    @property
    def runs(self) -> Sequence[ResultLike]: ...  # noqa: D102
    @property
    def fingerprint(self) -> str: ...  # noqa: D102
    @property
    def valid(self) -> bool: ...  # noqa: D102
    def series(self, name: Any) -> TableLike: ...  # noqa: D102


class SweepLike(Protocol):
    """Points, each with what is swept and its result."""

    json: dict[str, Any]

    def __iter__(self) -> Iterator[tuple[dict[str, Any], ResultLike]]: ...
    def __len__(self) -> int: ...


class ScenarioLike(Protocol):
    """A scenario that can be planned."""

    def size(self) -> dict[str, Any]: ...  # noqa: D102
    def check(self, *, points: int | None = None) -> list[dict[str, Any]]: ...  # noqa: D102
