"""What made a result in this program: enough to make it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .. import api
from ..plugins.base import Own


@dataclass(frozen=True)
class Origin:
    """A scenario, and the point of its sweep."""

    source: dict[str, Any]
    changes: tuple[str, ...]
    """Its overrides."""
    own: tuple[type[Own], ...] = ()
    live: bool = False
    """True if it ran on real kernels."""
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """Those of the point."""

    def at(self, overrides: Mapping[str, Any]) -> Origin:
        """That of a point."""
        return replace(self, overrides=overrides)

    def tables(self) -> dict[str, Any]:
        """The tables of the scenario, without the point's overrides."""
        planned = api.plan(api.request(self.source, self.changes, points=0), self.own)
        return dict(planned["scenario"])

    def __reduce__(self) -> tuple[Any, ...]:
        # Classes of a program's own may be unknown in another process.
        return Origin, (self.source, self.changes, (), self.live, dict(self.overrides))
