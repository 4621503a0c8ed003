"""What happened to the flows of a run: drops, marks, retransmissions, reactions, and why."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import Any

from ..explain.runs import Run
from ..explain.why import events as found
from ..explain.why import journeys
from ..explain.why import record as records
from ..explain.why.finding import Event
from ..explain.why.record import Record
from .chains import chains
from .contents import Contents
from .shapes import Chain
from .shown import Shown

MOST_EXPLAINED = 2000
"""Events of a run whose chains are on the page; one takes about 2 ms."""
_MOST_IN_WINDOW = 300
"""The same where only a part of the run is explained."""
_COLUMNS = ("time_s", "kind", "reason", "packet", "queue_packets", "cwnd_packets")


def draw(contents: Contents, shown: Shown, packet_bytes: dict[str, float]) -> None:
    """Marks the events of these flows, as far as their packets were recorded."""
    left = MOST_EXPLAINED if shown.window is None else _MOST_IN_WINDOW
    for name, size in packet_bytes.items():
        record = records.recorded(shown.run, shown.source.directory, name)
        if record is None or not (happened := found.events(record)):
            continue
        told = _told(record, happened, shown.window, left)
        left -= sum(chain is not None for chain in told)
        rows = zip(*_rows(record, happened, size), strict=True)
        columns = dict(zip(_COLUMNS, map(list, rows), strict=True))
        contents.explained(
            {
                "run": shown.number,
                "flow": name,
                "switch": shown.name("flow", name),
                "table": contents.given(shown.name("events", name), columns),
                "panels": {"queue": "queue_packets", "cwnd": "cwnd_packets"},
                "command": _command(shown.run, name),
            },
            told,
        )


def _told(
    record: Record, events: Sequence[Event], window: tuple[float, float] | None, most: int
) -> list[Chain | None]:
    """The chains of the first events; in a window only those of the drops and the marks in it. None
    for the others."""
    inside = [window is None or _is_signal_in(event, window) for event in events]
    found = chains(record, [e for e, is_in in zip(events, inside, strict=True) if is_in][:most])
    return [next(found, None) if is_in else None for is_in in inside]


def _is_signal_in(event: Event, window: tuple[float, float]) -> bool:
    signal = event.reaction is None and event.kind != "retransmission"
    return signal and window[0] <= event.time_ps * 1e-12 <= window[1]


def _command(run: Run, flow: str) -> str:
    """The command that tells the same; `{time}` stands for the instant in seconds."""
    point = f" --point {run.point}" if run.point else ""
    seed = f" --seed {run.seed}" if run.seeds > 1 else ""
    words = shlex.join(["dumbbell", "why", str(run.result), "--flow", flow])
    return f"{words}{point}{seed} --time {{time}}s"


def _rows(record: Record, events: Sequence[Event], size: float) -> Iterable[tuple[Any, ...]]:
    """A row for each event: a signal with the queue's length, a reaction with the window that it
    found."""
    signals = {
        (row["from"] == "sender", row["packet"], row["marked"]): row
        for end in (record.sender, record.receiver)
        for row in end.signals.iter_rows(named=True)
    }
    for event in events:
        time_s = event.time_ps * 1e-12
        if event.reaction is not None:
            reaction = journeys.reactions(record)[event.reaction]
            kind = "timeout" if reaction.cause == "timeout" else "reaction"
            window = reaction.cwnd_bytes_before / size
            yield time_s, kind, reaction.cause, None, None, window
            continue
        signal = signals.get((event.sender, event.packet, event.kind == "mark"))
        if event.kind == "retransmission" or signal is None:
            yield time_s, event.kind, "", event.packet, None, None
        else:
            length = signal["queue_packets"]
            yield time_s, event.kind, signal["reason"], event.packet, length, None
