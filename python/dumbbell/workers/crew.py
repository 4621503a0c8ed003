"""Those who make runs elsewhere, and what they are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

Parcel = dict[str, Any]


Say = Callable[[str], Any]


class Crew(Protocol):
    """Those who make runs."""

    def places(self) -> int:
        """Number of parcels at the same time."""

    def work(
        self, parcels: list[Parcel]
    ) -> Iterator[tuple[Parcel, list[dict[str, Any]] | Exception]]:
        """Each parcel with its answer (`task.perform`), or why there is none, as they come in."""

    def dismiss(self, whole: bool) -> None:
        """Ends them; `whole` if there is nothing left to do."""
