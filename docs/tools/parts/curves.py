"""The curve on the page of an algorithm, drawn by the running code: what a queue signals beside its
law, else what the flows of the page's experiment get, or their windows."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from dumbbell import Scenario, catalogue
from dumbbell.aqm_response import Curve, known, measure
from dumbbell.aqm_response.measure import Share
from dumbbell.aqm_response.theory import Over, Response

from . import experiments
from .svg_chart import Drawn, beside, chart

PACKETS = 30_000
"""Of a measured curve; `dumbbell plot curve` takes more."""
_EVERY = 10
"""Recorded instants in a mean of the goodput."""
_SMALL = 0.3
"""A law below this gets a second chart with a scale of its own."""
_DOTS = 12
"""Of so many measured instants one is drawn, so that the law is seen, too."""
Row = Mapping[str, Any]


@functools.cache
def section(name: str) -> str:
    """The part of the page of an algorithm; empty where the simulator does not have it."""
    (a,) = catalogue.find(name)
    if not experiments.possible(a):
        return ""
    if name in known():
        return _law(measure(name, packets=PACKETS))
    return _run(a)


def _law(curve: Curve) -> str:
    match curve.theory:
        case Over():
            charts = _over(curve, curve.theory)
        case Response():
            charts = _response(curve, curve.theory)
        case _:
            charts = _instants(curve)
    return (
        "## Curve\n\n"
        f"{beside(charts)}\n\n"
        "One queue by itself, under packets that are made for it: what it signaled, and its law, "
        f"`{curve.theory.text}`. `dumbbell plot curve {curve.name}` draws it with more packets and "
        "any parameters ([figures](../../how-to/figures.md)).\n"
    )


def _over(curve: Curve, theory: Over) -> list[str]:
    shares = curve.shares
    small = [s.law for s in shares if 0 < s.law < _SMALL]
    charts = [_signals(curve.name, theory.label, shares)]
    if len(small) >= 4 and any(s.law > 2 * max(small) for s in shares):
        last = max(s.x for s in shares if 0 < s.law < _SMALL)
        detail = [s for s in shares if s.x <= 1.05 * last]
        charts.append(_signals(f"{curve.name}, in detail", theory.label, detail, 1.3 * max(small)))
    return charts


def _signals(title: str, x: str, shares: Sequence[Share], top: float | None = None) -> str:
    """Signals per packet beside the law; a chart of few points joins the law's."""
    parts = []
    for look, of in enumerate(dict.fromkeys(share.of for share in shares)):
        found = [share for share in shares if share.of == of]
        xs = [share.x for share in found]
        parts += [
            Drawn(
                f"{of} measured".strip(),
                xs,
                [share.measured for share in found],
                "points",
                2 * look,
                [share.interval for share in found],
            ),
            Drawn("law" if look == 0 else "", xs, [share.law for share in found], look=1),
        ]
    return chart(f"Signals per packet of {title}", x, "signals per packet", parts, top)


def _response(curve: Curve, theory: Response) -> list[str]:
    time = "time at the held queue [s]"
    gauge = [
        Drawn("measured", curve.times[::_DOTS], curve.gauge[::_DOTS], "points"),
        Drawn("law", curve.times, curve.law, look=1),
    ]
    return [
        chart(f"{theory.label} of {curve.name}", time, theory.label, gauge),
        _signals(curve.name, time, curve.shares),
    ]


def _instants(curve: Curve) -> list[str]:
    counts = [float(k + 1) for k in range(len(curve.times))]
    law = list(curve.law)[: len(counts)]
    parts = [
        Drawn("measured", curve.times[::_DOTS], counts[::_DOTS], "points"),
        Drawn("law", law, counts[: len(law)], look=1),
    ]
    time = "time at the held queue [s]"
    return [chart(f"Signals of {curve.name} over time", time, "signals so far", parts)]


def _run(a: catalogue.Algorithm) -> str:
    text = experiments.scenario(a)
    run = Scenario.from_text(text).run(record_every="100 ms")
    if a.kind == "aqm":
        rows = run.series("queues").rows()
        what, y = "The length of its queue", "packets"
        drawn = [_over_time("", rows, "queue_packets")]
    else:
        rows = run.series("flows").rows()
        of = {name: [row for row in rows if row["flow"] == name] for name in _names(rows)}
        *near, far = of
        if a.kind == "cc":
            what, y = "Congestion windows of a near flow and a far one", "packets"
            shown, column, factor, every = [near[0], far], "cwnd_packets", 1.0, 1
        else:
            what, y = "Goodput of each flow, means of one second", "Mbit/s"
            shown, column, factor, every = [*near, far], "goodput_bps", 1e-6, _EVERY
        if a.kind == "source":
            what, shown = "Goodput of the flow with this source, means of one second", [far]
        drawn = [
            _over_time(name, of[name], column, factor, every, look)
            for look, name in enumerate(shown)
        ]
    figure = chart(f"{what}: {a.name}", "time [s]", y, drawn)
    return (
        "## A run\n\n"
        f"{beside([figure])}\n\n"
        f"{what}, in this scenario:\n\n"
        f"<details><summary>Scenario</summary><pre><code>{escape(text)}</code></pre></details>\n"
    )


def _names(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["flow"] for row in rows))


def _over_time(
    label: str, rows: Sequence[Row], column: str, factor: float = 1, every: int = 1, look: int = 0
) -> Drawn:
    """A recorded column; means of `every` instants."""
    known = [row for row in rows if row[column] is not None]
    parts = [known[i : i + every] for i in range(0, len(known) - every + 1, every)]
    means = [factor * sum(row[column] for row in part) / every for part in parts]
    return Drawn(label, [part[-1]["time_s"] for part in parts], means, look=look)
