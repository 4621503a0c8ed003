"""Explains a flow around an instant: the event, the state behind the decision, the reaction of the
sender.

    finding = dumbbell.why.ask("results", flow="far", time_s=12.4)
    print(dumbbell.why.told(finding))

Reads the records of a result directory; a run whose packets were not recorded is repeated, and must
give the same fingerprint.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .. import runs
from . import ask as _ask
from . import record as _record
from .finding import Event, Finding
from .journeys import to_ps
from .narrative import told

__all__ = ["Finding", "ask", "of_event", "told"]


def ask(
    result: str | Path,
    flow: str,
    *,
    time_s: float | None = None,
    packet: int | None = None,
    seq: int | None = None,
    cwnd: bool = False,
    sender: bool = True,
    within_s: float | None = None,
    point: int | None = None,
    seed: int | None = None,
    use: Sequence[str] = (),
) -> Finding:
    """The finding about one flow (name, or number from 1) of a result directory.

    With `packet` (its number) or `seq` (a byte of the stream) about that packet, with `cwnd` about
    the window at `time_s`, else about the event nearest to `time_s`, at most `within_s` away.
    `sender=False`: a packet of the receiver. `point` (from 1) and `seed` choose a run. `use`: files
    with the algorithms of your own that the run needs, where it has to be repeated. Errors:
    `ScenarioError` for a wrong name, point, seed or instant; `InvalidRun` if a repeated run is not
    the recorded one; `EnvironmentLacks` without polars.
    """
    run = runs.locate(result, point, seed)
    return of_record(
        _record.load(run, runs.flow_named(run, flow), use),
        time_s=time_s,
        packet=packet,
        seq=seq,
        cwnd=cwnd,
        sender=sender,
        within_s=within_s,
    )


def of_record(
    record: _record.Record,
    *,
    time_s: float | None = None,
    packet: int | None = None,
    seq: int | None = None,
    cwnd: bool = False,
    sender: bool = True,
    within_s: float | None = None,
) -> Finding:
    """`ask`, of records that are loaded."""
    from ...errors import ScenarioError
    from ...present.units import seconds

    if packet is not None or seq is not None:
        return _ask.packet(record, number=packet, seq=seq, sender=sender)
    if time_s is None:
        raise ScenarioError("give a time, a packet, or a byte of the stream")
    end = seconds(str(record.plan["duration"]))
    if not 0 <= time_s <= end:
        raise ScenarioError(
            f"the run lasts from 0 s to {record.plan['duration']}: {time_s:g} s is outside"
        )
    if cwnd:
        return _ask.cwnd(record, to_ps(time_s))
    return _ask.event(record, to_ps(time_s), None if within_s is None else to_ps(within_s))


def of_event(record: _record.Record, event: Event) -> Finding:
    """The finding about one of `record.events`: what `ask` answers at its instant."""
    return _ask.about(record, event)
