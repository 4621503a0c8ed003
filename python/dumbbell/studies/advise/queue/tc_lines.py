"""Candidates through the lines of Linux's `tc` and back."""

from __future__ import annotations

from dataclasses import dataclass

from .... import api
from ....errors import ScenarioError
from ...frame.design import Plan

Table = dict[str, object]
"""A queue of a scenario."""
_GOES = "tc qdisc add"
_COMES = "tc qdisc replace"


@dataclass(frozen=True, slots=True)
class Settled:
    """A queue as it is simulated, its plan's link, the words for tc (None: tc has none, `why` says
    so), and what is said of them."""

    table: Table
    link: Plan
    line: str | None
    why: str
    explained: tuple[str, ...]


def settle(table: Table, rate_bps: float, dev: str) -> Settled:
    """A queue at a link of this rate: what tc's line for it means. `ScenarioError` if the table is
    wrong, or `dev` is not a device name."""
    link = _link(table, rate_bps)
    try:
        written = api.export_tc(dict(link), dev, queue_only=True)
    except ScenarioError as error:
        if error.detail.get("problems") and any(
            "device" in p["cause"] for p in error.detail["problems"]
        ):
            raise
        return Settled(table, link, None, _said(error), ())
    line = written["lines"][0]
    table = api.import_tc(line)["queue"]
    # The first sentence is about the rate and the delay of the device, which advice says in its own
    # words.
    return Settled(
        table, _link(table, rate_bps), _replacing(line), "", tuple(written["explained"][1:])
    )


def shaped(link: Plan, dev: str) -> list[str]:
    """The lines for a device that is faster than the link: a shaper, and the queue below it."""
    written = api.export_tc({**link, "delay": "0 s"}, dev, queue_only=False)
    return [_replacing(line) for line in written["lines"]]


def _replacing(line: str) -> str:
    return line.replace(_GOES, _COMES, 1)


def _link(table: Table, rate_bps: float) -> Plan:
    scenario = {
        "duration": "1 s",
        "dumbbell": {"bottleneck": {"rate": rate(rate_bps), "delay": "1 ms"}},
        "queue": table,
        "flow": [{}],
    }
    plan = api.plan(api.request({"value": scenario, "name": "advice"}, points=1))["points"][0][
        "plan"
    ]
    return next(link for link in plan["links"] if link["name"] == "bottleneck")


def rate(bps: float) -> str:
    """A rate as scenarios write it."""
    return f"{bps:.0f} bps"


def _said(error: ScenarioError) -> str:
    return "; ".join(p["cause"] for p in error.detail.get("problems", [])) or error.rendered
