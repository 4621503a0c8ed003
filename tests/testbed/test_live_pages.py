"""The page of a run on real kernels, which cannot be repeated: a short run, of which only the
packets are recorded."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars
import pytest
from helpers.live.kernels import need_kernels
from helpers.scenarios import LIVE
from test_testbed_live import dumbbell


@pytest.fixture(scope="module", autouse=True)
def kernels() -> None:
    """Skips, or fails where the machine must be able to."""
    need_kernels()


def test_a_live_run_writes_the_page_of_view(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(LIVE)
    words = ("--on", "kernel", "-s", "record.packets=true", "--out", tmp_path / "run")
    code, _, err = dumbbell("run", tmp_path / "one.toml", *words, "--page", tmp_path / "page.html")
    assert code in (0, 5), err
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="dumbbell-view">(.*?)</script>', text)
    assert found and "ran on real kernels and is" in text
    meta = json.loads(found[1])
    shown = {p["id"]: [s["label"] for s in p["series"]] for p in meta["panels"]}
    assert shown.pop("queue") == ["bottleneck"]
    assert shown == {panel: ["a"] for panel in ("delay", "flight", "again", "goodput")}
    assert [one["flow"] for one in meta["timeseq"]] == ["a"]


def test_data_packets_of_a_live_run_have_their_payload(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(LIVE)
    words = ("--on", "kernel", "-s", "record.packets=true", "-s", 'record.every="100 ms"')
    code, _, err = dumbbell("run", tmp_path / "one.toml", *words, "--out", tmp_path / "run")
    assert code in (0, 5), err
    packets = polars.read_parquet(tmp_path / "run" / "packets.parquet")
    data = (packets["from"].cast(str) == "sender") & (packets["payload_bytes"] > 0)
    mine = packets.filter(data)
    headers = mine["ip_len_bytes"] - mine["payload_bytes"]
    assert headers.unique().to_list() == [52] and mine.height > 100  # With timestamps.
    received = polars.read_parquet(tmp_path / "run" / "flows.parquet")["received_bytes"][-1]
    arrived = mine.filter(mine["delivered_ps"].is_not_null())["payload_bytes"].sum()
    assert abs(arrived - received) <= 2 * 1448  # Those that arrive after the last sample.
    for name in ("perfetto", "qlog"):
        code, _, err = dumbbell("export", name, tmp_path / "run", "-o", tmp_path / name)
        assert code == 0, err
    (trace,) = json.loads((tmp_path / "qlog").read_text())["traces"]
    sent = [e for e in trace["events"] if e["name"] == "transport:packet_sent"]
    assert sum("frames" in e["data"] for e in sent) == mine.height
