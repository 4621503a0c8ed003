"""The comparison as one sweep of a scenario: a row of overrides for each scheme in each
condition."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from .... import api
from ....errors import ScenarioError
from ....language.arguments import Axis, Choice, refused
from ...frame import design
from ...frame.design import Base, Row, Source


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of all schemes: a congestion control, if one is asked for, and a value for each
    axis."""

    cc: Choice | None
    over: Row
    set: Row = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Its name in tables and figures."""
        return " · ".join(
            text for text in (self.cc.text if self.cc else "", self.over_label) if text
        )

    @property
    def over_label(self) -> str:
        """The condition without the congestion control."""
        return ", ".join(
            f"{design.short(key)} {design.plain(value)}" for key, value in self.over.items()
        )


def read(source: Source, sets: Sequence[str], use: Sequence[str], queue: str | None) -> Base:
    """Reads and checks the scenario, in which queues are to be compared. `ScenarioError` with its
    place and the fix."""
    base = design.understood(source, sets, use, queue)
    _refuse_what_schemes_set(base, sets)
    return base


def _refuse_what_schemes_set(base: Base, sets: Sequence[str]) -> None:
    for text in sets:
        if canonical(text.partition("=")[0].strip()) == base.place:
            raise refused(
                f"-s {text}", text, "queues are what is compared", "name it as a scheme instead"
            )
    for key in base.own_points[0]:
        if canonical(key) == base.place:
            fix = (
                "name its queues as schemes and leave that axis out, or use `dumbbell sweep "
                "--baseline`"
            )
            raise ScenarioError(
                f"the scenario itself sweeps `{key}`, which is compared here\nhelp: {fix}"
            )


def conditions(
    base: Base, ccs: Sequence[Choice], axes: Sequence[Axis], sets: Sequence[str] = ()
) -> list[Condition]:
    """Every congestion control with every combination of the axes, and of the scenario's own
    sweep."""
    if ccs and not base.cc_places:
        raise refused(
            f"--cc {ccs[0].text}", ccs[0].text, "the scenario has no TCP flow", "leave out --cc"
        )
    axes = [Axis(_long(axis.key, base), axis.values) for axis in axes]
    taken = {canonical(text.partition("=")[0].strip()) for text in sets} | {
        canonical(k) for k in base.own_points[0]
    }
    for key in [axis.key for axis in axes] + [place for place in base.cc_places if ccs]:
        if canonical(key) in taken:
            raise ScenarioError(
                f"`{key}` is varied here, and set by -s or the scenario's own sweep: leave one of "
                f"them out"
            )
        if canonical(key) == base.place:
            raise refused(
                f"--over {key}",
                key,
                "queues are what is compared",
                "name its kinds as schemes instead",
            )
    found = []
    each: Sequence[Choice | None] = ccs or [None]
    for cc in each:
        chosen = {
            key: value
            for place in base.cc_places
            for key, value in (cc.at(place) if cc else {}).items()
        }
        for own, *values in itertools.product(base.own_points, *(axis.values for axis in axes)):
            over = {**own, **dict(zip([axis.key for axis in axes], values, strict=True))}
            found.append(Condition(cc, over, over | chosen))
    return found


def _long(key: str, base: Base) -> str:
    """The path that a short word of `--over` means in this scenario; any other key as it is."""
    form = next((name for name in ("dumbbell", "parking_lot") if name in base.scenario), None)
    words = {"limit": f"{base.place}.limit", "rtt": "flow.*.rtt"}
    if form:
        words |= {"rate": f"{form}.bottleneck.rate", "delay": f"{form}.bottleneck.delay"}
    if key == "flows":
        return _count(base)
    known = [*words, "flows", *api.schema()["properties"]]
    if key not in known and "." not in key:
        near = api.nearest(key, known)
        fix = (
            f"did you mean `{near}`?"
            if near
            else f"write a path as in -s, or one of {', '.join([*words, 'flows'])}"
        )
        raise refused(f"--over {key}=", key, "there is no such key", fix)
    return words.get(key, key)


def _count(base: Base) -> str:
    """The key of the number of flows."""
    tables = cast(Sequence[dict[str, object]], base.scenario.get("flow", []))
    if len(tables) == 1:
        return "flow.0.count"
    names = ", ".join(f"flow.{table.get('name', i)}.count" for i, table in enumerate(tables))
    raise refused(
        "--over flows=",
        "flows",
        f"the scenario has {len(tables)} tables of flows",
        f"vary one of {names}",
    )


def rows(base: Base, schemes: Sequence[Choice], met: Sequence[Condition]) -> list[Row]:
    """The overrides of each point: all schemes in the first condition, then in the second, and so
    on."""
    found = []
    for condition in met:
        for scheme in schemes:
            both = [key for key in scheme.parameters_at(base.place) if key in condition.set]
            if both:
                raise refused(
                    scheme.text,
                    both[0].rpartition(".")[2],
                    f"`{both[0]}` is varied, too",
                    "leave it out of one",
                )
            # The kind before all else: an axis of a parameter that it has not is then left out with
            # a note.
            found.append(
                {base.place: scheme.kind, **condition.set, **scheme.parameters_at(base.place)}
            )
    return found


def canonical(key: str) -> str:
    """`queue` and `queue.kind` name the same choice."""
    return key.removesuffix(".kind")
