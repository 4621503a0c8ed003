"""A trace for Perfetto, decoded by the messages of its own Python package, has the values of the
records, whole and in the form that it reads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars
import pytest
from helpers.exports import TCP, dumbbell, said
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto

BEGIN, END, INSTANT, COUNTER = (
    proto.TrackEvent.Type.Value(f"TYPE_{name}")
    for name in ("SLICE_BEGIN", "SLICE_END", "INSTANT", "COUNTER")
)


@dataclass
class Event:
    """An event: instant [ns], group and name of its track, its own name, annotations, arrows."""

    ns: int
    group: str
    track: str
    kind: int
    name: str = ""
    uuid: int = 0
    value: float | None = None
    notes: dict[str, Any] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)


@dataclass
class Trace:
    """A trace: its packets as they stand in the file, its tracks by `uuid`, its events."""

    packets: list[Any]
    tracks: dict[int, Any]
    events: list[Event]

    def group(self, uuid: int) -> str:
        """The name of the process that a track is below."""
        descriptor = self.tracks[uuid]
        if descriptor.HasField("process"):
            return str(descriptor.process.process_name)
        if descriptor.HasField("thread"):
            (process,) = (
                one.process
                for one in self.tracks.values()
                if one.HasField("process") and one.process.pid == descriptor.thread.pid
            )
            return str(process.process_name)
        return self.group(descriptor.parent_uuid)

    def of(self, kind: int, group: str = "", track: str = "") -> list[Event]:
        """Events of a kind, of a group and a track if they are named."""
        return [
            e
            for e in self.events
            if e.kind == kind and group in ("", e.group) and track in ("", e.track)
        ]


def read_trace(file: Path) -> Trace:
    """Decodes a trace. Asserts that each track and each name is known before it is used, and that
    packets are in the order of time."""
    packets = list(proto.Trace.FromString(file.read_bytes()).packet)
    trace = Trace(packets, {}, [])
    trace.events.extend(_events(trace))
    return trace


def _events(trace: Trace) -> Iterator[Event]:
    names: dict[int, str] = {}
    notes: dict[int, str] = {}
    before = 0
    for packet in trace.packets:
        names |= {one.iid: one.name for one in packet.interned_data.event_names}
        notes |= {one.iid: one.name for one in packet.interned_data.debug_annotation_names}
        if packet.HasField("track_descriptor"):
            descriptor = packet.track_descriptor
            assert descriptor.uuid not in trace.tracks
            trace.tracks[descriptor.uuid] = descriptor
        if not packet.HasField("track_event"):
            continue
        assert packet.timestamp >= before
        before = packet.timestamp
        event = packet.track_event
        descriptor = trace.tracks[event.track_uuid]
        yield Event(
            ns=packet.timestamp,
            group=trace.group(event.track_uuid),
            track=descriptor.name or descriptor.thread.thread_name,
            kind=event.type,
            name=names[event.name_iid] if event.name_iid else "",
            uuid=event.track_uuid,
            value=_counted(event),
            notes={notes[one.name_iid]: _value(one) for one in event.debug_annotations},
            starts=list(event.flow_ids),
            ends=list(event.terminating_flow_ids),
        )


def _counted(event: Any) -> float | None:
    name = event.WhichOneof("counter_value_field")
    return None if name is None else float(getattr(event, name))


def _value(annotation: Any) -> Any:
    return getattr(annotation, annotation.WhichOneof("value"))


@pytest.fixture(scope="module")
def trace(exported: Path) -> Trace:
    done = dumbbell("export", "perfetto", exported, "-o", exported / "run.perfetto")
    found = read_trace(exported / "run.perfetto")
    assert f"{len(found.events)} events" in " ".join(done.stdout.split())
    return found


def _record(exported: Path, name: str) -> polars.DataFrame:
    frame = polars.read_parquet(exported / f"{name}.parquet")
    return frame.with_columns(polars.selectors.categorical().cast(polars.String))


def _ns(seconds: float) -> int:
    return round(seconds * 1e12) // 1000


def _changes(rows: polars.DataFrame, values: list[float | None]) -> list[tuple[int, float]]:
    """A series where it changes: what a counter of Perfetto has."""
    found: list[tuple[int, float]] = []
    for time_s, value in zip(rows["time_s"].to_list(), values, strict=True):
        if value is not None and (not found or found[-1][1] != value):
            found.append((_ns(time_s), float(value)))
    return found


def test_every_packet_has_what_perfetto_asks_for(trace: Trace) -> None:
    first, *rest = trace.packets
    assert {(c.clock_id, c.timestamp) for c in first.clock_snapshot.clocks} == {(1, 0), (6, 0)}
    assert first.clock_snapshot.primary_trace_clock == 6
    assert {packet.trusted_packet_sequence_id for packet in trace.packets} == {1}
    assert rest[0].sequence_flags & 1
    assert rest[0].trace_packet_defaults.timestamp_clock_id == 6
    assert all(p.sequence_flags & 2 for p in rest if p.HasField("track_event"))
    for descriptor in trace.tracks.values():
        assert not descriptor.parent_uuid or descriptor.parent_uuid in trace.tracks
    pids = [d.process.pid for d in trace.tracks.values() if d.HasField("process")]
    tids = [d.thread.tid for d in trace.tracks.values() if d.HasField("thread")]
    assert len(set(pids)) == len(pids) and len(set(tids)) == len(tids) and 0 not in pids


def test_the_run_is_named(trace: Trace, exported: Path) -> None:
    (start,) = trace.of(INSTANT, track="run")
    about = polars.read_parquet_metadata(exported / "packets.parquet")
    assert (start.ns, start.notes["fingerprint"]) == (0, about["dumbbell.fingerprint"])
    assert start.notes["seed"] == about["dumbbell.seed"]


def test_hosts_and_queues_are_groups(trace: Trace, exported: Path) -> None:
    plan = json.loads(polars.read_parquet_metadata(exported / "packets.parquet")["dumbbell.plan"])
    hosts = {f["name"]: f"host {plan['nodes'][f['from']]['name']}" for f in plan["flows"]}
    threads = {
        d.thread.thread_name: trace.group(d.uuid)
        for d in trace.tracks.values()
        if d.HasField("thread")
    }
    assert threads == hosts
    assert "queue bottleneck" in {event.group for event in trace.events}


_FLOW = {
    "cwnd": ("cwnd_bytes", 1.0),
    "ssthresh": ("ssthresh_bytes", 1.0),
    "in flight": ("in_flight_bytes", 1.0),
    "srtt": ("srtt_us", 1e-3),
    "rto": ("rto_us", 1e-3),
    "goodput": ("goodput_bps", 1.0),
    "retransmissions": ("retransmits", 1.0),
}


def test_counters_of_flows_are_the_series(trace: Trace, exported: Path) -> None:
    frame = _record(exported, "flows")
    tracks = {uuid: d for uuid, d in trace.tracks.items() if d.HasField("counter")}
    for name in frame["flow"].unique():
        rows = frame.filter(polars.col("flow") == name)
        (thread,) = (d.uuid for d in trace.tracks.values() if d.thread.thread_name == name)
        mine = {d.name: d for d in tracks.values() if d.parent_uuid == thread}
        shown = _FLOW if name in TCP else {"goodput": _FLOW["goodput"]}
        assert set(shown) <= set(mine) and set(mine) & set(_FLOW) == set(shown)
        for label, (column, scale) in shown.items():
            found = [
                (event.ns, event.value)
                for event in trace.of(COUNTER)
                if event.uuid == mine[label].uuid
            ]
            values = [None if x is None else x * scale for x in rows[column].to_list()]
            assert found == _changes(rows, values), (name, label)
    units = {d.name: (d.counter.unit, d.counter.unit_name) for d in tracks.values()}
    assert units["cwnd"] == (3, "") and units["srtt"] == (0, "ms")
    assert units["goodput"] == (0, "bit/s")


def test_counters_of_queues_are_the_series(trace: Trace, exported: Path) -> None:
    frame = _record(exported, "queues")
    rows = frame.filter(polars.col("queue") == "bottleneck")
    shown = {"length": "queue_packets", "bytes": "queue_bytes", "drops": "dropped_packets"}
    shown |= {name: name for name in ("avg", "p_b", "p_a")}
    for label, column in shown.items():
        events = trace.of(COUNTER, "queue bottleneck", label)
        assert [(e.ns, e.value) for e in events] == _changes(rows, rows[column].to_list()), label
    delays = [e.value for e in trace.of(COUNTER, "queue bottleneck", "delay")]
    expected = _changes(rows, [8e3 * n / 8e6 for n in rows["queue_bytes"].to_list()])
    assert delays == pytest.approx([value for _, value in expected])


def test_slices_are_the_stays_of_packets(trace: Trace, exported: Path) -> None:
    open_at: dict[int, Event] = {}
    found: Counter[Any] = Counter()
    for event in trace.events:
        if event.kind == BEGIN:
            assert event.uuid not in open_at  # Alone on its track while it stays.
            open_at[event.uuid] = event
        elif event.kind == END:
            begin = open_at.pop(event.uuid)
            packet = (begin.name, begin.notes["packet"], begin.notes["backlog_packets"])
            found[(begin.group, *packet, begin.ns, event.ns)] += 1
    frame = _record(exported, "hops")
    plan = json.loads(polars.read_parquet_metadata(exported / "packets.parquet")["dumbbell.plan"])
    reported = [link["name"] for link in plan["links"] if link["report"]]
    expected: Counter[Any] = Counter()
    still = 0
    for hop in frame.filter(polars.col("link").is_in(reported)).iter_rows(named=True):
        end = hop["departed_ps"] if hop["departed_ps"] is not None else hop["dropped_ps"]
        if end is None:
            still += 1
        elif end > hop["arrived_ps"]:
            suffix = "" if hop["from"] == "sender" else ", to its sender"
            packet = (hop["flow"] + suffix, hop["packet"], hop["backlog_packets"])
            expected[(f"queue {hop['link']}", *packet, hop["arrived_ps"] // 1000, end // 1000)] += 1
    assert found == expected and len(found) > 1000
    assert len(open_at) == still


def test_drops_and_marks_have_what_the_decision_saw(trace: Trace, exported: Path) -> None:
    rows = _record(exported, "signals").sort("time_s", maintain_order=True).to_dicts()
    events = trace.of(INSTANT, track="drops and marks")
    assert len(events) == len(rows) > 20
    key = lambda pair: (pair[0], sorted(map(str, pair[1].items())))  # noqa: E731
    expected = []
    for row in rows:
        verb = "mark" if row["marked"] else "drop"
        noted = {
            k: v
            for k, v in row.items()
            if k not in ("time_s", "queue", "reason", "marked") and v is not None
        }
        head = (_ns(row["time_s"]), f"queue {row['queue']}", f"{verb}: {row['reason']}")
        expected.append((head, noted))
    found = [((e.ns, e.group, e.name), e.notes) for e in events]
    assert sorted(found, key=key) == sorted(expected, key=key)


def test_reactions_and_timeouts_are_on_the_flow(trace: Trace, exported: Path) -> None:
    rows = _record(exported, "reactions").to_dicts()
    events = [e for e in trace.of(INSTANT) if "cwnd_bytes_before" in e.notes]
    found = Counter((e.ns, e.track, e.name, e.notes["cwnd_bytes"]) for e in events)
    assert found == Counter(
        (_ns(r["time_s"]), r["flow"], r["cause"], r["cwnd_bytes"]) for r in rows
    )
    assert any(e.name == "loss" for e in events)


def test_arrows_lead_from_a_drop_to_what_repeats_it(trace: Trace, exported: Path) -> None:
    packets = _record(exported, "packets").filter(
        (polars.col("from") == "sender") & polars.col("seq").is_not_null()
    )
    expected = set()
    for (flow,), rows in packets.sort("sent_ps").group_by("flow"):
        last: dict[int, dict[str, Any]] = {}
        for row in rows.iter_rows(named=True):
            if row["retransmit"]:
                before = last[row["seq"]]
                lost = before["dropped_ps"] is not None
                at = row["sent_ps"] // 1000
                expected.add((flow, at, row["packet"], before["packet"], lost))
            last[row["seq"]] = row
    repetitions = [e for e in trace.of(INSTANT) if e.name == "retransmission"]
    found = {
        (e.track, e.ns, e.notes["packet"], e.notes["repeats_packet"], e.notes["was_dropped"])
        for e in repetitions
    }
    assert found == expected and len(found) > 20
    drops = {arrow: e for e in trace.of(INSTANT, track="drops and marks") for arrow in e.starts}
    for event in repetitions:
        assert len(event.ends) == event.notes["was_dropped"]
        for arrow in event.ends:
            dropped = drops[arrow]
            assert dropped.ns < event.ns and dropped.name.startswith("drop: ")
            assert dropped.notes["flow"] == event.track
            assert dropped.notes["packet"] == event.notes["repeats_packet"]


def test_one_flow_and_what_is_not_there(exported: Path, tmp_path: Path) -> None:
    dumbbell("export", "perfetto", exported, "--flow", "ends", "-o", tmp_path / "x")
    one = read_trace(tmp_path / "x")
    threads = {d.thread.thread_name for d in one.tracks.values() if d.HasField("thread")}
    assert threads == {"ends"}
    assert {e.name for e in one.of(BEGIN)} == {"ends"}
    assert {e.notes["flow"] for e in one.of(INSTANT, track="drops and marks")} <= {"ends"}
    done = dumbbell("export", "perfetto", exported, "--flow", "end", "-o", tmp_path / "y", code=2)
    assert "did you mean `ends`?" in said(done)
    done = dumbbell("export", "perfetto", exported, "--at", "sender", "-o", tmp_path / "y", code=2)
    assert "--at does not apply" in said(done)
    bare = tmp_path / "bare"
    bare.mkdir()
    done = dumbbell("export", "perfetto", bare, "-o", tmp_path / "y", code=2)
    assert "has no record of flows" in said(done)
    assert not (tmp_path / "y").exists()


def test_a_series_by_itself_is_a_trace(exported: Path, tmp_path: Path) -> None:
    there = tmp_path / "series"
    there.mkdir()
    (there / "flows.parquet").write_bytes((exported / "flows.parquet").read_bytes())
    done = dumbbell("export", "perfetto", there, "-o", tmp_path / "x")
    assert "packets were not recorded" in said(done)
    found = read_trace(tmp_path / "x")
    assert {e.kind for e in found.events} == {COUNTER, INSTANT}
    assert {e.group for e in found.of(COUNTER)} == {"flows"}


def test_a_result_without_records_is_repeated(tmp_path: Path) -> None:
    file = tmp_path / "net.toml"
    file.write_text(
        'duration = "3 s"\nqueue = { kind = "red", limit = "20 pkt" }\n'
        '[dumbbell.bottleneck]\nrate = "8 Mbps"\ndelay = "10 ms"\n[[flow]]\nname = "a"\n'
    )
    dumbbell("run", file, "--out", tmp_path / "bare")
    for name, also in (("perfetto", "retransmission"), ("qlog", "packet_lost")):
        done = dumbbell("export", name, tmp_path / "bare", "-o", tmp_path / name)
        assert "has no recorded packets: repeated the run" in said(done)
        assert also.encode() in (tmp_path / name).read_bytes()
