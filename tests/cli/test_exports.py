"""Exports for awk, mm-link, flent and spreadsheets hold what was recorded; what is missing or
damaged is named."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars
import pytest
from helpers.exports import SCENARIO, dumbbell, hops, in_order, said


def test_scripts_for_ns2_work(
    exported: Path, summary: dict[str, dict[str, Any]], packets: polars.DataFrame
) -> None:
    trace = exported / "all.tr"
    dumbbell("export", "ns2", exported, "-o", trace)
    plan = json.loads(polars.read_parquet_metadata(exported / "packets.parquet")["dumbbell.plan"])
    for number, flow in enumerate(plan["flows"], 1):
        ours = summary[flow["name"]]
        kind = "cbr" if ours["cc"] is None else "tcp"
        script = f"""
            $1 == "+" && $3 == src && $8 == fid && $5 == "{kind}" {{ sent++ }}
            $1 == "r" && $4 == dst && $8 == fid && $5 == "{kind}" {{
                packets++; bytes += $6; last = $2
            }}
            $1 == "d" && $8 == fid && $5 == "{kind}" {{ drops++ }}
            $1 == "r" && $4 == dst && $8 == fid && $7 ~ /E/ {{ marks++ }}
            END {{ print sent + 0, packets + 0, bytes + 0, drops + 0, marks + 0 }}
        """
        variables = {"fid": number, "src": flow["from"], "dst": flow["to"]}
        assignments = [
            word for key, value in variables.items() for word in ("-v", f"{key}={value}")
        ]
        done = subprocess.run(
            ["awk", *assignments, script, trace], capture_output=True, text=True, check=True
        )
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
        assert arrived["payload_bytes"].sum() * 8 / 20 == pytest.approx(
            ours["throughput_bps"], rel=1e-12
        )
    done = subprocess.run(["awk", "$2 < t { exit 1 } { t = $2 } NF != 12 { exit 2 }", trace])
    assert done.returncode == 0


def test_departures_are_a_trace_of_mahimahi(exported: Path, tmp_path: Path) -> None:
    trace = tmp_path / "link.trace"
    dumbbell("export", "mahimahi", exported, "--at", "bottleneck", "-o", trace)
    opportunities = [int(line) for line in trace.read_text().splitlines()]
    sizes = {(p["flow"], p["from"], p["packet"]): p["ip_len_bytes"] for p in _packets(exported)}
    left = sorted(
        (h["departed_ps"], sizes[h["flow"], h["from"], h["packet"]])
        for h in hops(exported)
        if h["departed_ps"]
    )
    # An opportunity is 1500 bytes; one comes at the first whole millisecond at which they are
    # through.
    through, expected = 0, []
    for ps, size in left:
        through += size
        while through >= 1500:
            through -= 1500
            expected.append(-(-ps // 10**9))
    assert opportunities == expected and len(expected) > 5000
    assert "name the link" in said(dumbbell("export", "mahimahi", exported, code=2))


def _packets(exported: Path) -> list[dict[str, Any]]:
    return polars.read_parquet(exported / "packets.parquet").to_dicts()


def test_ns2_traces_are_read_back(exported: Path, summary: dict[str, dict[str, Any]]) -> None:
    trace = exported / "again.tr"
    dumbbell("export", "ns2", exported, "-o", trace)
    found = json.loads(dumbbell("read", trace, "--json").stdout)
    for flow, ours in zip(found["flows"], summary.values(), strict=True):
        kind = "cbr" if ours["cc"] is None else "tcp"
        read = tuple(
            flow[key].get(kind, 0)
            for key in ("sent_packets", "received_packets", "dropped_packets")
        )
        assert read == tuple(
            ours[key] for key in ("sent_packets", "delivered_packets", "lost_packets")
        )


@pytest.mark.parametrize(
    "table", ["flows", "queues", "signals", "reactions", "packets", "hops", "acks"]
)
def test_csv_has_every_row_and_value(exported: Path, table: str) -> None:
    text = dumbbell("export", "csv", exported, "--table", table).stdout
    found = list(csv.DictReader(io.StringIO(text)))
    frame = in_order(exported / f"{table}.parquet")
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


def test_csv_of_the_summary_and_of_one_flow(
    exported: Path, summary: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    dumbbell("export", "csv", exported, "-o", tmp_path / "flows.csv")
    data = (tmp_path / "flows.csv").read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") == 1 + len(summary)
    found = list(csv.DictReader(io.StringIO(data.decode())))
    assert {row["name"]: float(row["goodput_bps"]) for row in found} == {
        n: f["goodput_bps"] for n, f in summary.items()
    }
    queues = list(
        csv.DictReader(
            io.StringIO(dumbbell("export", "csv", exported, "--table", "summary_queues").stdout)
        )
    )
    assert "drops_overflow" in queues[0]
    one = list(
        csv.DictReader(
            io.StringIO(
                dumbbell("export", "csv", exported, "--table", "flows", "--flow", "ends").stdout
            )
        )
    )
    assert {row["flow"] for row in one} == {"ends"}


def test_flent_reads_and_plots(exported: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.flent.gz"
    done = dumbbell("export", "flent", exported, "-o", file)
    assert "1 of the flows are UDP and left out" in done.stderr
    flent = [sys.executable, "-m", "flent", "-i", file]
    subprocess.run(
        [*flent, "-f", "csv", "-o", tmp_path / "table.csv"], capture_output=True, check=True
    )
    found = list(csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text())))
    series = polars.read_parquet(exported / "flows.parquet").filter(
        polars.col("flow") == "selective"
    )
    read = [float(row["TCP upload::1"]) for row in found if row["TCP upload::1"]]
    assert read == [bps / 1e6 for bps in series["goodput_bps"] if bps is not None]
    for plot in ("totals", "upload", "tcp_rtt", "tcp_cwnd"):
        picture = tmp_path / f"{plot}.png"
        done = subprocess.run(
            [*flent, "-f", "plot", "-p", plot, "-o", picture],
            capture_output=True,
            text=True,
            check=True,
        )
        assert picture.stat().st_size > 10_000, done.stderr
        assert "Traceback" not in done.stderr


def test_what_is_not_there_is_named(exported: Path, tmp_path: Path) -> None:
    for words, text in [
        (["pcapng", exported, "--flow", "selectiv"], "did you mean `selective`?"),
        (["pcapng", exported, "--at", "bottlenek"], "did you mean `bottleneck`?"),
        (["pcapng", exported, "--at", "sender", "--departed"], "`sender` is not a link"),
        (["pcapgn", exported], "did you mean `pcapng`?"),
        (["csv", exported, "--table", "packet"], "did you mean `packets`?"),
        (["csv", exported, "--snaplen", "9"], "--snaplen does not apply to the format `csv`"),
        (["csv", tmp_path / "none"], "there is no result directory"),
        (["ns2", exported, "--at", "selective"], "there is no link"),
    ]:
        assert text in said(dumbbell("export", *words, "-o", tmp_path / "out", code=2))
    assert list(tmp_path.iterdir()) == []


def test_a_result_without_packets_is_repeated(tmp_path: Path) -> None:
    file = tmp_path / "net.toml"
    file.write_text(SCENARIO.split("[record]")[0].replace("20 s", "4 s"))
    dumbbell("run", file, "--out", tmp_path / "bare")
    done = dumbbell("export", "pcapng", tmp_path / "bare", "-o", tmp_path / "x")
    assert "has no recorded packets: repeated the run" in said(done)
    recorded = ("-s", "record.packets=true", "--out", tmp_path / "recorded")
    dumbbell("run", file, *recorded)
    dumbbell("export", "pcapng", tmp_path / "recorded", "-o", tmp_path / "y")
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()
    dumbbell(
        "run", file, "-s", "record.packets=true", "--replications", "2", "--out", tmp_path / "many"
    )
    done = dumbbell("export", "pcapng", tmp_path / "many", "-o", tmp_path / "x", code=2)
    assert "holds 2 runs" in said(done) and "seed-1" in said(done)


@pytest.mark.parametrize("format", ["pcapng", "perfetto", "qlog"])
def test_a_damaged_record_is_named(format: str, exported: Path, tmp_path: Path) -> None:
    data = (exported / "packets.parquet").read_bytes()
    for name, broken in (
        ("cut", data[: len(data) // 2]),
        ("noise", data[:1000] + bytes(5000) + data[6000:]),
    ):
        there = tmp_path / name
        there.mkdir()
        (there / "packets.parquet").write_bytes(broken)
        done = dumbbell("export", format, there, "-o", there / "x", code=3)
        assert "packets.parquet is damaged" in said(done)
        assert not (there / "x").exists()


def test_csv_of_one_flow_has_no_other(exported: Path, tmp_path: Path) -> None:
    text = dumbbell("export", "csv", exported, "--flow", "ends").stdout
    assert [row["name"] for row in csv.DictReader(io.StringIO(text))] == ["ends"]
    for table, flow, says in [
        ("summary_flows", "end", "did you mean `ends`?"),
        ("summary_queues", "ends", "has no flows"),
        ("queues", "ends", "has no flows"),
        ("signals", "end", "did you mean `ends`?"),
    ]:
        done = dumbbell("export", "csv", exported, "--flow", flow, "--table", table, code=2)
        assert done.stdout == ""
        assert says in said(done)


def test_csv_of_a_point_and_of_a_seed_is_its_part_of_the_summary(tmp_path: Path) -> None:
    file, out = tmp_path / "net.toml", tmp_path / "out"
    file.write_text(SCENARIO.replace("20 s", "4 s"))
    words = ("-o", "queue.limit=20 pkt,30 pkt", "--replications", "2", "--no-store", "--out", out)
    dumbbell("sweep", file, *words)
    points = json.loads((out / "summary.json").read_text())["points"]
    seed = points[1]["runs"][1]
    text = dumbbell("export", "csv", out / "point-2" / f"seed-{seed['seed']}").stdout
    found = list(csv.DictReader(io.StringIO(text)))
    assert [(r["queue.limit"], r["name"], float(r["goodput_bps"])) for r in found] == [
        ("30 pkt", f["name"], f["goodput_bps"]) for f in seed["flows"]
    ]
    text = dumbbell("export", "csv", out / "point-1", "--flow", "plain").stdout
    (row,) = csv.DictReader(io.StringIO(text))
    (flow,) = (f for f in points[0]["flows"] if f["name"] == "plain")
    assert (row["queue.limit"], float(row["goodput_bps"])) == (
        "20 pkt",
        flow["goodput_bps"]["mean"],
    )


def test_a_file_that_cannot_be_made_is_the_one_that_was_named(
    exported: Path, tmp_path: Path
) -> None:
    done = dumbbell("export", "csv", exported, "-o", tmp_path / "none" / "x", code=1)
    assert "No such file" in said(done)
    assert ".growing-" not in done.stderr.replace("\n", "").replace(" ", "").replace("│", "")
