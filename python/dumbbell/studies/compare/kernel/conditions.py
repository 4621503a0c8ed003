"""The compared conditions: a scenario, and every combination of what the command line varies."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from .... import api
from ....errors import ScenarioError
from ....language import arguments, overrides
from ....language.arguments import refused
from ....present.units import seconds
from ...frame import design
from ...frame.design import Scenario, Source
from ...frame.runs import ScenarioWarning, merged

BUILT_IN = Path(__file__).with_name("dumbbell.toml")
PROFILE = "linux"
"""Whatever a scenario asks for: it is the simulator's model of the kernel that is compared with the
kernel."""

_RED = {"min_th": "limit / 6", "max_th": "limit / 2"}
"""Thresholds of RED where the command line says none: they must go with the buffer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The words of the command line, split at commas. source: None for the built-in dumbbell."""

    source: Source | None = None
    sets: Sequence[str] = ()
    rate: Sequence[str] = ()
    rtt: Sequence[str] = ()
    buffer: Sequence[str] = ()
    aqm: Sequence[str] = ()
    cc: Sequence[str] = ()
    time: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A condition: its label, the values that make it (by axis), and the overrides of the
    scenario."""

    label: str
    at: Mapping[str, str]
    overrides: Sequence[str]


@dataclass(frozen=True, slots=True)
class Study:
    """All cells of one scenario. asked: the profile that the scenario itself names, if it is
    another."""

    name: str
    title: str | None
    source: Source
    cells: Sequence[Cell]
    scenario: Scenario
    asked: str | None = None
    notes: Sequence[str] = field(default_factory=list)
    warnings: Sequence[ScenarioWarning] = ()


Value = tuple[str, list[str]]


def read(options: Options) -> Study:
    """The study that the words mean; every cell is checked. `ScenarioError` names what is wrong and
    the fix."""
    source = dict(options.source or {"path": str(BUILT_IN)})
    if "text" in source:
        source.setdefault("name", "stdin")
    base = design.understood(source, options.sets)
    if base.own_points != ({},):
        raise ScenarioError(
            "the scenario has its own sweep\nhelp: leave it out; here --rate, --rtt, --buffer, "
            "--aqm and --cc vary"
        )
    axes = _axes(options, base)
    common = [
        *options.sets,
        f"profile={PROFILE}",
        *([f"duration={options.time}"] if options.time else []),
    ]
    common += _warmup(options, base)
    cells = []
    for chosen in itertools.product(*axes.values()):
        at = {axis: label for axis, (label, _) in zip(axes, chosen, strict=True)}
        laid = [one for _, changes in chosen for one in changes]
        cells.append(Cell(", ".join(at.values()) or base.name, at, [*common, *laid]))
    found = Study(
        name=base.name if options.source else "dumbbell",
        title=cast(str | None, base.scenario.get("title")),
        source=source,
        cells=cells,
        scenario=base.scenario,
        asked=_other_profile(base.scenario),
    )
    each = [_warnings(found, cell) for cell in cells]
    return replace(found, warnings=merged(one for of_cell in each for one in of_cell))


def _warnings(found: Study, cell: Cell) -> list[dict[str, Any]]:
    """Checks the scenario of a cell."""
    try:
        planned = api.plan(api.request(dict(found.source), cell.overrides, points=0))
    except ScenarioError as error:
        raise ScenarioError(f"{cell.label}: {design.said(error)}", error.detail) from None
    return list(planned["warnings"])


def _other_profile(scenario: Scenario) -> str | None:
    """The profile that the file names or has by default, if it is not the one of the comparison."""
    asked = str(scenario.get("profile", "rfc"))
    return None if asked == PROFILE else asked


def _warmup(options: Options, base: design.Base) -> list[str]:
    """A shorter run must not be all warm-up: at most a quarter of it."""
    if options.time is None or any(text.startswith("warmup=") for text in options.sets):
        return []
    quarter = seconds_of("--time", options.time) / 4
    own = str(base.scenario.get("warmup", "0 s"))
    return [f"warmup={quarter:g} s"] if seconds(own) > quarter else []


def _axes(options: Options, base: design.Base) -> dict[str, list[Value]]:
    """The varied axes: of each its values with the overrides that each means."""
    axes: dict[str, list[Value]] = {}
    form = next((form for form in ("dumbbell", "parking_lot") if form in base.scenario), None)
    for option in ("rate", "rtt", "buffer", "aqm"):
        if getattr(options, option) and form is None:
            given = getattr(options, option)[0]
            cause = "the scenario has its own network with several links"
            raise refused(
                f"--{option} {given}", given, cause, "leave this out, or write -s KEY=VALUE"
            )
    if options.rate:
        axes["rate"] = [(text, [f"{form}.bottleneck.rate={text}"]) for text in options.rate]
    if options.rtt:
        axes["rtt"] = [(f"RTT {text}", _rtts(text, options)) for text in options.rtt]
    if options.aqm:
        axes["aqm"] = [(text, _queue(text, base.place)) for text in options.aqm]
    if options.buffer:
        axes["buffer"] = [
            (f"buffer {text}", [f"{base.place}.limit={_buffer(text)}"]) for text in options.buffer
        ]
    if options.cc:
        if not base.cc_places:
            raise refused(
                f"--cc {options.cc[0]}",
                options.cc[0],
                "the scenario has no TCP flow",
                "leave out --cc",
            )
        axes["cc"] = [(text, _set(arguments.choice(text), base.cc_places)) for text in options.cc]
    return axes


def _rtts(text: str, options: Options) -> list[str]:
    """RTTs: in the built-in dumbbell the far flow has twice as much; a file's flows have all the
    same."""
    value = seconds_of("--rtt", text)
    if options.source is not None:
        return [f"flow.*.rtt={value * 1e3:g} ms"]
    return [f"flow.0.rtt={value * 1e3:g} ms", f"flow.1.rtt={value * 2e3:g} ms"]


def seconds_of(option: str, text: str) -> float:
    """A time of the command line, as `40ms` or `40 ms`."""
    digits = len(text) - len(text.lstrip("0123456789.eE+- "))
    try:
        return seconds(f"{text[:digits]} {text[digits:]}")
    except ValueError:
        raise refused(
            f"{option} {text}", text, "this is not a time", f"write it with its unit: {option} 40ms"
        ) from None


def _buffer(text: str) -> str:
    """`1bdp` as the scenario writes it."""
    return text[:-3] + " BDP" if text.lower().endswith("bdp") else text


def _queue(text: str, place: str) -> list[str]:
    wanted = arguments.choice(text)
    parameters = {**(_RED if wanted.kind == "red" else {}), **wanted.parameters}
    named = [f"{place}.{key}={overrides.literal(value)}" for key, value in parameters.items()]
    return [f"{place}.kind={wanted.kind}", *named]


def _set(wanted: arguments.Choice, places: Sequence[str]) -> list[str]:
    laid = [wanted.at(place) for place in places]
    return [f"{key}={overrides.literal(value)}" for one in laid for key, value in one.items()]
