"""The records of one run as figures want them: what is missing is named with the way to get it,
what is old is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data import recording, series
from ..data import summary as saved
from ..errors import ScenarioError
from ..present import units
from . import crowd

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class View:
    """The part of a run that is drawn: these flows (all if empty; of more than eight all as groups,
    and these besides), from and to in seconds (None: the whole)."""

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
    """The records of one run, written by this release or an older one."""

    directory: Path
    name: str = ""
    """Its name in messages: the directory by default."""
    _read: dict[str, polars.DataFrame | None] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        return self.name or str(self.directory)

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
            how = " ".join(
                f"-s '{one}'" if '"' in one else f"-s {one}" for one in recording.overrides([name])
            )
            raise ScenarioError(f"{self} has no {name}.parquet: run it again with {how}")
        missing = [c for c in columns if c not in frame.columns]
        if missing:
            raise ScenarioError(
                f"{self}: {name}.parquet has no column {', '.join(missing)}: it was "
                f"written by another release"
            )
        return frame

    @cached_property
    def plan(self) -> dict[str, Any] | None:
        """The plan, where packets were recorded."""
        return series.plan(self.directory) or series.plan(self.directory, "hops")

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The result of the run's point; empty without a summary.json."""
        kind, number = "", 0
        for place in (self.directory, *list(self.directory.parents)[:2]):
            if (place / "summary.json").is_file():
                data = saved.read(place)
                points: list[dict[str, Any]] = data.get("points") or [data]
                return points[number - 1] if kind == "point" and number <= len(points) else data
            kind, _, digits = place.name.partition("-")
            if kind not in ("seed", "point") or not digits.isdigit():
                break
            number = int(digits)
        return {}

    def order(self, name: str) -> list[str]:
        """The scenario's order of the flows or queues of a series, as its file says it."""
        return series.order(self.directory, name)

    @cached_property
    def flow_order(self) -> list[str]:
        """The flows in the scenario's order, as far as it is known."""
        listed = (self.plan or self.summary).get("flows", [])
        return self.order("flows") or [str(flow["name"]) for flow in listed]

    @cached_property
    def warmup_s(self) -> float:
        """The end of the warm-up; 0 if it is not known."""
        if self.plan is not None:
            return units.seconds(str(self.plan.get("warmup", "0 s")))
        return float(self.summary.get("warmup_s") or 0.0)

    def controls(self) -> dict[str, str]:
        """The congestion control of each flow, as far as it is known."""
        return {str(f["name"]): str(f["cc"]) for f in self.summary.get("flows", []) if f.get("cc")}

    def link(self, name: str) -> dict[str, Any]:
        """A link of the plan; empty if the plan is not known."""
        links = (self.plan or {}).get("links", [])
        found: dict[str, Any] = next((link for link in links if link["name"] == name), {})
        return found

    def names(self, frame: polars.DataFrame, view: View) -> list[str]:
        """The flows of a record in the scenario's order. `ScenarioError` if one in view is not
        among them."""
        names = series.names(frame, "flow", self.flow_order)
        for wanted in view.flows:
            if wanted not in names:
                raise ScenarioError(
                    f"there is no flow `{wanted}` here; there are {', '.join(names[:20])}"
                )
        return names

    def members(self, frame: polars.DataFrame, view: View) -> list[crowd.Member]:
        """What a figure draws of the flows of a record: those in view, or groups."""
        return crowd.members(self.names(frame, view), view.flows, self.controls)

    def one_flow(self, frame: polars.DataFrame, view: View) -> tuple[int, str, polars.DataFrame]:
        """The one flow that a figure is about: the first if none is named."""
        names = self.names(frame, view)
        if not names:
            raise ScenarioError(f"{self}: nothing was recorded of any flow")
        name = next((name for name in names if name in view.flows), names[0])
        return names.index(name), name, frame.filter(frame["flow"] == name)
