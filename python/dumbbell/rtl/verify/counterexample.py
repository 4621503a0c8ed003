"""A counterexample of the lockstep for people: each step with the model's inside, and the core's
outputs beside it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

ONE = 1024
"""A packet, in averages and thresholds."""
CERTAIN = 1 << 21
"""Probability 1, in draws, probabilities and credits."""
WIDTH = 98
"""Columns of a line."""
PORTS = ("avg", "region", "drop", "draw", "qid")
"""Outputs of a core, in the order in which a difference in one makes others differ."""


def lines(shrunk: dict[str, Any]) -> list[str]:
    """The steps as a table, and the packet that fails in words."""
    trace = shrunk["trace"]
    said = [
        f"the shortest stimulus that fails has {shrunk['actions']} steps: {shrunk['fails']['what']}"
    ]
    if trace is None:
        return said
    packets = [step for step in trace["steps"] if "model" in step]
    culprit = next((step for step in packets if step["packet"] == shrunk["fails"]["packet"]), None)
    queue = culprit["presented"]["qid"] if culprit else None
    said.append("avg, min and max in 1/1024 packets; p, draw and credit in 2^-21")
    if trace["left_out"]:
        said += [
            f"{trace['left_out']} earlier steps are omitted; after them the model has",
            *_state(trace["start"], queue),
        ]
    gap = any(step["model"]["credit"] is not None for step in packets)
    titles = (("credit", 8),) if gap else ()
    head = (
        ("packet", 6),
        ("queue", 6),
        ("class", 6),
        ("qlen", 5),
        ("avg", 8),
        ("min", 8),
        ("max", 8),
        ("region", 9),
    )
    more = (("p", 8), *titles, ("draw", 8), ("drop", 5))
    said.append("".join(f"{title:>{width}}" for title, width in (*head, *more)) + "  core")
    for step in trace["steps"]:
        said += (
            [_row(step, gap)]
            if "model" in step
            else [f"       {line}" for line in _event(step, queue)]
        )
    return said + (list(_words(culprit)) if culprit else [])


def _state(start: dict[str, Any], queue: int | None) -> Iterator[str]:
    """The draw, and what the model has of a queue; of every queue that is in the table if it is
    None."""
    yield f"       draw {start['draw']}" + ("" if start["enable"] else ", switched off")
    for one in start["queues"]:
        if queue in (None, one["queue"]):
            names = [name for name in one if name not in ("queue", "class", "due")]
            said = ", ".join(f"{name} {one[name]}" for name in names) + (
                ", due" if one.get("due") else ""
            )
            text = f"queue {one['queue']} class {one['class']}: {said}"
            yield from textwrap.wrap(text, WIDTH, initial_indent=" " * 7, subsequent_indent=" " * 9)


def _row(step: dict[str, Any], gap: bool) -> str:
    shown, model = step["presented"], step["model"]
    p = "-" if model["p"] is None else str(model["p"])
    row = (
        f"{step['packet']:>6}{shown['qid']:>6}{shown['class']:>6}{shown['qlen']:>5}"
        f"{model['avg']:>8}{model['min']:>8}"
    )
    row += f"{model['max']:>8}{model['region']:>9}{p:>8}" + (f"{model['credit']:>8}" if gap else "")
    row += f"{model['draw']:>8}{_drop(model['drop']):>5}"
    extra = "".join(f" {name} {shown[name]}" for name in ("idle",) if shown[name]) + (
        " tick" if shown["tick"] else ""
    )
    return f"{row}  {_compared(step)}{extra}"


def _compared(step: dict[str, Any]) -> str:
    """Outputs of the core that differ from the model."""
    if step["core"] is None:
        return "no answer"
    parted = differences(step)
    return (
        ", ".join(
            f"{name} {_drop(value) if name == 'drop' else value}" for name, value in parted.items()
        )
        or "same"
    )


def differences(step: dict[str, Any]) -> dict[str, Any]:
    """The core's outputs that are not the model's."""
    wanted = step["model"] | {"qid": step["presented"]["qid"]}
    return {name: step["core"][name] for name in PORTS if step["core"][name] != wanted[name]}


def _event(step: Any, queue: int | None) -> Iterator[str]:
    """Events other than decisions, in lines. Writes to other queues than this one are only
    counted."""
    if not isinstance(step, dict):
        yield str(step)
    elif "write" in step:
        yield from _writes(step["write"], queue)
    elif "presented" in step:
        yield (
            "packet "
            + ", ".join(f"{name} {value}" for name, value in step["presented"].items())
            + ": not accepted"
        )
    else:
        (kind, clocks), *_ = step.items()
        yield f"{kind} {clocks} clocks"


def _writes(writes: list[dict[str, Any]], queue: int | None) -> Iterator[str]:
    places: dict[str, list[str]] = {}
    for one in writes:
        if queue is None or one.get("queue", queue) == queue:
            place = f"queue {one['queue']} class {one['class']}: " if "queue" in one else ""
            places.setdefault(place, []).append(f"{one['register']} {one['value']}")
    for place, values in places.items():
        yield f"write {place}{', '.join(values)}"
    others = len(writes) - sum(map(len, places.values()))
    if others:
        yield f"write {others} registers of other queues"


def _words(step: dict[str, Any]) -> Iterator[str]:
    """A decision, from the average to the drop, and where the core parts from it."""
    shown, model = step["presented"], step["model"]
    parted = differences(step) if step["core"] else {}

    def beside(name: str) -> str:
        return (
            f"   <- the core has {_drop(parted[name]) if name == 'drop' else parted[name]}"
            if name in parted
            else ""
        )

    yield (
        f"packet {step['packet']} of queue {shown['qid']}, class {shown['class']}, after "
        f"{shown['qlen']} packets:"
    )
    yield (
        f"  average    {model['before']} -> {model['avg']} ({model['avg'] / ONE:.4f} "
        f"packets){beside('avg')}"
    )
    yield (
        f"  thresholds min {model['min']}, max {model['max']}: region "
        f"{model['region']}{beside('region')}"
    )
    if model["p"] is not None:
        yield f"  slope      {model['slope']}: p = {model['p']} ({model['p'] / CERTAIN:.6f})"
        if model["credit"] is not None:
            yield f"  credit     {model['credit']}, a drop if it is less than p"
    yield f"  draw       {model['draw']} ({model['draw'] / CERTAIN:.6f}){beside('draw')}"
    yield f"  drop       {_drop(model['drop'])}{beside('drop')}"
    if "qid" in parted:
        yield f"  queue      {shown['qid']}{beside('qid')}"
    if step["core"] is None:
        yield "  the core gave no decision"


def _drop(drop: bool) -> str:
    return "yes" if drop else "no"
