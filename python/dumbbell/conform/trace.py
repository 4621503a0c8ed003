"""The series of one flow: the states of a control over time, and what it showed in them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..data import series

EVERY = "500 us"
"""The period of the series."""
STATES = ("startup", "drain", "down", "cruise", "refill", "up", "probe_rtt")
"""The states of BBRv3 by the number that it shows as `mode`."""


COLUMNS = (
    "time_s",
    "cwnd_bytes",
    "in_flight_bytes",
    "cc_mode",
    "cc_pacing_gain",
    "cc_cwnd_gain",
    "cc_max_bw",
    "cc_min_rtt",
    "cc_inflight_hi",
    "cc_round_count",
)
"""The columns that criteria read; a series has many more."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A stay in a state: its rows from `first` to `last`, in the series of a flow."""

    state: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Trace:
    """The columns of a flow's series by name; None where the flow showed nothing."""

    columns: Mapping[str, Sequence[Any]]

    @classmethod
    def read(cls, directory: Path, flow: str = "new") -> Trace:
        """Reads the series that a run wrote."""
        frame = series.need(directory, "flows")
        rows = frame.filter(frame["flow"] == flow).select(
            [name for name in COLUMNS if name in frame.columns]
        )
        shown = rows.filter(rows["cc_mode"].is_not_null()) if "cc_mode" in rows.columns else rows
        return cls({name: shown[name].to_list() for name in shown.columns})

    def visits(self) -> list[Visit]:
        """The stays in states, in order."""
        modes = self.columns["cc_mode"]
        found: list[Visit] = []
        for i, mode in enumerate(modes):
            state = STATES[int(mode)]
            if found and found[-1].state == state:
                found[-1] = Visit(state, found[-1].first, i)
            else:
                found.append(Visit(state, i, i))
        return found

    def pairs(self, state: str) -> Iterator[tuple[Visit, Visit]]:
        """Each stay in a state that ended, with the one that followed."""
        every = self.visits()
        return ((a, b) for a, b in pairwise(every) if a.state == state)

    def at(self, row: int, name: str) -> float:
        """A number of a row; NaN if there is none."""
        value = self.columns[name][row]
        return math.nan if value is None else float(value)

    def seconds(self, visit: Visit) -> float:
        """How long a stay was."""
        return self.at(visit.last, "time_s") - self.at(visit.first, "time_s")

    def followed(self, state: str, by: Sequence[str]) -> float:
        """The share of the stays in a state that lead to one of these; NaN without any. Stays that
        ProbeRTT interrupts, as it may interrupt every state, do not count."""
        after = [b.state in by for _, b in self.pairs(state) if b.state != "probe_rtt"]
        return sum(after) / len(after) if after else math.nan

    def returned(self, state: str) -> float:
        """The share of the stays in ProbeRTT after a state that lead back to it; NaN without
        any."""
        every = self.visits()
        back = [
            after.state == state
            for before, stay, after in zip(every, every[1:], every[2:], strict=False)
            if before.state == state and stay.state == "probe_rtt"
        ]
        return sum(back) / len(back) if back else math.nan

    def farthest(self, state: str, name: str, wanted: float) -> float:
        """What the stays in a state show that is farthest from what is wanted; NaN without any. The
        first and the last row of a stay belong to the change."""
        values = [
            self.at(row, name)
            for one in self.visits()
            if one.state == state
            for row in range(one.first + 1, one.last)
        ]
        return max(values, key=lambda value: abs(value - wanted), default=math.nan)

    def bdp(self, row: int) -> float:
        """The bandwidth-delay product by the control's own estimates [bytes]."""
        return self.at(row, "cc_max_bw") / 8 * self.at(row, "cc_min_rtt")
