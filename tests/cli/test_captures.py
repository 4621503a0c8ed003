"""Captures are what tshark and tcptrace say that they are: no complaint, and they count as we
do."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import polars
import pytest
from helpers import pcap
from helpers.exports import TCP, dumbbell, hops, said, tshark


def stream(exported: Path, flow: str) -> str:
    """A filter for one flow's packets: the addresses of its hosts, from the plan."""
    plan = json.loads(polars.read_parquet_metadata(exported / "packets.parquet")["dumbbell.plan"])
    (found,) = [f for f in plan["flows"] if f["name"] == flow]
    a, b = (f"10.0.{(n + 1) >> 8}.{(n + 1) & 255}" for n in (found["from"], found["to"]))
    return f"ip.addr == {a} && ip.addr == {b}"


def test_the_run_has_what_the_tests_need(
    summary: dict[str, dict[str, Any]], packets: polars.DataFrame
) -> None:
    assert all(summary[flow]["retransmits"] > 0 for flow in ("selective", "plain", "ns2"))
    assert summary["marked"]["marks"] > 10
    closing = packets.filter(polars.col("flags").cast(str).str.contains("F"))
    assert closing["flow"].cast(str).unique().to_list() == ["ends"]


@pytest.mark.parametrize("at", ["sender", "receiver", "bottleneck"])
def test_tshark_finds_every_checksum_good_and_nothing_malformed(
    captures: dict[str, Path], at: str
) -> None:
    fields = [
        "ip.checksum.status",
        "tcp.checksum.status",
        "udp.checksum.status",
        "_ws.malformed",
        "ip.proto",
    ]
    found = tshark(captures[at], "-T", "fields", *(word for f in fields for word in ("-e", f)))
    assert len(found) > 5000
    assert {tuple(row) for row in found} == {("1", "1", "", "", "6"), ("1", "", "1", "", "17")}
    severe = tshark(captures[at], "-q", "-z", "expert,warn")
    texts = {
        line[0].split("  ")[-1].strip() for line in severe if re.match(r"\s+\d+\s+\w+", line[0])
    }
    # These are what a sender that repairs losses does, and one with a window of 20 packets; a fault
    # of the file would be another.
    expected = (
        r"This frame is a \(suspected\) out-of-order segment|D-SACK Sequence|.*previous "
        r"segment.*not captured.*|ACKed.*|TCP window specified by the receiver is now "
        r"completely full"
    )
    strange = {text for text in texts if not re.search(expected, text, re.IGNORECASE)}
    assert strange == set()


def test_tshark_sees_the_same_packets(captures: dict[str, Path], packets: polars.DataFrame) -> None:
    fields = [
        "frame.time_epoch",
        "ip.len",
        "tcp.len",
        "tcp.flags.syn",
        "tcp.flags.fin",
        "tcp.flags.ece",
        "tcp.flags.cwr",
    ]
    query = [word for f in fields for word in ("-e", f)]
    seen = sorted(tshark(captures["sender"], "-T", "fields", *query))
    ours = []
    for p in packets.iter_rows(named=True):
        ps = p["sent_ps"] if p["from"] == "sender" else p["delivered_ps"]
        if ps is None:
            continue
        time = f"{ps // 10**12}.{ps // 1000 % 10**9:09}"
        udp = p["seq"] is None
        flags = [""] * 4 if udp else [str(int(letter in p["flags"])) for letter in "SFEW"]
        ours.append([time, str(p["ip_len_bytes"]), "" if udp else str(p["payload_bytes"]), *flags])
    assert seen == sorted(ours)


@pytest.mark.parametrize("flow", TCP)
def test_tshark_counts_repetitions_round_trips_and_sacks_as_we_do(
    exported: Path,
    captures: dict[str, Path],
    summary: dict[str, dict[str, Any]],
    packets: polars.DataFrame,
    flow: str,
) -> None:
    fields = [
        "tcp.analysis.retransmission",
        "tcp.analysis.out_of_order",
        "tcp.analysis.ack_rtt",
        "tcp.options.sack.count",
    ]
    query = [word for f in fields for word in ("-e", f)]
    found = tshark(captures["sender"], "-Y", stream(exported, flow), "-T", "fields", *query)
    # tshark calls a repetition out of order if it comes within a round-trip time of the last
    # segment. Where it was sent nothing can be out of order, so the two are the repetitions.
    again = sum(bool(row[0] or row[1]) for row in found)
    ours = pcap.rows(exported, flow)
    assert again == summary[flow]["retransmits"] == sum(p["retransmit"] for p in ours)
    rtts = [round(float(row[2]) * 1e9) for row in found if row[2]]
    assert rtts == pcap.tshark_rtts(ours)
    blocks = [int(row[3]) for row in found if row[3]]
    arrived = [
        p for p in ours if p["delivered_ps"] is not None and (p["options"] or "").startswith("sack")
    ]
    assert sum(blocks) == sum(p["options"].count("-") for p in arrived)
    assert len(blocks) == len(arrived) and (len(blocks) > 0) is (
        flow in ("selective", "ends", "marked") and bool(arrived)
    )


def test_tshark_sees_marks_where_they_arrive(
    captures: dict[str, Path], summary: dict[str, dict[str, Any]]
) -> None:
    marked = tshark(
        captures["receiver"], "-Y", "ip.dsfield.ecn == 3", "-T", "fields", "-e", "ip.ttl"
    )
    assert len(marked) == sum(flow["marks"] for flow in summary.values())
    assert {row[0] for row in marked} == {"62"}  # Two routers were passed.
    assert tshark(captures["sender"], "-Y", "ip.dsfield.ecn == 3") == []


def test_dropped_packets_say_where_and_what_the_decision_saw(
    exported: Path, captures: dict[str, Path]
) -> None:
    found = tshark(captures["sender"], "-Y", "frame.comment", "-T", "fields", "-e", "frame.comment")
    signals = polars.read_parquet(exported / "signals.parquet")
    ours = [
        f"{'marked' if s['marked'] else 'dropped'} at {s['queue']} after {s['time_s']:.9f} s: "
        f"{s['reason']}; "
        f"queue_packets={s['queue_packets']} avg="
        for s in signals.filter(polars.col("from") == "sender").iter_rows(named=True)
    ]
    said = [row[0][: row[0].index("avg=") + 4] for row in found]
    assert sorted(said) == sorted(ours) and len(ours) > 50


def tcptrace(file: Path) -> list[dict[str, str]]:
    """The left columns of each connection: what its first host sent."""
    done = subprocess.run(["tcptrace", "-lrn", file], capture_output=True, text=True, check=True)
    tables = re.split(r"^TCP connection \d+:$", done.stdout, flags=re.MULTILINE)[1:]
    line = re.compile(r"^ +([\w/# ().-]+?): +(\S+) ", re.MULTILINE)
    return [dict(line.findall(table)) for table in tables]


@pytest.mark.parametrize("flow", TCP)
@pytest.mark.parametrize("format", ["pcapng", "pcap"])
def test_tcptrace_counts_as_we_do(exported: Path, tmp_path: Path, flow: str, format: str) -> None:
    file = tmp_path / f"one.{format}"
    dumbbell("export", format, exported, "--flow", flow, "-o", file)
    (found,) = tcptrace(file)
    ours = pcap.tcptrace(pcap.rows(exported, flow))
    rtts = [us / 1000 for us in ours.rtt_us]
    assert {
        "total packets": found["total packets"],
        "unique bytes sent": found["unique bytes sent"],
        "actual data pkts": found["actual data pkts"],
        "actual data bytes": found["actual data bytes"],
        "rexmt data pkts": found["rexmt data pkts"],
        "rexmt data bytes": found["rexmt data bytes"],
        "RTT samples": found["RTT samples"],
        "RTT min": found["RTT min"],
        "RTT max": found["RTT max"],
        "RTT avg": found["RTT avg"],
        "post-loss acks": found["post-loss acks"],
    } == {
        "total packets": str(ours.packets),
        "unique bytes sent": str(ours.unique_bytes),
        "actual data pkts": str(ours.data_packets),
        "actual data bytes": str(ours.data_bytes),
        "rexmt data pkts": str(ours.again_packets),
        "rexmt data bytes": str(ours.again_bytes),
        "RTT samples": str(len(rtts)),
        "RTT min": f"{min(rtts):.1f}",
        "RTT max": f"{max(rtts):.1f}",
        "RTT avg": f"{sum(rtts) / len(rtts):.1f}",
        "post-loss acks": str(ours.post_loss),
    }


def test_a_capture_read_back_is_the_summary(
    exported: Path, captures: dict[str, Path], summary: dict[str, Any]
) -> None:
    found = json.loads(dumbbell("read", captures["sender"], "--json").stdout)
    assert found["damage"] is None and found["unreadable_packets"] == 0
    assert found["other_packets"] == summary["datagrams"]["sent_packets"]
    ours = {
        (f["sent_packets"], f["retransmits"], f["lost_packets"])
        for n, f in summary.items()
        if n in TCP
    }
    assert {
        (c["a"]["packets"], c["a"]["retransmits"], c["a"]["lost_packets"])
        for c in found["connections"]
    } == ours
    for c in found["connections"]:
        (flow,) = [n for n in TCP if summary[n]["sent_packets"] == c["a"]["packets"]]
        theirs = pcap.tcptrace(pcap.rows(exported, flow))
        assert (c["a"]["unique_bytes"], c["a"]["rtt_samples"]) == (
            theirs.unique_bytes,
            len(theirs.rtt_us),
        )
        mean_us = sum(theirs.rtt_us) / len(theirs.rtt_us)
        assert abs(c["a"]["rtt_mean_s"] * 1e6 - mean_us) < 1  # They count whole microseconds.
    at_receiver = json.loads(dumbbell("read", captures["receiver"], "--json").stdout)
    assert sum(c["a"]["marks"] for c in at_receiver["connections"]) == summary["marked"]["marks"]


def test_headers_alone_are_smaller_and_say_the_same(
    exported: Path, captures: dict[str, Path], tmp_path: Path
) -> None:
    short = tmp_path / "short.pcapng"
    dumbbell("export", "pcapng", exported, "--snaplen", "96", "-o", short)
    assert short.stat().st_size < captures["sender"].stat().st_size / 4
    both = [
        json.loads(dumbbell("read", file, "--json").stdout) for file in (short, captures["sender"])
    ]
    assert both[0]["connections"] == both[1]["connections"]


def test_a_damaged_capture_is_named_and_the_rest_is_read(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    whole = captures["sender"].read_bytes()
    cut = tmp_path / "cut.pcapng"
    cut.write_bytes(whole[: len(whole) // 2])
    done = dumbbell("read", cut, "--json", code=1)
    found = json.loads(done.stdout)
    before = tshark(
        captures["sender"], "-c", str(found["packets"]), "-T", "fields", "-e", "frame.number"
    )
    assert found["packets"] == len(before) > 1000
    offset = found["damage"]["offset_bytes"]
    assert len(whole) // 2 - 2000 < offset < len(whole) // 2
    assert f"{cut} is damaged at byte {offset}: the file ends within a packet" in said(done)
    noise = tmp_path / "noise.pcap"
    for text in ("no capture", "# Notes\nno line of ns-2's\n", ""):
        noise.write_text(text)
        refused = said(dumbbell("read", noise, code=2))
        assert "noise.pcap is neither a capture nor a trace" in refused.replace(
            "noise. pcap", "noise.pcap"
        )
        assert "pcapng, pcap" in refused
    assert "No such file" in said(dumbbell("read", tmp_path / "nothing", code=2))


def test_a_link_sees_what_its_queue_counts(
    exported: Path, captures: dict[str, Path], tmp_path: Path
) -> None:
    (queue,) = [
        q
        for q in json.loads((exported / "summary.json").read_text())["queues"]
        if q["name"] == "bottleneck"
    ]
    arrived = tshark(captures["bottleneck"], "-T", "fields", "-e", "ip.len")
    assert (
        len(arrived) == queue["arrivals"]
        and sum(int(row[0]) for row in arrived) == queue["arrived_bytes"]
    )
    left = tmp_path / "left.pcapng"
    dumbbell("export", "pcapng", exported, "--at", "bottleneck", "--departed", "-o", left)
    assert len(tshark(left, "-T", "fields", "-e", "ip.len")) == queue["departures"]
    marks = tshark(left, "-Y", "ip.dsfield.ecn == 3")
    assert len(marks) == len(
        [h for h in hops(exported) if h["reason"] and h["dropped_ps"] is None and h["departed_ps"]]
    )
