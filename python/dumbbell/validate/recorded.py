"""One run with its records, and what checks read from them."""

from __future__ import annotations

from typing import Any

from ..data.arrow import Table
from ..data.records import Series
from ..files.write import Scratch
from ..result import Result

Row = dict[str, Any]


class Recorded:
    """One run with its records: `flow`, the first flow of its result, and the recorded tables."""

    def __init__(self, result: Result, folder: Scratch) -> None:
        self.flow: Row = result.json["flows"][0]
        self._result = result
        self._folder = folder  # It exists as long as its `Scratch`.

    def table(self, name: Series) -> Table:
        """A table of records. `ScenarioError` if it was not recorded."""
        return self._result.series(name)

    def rows(self, name: Series) -> list[Row]:
        """The rows of a table of records."""
        return self.table(name).rows()

    def reactions(self, *causes: str) -> list[Row]:
        """The sender's reactions with one of these causes, or all."""
        return [row for row in self.rows("reactions") if not causes or row["cause"] in causes]

    def data(self) -> list[Row]:
        """The sender's packets with payload."""
        packets = self.rows("packets")
        return [row for row in packets if row["from"] == "sender" and row["payload_bytes"]]

    def repaired_s(self) -> float:
        """The time at which the receiver has the last of the lost segments, seconds."""
        data = self.data()
        lost = {row["seq"] for row in data if row["dropped_ps"] is not None}
        first_delivered = {
            row["seq"]: row["delivered_ps"]
            for row in reversed(data)
            if row["seq"] in lost and row["delivered_ps"]
        }
        return float(max(first_delivered.values()) * 1e-12)


def shown_by_control(reaction: Row) -> dict[str, float]:
    """The numbers that a congestion control shows with a reaction."""
    pairs = (word.split("=") for word in reaction["control"].split())
    return {name: float(value) for name, value in pairs}
