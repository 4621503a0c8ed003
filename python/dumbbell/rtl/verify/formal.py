"""Proofs: properties of the RTL that hold in every run, by temporal induction, and what shows that
they say something.

`rtl/red/formal/properties.toml` names them; the files beside it say them, in SystemVerilog, and are
read into the module that they speak of (`FORMAL`). Yosys makes a model (SMT-LIB) of the module with
one property at a time and the lemmas it leans on; smtbmc with Yices looks for a run of `depth`
clocks from reset that breaks it, then shows that no `depth` clocks that keep it can be followed by
one that does not. Covers are runs that must exist: a property about clocks that never come would be
proved, too. `prove.py` does it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import ScenarioError


@dataclass(frozen=True)
class Property:
    """A property of a module, in one set of its parameters."""

    name: str
    says: str
    top: str
    files: str
    """The list of sources that has the module: `core`, `module`, ..."""
    asserts: tuple[str, ...]
    """The labels of its assertions, as patterns of Yosys (`fifo_*`)."""
    lemmas: tuple[str, ...] = ()
    """Labels of what it leans on: asserted with it, so that they are proved, too."""
    covers: tuple[str, ...] = ()
    depth: int = 10
    cover_depth: int = 20
    bounded: bool = False
    """Only the first `depth` clocks after reset: no induction."""
    stand_ins: tuple[str, ...] = ()
    """Files beside the properties, each in place of the source of the same module: one that may do
    anything."""
    parameters: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def model(self) -> tuple[Any, ...]:
        """Key of properties that share a model."""
        return self.top, self.files, self.stand_ins, tuple(sorted(self.parameters.items()))


@dataclass(frozen=True)
class Verdict:
    """The outcome of a property: `proved`, `failed` or `not run`."""

    property: Property
    verdict: str
    why: str | None = None
    trace: Path | None = None
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The value as JSON."""
        said: dict[str, Any] = {
            "property": self.property.name,
            "verdict": self.verdict,
            "says": self.property.says,
            "module": self.property.top,
            "parameters": dict(self.property.parameters),
            "how": (
                f"{'bounded' if self.property.bounded else 'induction'}, "
                f"{self.property.depth} clocks"
            ),
            "seconds": round(self.seconds, 2),
        }
        if self.why:
            said["why"] = self.why
        if self.trace:
            said["trace"] = str(self.trace)
        return said


def read(file: Path) -> list[Property]:
    """The properties of a list. `sets` gives one several sets of parameters: its name then ends in
    them."""
    found = []
    for entry in tomllib.loads(file.read_text(encoding="utf-8"))["property"]:
        sets = entry.pop("sets", [{}])
        for parameters in sets:
            words: dict[str, Any] = {
                key: tuple(value) if isinstance(value, list) else value
                for key, value in entry.items()
            }
            suffix = (
                "".join(f" {key}={value}" for key, value in parameters.items())
                if len(sets) > 1
                else ""
            )
            words["name"] += suffix
            found.append(Property(**words, parameters=parameters))
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise ScenarioError(f"two properties of {file} have the same name")
    return found
