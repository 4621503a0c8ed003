"""Runs packetdrill scripts; what fails is told at its place in the packetdrill script."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ...errors import ScenarioError
from ...files import reading
from .. import scripts
from .translate import translate

ENDING = ".pkt"
"""Suffix of packetdrill's scripts."""


def run(path: str | Path) -> scripts.Outcome:
    """Runs the script at `path`. `ScenarioError`: it cannot be read, or is outside the subset."""
    try:
        text = reading.text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from error
    return run_text(text, str(path))


def run_text(text: str, name: str = "script.pkt") -> scripts.Outcome:
    """Runs a script that is at hand as text; `name` is what messages call it."""
    made = translate(text, name)
    outcome = scripts.run_text(made.text, name)
    lines = text.split("\n")
    failures = []
    for one in outcome.failures:
        place = made.places[min(one.line, len(made.places)) - 1]
        shown = [
            f"× expected {one.expected}; came {one.came}",
            f"  {name}:{place.line}:{place.column}",
            f"  {place.line} │ {lines[place.line - 1]}",
            "  before it:",
            *(f"    {event}" for event in one.history),
        ]
        rendered = "\n".join(shown)
        failures.append(replace(one, line=place.line, column=place.column, rendered=rendered))
    return scripts.Outcome(name, tuple(failures))
