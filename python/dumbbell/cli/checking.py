"""`check`, and a short way to it. The parser takes longer to import than a scenario to check, so
plain words do not wait for it."""

from __future__ import annotations

from collections.abc import Sequence

from .. import api
from ..errors import ScenarioError
from .printing import emit, notes, show, source, warn

_FLAGS = ("--deny-warnings", "--json")


def checked(
    file: str,
    overrides: Sequence[str] = (),
    use: Sequence[str] = (),
    on: str = "sim",
    *,
    deny_warnings: bool = False,
    json: bool = False,
) -> int:
    """Checks a scenario and prints what is found. Returns the exit code."""
    planned = api.plan(api.request(source(file), overrides, points=0, use=use or None, on=on))
    points, runs, warnings = planned["points_total"], planned["runs_total"], planned["warnings"]
    denied = deny_warnings and bool(warnings)
    if json:
        found = {"notes": planned["notes"], "warnings": warnings}
        emit({"ok": not denied, "points": points, "runs": runs, **found})
    else:
        notes(planned["notes"])
        warn(warnings)
        if denied:
            many = f"{len(warnings)} warning{'s' if len(warnings) > 1 else ''}"
            raise ScenarioError(f"{file}: {many}, and --deny-warnings was given")
        flows, links = planned["flows"], planned["links"]
        size = (
            f"{flows} flow{'s' if flows > 1 else ''} over "
            f"{links} link{'s' if links > 1 else ''}, {planned['duration']}"
        )
        many = f", {points} points" if points > 1 else ""
        show(f"{file}: ok - {size}{many}" + (f", {runs} runs" if runs > points else ""))
    return ScenarioError.code if denied else 0


def plain(words: Sequence[str]) -> int | None:
    """The exit code of `check FILE` with no options but flags; None if the words are others, which
    are for the parser."""
    flags = [word for word in words[1:] if word in _FLAGS]
    rest = [word for word in words[1:] if word not in _FLAGS]
    if words[:1] != ["check"] or len(rest) != 1 or len(set(flags)) < len(flags):
        return None
    if "\0" in rest[0] or (rest[0].startswith("-") and rest[0] != "-"):
        return None
    deny_warnings, json = (flag in flags for flag in _FLAGS)
    return checked(rest[0], deny_warnings=deny_warnings, json=json)
