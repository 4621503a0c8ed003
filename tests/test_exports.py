"""Exports are what other programs say that they are: tshark, tcptrace, awk and flent read them, and count what we count."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import capturing
import polars
import pytest

SCENARIO = """
duration = "20 s"
queue = { kind = "red", limit = "40 pkt", min_th = "6 pkt", max_th = "20 pkt", max_p = 0.1, ecn = true }

[dumbbell.bottleneck]
rate = "8 Mbps"
delay = "10 ms"

[[flow]]
name = "selective"
rtt = "40 ms"

[[flow]]
name = "marked"
tcp = { ecn = "rfc3168" }
start = "0.3 s"

[[flow]]
name = "plain"
cc = "newreno"
tcp = { timestamps = false, window_scaling = false }
start = "0.7 s"

[[flow]]
name = "ends"
start = "1 s"
source = { kind = "fixed", size = "300 kB" }

[[flow]]
name = "ns2"
profile = "ns2"
start = "2 s"

[[flow]]
name = "datagrams"
source = { kind = "cbr", rate = "400 kbps" }
transport = "udp"
start = "3 s"

[record]
every = "100 ms"
packets = true
"""
TCP = ("selective", "marked", "plain", "ends", "ns2")


def dumbbell(*words: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([sys.executable, "-m", "dumbbell", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def tshark(file: Path, *words: str) -> list[list[str]]:
    """Fields of the packets, checksums verified."""
    checks = [f"{protocol}.check_checksum:TRUE" for protocol in ("ip", "tcp", "udp")]
    options = [word for check in checks for word in ("-o", check)]
    done = subprocess.run(["tshark", "-r", file, *options, *words], capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    there = tmp_path_factory.mktemp("exports")
    (there / "net.toml").write_text(SCENARIO)
    dumbbell("run", there / "net.toml", "--out", there / "run")
    return there / "run"


@pytest.fixture(scope="module")
def summary(run: Path) -> dict[str, dict[str, Any]]:
    return {flow["name"]: flow for flow in json.loads((run / "summary.json").read_text())["flows"]}


@pytest.fixture(scope="module")
def packets(run: Path) -> polars.DataFrame:
    return polars.read_parquet(run / "packets.parquet")


@pytest.fixture(scope="module")
def captures(run: Path) -> dict[str, Path]:
    """A capture at each kind of place."""
    made = {}
    for at in ("sender", "receiver", "bottleneck"):
        made[at] = run / f"{at}.pcapng"
        dumbbell("export", "pcapng", run, "--at", at, "-o", made[at])
    return made


def stream(run: Path, flow: str) -> str:
    """A filter for one flow's packets: the addresses of its hosts, from the plan."""
    plan = json.loads(polars.read_parquet_metadata(run / "packets.parquet")["dumbbell.plan"])
    (found,) = [f for f in plan["flows"] if f["name"] == flow]
    a, b = (f"10.0.{(n + 1) >> 8}.{(n + 1) & 255}" for n in (found["from"], found["to"]))
    return f"ip.addr == {a} && ip.addr == {b}"


def test_the_run_has_what_the_tests_need(summary: dict[str, dict[str, Any]], packets: polars.DataFrame) -> None:
    assert all(summary[flow]["retransmits"] > 0 for flow in ("selective", "plain", "ns2"))
    assert summary["marked"]["marks"] > 10
    assert packets.filter(polars.col("flags").str.contains("F"))["flow"].unique().to_list() == ["ends"]


@pytest.mark.parametrize("at", ["sender", "receiver", "bottleneck"])
def test_tshark_finds_every_checksum_good_and_nothing_malformed(captures: dict[str, Path], at: str) -> None:
    fields = ["ip.checksum.status", "tcp.checksum.status", "udp.checksum.status", "_ws.malformed", "ip.proto"]
    found = tshark(captures[at], "-T", "fields", *(word for f in fields for word in ("-e", f)))
    assert len(found) > 5000
    assert {tuple(row) for row in found} == {("1", "1", "", "", "6"), ("1", "", "1", "", "17")}
    severe = tshark(captures[at], "-q", "-z", "expert,warn")
    texts = {line[0].split("  ")[-1].strip() for line in severe if re.match(r"\s+\d+\s+\w+", line[0])}
    # These are what a sender that repairs losses does; a fault of the file would be another.
    expected = (
        r"This frame is a \(suspected\) out-of-order segment|D-SACK Sequence|.*previous segment.*not captured.*|ACKed.*"
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
    run: Path, captures: dict[str, Path], summary: dict[str, dict[str, Any]], packets: polars.DataFrame, flow: str
) -> None:
    fields = [
        "tcp.analysis.retransmission",
        "tcp.analysis.out_of_order",
        "tcp.analysis.ack_rtt",
        "tcp.options.sack.count",
    ]
    query = [word for f in fields for word in ("-e", f)]
    found = tshark(captures["sender"], "-Y", stream(run, flow), "-T", "fields", *query)
    # tshark calls a repetition out of order if it comes within a round-trip time of the last segment. Where it was
    # sent nothing can be out of order, so the two are the repetitions.
    again = sum(bool(row[0] or row[1]) for row in found)
    ours = capturing.rows(run, flow)
    assert again == summary[flow]["retransmits"] == sum(p["retransmit"] for p in ours)
    rtts = [round(float(row[2]) * 1e9) for row in found if row[2]]
    assert rtts == capturing.tshark_rtts(ours)
    blocks = [int(row[3]) for row in found if row[3]]
    arrived = [p for p in ours if p["delivered_ps"] is not None and (p["options"] or "").startswith("sack")]
    assert sum(blocks) == sum(p["options"].count("-") for p in arrived)
    assert len(blocks) == len(arrived) and (len(blocks) > 0) is (
        flow in ("selective", "ends", "marked") and bool(arrived)
    )


def test_tshark_sees_marks_where_they_arrive(captures: dict[str, Path], summary: dict[str, dict[str, Any]]) -> None:
    marked = tshark(captures["receiver"], "-Y", "ip.dsfield.ecn == 3", "-T", "fields", "-e", "ip.ttl")
    assert len(marked) == sum(flow["marks"] for flow in summary.values())
    assert {row[0] for row in marked} == {"62"}  # Two routers were passed.
    assert tshark(captures["sender"], "-Y", "ip.dsfield.ecn == 3") == []


def test_dropped_packets_say_where_and_what_the_decision_saw(run: Path, captures: dict[str, Path]) -> None:
    found = tshark(captures["sender"], "-Y", "frame.comment", "-T", "fields", "-e", "frame.comment")
    signals = polars.read_parquet(run / "signals.parquet")
    ours = [
        f"{'marked' if s['marked'] else 'dropped'} at {s['queue']} after {s['time_s']:.9f} s: {s['reason']}; "
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
def test_tcptrace_counts_as_we_do(run: Path, tmp_path: Path, flow: str, format: str) -> None:
    file = tmp_path / f"one.{format}"
    dumbbell("export", format, run, "--flow", flow, "-o", file)
    (found,) = tcptrace(file)
    ours = capturing.tcptrace(capturing.rows(run, flow))
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


def test_a_capture_read_back_is_the_summary(run: Path, captures: dict[str, Path], summary: dict[str, Any]) -> None:
    found = json.loads(dumbbell("read", captures["sender"], "--json").stdout)
    assert found["damage"] is None and found["unreadable_packets"] == 0
    assert found["other_packets"] == summary["datagrams"]["sent_packets"]
    ours = {(f["sent_packets"], f["retransmits"], f["lost_packets"]) for n, f in summary.items() if n in TCP}
    assert {(c["a"]["packets"], c["a"]["retransmits"], c["a"]["lost_packets"]) for c in found["connections"]} == ours
    for c in found["connections"]:
        (flow,) = [n for n in TCP if summary[n]["sent_packets"] == c["a"]["packets"]]
        theirs = capturing.tcptrace(capturing.rows(run, flow))
        assert (c["a"]["unique_bytes"], c["a"]["rtt_samples"]) == (theirs.unique_bytes, len(theirs.rtt_us))
        mean_us = sum(theirs.rtt_us) / len(theirs.rtt_us)
        assert abs(c["a"]["rtt_mean_s"] * 1e6 - mean_us) < 1  # They count whole microseconds.
    at_receiver = json.loads(dumbbell("read", captures["receiver"], "--json").stdout)
    assert sum(c["a"]["marks"] for c in at_receiver["connections"]) == summary["marked"]["marks"]


def test_headers_alone_are_smaller_and_say_the_same(run: Path, captures: dict[str, Path], tmp_path: Path) -> None:
    short = tmp_path / "short.pcapng"
    dumbbell("export", "pcapng", run, "--snaplen", "96", "-o", short)
    assert short.stat().st_size < captures["sender"].stat().st_size / 4
    both = [json.loads(dumbbell("read", file, "--json").stdout) for file in (short, captures["sender"])]
    assert both[0]["connections"] == both[1]["connections"]


def test_a_damaged_capture_is_named_and_the_rest_is_read(captures: dict[str, Path], tmp_path: Path) -> None:
    whole = captures["sender"].read_bytes()
    cut = tmp_path / "cut.pcapng"
    cut.write_bytes(whole[: len(whole) // 2])
    done = dumbbell("read", cut, "--json", code=1)
    found = json.loads(done.stdout)
    before = tshark(captures["sender"], "-c", str(found["packets"]), "-T", "fields", "-e", "frame.number")
    assert found["packets"] == len(before) > 1000
    offset = found["damage"]["offset_bytes"]
    assert len(whole) // 2 - 2000 < offset < len(whole) // 2
    assert f"{cut} is damaged at byte {offset}: the file ends within a packet" in done.stderr
    noise = tmp_path / "noise.pcap"
    noise.write_bytes(b"no capture")
    assert "no capture and no trace begins like this" in dumbbell("read", noise, code=1).stderr
    assert "No such file" in dumbbell("read", tmp_path / "nothing", code=2).stderr


def test_a_link_sees_what_its_queue_counts(run: Path, captures: dict[str, Path], tmp_path: Path) -> None:
    (queue,) = [q for q in json.loads((run / "summary.json").read_text())["queues"] if q["name"] == "bottleneck"]
    arrived = tshark(captures["bottleneck"], "-T", "fields", "-e", "ip.len")
    assert len(arrived) == queue["arrivals"] and sum(int(row[0]) for row in arrived) == queue["arrived_bytes"]
    left = tmp_path / "left.pcapng"
    dumbbell("export", "pcapng", run, "--at", "bottleneck", "--departed", "-o", left)
    assert len(tshark(left, "-T", "fields", "-e", "ip.len")) == queue["departures"]
    marks = tshark(left, "-Y", "ip.dsfield.ecn == 3")
    assert len(marks) == len([h for h in _hops(run) if h["reason"] and h["dropped_ps"] is None and h["departed_ps"]])


def _hops(run: Path) -> list[dict[str, Any]]:
    return polars.read_parquet(run / "hops.parquet").filter(polars.col("link") == "bottleneck").to_dicts()


def test_scripts_for_ns2_work(run: Path, summary: dict[str, dict[str, Any]], packets: polars.DataFrame) -> None:
    trace = run / "all.tr"
    dumbbell("export", "ns2", run, "-o", trace)
    plan = json.loads(polars.read_parquet_metadata(run / "packets.parquet")["dumbbell.plan"])
    for number, flow in enumerate(plan["flows"], 1):
        ours = summary[flow["name"]]
        kind = "cbr" if ours["cc"] is None else "tcp"
        script = f"""
            $1 == "+" && $3 == src && $8 == fid && $5 == "{kind}" {{ sent++ }}
            $1 == "r" && $4 == dst && $8 == fid && $5 == "{kind}" {{ packets++; bytes += $6; last = $2 }}
            $1 == "d" && $8 == fid && $5 == "{kind}" {{ drops++ }}
            $1 == "r" && $4 == dst && $8 == fid && $7 ~ /E/ {{ marks++ }}
            END {{ print sent + 0, packets + 0, bytes + 0, drops + 0, marks + 0 }}
        """
        variables = {"fid": number, "src": flow["from"], "dst": flow["to"]}
        assignments = [word for key, value in variables.items() for word in ("-v", f"{key}={value}")]
        done = subprocess.run(["awk", *assignments, script, trace], capture_output=True, text=True, check=True)
        sent, got, size, drops, marks = map(int, done.stdout.split())
        assert (sent, got, drops, marks) == tuple(
            ours[key] for key in ("sent_packets", "delivered_packets", "lost_packets", "marks")
        )
        arrived = packets.filter(
            (polars.col("flow") == flow["name"])
            & (polars.col("from") == "sender")
            & polars.col("delivered_ps").is_not_null()
        )
        assert size == arrived["ip_len_bytes"].sum()
        assert arrived["payload_bytes"].sum() * 8 / 20 == pytest.approx(ours["throughput_bps"], rel=1e-12)
    done = subprocess.run(["awk", "$2 < t { exit 1 } { t = $2 } NF != 12 { exit 2 }", trace])
    assert done.returncode == 0


def test_departures_are_a_trace_of_mahimahi(run: Path, tmp_path: Path) -> None:
    trace = tmp_path / "link.trace"
    dumbbell("export", "mahimahi", run, "--at", "bottleneck", "-o", trace)
    opportunities = [int(line) for line in trace.read_text().splitlines()]
    sizes = {(p["flow"], p["from"], p["packet"]): p["ip_len_bytes"] for p in _packets(run)}
    left = sorted((h["departed_ps"], sizes[h["flow"], h["from"], h["packet"]]) for h in _hops(run) if h["departed_ps"])
    # An opportunity is 1500 bytes; one comes at the first whole millisecond at which they are through.
    through, expected = 0, []
    for ps, size in left:
        through += size
        while through >= 1500:
            through -= 1500
            expected.append(-(-ps // 10**9))
    assert opportunities == expected and len(expected) > 5000
    assert "name the link" in dumbbell("export", "mahimahi", run, code=2).stderr


def _packets(run: Path) -> list[dict[str, Any]]:
    return polars.read_parquet(run / "packets.parquet").to_dicts()


def test_ns2_traces_are_read_back(run: Path, summary: dict[str, dict[str, Any]]) -> None:
    trace = run / "again.tr"
    dumbbell("export", "ns2", run, "-o", trace)
    found = json.loads(dumbbell("read", trace, "--json").stdout)
    for flow, ours in zip(found["flows"], summary.values(), strict=True):
        kind = "cbr" if ours["cc"] is None else "tcp"
        read = tuple(flow[key].get(kind, 0) for key in ("sent_packets", "received_packets", "dropped_packets"))
        assert read == tuple(ours[key] for key in ("sent_packets", "delivered_packets", "lost_packets"))


@pytest.mark.parametrize("table", ["flows", "queues", "signals", "reactions", "packets", "hops"])
def test_csv_has_every_row_and_value(run: Path, table: str) -> None:
    text = dumbbell("export", "csv", run, "--table", table).stdout
    assert "\r\n" not in text  # subprocess has made them \n: see below
    found = list(csv.DictReader(io.StringIO(text)))
    frame = polars.read_parquet(run / f"{table}.parquet")
    assert list(found[0]) == frame.columns
    assert len(found) == frame.height
    for name in frame.columns:
        ours = frame[name].to_list()
        read = [row[name] for row in found]
        if frame[name].dtype.is_numeric():
            assert [None if x == "" else float(x) for x in read] == ours, name
        elif frame[name].dtype == polars.Boolean:
            assert read == [str(x).lower() for x in ours]
        else:
            assert read == ["" if x is None else str(x) for x in ours]


def test_csv_of_the_summary_and_of_one_flow(run: Path, summary: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    dumbbell("export", "csv", run, "-o", tmp_path / "flows.csv")
    data = (tmp_path / "flows.csv").read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") == 1 + len(summary)
    found = list(csv.DictReader(io.StringIO(data.decode())))
    assert {row["name"]: float(row["goodput_bps"]) for row in found} == {
        n: f["goodput_bps"] for n, f in summary.items()
    }
    queues = list(csv.DictReader(io.StringIO(dumbbell("export", "csv", run, "--table", "summary_queues").stdout)))
    assert "drops_overflow" in queues[0]
    one = list(csv.DictReader(io.StringIO(dumbbell("export", "csv", run, "--table", "flows", "--flow", "ends").stdout)))
    assert {row["flow"] for row in one} == {"ends"}


def test_flent_reads_and_plots(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.flent.gz"
    done = dumbbell("export", "flent", run, "-o", file)
    assert "1 flows of UDP are left out" in done.stderr
    flent = [sys.executable, "-m", "flent", "-i", file]
    table = subprocess.run([*flent, "-f", "csv"], capture_output=True, text=True, check=True).stdout
    found = list(csv.DictReader(io.StringIO(table)))
    series = polars.read_parquet(run / "flows.parquet").filter(polars.col("flow") == "selective")
    read = [float(row["TCP upload::1"]) for row in found if row["TCP upload::1"]]
    assert read == [bps / 1e6 for bps in series["goodput_bps"] if bps is not None]
    for plot in ("totals", "upload", "tcp_rtt", "tcp_cwnd"):
        picture = tmp_path / f"{plot}.png"
        done = subprocess.run(
            [*flent, "-f", "plot", "-p", plot, "-o", picture], capture_output=True, text=True, check=True
        )
        assert picture.stat().st_size > 10_000, done.stderr
        assert "Traceback" not in done.stderr


def test_what_is_not_there_is_named(run: Path, tmp_path: Path) -> None:
    for words, said in [
        (["pcapng", run, "--flow", "selectiv"], "did you mean `selective`?"),
        (["pcapng", run, "--at", "bottlenek"], "did you mean `bottleneck`?"),
        (["pcapng", run, "--at", "sender", "--departed"], "`sender` is no link"),
        (["pcapn", run], "did you mean `pcapng`?"),
        (["csv", run, "--table", "packet"], "did you mean `packets`?"),
        (["csv", run, "--snaplen", "9"], "--snaplen is of no use to the format `csv`"),
        (["csv", tmp_path / "none"], "there is no result directory"),
        (["ns2", run, "--at", "selective"], "there is no link"),
    ]:
        assert said in dumbbell("export", *words, "-o", tmp_path / "out", code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_results_without_packets_say_how_to_record_them(tmp_path: Path) -> None:
    file = tmp_path / "net.toml"
    file.write_text(SCENARIO.split("[record]")[0].replace("20 s", "1 s"))
    dumbbell("run", file, "--out", tmp_path / "bare")
    done = dumbbell("export", "pcapng", tmp_path / "bare", "-o", tmp_path / "x", code=2)
    assert "has no record of packets" in done.stderr and "record.packets=true" in done.stderr
    dumbbell("run", file, "-s", "record.packets=true", "--replications", "2", "--out", tmp_path / "many")
    done = dumbbell("export", "pcapng", tmp_path / "many", "-o", tmp_path / "x", code=2)
    assert "holds 2 runs" in done.stderr and "seed-1" in done.stderr


def test_a_damaged_record_is_named(run: Path, tmp_path: Path) -> None:
    data = (run / "packets.parquet").read_bytes()
    for name, broken in (("cut", data[: len(data) // 2]), ("noise", data[:1000] + bytes(5000) + data[6000:])):
        there = tmp_path / name
        there.mkdir()
        (there / "packets.parquet").write_bytes(broken)
        done = dumbbell("export", "pcapng", there, "-o", there / "x.pcapng", code=1)
        assert "packets.parquet is damaged" in done.stderr
        assert not (there / "x.pcapng").exists()
