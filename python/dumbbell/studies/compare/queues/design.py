"""The comparison as one sweep of a scenario: a row of overrides for each scheme in each
condition."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .... import api
from ....errors import ScenarioError
from ....language import overrides
from ....language.arguments import Axis, Choice, refused

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Base:
    """The scenario without its sweep, where schemes go in it, and which queue is looked at."""

    scenario: dict[str, Any]
    name: str
    place: str
    queue: str
    cc_places: tuple[str, ...]
    flows: int
    own_points: tuple[Row, ...]
    notes: tuple[str, ...]


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
        return ", ".join(f"{short(key)} {plain(value)}" for key, value in self.over.items())


def read(
    source: dict[str, str], sets: Sequence[str], use: Sequence[str], queue: str | None
) -> Base:
    """Reads and checks the scenario, in which queues are to be compared. `ScenarioError` with its
    place and the fix."""
    base = understood(source, sets, use, queue)
    _refuse_what_schemes_set(base, sets)
    return base


def understood(
    source: dict[str, str], sets: Sequence[str], use: Sequence[str], queue: str | None
) -> Base:
    """Reads and checks a scenario. `ScenarioError` with its place and the fix, as for `check`."""
    planned = api.plan(api.request(source, sets, points=1, use=list(use) or None))
    scenario, plan = dict(planned["scenario"]), planned["points"][0]["plan"]
    sweep = scenario.pop("sweep", None)
    own = []
    if sweep is not None:
        own = [
            point["overrides"]
            for point in api.plan(api.request(source, sets, use=list(use) or None))["points"]
        ]
        if "stop" in sweep:
            scenario["stop"] = sweep["stop"]
    chosen = _queue(plan, queue)
    short_form = "dumbbell" in scenario or "parking_lot" in scenario
    place = "queue" if short_form else _link_place(scenario, chosen)
    return Base(
        scenario=scenario,
        name=planned["name"],
        place=place,
        queue=plan["links"][chosen]["name"],
        cc_places=tuple(_cc_places(scenario, plan)),
        flows=len(plan["flows"]),
        own_points=tuple(own) or ({},),
        notes=tuple(planned["notes"]),
    )


def _queue(plan: dict[str, Any], name: str | None) -> int:
    """The place in the plan of the queue that is looked at: the one named, else the one that most
    flows pass."""
    links = plan["links"]
    reported = [i for i, link in enumerate(links) if link["report"]]
    if name is not None:
        for i in reported:
            if links[i]["name"] == name:
                return i
        known = ", ".join(links[i]["name"] for i in reported)
        raise refused(
            f"--queue {name}", name, "the scenario reports no such queue", f"write one of {known}"
        )
    if not reported:
        raise ScenarioError(
            "the scenario reports no queue to compare schemes at: write a `queue` at a link"
        )
    return max(reported, key=lambda i: (sum(i in flow["forward"] for flow in plan["flows"]), -i))


def _link_place(scenario: dict[str, Any], chosen: int) -> str:
    """The key of a queue in a user-drawn network: a plan has two directions of each link, in its
    order."""
    number, reverse = divmod(chosen, 2)
    has_own = reverse and "queue" in scenario["link"][number].get("reverse", {})
    return f"link.{number}.reverse.queue" if has_own else f"link.{number}.queue"


def _cc_places(scenario: dict[str, Any], plan: dict[str, Any]) -> Iterator[str]:
    """The keys with the congestion controls of the TCP flows."""
    first, tables = 0, scenario.get("flow", [])
    is_tcp = []
    for table in tables:
        is_tcp.append(plan["flows"][first]["transport"]["protocol"] == "tcp")
        first += int(table.get("count", 1))
    if scenario.get("session"):
        yield "session.*.cc"
    if is_tcp and all(is_tcp):
        yield "flow.*.cc"
    else:
        yield from (f"flow.{i}.cc" for i, tcp in enumerate(is_tcp) if tcp)


def _refuse_what_schemes_set(base: Base, sets: Sequence[str]) -> None:
    for text in sets:
        if canonical(text.partition("=")[0].strip()) == base.place:
            raise refused(
                f"-s {text}", text, "the queue is what is compared", "name it as a scheme instead"
            )
    for key in base.own_points[0]:
        if canonical(key) == base.place:
            fix = (
                "name its queues as schemes and leave that axis out, or use `dumbbell sweep "
                "--baseline`"
            )
            raise ScenarioError(
                f"the scenario sweeps `{key}` itself, which is what is compared here\nhelp: {fix}"
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
                "the queue is what is compared",
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
            else f"write a path as behind -s, or one of {', '.join([*words, 'flows'])}"
        )
        raise refused(f"--over {key}=", key, "there is no such key", fix)
    return words.get(key, key)


def _count(base: Base) -> str:
    """The key of the number of flows."""
    tables = base.scenario.get("flow", [])
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


def request(base: Base, laid: Sequence[Row], use: Sequence[str], **options: Any) -> dict[str, Any]:
    """The request that runs a point for each of these rows."""
    sweep = f"sweep.list=[{', '.join(map(overrides.toml, laid))}]"
    source = {"value": base.scenario, "name": base.name}
    return api.request(source, [sweep], use=list(use) or None, **options)


def check(
    base: Base, points: Sequence[Row], names: Sequence[str], use: Sequence[str]
) -> dict[str, Any]:
    """Plans all points: the plan's document. `ScenarioError` names the point whose scenario is
    wrong, and the cause."""
    try:
        return api.plan(request(base, points, use))
    except ScenarioError as whole:
        for row, name in zip(points, names, strict=True):
            try:
                api.plan(request(base, [row], use, points=0))
            except ScenarioError as error:
                raise ScenarioError(f"{name}: {said(error)}", error.detail) from None
        raise whole


def said(error: ScenarioError) -> str:
    """Causes and fixes, without the text of a sweep that nobody wrote."""
    problems = error.detail.get("problems") or []
    lines = [f"{p['cause']}\nhelp: {p['fix']}" if p.get("fix") else p["cause"] for p in problems]
    return "\n".join(lines) or error.rendered


def canonical(key: str) -> str:
    """`queue` and `queue.kind` name the same choice."""
    return key.removesuffix(".kind")


_ALONE = ("queue", "flow.*", "dumbbell.bottleneck", "parking_lot.bottleneck")
"""Tables of which a key says enough by itself."""


def short(key: str) -> str:
    """A path in a label."""
    table, _, last = key.rpartition(".")
    if key == "flow.0.count":
        return "flows"
    return last if table in _ALONE else key


def plain(value: Any) -> str:
    """A value in a label."""
    return value if isinstance(value, str) else overrides.toml(value)
