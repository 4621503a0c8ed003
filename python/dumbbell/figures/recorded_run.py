"""The records of one run as figures want them: what is missing is named with the way to get it,
what is old is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data import series
from ..errors import ScenarioError

if TYPE_CHECKING:
    import polars

_HOW = {
    "flows": 'record.every="100 ms"',
    "queues": 'record.every="100 ms"',
    "signals": "record.drops=true",
    "reactions": "record.drops=true",
    "packets": "record.packets=true",
    "hops": "record.packets=true",
    "acks": "record.acks=true",
    "delays": "record.delays=true",
    "completions": "record.completions=true",
    "markers": 'record.every="100 ms" -s record.markers=true',
}


@dataclass(frozen=True, slots=True)
class View:
    """The part of a run that is drawn: these flows (all if empty), from and to in seconds (None:
    the whole)."""

    flows: Sequence[str] = ()
    from_s: float | None = None
    to_s: float | None = None

    def cut(
        self, frame: polars.DataFrame, column: str = "time_s", scale: float = 1.0
    ) -> polars.DataFrame:
        """The rows whose instant, `column` times `scale` seconds, is in view."""
        time = frame[column] * scale
        if self.from_s is not None:
            frame, time = frame.filter(time >= self.from_s), time.filter(time >= self.from_s)
        return frame if self.to_s is None else frame.filter(time <= self.to_s)


@dataclass(frozen=True)
class Source:
    """A directory with the records of one run, written by this release or an older one."""

    directory: Path
    _read: dict[str, polars.DataFrame | None] = field(default_factory=dict, repr=False)

    def find(self, name: str) -> polars.DataFrame | None:
        """A record, words as text; None if it was not written."""
        if name not in self._read:
            import polars as pl

            frame = series.read(self.directory, name)
            if frame is not None:
                frame = frame.with_columns(pl.selectors.categorical().cast(pl.String))
            self._read[name] = frame
        return self._read[name]

    def need(self, name: str, columns: Iterable[str] = ()) -> polars.DataFrame:
        """A record with these columns; `ScenarioError` (exit code 2) says what is missing and how
        to get it."""
        frame = self.find(name)
        if frame is None:
            raise ScenarioError(
                f"{self.directory} has no {name}.parquet: run it again with -s {_HOW[name]}"
            )
        missing = [c for c in columns if c not in frame.columns]
        if missing:
            raise ScenarioError(
                f"{self.directory / name}.parquet has no column {', '.join(missing)}: it was "
                f"written by another release"
            )
        return frame

    @cached_property
    def plan(self) -> dict[str, Any] | None:
        """The plan, where packets were recorded."""
        return series.plan(self.directory, "packets") or series.plan(self.directory, "hops")

    def link(self, name: str) -> dict[str, Any]:
        """A link of the plan; empty if the plan is not known."""
        links = (self.plan or {}).get("links", [])
        found: dict[str, Any] = next((link for link in links if link["name"] == name), {})
        return found

    def chosen(
        self, frame: polars.DataFrame, view: View
    ) -> list[tuple[int, str, polars.DataFrame]]:
        """The rows of each flow in view, with its place among all, which its look goes by."""
        everything = list(enumerate(series.parts(frame, "flow")))
        names = [name for _, (name, _) in everything]
        for wanted in view.flows:
            if wanted not in names:
                raise ScenarioError(
                    f"there is no flow `{wanted}` here; there are {', '.join(names[:20])}"
                )
        return [
            (i, name, part)
            for i, (name, part) in everything
            if not view.flows or name in view.flows
        ]

    def one_flow(self, frame: polars.DataFrame, view: View) -> tuple[int, str, polars.DataFrame]:
        """The one flow that a figure is about: the first if none is named."""
        chosen = self.chosen(frame, view)
        if not chosen:
            raise ScenarioError(f"{self.directory}: nothing was recorded of any flow")
        return chosen[0]
