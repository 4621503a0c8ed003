"""A log in qlog's format has the form of its draft and the values of the records."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import jsonschema
import polars
import pytest
from helpers.exports import TCP, dumbbell, said

JSON = dict[str, Any]

_TEXT, _COUNT, _NUMBER = {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "number"}


def _table(required: JSON, optional: JSON | None = None) -> JSON:
    """An object with these keys and no other."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


# draft-ietf-quic-qlog-quic-events: PacketHeader, RawInfo, StreamFrame, AckFrame.
_HEADER = _table({"packet_type": {"const": "unknown"}, "packet_number": _COUNT})
_RAW = _table({"length": _COUNT, "payload_length": _COUNT})
_STREAM = _table(
    {"frame_type": {"const": "stream"}, "stream_id": _COUNT, "offset": _COUNT, "length": _COUNT}
)
_RANGE = {"type": "array", "items": _COUNT, "minItems": 1, "maxItems": 2}
_ACK = _table({"frame_type": {"const": "ack"}, "acked_ranges": {"type": "array", "items": _RANGE}})
_TCP = _table(
    {"flags": _TEXT, "window_bytes": _COUNT},
    {"seq": _COUNT, "ack": _COUNT, "options": _TEXT, "retransmit": {"const": True}},
)


def _packet(frame: JSON) -> JSON:
    frames = {"type": "array", "items": frame, "minItems": 1}
    return _table({"header": _HEADER, "raw": _RAW, "tcp": _TCP}, {"frames": frames})


_LOST = {
    "oneOf": [
        _table({"spurious": {"const": True}}),
        _table({"dropped_ms": _NUMBER, "dropped_at": _TEXT, "reason": _TEXT}),
    ]
}
_DATA = {
    "transport:packet_sent": _packet(_STREAM),
    "transport:packet_received": _packet(_ACK),
    "recovery:packet_lost": _table(
        {"header": _HEADER, "dumbbell": _LOST}, {"trigger": {"const": "pto_expired"}}
    ),
    "recovery:metrics_updated": _table(
        {},
        {
            "congestion_window": _COUNT,
            "ssthresh": _COUNT,
            "bytes_in_flight": _COUNT,
            "smoothed_rtt": _NUMBER,
        },
    ),
    "recovery:congestion_state_updated": _table({"new": _TEXT}, {"old": _TEXT, "trigger": _TEXT}),
}
# draft-ietf-quic-qlog-main-schema: QlogFile, Trace, VantagePoint, CommonFields, Event.
SCHEMA = _table(
    {
        "qlog_version": {"const": "0.3"},
        "qlog_format": {"const": "JSON"},
        "title": _TEXT,
        "description": _TEXT,
        "traces": {
            "type": "array",
            "items": _table(
                {
                    "title": _TEXT,
                    "vantage_point": _table(
                        {"name": _TEXT, "type": {"enum": ["client", "server", "network"]}}
                    ),
                    "common_fields": _table(
                        {
                            "time_format": {"enum": ["absolute", "relative", "delta"]},
                            "reference_time": _NUMBER,
                            "protocol_type": {"type": "array", "items": _TEXT, "minItems": 1},
                        }
                    ),
                    "events": {"type": "array", "items": {"required": ["time", "name", "data"]}},
                }
            ),
        },
    }
)


@pytest.fixture(scope="module")
def log(exported: Path) -> JSON:
    done = dumbbell("export", "qlog", exported, "-o", exported / "run.qlog")
    assert "1 of the flows are UDP and left out" in done.stderr
    found: JSON = json.loads((exported / "run.qlog").read_text(encoding="utf-8"))
    assert f"{sum(len(t['events']) for t in found['traces'])} events" in done.stdout
    return found


@pytest.fixture(scope="module")
def traces(log: JSON) -> dict[str, list[JSON]]:
    return {trace["title"]: trace["events"] for trace in log["traces"]}


def _of(events: list[JSON], name: str) -> list[JSON]:
    return [event for event in events if event["name"].endswith(f":{name}")]


def _record(exported: Path, name: str) -> polars.DataFrame:
    frame = polars.read_parquet(exported / f"{name}.parquet")
    return frame.with_columns(polars.selectors.categorical().cast(polars.String))


def _shape(value: Any) -> Any:
    """The keys and types of a value, and its texts: what a schema looks at."""
    if isinstance(value, dict):
        return tuple((key, _shape(value[key])) for key in sorted(value))
    if isinstance(value, list):
        return tuple({_shape(one): None for one in value})
    return value if isinstance(value, str) else (type(value), value is True)


def test_the_form_is_that_of_the_draft(log: JSON) -> None:
    jsonschema.validate({**log, "traces": [{**t, "events": []} for t in log["traces"]]}, SCHEMA)
    shapes: dict[Any, JSON] = {}  # Events of one shape are all valid, or none is.
    for trace in log["traces"]:
        for event in trace["events"]:
            assert set(event) == {"time", "name", "data"} and event["time"] >= 0
            data = {**event["data"]}
            if "tcp" in data:
                data["tcp"] = {k: v for k, v in data["tcp"].items() if k != "options"}
            shapes.setdefault((event["name"], _shape(data)), data)
        times = [event["time"] for event in trace["events"]]
        assert times == sorted(times)
    for (name, _), data in shapes.items():
        jsonschema.validate(data, _DATA[name])
    assert {name for name, _ in shapes} == set(_DATA)
    assert [trace["title"] for trace in log["traces"]] == list(TCP)


@pytest.mark.parametrize("flow", TCP)
def test_packets_are_those_of_the_record(
    flow: str, traces: dict[str, list[JSON]], exported: Path
) -> None:
    packets = _record(exported, "packets").filter(polars.col("flow") == flow)

    def rows(end: str, at: str) -> list[tuple[Any, ...]]:
        there = packets.filter((polars.col("from") == end) & polars.col(at).is_not_null())
        return sorted(
            (
                row[at] / 1e9,
                row["packet"],
                row["ip_len_bytes"],
                row["payload_bytes"],
                row["seq"],
                row["ack"],
                row["flags"],
                row["window_bytes"] or 0,
                row["options"] or None,
                row["retransmit"] or None,
            )
            for row in there.iter_rows(named=True)
        )

    def told(name: str) -> list[tuple[Any, ...]]:
        found = []
        for event in _of(traces[flow], name):
            data, tcp = event["data"], event["data"]["tcp"]
            found.append(
                (
                    event["time"],
                    data["header"]["packet_number"],
                    data["raw"]["length"],
                    data["raw"]["payload_length"],
                    *(tcp.get(key) for key in ("seq", "ack", "flags", "window_bytes")),
                    *(tcp.get(key) for key in ("options", "retransmit")),
                )
            )
        return sorted(found)

    assert told("packet_sent") == rows("sender", "sent_ps")
    assert told("packet_received") == rows("receiver", "delivered_ps")
    offsets = {
        event["data"]["header"]["packet_number"]: event["data"]["frames"][0]
        for event in _of(traces[flow], "packet_sent")
        if "frames" in event["data"]
    }
    data = packets.filter((polars.col("from") == "sender") & (polars.col("payload_bytes") > 0))
    assert {n: (f["offset"], f["length"]) for n, f in offsets.items()} == {
        row["packet"]: (row["seq"] - 1, row["payload_bytes"]) for row in data.iter_rows(named=True)
    }


@pytest.mark.parametrize("flow", TCP)
def test_each_lost_packet_is_one_that_was_sent_again(
    flow: str, traces: dict[str, list[JSON]], exported: Path
) -> None:
    packets = _record(exported, "packets").filter(
        (polars.col("flow") == flow) & (polars.col("from") == "sender")
    )
    expected, last = [], {}
    for row in packets.sort("sent_ps").iter_rows(named=True):
        if row["retransmit"]:
            before = last[row["seq"]]
            fate = {"spurious": True}
            if before["dropped_ps"] is not None:
                fate = {
                    "dropped_ms": before["dropped_ps"] / 1e9,
                    "dropped_at": before["dropped_at"],
                    "reason": before["reason"],
                }
            expected.append((row["sent_ps"] / 1e9, before["packet"], fate))
        last[row["seq"]] = row
    found = [
        (event["time"], event["data"]["header"]["packet_number"], event["data"]["dumbbell"])
        for event in _of(traces[flow], "packet_lost")
    ]
    assert found == expected


@pytest.mark.parametrize("flow", TCP)
def test_each_packet_is_acknowledged_once_when_it_is_covered(
    flow: str, traces: dict[str, list[JSON]]
) -> None:
    """A second way to the same ranges: every byte on its own, over the events of the log."""
    sent = {
        e["data"]["header"]["packet_number"]: e["data"] for e in _of(traces[flow], "packet_sent")
    }
    seen: set[int] = set()
    for event in _of(traces[flow], "packet_received"):
        tcp = event["data"]["tcp"]
        frames = event["data"].get("frames", [])
        numbers = {
            n
            for frame in frames
            for low, high in frame["acked_ranges"]
            for n in range(low, high + 1)
        }
        assert not numbers & seen
        seen |= numbers
        blocks = [
            tuple(map(int, block.split("-")))
            for block in tcp.get("options", "").partition("sack ")[2].split()
        ]
        for number in numbers:
            data = sent[number]
            takes = 1 if set(data["tcp"]["flags"]) & set("SF") else 0
            first = data["tcp"]["seq"]
            end = first + max(data["raw"]["payload_length"], takes)
            assert end <= tcp["ack"] or any(low <= first and end <= high for low, high in blocks)
    repeated = {e["data"]["header"]["packet_number"] for e in _of(traces[flow], "packet_lost")}
    highest = max(e["data"]["tcp"]["ack"] for e in _of(traces[flow], "packet_received"))
    below = {n for n, d in sent.items() if d["tcp"]["seq"] + d["raw"]["payload_length"] < highest}
    assert below - repeated <= seen


@pytest.mark.parametrize("flow", TCP)
def test_metrics_and_states_are_those_of_the_records(
    flow: str, traces: dict[str, list[JSON]], exported: Path
) -> None:
    series = _record(exported, "flows").filter(polars.col("flow") == flow)
    reactions = _record(exported, "reactions").filter(polars.col("flow") == flow)
    names = {"congestion_window": "cwnd_bytes", "ssthresh": "ssthresh_bytes"}

    def metrics(row: JSON, more: JSON) -> list[tuple[str, Any]]:
        values = {key: row[column] for key, column in {**names, **more}.items()}
        if row["srtt_us"] is not None:
            values["smoothed_rtt"] = row["srtt_us"] / 1e3
        return sorted((k, v) for k, v in values.items() if v is not None)

    expected = sorted(
        [
            (r["time_s"], metrics(r, {"bytes_in_flight": "in_flight_bytes"}))
            for r in series.to_dicts()
        ]
        + [(r["time_s"], metrics(r, {})) for r in reactions.to_dicts()]
    )
    found = sorted(
        (event["time"], sorted(event["data"].items()))
        for event in _of(traces[flow], "metrics_updated")
    )
    assert [(pytest.approx(t * 1e3), values) for t, values in expected] == found
    states = _of(traces[flow], "congestion_state_updated")
    assert states[0]["data"] == {"new": "open"}
    for before, after in itertools.pairwise(states):
        assert after["data"]["old"] == before["data"]["new"] != after["data"]["new"]
    changes = {
        (r["cause"], r["phase"])
        for r in reactions.iter_rows(named=True)
        if r["phase_before"] != r["phase"]
    }
    told = {(e["data"].get("trigger"), e["data"]["new"]) for e in states[1:]}
    assert changes <= told


def test_one_flow_and_what_is_not_there(exported: Path, tmp_path: Path) -> None:
    dumbbell("export", "qlog", exported, "--flow", "ends", "-o", tmp_path / "x")
    (trace,) = json.loads((tmp_path / "x").read_text())["traces"]
    assert trace["title"] == "ends"
    for words, text in [
        (["--flow", "end"], "did you mean `ends`?"),
        (["--flow", "datagrams"], "there is no TCP flow to export"),
        (["--snaplen", "9"], "--snaplen does not apply to the format `qlog`"),
    ]:
        done = dumbbell("export", "qlog", exported, *words, "-o", tmp_path / "y", code=2)
        assert text in said(done)
        assert not (tmp_path / "y").exists()
