"""`plot` of several results: what each of them has, its label, and the figures."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...data import captures, flent
from ...errors import ScenarioError
from ...explain import runs
from ...figures import style
from ...figures.overlay import draw as drawing
from ...figures.overlay import labels, sides
from ...figures.recorded_run import Source, View
from ...figures.style import Figure, Look
from . import on_demand

_NEEDS = {"cwnd": ["flows"], "goodput": ["flows"], "queue": ["queues"], "delay": ["packets"]}
_UNASKED = ("cwnd", "goodput", "queue")


@dataclass(frozen=True, slots=True)
class Which:
    """The results, and the runs of them that are drawn."""

    names: Sequence[str]
    point: int | None
    seed: int | None
    use: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Read:
    side: sides.Side
    scenario: dict[str, Any] | None
    note: str = ""


def draw(which: Which, kinds: Sequence[str], view: View) -> tuple[dict[str, Figure], list[str]]:
    """The figures by name, and what to say of repeated runs. Without kinds: `cwnd`, `goodput` and
    `queue`, as far as a result has them."""
    alone = [kind for kind in kinds if kind not in drawing.KINDS]
    if alone:
        raise ScenarioError(
            f"`{alone[0]}` shows one result: of several results there are "
            f"{', '.join(drawing.KINDS)}"
        )
    read = [_read(name, which, list(kinds) or list(_UNASKED), view) for name in which.names]
    found, title = labels.labels([one.scenario for one in read], which.names)
    looks = _looks(found)
    named = [
        sides.Named(label, look, one.side)
        for label, look, one in zip(found, looks, read, strict=True)
    ]
    there = kinds or [k for k in _UNASKED if any(one.side.lines.get(k) for one in read)]
    if not there:
        raise ScenarioError(f"{' and '.join(which.names)} have nothing to draw over time")
    return drawing.draw(named, there, title), [one.note for one in read if one.note]


def _read(name: str, which: Which, kinds: list[str], view: View) -> _Read:
    path = Path(name)
    if path.is_dir():
        return _of_run(name, which, kinds, view)
    if not path.is_file():
        raise ScenarioError(f"there is no result {name}")
    if flent.is_flent(path):
        return _Read(sides.of_flent(path, view), None)
    if captures.is_capture(path):
        return _Read(sides.of_capture(path, view), None)
    raise ScenarioError(
        f"{name} is not a result: `plot` reads result directories, flent's data (.flent.gz) and "
        "captures (pcapng, pcap)"
    )


def _of_run(name: str, which: Which, kinds: list[str], view: View) -> _Read:
    """A run of a result directory, which is repeated if it lacks records."""
    run = runs.locate(name, which.point, which.seed)
    source = Source(run.directory, name)
    needed = dict.fromkeys(need for kind in kinds for need in _NEEDS[kind])
    missing = [record for record in needed if source.find(record) is None]
    note = ""
    with ExitStack() as stack:
        if missing:
            wanted = on_demand.Wanted(name, missing, (), which.point, which.seed, which.use)
            directory, note = stack.enter_context(on_demand.repeated(wanted))
            source = Source(directory, name)
        side = sides.of_run(source, kinds, view)
    scenario = runs.scenario(run) | {"on": "kernel" if run.live else "sim", "seed": run.seed}
    return _Read(side, scenario, note)


def _looks(found: Sequence[str]) -> list[Look]:
    """The looks of results one after the other; with the colors of schemes, if all labels are
    schemes of different colors."""
    looks = [style.nth(i) for i in range(len(found))]
    colors = [style.look(label).color for label in found if style.is_chosen(label)]
    if len(set(colors)) == len(found):
        return [replace(look, color=color) for look, color in zip(looks, colors, strict=True)]
    return looks
