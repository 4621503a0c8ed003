"""Those who make runs elsewhere, and what they are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

Parcel = dict[str, Any]
Answer = tuple[Parcel, list[dict[str, Any]] | Exception]
"""A parcel with what `task.perform` answered, or with the reason why there is no answer."""
Say = Callable[[str], Any]


class Crew(Protocol):
    """Those who make runs."""

    def places(self) -> int:
        """Number of parcels at the same time."""

    def work(self, parcels: list[Parcel]) -> Iterator[Answer]:
        """The answers to parcels, as they come in."""

    def dismiss(self, whole: bool) -> None:
        """Ends them; `whole` if there is nothing left to do."""


def first_line(error: BaseException) -> str:
    """The first line of an error's message; its type if it has none."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
