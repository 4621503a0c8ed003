"""A recorded run on a page."""

from __future__ import annotations

from . import events, flows, from_packets, looks, packets, queues
from .contents import Contents
from .shown import Shown


def draw(contents: Contents, shown: Shown) -> None:
    """Draws a run. Panels stand in the order in which a signal travels: queue, decision, window,
    delay, goodput."""
    contents.runs.append(
        {
            "label": shown.label,
            "name": shown.run.name,
            "duration_s": shown.run.duration_s,
            "warmup_s": shown.source.warmup_s,
            "seed": shown.run.seed,
            "fingerprint": shown.run.fingerprint,
        }
    )
    _switch(contents, shown)
    queues.draw(contents, shown)
    sizes = flows.draw(contents, shown) | from_packets.draw(contents, shown)
    events.draw(contents, shown, sizes)
    packets.draw(contents, shown, sizes)


def _switch(contents: Contents, shown: Shown) -> None:
    """The switch of a run among several."""
    if shown.look is None:
        return
    name = shown.name("run")
    contents.look[name] = looks.plain(shown.look.color)
    contents.switches[name] = {
        "id": name,
        "label": shown.label,
        "kind": "run",
        "on": True,
        "look": name,
        "detail": "",
    }
