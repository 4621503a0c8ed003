"""The seeded faults, and how they are put into a copy of the source, all at once.

Each fault becomes a choice between what is there and what is wrong, made when the program runs
(mutant schemata: Untch, Offutt, Harrold: Mutation analysis using mutant schemata, ISSTA 1993), so
that one build serves them all.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FILE = "python/dumbbell/validate/faults.toml"
OPEN, CLOSE = "«", "»"
VARIABLE = "DUMBBELL_FAULT"
CORE = "crates/dumbbell-core/src"
LINTS = "[workspace.lints.rust]\n"
SWITCH = f'''//! Which seeded fault is on: that whose number is in the environment.
use std::sync::OnceLock;

static CHOSEN: OnceLock<u32> = OnceLock::new();

/// Whether fault `k` is on.
#[inline]
pub fn on(k: u32) -> bool {{
    let read = || std::env::var("{VARIABLE}").map_or(0, |k| k.parse().expect("a number"));
    *CHOSEN.get_or_init(read) == k
}}
'''


class Wrong(Exception):
    """A fault that cannot be put into the source, and why."""


@dataclass(frozen=True)
class Fault:
    """One line of the table."""

    number: int
    """From 1: 0 is the source as it is."""
    id: str
    what: str
    file: str
    old: str
    """With what varies between « and »."""
    new: str
    turns: tuple[str, ...]
    """Patterns of checks of the validation suite; at least one line of each turns red."""

    @property
    def text(self) -> str:
        """What stands in the file."""
        return self.old.replace(OPEN, "").replace(CLOSE, "")

    @property
    def part(self) -> str:
        """What varies."""
        return self.old.partition(OPEN)[2].partition(CLOSE)[0] if OPEN in self.old else self.old

    def choice(self, crate: str) -> str:
        """The text that takes the place of `text`."""
        switch = f"{crate}::fault::on({self.number})"
        before, after = self.old.partition(OPEN)[0], self.old.partition(CLOSE)[2]
        if OPEN not in self.old:
            before = after = ""
        chosen = f"if {switch} {{ {self.new} }} else {{ {self.part} }}"
        is_statement = self.part.rstrip().endswith((";", "}"))
        return before + (chosen if is_statement else f"({chosen})") + after

    def line(self, source: str) -> int:
        """The line, from 1, on which it begins. `Wrong` if the text is not there exactly once."""
        found = source.count(self.text)
        if found != 1:
            raise Wrong(
                f"{self.id}: its text stands {found} times in {self.file}, not once: {self.text!r}"
            )
        at = source.index(self.text) + self.old.partition(OPEN)[0].__len__() * (OPEN in self.old)
        return source[:at].count("\n") + 1


def read(file: Path) -> list[Fault]:
    """The faults of a table, in its order. `Wrong` if two have one id or a key is missing."""
    try:
        written = tomllib.loads(file.read_text(encoding="utf-8"))["fault"]
        faults = [
            Fault(i, **{**entry, "turns": tuple(entry["turns"])})
            for i, entry in enumerate(written, 1)
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Wrong(f"{file}: {error}") from None
    ids = [fault.id for fault in faults]
    for name in ids:
        if ids.count(name) > 1:
            raise Wrong(f"{file}: two faults are called {name}")
    return faults


def plant(faults: list[Fault], tree: Path) -> None:
    """Changes the source below `tree` so that each fault can be switched on. `Wrong` if one does
    not fit."""
    for file in dict.fromkeys(fault.file for fault in faults):
        _edit(tree / file, lambda source, file=file: _planted(faults, file, source))
    (tree / CORE / "fault.rs").write_text(SWITCH, encoding="utf-8")
    _edit(
        tree / "Cargo.toml", lambda text: text.replace(LINTS, f'{LINTS}unused_parens = "allow"\n')
    )
    _edit(
        tree / CORE / "lib.rs", lambda source: source + "\n/// The seeded faults.\npub mod fault;\n"
    )


def _planted(faults: list[Fault], file: str, source: str) -> str:
    crate = "crate" if file.startswith(CORE) else "dumbbell_core"
    original = source
    for fault in (fault for fault in faults if fault.file == file):
        fault.line(original)
        if fault.text not in source:
            raise Wrong(f"{fault.id}: another fault lies within its text")
        source = source.replace(fault.text, fault.choice(crate))
    return source


def _edit(file: Path, change: Callable[[str], str]) -> None:
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")
