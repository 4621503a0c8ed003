"""The rows of a result: what a run measured of each flow, queue, session, marker and host, with its
unit.

The attributes of rows and their types are in `measured.pyi`, which `dumbbell.present.stubs` writes
from the JSON Schema of results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeVar, overload

from ..present.stats import Interval

if TYPE_CHECKING:
    from .measured import (
        AcksNumbers,
        FlowNumbers,
        HostNumbers,
        MarkerNumbers,
        MediaNumbers,
        QueueNumbers,
        SessionNumbers,
        SharedBufferNumbers,
        TotalsNumbers,
    )
else:
    AcksNumbers = FlowNumbers = HostNumbers = MarkerNumbers = MediaNumbers = object
    QueueNumbers = SessionNumbers = SharedBufferNumbers = TotalsNumbers = object

Number = float | Interval
"""A measurement: a number of one run, an interval of several. `float(x)` is the number or the
mean."""


class Row:
    """A flow or a queue of a result. Its measurements are attributes, named as in the JSON with
    their unit (`goodput_bps`, `mean_packets`); a number is a `stats.Interval` when there were
    replications."""

    name: str

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    if not TYPE_CHECKING:  # A checker knows the names below, and says when one is wrong.

        def __getattr__(self, key: str) -> Any:
            if key.startswith("_"):  # What copy and pickle look for before there are fields.
                raise AttributeError(key)
            try:
                return number(self._fields[key])
            except KeyError:
                raise AttributeError(
                    f"there is no `{key}` here; there are {', '.join(self._fields)}"
                ) from None

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


class Flow(Row, FlowNumbers):
    """Measurements of a flow; docs/reference/results.md defines each measurement."""

    @property
    def application(self) -> dict[str, Number | None]:
        """Measurements of its application: the latencies of `request_response`, the stalls of
        `video` and `dash`, the load times of `web`."""
        return {key: number(value) for key, value in self._fields.get("application", {}).items()}

    @property
    def path(self) -> dict[str, Number | None]:
        """Results of its sender's path MTU discovery (docs/explanation/path-mtu.md), or empty."""
        return {key: number(value) for key, value in self._fields.get("path", {}).items()}

    @property
    def acks(self) -> Acks | None:
        """Its acknowledgments, where they were recorded (`record.acks`)."""
        found = self._fields.get("acks")
        return None if found is None else Acks({"name": self.name, **found})

    @property
    def media(self) -> Media | None:
        """Its live video, if it is a flow of SCReAM."""
        found = self._fields.get("media")
        return None if found is None else Media({"name": self.name, **found})


class Session(Row, SessionNumbers):
    """Measurements of a session's transfers; docs/reference/traffic.md defines each measurement."""

    @property
    def by_size(self) -> list[Row]:
        """The measurements of each class of sizes, by its name: `up to 10 kB`, ..."""
        return [Row({"name": row["sizes"], **row}) for row in self._fields.get("by_size") or []]

    @property
    def completion_percentiles_s(self) -> list[Number]:
        """The completion time that so many percent do not exceed, from 0 to 100; empty if nothing
        finished."""
        return [number(value) for value in self._fields.get("completion_percentiles_s") or []]


class Acks(Row, AcksNumbers):
    """The acknowledgments of a flow on the reverse path; docs/reference/records.md defines each
    measurement."""


class Media(Row, MediaNumbers):
    """The live video of a flow of SCReAM; docs/reference/scream.md defines each measurement."""


class Queue(Row, QueueNumbers):
    """Measurements of a queue; docs/reference/queue-measures.md defines each measurement."""

    @property
    def drops(self) -> dict[str, Number]:
        """Dropped packets by reason."""
        return {reason: number(value) for reason, value in self._fields.get("drops", {}).items()}


class Marker(Row, MarkerNumbers):
    """A marker or another conditioner before a link: for one flow, or for all that its rule takes.
    docs/reference/diffserv-measures.md defines each measurement; those of tokens end in `_packets`
    where a token stands for a packet."""

    @property
    def packet_tokens(self) -> bool:
        """True if a token stands for a packet, not for a byte."""
        return "tokens_made_packets" in self._fields


class Host(Row, HostNumbers):
    """A host's processor in one direction, `receive` or `send`; docs/reference/hosts.md defines
    each measurement."""


class SharedBuffer(Row, SharedBufferNumbers):
    """A buffer that the queues of a switch share; docs/reference/queue-measures.md defines each
    measurement."""


class Totals(Row, TotalsNumbers):
    """Measurements of all flows together; docs/reference/results.md defines each measurement."""


R = TypeVar("R", bound=Row)


class Rows(tuple[R, ...], Generic[R]):
    """Flows or queues, in the scenario's order; `rows["name"]` finds one by its name."""

    __slots__ = ()

    @overload
    def __getitem__(self, key: str | SupportsIndex, /) -> R: ...
    @overload
    def __getitem__(self, key: slice, /) -> tuple[R, ...]: ...
    def __getitem__(self, key: str | SupportsIndex | slice, /) -> R | tuple[R, ...]:
        if isinstance(key, str):
            for row in self:
                if row.name == key:
                    return row
            raise KeyError(f"`{key}`; there are {', '.join(row.name for row in self)}")
        return super().__getitem__(key)

    def _ipython_key_completions_(self) -> list[str]:
        return [row.name for row in self]


def number(value: Any) -> Any:
    """A measurement as in the JSON: an interval, if it has one."""
    return Interval.read(value) if isinstance(value, dict) and "ci95" in value else value
