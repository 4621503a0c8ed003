"""The divergence of model and kernel in a sentence and a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...present.grids import Grid
from ...present.units import time_text
from ..why.sentences.quantities import clock, span
from .places import FATE, LATE, MARK, BothPlaces, Divergence, View


def told(c: BothPlaces) -> str:
    """One paragraph."""
    d = c.divergence
    if d is None:
        return (
            f"Model and kernel agree on all {c.packets} data packets: the same bytes in the same "
            "order, dropped and marked at the same places, at nearly the same instants."
        )
    return (
        f"Model and kernel diverge at {clock(d.time_ps, 6)}, on data packet {d.number} of "
        f"{d.flow}: {_difference(d)}."
    )


def _difference(d: Divergence) -> str:
    ours, theirs = (_said(d, view) for view in (d.sim, d.linux))
    kind = f" (more than {span(d.within_ps)} apart)" if d.kind == LATE else ""
    return f"in the simulator {ours}; on Linux {theirs}{kind}"


def _said(d: Divergence, view: View) -> str:
    """What became of the packet in one place."""
    p = view.packet
    if p is None:
        return "it was not sent before the run ended"
    if d.kind == FATE:
        if p["dropped_ps"] is None:
            return "it was not dropped"
        return f"it was dropped at `{p['dropped_at']}` ({p['reason']})"
    if d.kind == MARK:
        return "it arrived with a mark" if p["ce_on_arrival"] else "it arrived without a mark"
    again = ", a retransmission," if p["retransmit"] else ""
    last = (p["seq"] or 0) + p["payload_bytes"] - 1
    what = "it" if d.kind == LATE or p["seq"] is None else f"it carried bytes {p['seq']} to {last}"
    return f"{what}{again} {'and ' if what != 'it' else ''}was sent at {clock(p['sent_ps'], 6)}"


def table(c: BothPlaces) -> Grid | None:
    """The packet and both senders' states."""
    d = c.divergence
    if d is None:
        return None
    segment = max(
        (v.packet["payload_bytes"] for v in (d.sim, d.linux) if v.packet is not None), default=1
    )

    def packets(size: Any) -> str:
        return f"{size / segment:.4g} packets"

    rows = [
        *_of(d, lambda view: view.packet, _PACKET),
        *_of(
            d,
            lambda view: view.sample,
            [
                ("sender's last sample", "time_ps", lambda x: clock(x, 3)),
                ("cwnd then", "cwnd_bytes", packets),
                ("ssthresh then", "ssthresh_bytes", packets),
                ("smoothed RTT then", "srtt_us", lambda x: time_text(x / 1e6)),
                ("state then", "phase", str),
            ],
        ),
    ]
    return Grid(f"Data packet {d.number} of {d.flow}", ["", "simulator", "Linux"], rows)


Line = tuple[str, str, Callable[[Any], str]]
_PACKET: list[Line] = [
    ("sent", "sent_ps", lambda x: clock(x, 6)),
    ("first byte", "seq", str),
    ("bytes", "payload_bytes", str),
    ("sent before", "retransmit", lambda x: "yes" if x else "no"),
    ("delivered", "delivered_ps", lambda x: clock(x, 6)),
    ("dropped", "dropped_ps", lambda x: clock(x, 6)),
    ("dropped at", "dropped_at", str),
    ("because of", "reason", str),
]


def _of(d: Divergence, part: Callable[[View], Any], lines: list[Line]) -> list[list[str]]:
    """The lines that one of the places has."""
    rows = []
    for name, key, show in lines:
        row = [name]
        for view in (d.sim, d.linux):
            own = part(view)
            value = None
            if own is not None:
                value = own[key] if isinstance(own, dict) else getattr(own, key)
            row.append("-" if value is None else show(value))
        if row[1:] != ["-", "-"]:
            rows.append(row)
    return rows
