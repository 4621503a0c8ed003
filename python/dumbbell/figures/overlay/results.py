"""Several results in the same axes: what each of them has, its label, and the figures."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...data import captures, flent
from ...errors import ScenarioError
from ...explain import on_demand, runs
from ..recorded_run import Source, View
from ..style import Figure, palette
from ..style.palette import Look
from . import draw as drawing
from . import labels, sides

_NEEDS = {"cwnd": ["flows"], "goodput": ["flows"], "queue": ["queues"], "delay": ["packets"]}
_UNASKED = ("cwnd", "goodput", "queue")


@dataclass(frozen=True, slots=True)
class Given:
    """A result, and what the user calls it."""

    name: str
    run: runs.Run | Path
    """A run, or a file of another program."""


@dataclass(frozen=True, slots=True)
class _Read:
    side: sides.Side
    scenario: dict[str, Any] | None
    note: str = ""


def find(name: str, point: int | None = None, seed: int | None = None) -> Given:
    """A result directory, flent's data or a capture. `ScenarioError` if it is none of them."""
    path = Path(name)
    if path.is_dir():
        return Given(name, runs.locate(name, point, seed))
    if not path.is_file():
        raise ScenarioError(f"there is no result {name}")
    return Given(name, path)


def draw(
    given: Sequence[Given], kinds: Sequence[str], view: View, use: Sequence[str] = ()
) -> tuple[dict[str, Figure], list[str]]:
    """The figures by name, and what to say of repeated runs. Without kinds: `cwnd`, `goodput` and
    `queue`, as far as a result has them. use: files with algorithms of the user's own."""
    alone = [kind for kind in kinds if kind not in drawing.KINDS]
    if alone:
        raise ScenarioError(
            f"`{alone[0]}` shows one result: of several results there are "
            f"{', '.join(drawing.KINDS)}"
        )
    names = [one.name for one in given]
    read = [_read(one, list(kinds) or list(_UNASKED), view, use) for one in given]
    found, title = labels.labels([one.scenario for one in read], names)
    looks = _looks(found)
    named = [
        sides.Named(label, look, one.side)
        for label, look, one in zip(found, looks, read, strict=True)
    ]
    there = kinds or [k for k in _UNASKED if any(one.side.lines.get(k) for one in read)]
    if not there:
        raise ScenarioError(f"{' and '.join(names)} have nothing to draw over time")
    return drawing.draw(named, there, title), [one.note for one in read if one.note]


def _read(given: Given, kinds: list[str], view: View, use: Sequence[str]) -> _Read:
    if isinstance(given.run, runs.Run):
        return _of_run(given.name, given.run, kinds, view, use)
    if flent.is_flent(given.run):
        return _Read(sides.of_flent(given.run, view), None)
    if captures.is_capture(given.run):
        return _Read(sides.of_capture(given.run, view), None)
    raise ScenarioError(
        f"{given.name} is not a result: `plot` reads result directories, flent's data "
        "(.flent.gz) and captures (pcapng, pcap)"
    )


def _of_run(name: str, run: runs.Run, kinds: list[str], view: View, use: Sequence[str]) -> _Read:
    """A run, which is repeated if it lacks records."""
    source = Source(run.directory, name)
    needed = dict.fromkeys(need for kind in kinds for need in _NEEDS[kind])
    missing = [record for record in needed if source.find(record) is None]
    note = ""
    with ExitStack() as stack:
        if missing:
            wanted = on_demand.Wanted(run, name, missing, use=use)
            directory, note = stack.enter_context(on_demand.repeated(wanted))
            source = Source(directory, name)
        side = sides.of_run(source, kinds, view)
    scenario = runs.scenario(run) | {"on": run.on, "seed": run.seed}
    return _Read(side, scenario, note)


def _looks(found: Sequence[str]) -> list[Look]:
    """The looks of results one after the other; with the colors of schemes, if all labels are
    schemes of different colors."""
    looks = [palette.nth(i) for i in range(len(found))]
    colors = [palette.look(label).color for label in found if palette.is_chosen(label)]
    if len(set(colors)) == len(found):
        return [replace(look, color=color) for look, color in zip(looks, colors, strict=True)]
    return looks
