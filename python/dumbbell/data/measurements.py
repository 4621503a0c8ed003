"""The measurements of results: unit, names, meaning and better direction of each number.

They come from the JSON Schema of results (`dumbbell schema --result`), which the simulator writes
from its registry of measurements.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from .. import api


@dataclass(frozen=True, slots=True)
class Measurement:
    """A measurement of a row."""

    name: str
    """Its key in the JSON."""
    unit: str
    """`bps`, `pkt`, `B`, `s`, `cycles`; `1` for a share; empty for a count or a plain ratio."""
    title: str
    """Its name in comparisons."""
    head: str
    """Its name in a column of its row's table."""
    doc: str
    """Its meaning, as a sentence."""
    better: str | None
    """`higher`, `lower`, or None."""
    statistic: str
    """How it is formed: `sum`, `mean over time`, `percentile`, ..."""
    resolution: float
    """The relative width of the bins that it comes from; 0 if it is exact."""
    when: str
    """Empty if each row has it, else the condition."""
    annotation: str
    """Its type in Python; empty for a table or a list."""


_ANNOTATIONS = {
    "count": "Number",
    "maybe_count": "Number | None",
    "real": "Number",
    "maybe_real": "Number | None",
}


@cache
def of(row: str) -> dict[str, Measurement]:
    """The measurements of a sort of row (`flow`, `queue`, `session`, ...) by name, in the order of
    the JSON."""
    rules: dict[str, dict[str, Any]] = api.result_schema()["$defs"][row]["properties"]
    return {name: _read(name, rule) for name, rule in rules.items() if "x-statistic" in rule}


def find(row: str, name: str) -> Measurement:
    """One measurement of a sort of row. `KeyError` if there is none."""
    return of(row)[name]


def _read(name: str, rule: dict[str, Any]) -> Measurement:
    return Measurement(
        name=name,
        unit=rule["x-unit"],
        title=rule["x-title"],
        head=rule["x-head"],
        doc=rule["description"],
        better=rule["x-better"],
        statistic=rule["x-statistic"],
        resolution=rule["x-resolution"],
        when=rule.get("x-when", ""),
        annotation=_annotation(rule),
    )


def _annotation(rule: dict[str, Any]) -> str:
    if "$ref" in rule:
        return _ANNOTATIONS[rule["$ref"].removeprefix("#/$defs/")]
    if rule["type"] == "string":
        return "str"
    return "str | None" if "string" in rule["type"] else ""
