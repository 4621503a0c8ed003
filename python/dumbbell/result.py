"""What a run measured: flows and queues with their units, one run or the mean of replications."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .stats import Interval


class Row:
    """A flow or a queue of a result. Its measurements are attributes, named as in the JSON with their unit
    (`goodput_bps`, `mean_packets`); a number is a `stats.Interval` when there were replications."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def __getattr__(self, key: str) -> Any:
        try:
            return _number(self._fields[key])
        except KeyError:
            raise AttributeError(f"there is no `{key}` here; there are {', '.join(self._fields)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __repr__(self) -> str:
        return f"<{self._fields['name']}: {', '.join(k for k in self._fields if k != 'name')}>"

    def interval(self, key: str) -> Interval | None:
        """The measurement `key` with its interval; None if it was not measured."""
        return Interval.read(self._fields.get(key))

    def as_dict(self) -> dict[str, Any]:
        """The row as in the JSON."""
        return dict(self._fields)


class Rows(tuple[Row, ...]):
    """Flows or queues, in the scenario's order; `rows["name"]` finds one by its name."""

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            for row in self:
                if row.name == key:
                    return row
            raise KeyError(f"`{key}`; there are {', '.join(row.name for row in self)}")
        return super().__getitem__(key)


class Result:
    """One point: the mean of its replications, each run by itself in `runs`."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.json = data

    @classmethod
    def load(cls, directory: str | Path) -> Result:
        """A result directory written earlier."""
        import json

        return cls(json.loads((Path(directory) / "summary.json").read_text()))

    @property
    def flows(self) -> Rows:
        """The flows."""
        return Rows(Row(f) for f in self.json["flows"])

    @property
    def queues(self) -> Rows:
        """The reported queues."""
        return Rows(Row(q) for q in self.json["queues"])

    @property
    def runs(self) -> list[Result]:
        """Each replication by itself."""
        return [Result(run) for run in self.json.get("runs", [self.json])]

    @property
    def fingerprint(self) -> str:
        """Hash of everything that left a port or a socket: equal means the same run, packet for packet."""
        return self.json["fingerprint"]

    @property
    def valid(self) -> bool:
        """Whether the run's own checks held."""
        return self.json["valid"]

    def table(self) -> str:
        """Flows and queues as text tables."""
        from .tables import result_tables, to_text

        return to_text(result_tables(self))

    def __repr__(self) -> str:
        return f"<Result {self.fingerprint}: {len(self.flows)} flows, {len(self.queues)} queues>"


class Sweep:
    """The points of a sweep, in its order; each is (`{"queue.limit": "24 pkt"}`, Result)."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.json = data

    def __iter__(self) -> Iterator[tuple[dict[str, Any], Result]]:
        return ((point["overrides"], Result(point)) for point in self.json["points"])

    def __len__(self) -> int:
        return len(self.json["points"])

    def versus(self, baseline: str | int | dict[str, Any]) -> list[dict[str, Any]]:
        """Each point against its baseline, seed by seed: the mean difference of every number with Student's interval,
        and the ratio. See `paired.versus`, which says what a baseline may be."""
        from . import paired

        return paired.versus(self.json["points"], baseline)

    def __repr__(self) -> str:
        return f"<Sweep of {len(self)} points>"


def read(data: dict[str, Any]) -> Result | Sweep:
    """The JSON of a run as an object."""
    return Sweep(data) if "points" in data else Result(data)


def _number(value: Any) -> Any:
    return Interval.read(value) if isinstance(value, dict) and "ci95" in value else value
