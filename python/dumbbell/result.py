"""Results: the measurements of a run or the mean of replications, and the points of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from .data import records
from .data import summary as saved
from .data.arrow import Table
from .data.origin import Origin
from .data.records import Records, Run, Series, Summary
from .data.rows import (
    Acks,
    Flow,
    Host,
    Marker,
    Media,
    Number,
    Queue,
    Row,
    Rows,
    Session,
    SharedBuffer,
    Totals,
    number,
)
from .errors import ScenarioError
from .models import fairness
from .present.stats import Interval, interval
from .present.units import instant

if TYPE_CHECKING:
    from .figures.overlay.plot import Figures
    from .figures.style import Figure

__all__ = [
    "Acks",
    "Flow",
    "Host",
    "Marker",
    "Media",
    "Number",
    "Queue",
    "Result",
    "Row",
    "Rows",
    "Session",
    "SharedBuffer",
    "Sweep",
    "Totals",
    "read",
]


Plot = Literal[
    "cwnd",
    "goodput",
    "queue",
    "delay",
    "fct",
    "curve",
    "phase",
    "acks",
    "markers",
    "delays",
    "loss",
    "scatter",
    "timeseq",
]
"""Kinds of figures, as of `dumbbell plot`."""


class Result:
    """One point: the mean of its replications, each run by itself in `runs`."""

    def __init__(
        self, data: dict[str, Any], records: Records | None = None, origin: Origin | None = None
    ) -> None:
        self.json = data
        self._records = records
        self._origin = origin

    @classmethod
    def load(cls, directory: str | Path) -> Result:
        """A result directory written earlier. `ScenarioError` if it holds none, or a sweep."""
        data = saved.read(directory)
        if "points" in data:
            raise ScenarioError(f"{directory} holds a sweep: dumbbell.Sweep.load reads it")
        return cls(data, Records(Path(directory)))

    @property
    def flows(self) -> Rows[Flow]:
        """The flows."""
        return Rows(Flow(f) for f in self.json.get("flows", ()))

    @property
    def queues(self) -> Rows[Queue]:
        """The reported queues."""
        return Rows(Queue(q) for q in self.json.get("queues", ()))

    @property
    def sessions(self) -> Rows[Session]:
        """The sessions: groups of short flows."""
        return Rows(Session(s) for s in self.json.get("sessions", ()))

    @property
    def markers(self) -> Rows[Marker]:
        """Markers and other conditioners, one for each flow where they have a state for each;
        `markers["gold.1"]` is the first of a flow, `markers["bottleneck"]` the first before a link
        without a flow of its own."""
        return Rows(
            Marker({"name": m.get("flow") or m["link"], **m}) for m in self.json.get("markers", ())
        )

    @property
    def hosts(self) -> Rows[Host]:
        """Processors of hosts, one for each direction: `hosts["a/cpu_receive"]`,
        `hosts["s/sender/cpu_send"]`."""
        return Rows(Host(h) for h in self.json.get("hosts", ()))

    @property
    def shared_buffers(self) -> Rows[SharedBuffer]:
        """Buffers that switches share among their queues, by the names of the switches."""
        return Rows(SharedBuffer(b) for b in self.json.get("shared_buffers", ()))

    @property
    def jain(self) -> Number | None:
        """Jain's fairness index of all flows' goodput; None without goodput, or in a result of an
        older release."""
        found: Number | None = number(self.json.get("jain"))
        return found

    @property
    def totals(self) -> Totals:
        """The measurements of all flows together."""
        return Totals({"name": "all flows", **self.json.get("totals", {})})

    def jain_over_time(self) -> list[fairness.Moment]:
        """Jain's index of each recorded period after the warm-up, over the flows that were active
        in it. `ScenarioError` if flows were not recorded, or if there are replications: ask each of
        `runs`."""
        return fairness.over_time(self)

    @property
    def runs(self) -> list[Result]:
        """Each replication by itself."""
        shared = ("duration_s", "warmup_s")
        times: dict[str, Any] = {key: self.json[key] for key in shared if key in self.json}
        found = self._labelled({})
        return [
            Result({**times, **run}, Records(at, self._records) if at else None, self._origin)
            for _, run, at in found
        ]

    @property
    def fingerprint(self) -> str:
        """Hash of everything that left a port or a socket: equal means the same run, packet for
        packet."""
        return str(self.json["fingerprint"])

    @property
    def valid(self) -> bool:
        """True if the run's own checks held."""
        return bool(self.json["valid"])

    @property
    def validity(self) -> list[dict[str, Any]]:
        """The validity of each run of real kernels (docs/how-to/testbed.md); empty for a simulated
        result."""
        return [
            dict(run["validity"])
            for run in self.json.get("runs") or [self.json]
            if run.get("validity")
        ]

    def series(self, name: Series) -> Table:
        """The recorded series of all runs: `flows`, `queues` or `signals`, with a column `seed`
        first. `ScenarioError` if it was not recorded, `DumbbellError` if a file is damaged."""
        return records.series(name, list(self._labelled({})))

    def summary(self, name: Summary) -> Table:
        """The measurements of `flows`, `queues`, `sessions`, `markers` or `hosts` in tidy form: a
        row for each run and flow, numbers of single runs."""
        return records.summary(name, list(self._labelled({})))

    def values(self, measure: Callable[[Result], Number | None]) -> list[float]:
        """A measurement of each run, in the order of the seeds:
        `values(lambda run: run.queues[0].utilization)`."""
        found = (measure(run) for run in self.runs)
        return [float("nan") if value is None else float(value) for value in found]

    def interval(self, measure: Callable[[Result], Number | None]) -> Interval:
        """The mean of `values` with its 95 % interval over the runs."""
        return interval(self.values(measure))

    @overload
    def plot(
        self,
        kind: Plot,
        /,
        *others: Result | Path,
        flows: Iterable[str] = ...,
        start: str | None = ...,
        end: str | None = ...,
        seed: int | None = ...,
        use: Iterable[str | Path] = ...,
    ) -> Figure: ...

    @overload
    def plot(
        self,
        *what: Plot | Result | Path,
        flows: Iterable[str] = ...,
        start: str | None = ...,
        end: str | None = ...,
        seed: int | None = ...,
        use: Iterable[str | Path] = ...,
    ) -> Figure | Figures: ...

    def plot(
        self,
        *what: Plot | Result | Path,
        flows: Iterable[str] = (),
        start: str | None = None,
        end: str | None = None,
        seed: int | None = None,
        use: Iterable[str | Path] = (),
    ) -> Figure | Figures:
        """The figures of `dumbbell plot`: `plot("cwnd")` is a matplotlib figure, and several kinds
        are a dictionary of them, which a notebook shows. Without kinds: those that the records
        allow and that need no choice. If records are missing, the run is repeated with them.

        what: kinds, and results to overlay in the same axes (a `Path`: a result directory, flent's
        data, a capture). flows: only these; `phase` and `scatter` take two. start, end: the time
        that is drawn, such as `"12 s"`. seed: of replications; default: the first. use: files with
        algorithms that a loaded result needs. `ScenarioError` if there is nothing to draw,
        `InvalidRun` if the repeated run differs.
        """
        from .figures.overlay.plot import plot
        from .figures.recorded_run import View

        view = View(tuple(flows), instant("start", start), instant("end", end))
        return plot(self, what, view, seed, [str(file) for file in use])

    def table(self, *, width: int | None = 140, every: bool = False) -> str:
        """Flows and queues as text tables. width: the most characters of a line; columns that do
        not fit are left out, and a note names them. None: no limit. every: a row for each flow and
        queue, where more than 20 are otherwise summarized in groups."""
        from .present.grids import to_text
        from .present.tables import result_tables

        return to_text(result_tables(self, every), width)

    def _labelled(self, labels: Mapping[str, Any]) -> Iterator[Run]:
        return records.runs_of(self.json, self._records, labels)

    def _repr_html_(self) -> str:
        from .present import html

        return html.result(self)

    def __repr__(self) -> str:
        return f"<Result {self.fingerprint}: {len(self.flows)} flows, {len(self.queues)} queues>"


class Sweep:
    """The points of a sweep, in its order; each is (`{"queue.limit": "24 pkt"}`, Result), in a loop
    and as `sweep[0]`. `points` has the results alone."""

    def __init__(
        self,
        data: dict[str, Any],
        records: Records | None = None,
        directories: list[str] | None = None,
        origin: Origin | None = None,
    ) -> None:
        self.json = data
        self._records = records
        self._directories = directories
        self._origin = origin

    @classmethod
    def load(cls, directory: str | Path) -> Sweep:
        """The directory of a sweep written earlier. `ScenarioError` if it holds none."""
        data = saved.read(directory)
        if "points" not in data:
            raise ScenarioError(f"{directory} holds a single point: dumbbell.Result.load reads it")
        return cls(data, Records(Path(directory)))

    def __iter__(self) -> Iterator[tuple[dict[str, Any], Result]]:
        names = self._directories or [records.point_name(i, len(self)) for i in range(len(self))]
        for name, point in zip(names, self.json["points"], strict=True):
            own = self._records.below(name) if self._records else None
            origin = self._origin.at(point["overrides"]) if self._origin else None
            yield point["overrides"], Result(point, own, origin)

    def __len__(self) -> int:
        return len(self.json["points"])

    def __getitem__(self, index: int) -> tuple[dict[str, Any], Result]:
        """A point by its place, from 0; -1 is the last. `IndexError` if there is none."""
        return list(self)[index]

    @property
    def points(self) -> list[Result]:
        """The results, in the order of the points."""
        return [result for _, result in self]

    def versus(self, baseline: str | int | dict[str, Any]) -> list[dict[str, Any]]:
        """Each point against its baseline, seed by seed: the mean difference of every number with
        Student's interval, and the ratio. See `paired_seeds.versus`, which says what a baseline may
        be."""
        from .data import paired_seeds

        return paired_seeds.versus(self.json["points"], baseline)

    def series(self, name: Series) -> Table:
        """The recorded series of all points: before its columns `point` (from 1), what is swept,
        `seed`."""
        return records.series(name, self._runs())

    def summary(self, name: Summary) -> Table:
        """The measurements of `flows`, `queues` or `sessions` in tidy form: a row for each point,
        run and flow."""
        return records.summary(name, self._runs())

    def table(self, columns: Sequence[str] = (), *, width: int | None = 140) -> str:
        """A row for each point: what is swept, and metrics of all flows and of the first queue with
        their 95 % intervals; the best of each is marked. columns: names of metrics, as in
        `["goodput", "p99_delay", "flows.far.share"]` (docs/how-to/sweeps.md). width: as in
        `Result.table`."""
        from .present.grids import to_text
        from .present.points import sweep_grid

        return to_text([sweep_grid(self, columns)], width)

    def _runs(self) -> list[Run]:
        points = enumerate(self, 1)
        return [
            run
            for i, (changes, result) in points
            for run in result._labelled({"point": i, **changes})
        ]

    def _repr_html_(self) -> str:
        from .present import html

        return html.sweep(self)

    def __repr__(self) -> str:
        return f"<Sweep of {len(self)} points>"


def read(
    data: dict[str, Any], records: Records | None = None, origin: Origin | None = None
) -> Result | Sweep:
    """The JSON of a run as an object."""
    if "points" in data:
        return Sweep(data, records, origin=origin)
    return Result(data, records, origin)
