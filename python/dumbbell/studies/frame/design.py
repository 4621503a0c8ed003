"""The points of a study: a scenario, and for each point the overrides that make it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ... import api
from ...errors import ScenarioError
from ...language import overrides
from ...language.arguments import refused

Source = Mapping[str, object]
"""A scenario as the API reads it: `{"path"}`, `{"text", "name"}` or `{"value", "name"}`."""
Scenario = dict[str, object]
"""A scenario as a tree."""
Row = dict[str, object]
"""The overrides that make a point."""
Plan = Mapping[str, Any]
"""The answer of `api.plan`, or one of its plans: docs/reference/scenario.md describes the scenario
that it has resolved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The scenario without its sweep; the place where queues go in it, the queue that is looked at,
    the places of congestion controls, the number of flows, the points of the scenario's own sweep,
    and notes."""

    scenario: Scenario
    name: str
    place: str = "queue"
    queue: str = "bottleneck"
    cc_places: tuple[str, ...] = ()
    flows: int = 0
    own_points: tuple[Row, ...] = ({},)
    notes: tuple[str, ...] = ()


def understood(
    source: Source, sets: Sequence[str], use: Sequence[str] = (), queue: str | None = None
) -> Base:
    """Reads and checks a scenario. `ScenarioError` with its place and the fix, as for `check`."""
    named = list(use) or None
    planned = api.plan(api.request(dict(source), sets, points=1, use=named))
    scenario, plan = dict(planned["scenario"]), planned["points"][0]["plan"]
    sweep = scenario.pop("sweep", None)
    own = []
    if sweep is not None:
        every = api.plan(api.request(dict(source), sets, use=named))["points"]
        own = [point["overrides"] for point in every]
        if "stop" in sweep:
            scenario["stop"] = sweep["stop"]
    chosen = _queue(plan, queue)
    short_form = "dumbbell" in scenario or "parking_lot" in scenario
    return Base(
        scenario=scenario,
        name=planned["name"],
        place="queue" if short_form else _link_place(scenario, chosen),
        queue=plan["links"][chosen]["name"],
        cc_places=tuple(_cc_places(scenario, plan)),
        flows=len(plan["flows"]),
        own_points=tuple(own) or ({},),
        notes=tuple(planned["notes"]),
    )


def _queue(plan: Plan, name: str | None) -> int:
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


def _link_place(scenario: Plan, chosen: int) -> str:
    """The key of a queue in a user-drawn network: a plan has two directions of each link, in its
    order."""
    number, reverse = divmod(chosen, 2)
    has_own = reverse and "queue" in scenario["link"][number].get("reverse", {})
    return f"link.{number}.reverse.queue" if has_own else f"link.{number}.queue"


def _cc_places(scenario: Plan, plan: Plan) -> Iterator[str]:
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


def request(
    base: Base, rows: Sequence[Row], use: Sequence[str] = (), **options: object
) -> dict[str, object]:
    """The request that runs a point for each of these rows."""
    sweep = f"sweep.list=[{', '.join(map(overrides.toml, rows))}]"
    source = {"value": base.scenario, "name": base.name}
    return api.request(source, [sweep], use=list(use) or None, **options)


def check(base: Base, rows: Sequence[Row], names: Sequence[str], use: Sequence[str] = ()) -> Plan:
    """Plans all points: the plan's document. `ScenarioError` names the point whose scenario is
    wrong, and the cause."""
    try:
        return api.plan(request(base, rows, use))
    except ScenarioError as whole:
        for row, name in zip(rows, names, strict=True):
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


def runs_of(given: int | None, default: int) -> int:
    """Runs of each point. `ScenarioError` for less than one."""
    if given is not None and given < 1:
        raise refused(
            f"--seeds {given}", given, "there must be at least one run", "write --seeds 5"
        )
    return given or default


_ALONE = ("queue", "flow.*", "dumbbell.bottleneck", "parking_lot.bottleneck")
"""Tables of which a key says enough by itself."""


def short(key: str) -> str:
    """A path in a label."""
    table, _, last = key.rpartition(".")
    if key == "flow.0.count":
        return "flows"
    return last if table in _ALONE else key


def plain(value: object) -> str:
    """A value in a label."""
    return value if isinstance(value, str) else overrides.toml(value)
