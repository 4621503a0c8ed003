"""A scenario: a network, its flows and what to measure, in the same words as a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from . import api, result
from .algorithms import Spec
from .data.origin import Origin
from .data.records import Records
from .errors import ScenarioError
from .files import write
from .language import overrides
from .plugins.base import Own
from .present.progress import Progress, shown
from .result import Result, Sweep

if TYPE_CHECKING:
    from .algorithms import ScenarioKeys


class RunOptions(TypedDict, total=False):
    """The options of `Scenario.run`."""

    seed: int | None
    replications: int | None
    threads: int | None
    out: str | Path | None
    record_every: str | None
    record_drops: bool
    record_acks: bool | Iterable[str]
    record_delays: bool | Iterable[str]
    record_markers: bool
    audit: bool | None
    store: str | Path | None
    stop: str | Mapping[str, Any] | None
    keep_going: bool | None
    on: Literal["sim", "kernel", "linux"]
    progress: Progress | bool | None


class Scenario:
    """A network and its flows. The words are those of a scenario file (`dumbbell schema`):

    ```python
    scenario = dumbbell.Scenario(
        duration="30 s",
        dumbbell={"bottleneck": {"rate": "10 Mbps", "delay": "10 ms"}},
        queue=dumbbell.Red(min_th="5 pkt", max_th="15 pkt", limit="50 pkt"),
        flow=[{"cc": dumbbell.Newreno(), "count": 3}],
    )
    result = scenario.run(replications=5)
    print(result.table())
    ```

    A scenario never changes: `with_` gives another one. Quantities carry their units (`"10 ms"`).

    A new scenario checks at once that its file exists, that keys, types, units, algorithms and
    their parameters' names are right (of a sweep: at the first point), and raises `ScenarioError`.
    Keys may still be missing, because `with_` may add them; values of parameters and the network as
    a whole are checked by `check` and by each run. With `check=False` all checks are left to them.
    """

    def __init__(
        self,
        value: Mapping[str, Any] | None = None,
        /,
        *,
        name: str | None = None,
        check: bool = True,
        **words: Unpack[ScenarioKeys],
    ) -> None:
        tables: dict[str, Any] = {**_tables(value), **words}
        if name is not None:
            tables["name"] = name
        own: list[type[Own]] = []
        self._source: dict[str, Any] = {
            "value": _plain(tables, own),
            "name": str(tables.get("name", "scenario")),
        }
        self._overrides: tuple[str, ...] = ()
        self._own = tuple(own)
        if check:
            self._check_names()

    @classmethod
    def from_file(cls, path: str | Path, *, check: bool = True) -> Scenario:
        """The scenario in a TOML file."""
        return cls._of({"path": str(path)}, check=check)

    @classmethod
    def from_text(cls, text: str, name: str = "scenario", *, check: bool = True) -> Scenario:
        """The scenario in TOML text; errors show its lines under `name`."""
        return cls._of({"text": text, "name": name}, check=check)

    @classmethod
    def _of(
        cls,
        source: dict[str, Any],
        changes: Iterable[str] = (),
        own: Iterable[type[Own]] = (),
        *,
        check: bool,
    ) -> Scenario:
        scenario = cls.__new__(cls)
        scenario._source, scenario._overrides, scenario._own = source, tuple(changes), tuple(own)
        if check:
            scenario._check_names()
        return scenario

    def _check_names(self) -> None:
        api.call("draft", self._request(), type(None), own=self._own)

    def with_(self, changes: Mapping[str, Any] | Iterable[str], *, check: bool = True) -> Scenario:
        """Another scenario with values replaced: `{"queue.max_p": 0.1}`, or as after `-s`:
        `["queue.max_p=0.1"]`."""
        own = list(self._own)
        if isinstance(changes, Mapping):
            changes = [
                f"{key}={overrides.literal(_plain(value, own))}" for key, value in changes.items()
            ]
        elif isinstance(changes, str | bytes) or not isinstance(changes, Iterable):
            raise ScenarioError(
                f"{changes!r} replaces no values\n"
                'help: write a dictionary, as in {"queue.max_p": 0.1}, or a list of texts, as in '
                '["queue.max_p=0.1"]'
            )
        return self._of(self._source, (*self._overrides, *changes), own, check=check)

    def check(self, **options: Any) -> list[dict[str, Any]]:
        """The plan of each point, every default resolved. `ScenarioError` shows what is wrong,
        where, and the fix."""
        points: list[dict[str, Any]] = api.plan(self._request(**options), self._own)["points"]
        return points

    def size(self) -> dict[str, Any]:
        """The size of the scenario, without planning each point: `name`, `title`, `flows`, `links`,
        `duration`, `points_total`, `runs_total`, `notes`, `warnings`. `ScenarioError` as in
        `check`."""
        return api.plan(self._request(points=0), self._own)

    def sharing(self) -> dict[str, Any]:
        """The part of each flow's path that other flows share, for the first point;
        docs/explanation/delays.md has the keys.

        `ScenarioError` as in `check`."""
        return api.call("sharing", self._request())

    def run(
        self,
        *,
        seed: int | None = None,
        replications: int | None = None,
        threads: int | None = None,
        out: str | Path | None = None,
        record_every: str | None = None,
        record_drops: bool = False,
        record_acks: bool | Iterable[str] = False,
        record_delays: bool | Iterable[str] = False,
        record_markers: bool = False,
        audit: bool | None = None,
        store: str | Path | None = None,
        stop: str | Mapping[str, Any] | None = None,
        keep_going: bool | None = None,
        on: Literal["sim", "kernel", "linux"] = "sim",
        progress: Progress | bool | None = None,
    ) -> Result | Sweep:
        """Runs it: a `Result`, or a `Sweep` if the scenario has one.

        seed: of the first replication (default: the scenario's). replications: how many, each with
        a seed of its own. threads: at most so many at once (default: all cores). out: a directory
        for `summary.json` and the series. record_every: period of the series of flows and queues,
        such as `"100 ms"`; record_drops: every drop and mark with what its decision saw;
        record_acks: every acknowledgment on the reverse path, of all TCP flows or of those named;
        record_delays: how long packets of all flows or of those named took, as a distribution, and
        of connections in the result as well; record_markers: markers have series, too (with
        record_every). Without `out` the records are in a temporary directory, which goes when the
        result goes. audit: follow each packet. progress: True for a bar, or a function that is
        called with runs finished, all runs, and the share of simulated time that has passed. store:
        a directory in which finished runs are kept, and from which they are taken. stop: replicate
        until a rule holds, as in `"ci95 < 2%"` or `{"rule": "ci95 < 2%", "most": 50}`. keep_going:
        a point of a sweep whose scenario is wrong is a row with its error. on: `"kernel"` for real
        TCP of this machine (docs/how-to/testbed.md); look at the result's `valid` and `validity`
        before you use it.
        """
        acks = _chosen("record_acks", record_acks)
        delays = _chosen("record_delays", record_delays)
        out, store = _path("out", out), _path("store", store)
        record = {
            "every": record_every,
            "drops": record_drops or None,
            "acks": acks or None,
            "delays": delays or None,
            "markers": record_markers or None,
        }
        record = {key: value for key, value in record.items() if value is not None}
        kept = write.Scratch() if record and out is None else None
        directory = kept.path if kept else out
        wanted = self._request(
            seed=seed,
            replications=replications,
            threads=threads,
            out=None if directory is None else str(directory),
            record=record or None,
            audit=audit,
            store=store,
            stop=dict(stop) if isinstance(stop, Mapping) else stop,
            keep_going=keep_going,
            on=None if on == "sim" else on,
        )
        with shown(progress) as report:
            data = api.run(wanted, report, self._own)
        records = None if directory is None else Records(Path(directory), kept)
        origin = Origin(self._source, self._overrides, self._own, live=on != "sim")
        return result.read(data, records, origin)

    def sweep(self, axes: Mapping[str, Iterable[Any]], **options: Unpack[RunOptions]) -> Sweep:
        """Runs every combination of values: `sweep({"queue.limit": ["24 pkt", "36 pkt"]})`. Options
        as in `run`."""
        own = list(self._own)
        swept = [
            overrides.axis(key, [_plain(value, own) for value in values])
            for key, values in _axes(axes)
        ]
        outcome = Scenario._of(self._source, [*self._overrides, *swept], own, check=False).run(
            **options
        )
        if isinstance(outcome, Sweep):
            return outcome
        return Sweep(
            {"points": [{"overrides": {}, **outcome.json}]},
            outcome._records,
            directories=[""],
            origin=outcome._origin,
        )

    def _repr_html_(self) -> str:
        from .present import html

        return html.scenario(self)

    def _request(self, **options: Any) -> dict[str, Any]:
        return api.request(self._source, self._overrides, **options)

    def __repr__(self) -> str:
        origin = self._source.get("path") or self._source["name"]
        return f"<Scenario {origin}{''.join(f' -s {o}' for o in self._overrides)}>"


def _tables(given: Any) -> Mapping[str, Any]:
    """The tables and keys of a scenario."""
    if given is None or isinstance(given, Mapping):
        return given or {}
    raise ScenarioError(
        f"{given!r} is not a scenario\n"
        'help: write a dictionary, as in {"duration": "10 s"}; `Scenario.from_file` and '
        "`Scenario.from_text` read TOML"
    )


def _axes(given: Any) -> Iterable[tuple[str, Iterable[Any]]]:
    """The axes of a sweep, each with its values."""
    example = 'help: write a list of values for each key, as in {"queue.limit": ["24 pkt"]}'
    if not isinstance(given, Mapping):
        raise ScenarioError(f"{given!r} has no axes of a sweep\n{example}")
    for key, values in given.items():
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise ScenarioError(f"`{key}` is {values!r}, and not a list of values\n{example}")
    return given.items()


def _path(option: str, given: Any) -> str | None:
    """The path that an option of `run` has."""
    path = os.fspath(given) if isinstance(given, str | os.PathLike) else given
    if path is None or isinstance(path, str):
        return path
    raise ScenarioError(f"{option}={given!r} is no path\nhelp: write a text or a `pathlib.Path`")


def _chosen(option: str, given: Any) -> bool | list[str]:
    """All flows or none, or those that are named."""
    if isinstance(given, bool):
        return given
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ScenarioError(
            f"{option}={given!r} names no flows\nhelp: write True for all, or a list of names"
        )
    return list(given)


def _plain(value: Any, own: list[type[Own]]) -> Any:
    """Tables, lists and numbers, with every algorithm as its table; classes of the user's own go
    into `own`."""
    if isinstance(value, Own):
        own.append(type(value))
        return _plain(value.as_dict(), own)
    if isinstance(value, Spec):
        return _plain(value.as_dict(), own)
    if isinstance(value, Mapping):
        return {key: _plain(inner, own) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, own) for inner in value]
    if value is not None and not isinstance(value, str | int | float):
        raise ScenarioError(
            f"no scenario has a value such as {value!r}, of type `{type(value).__name__}`\n"
            "help: write texts, numbers, truth values, lists and tables"
        )
    return value
