"""Captures, flent's data and live runs on the page of `view`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import dumbbell
import polars
import pytest
from conftest import unsealed
from dumbbell.data import captures, flent
from dumbbell.view import page
from dumbbell.view.results import Which
from helpers.exports import dumbbell as command
from helpers.simulated_kernels import block

JSON = dict[str, Any]
_SCENARIO: JSON = {
    "duration": "8 s",
    "warmup": "2 s",
    "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "10 ms"}},
    "queue": {"kind": "red", "limit": "60 pkt"},
    "flow": [{"name": "near"}, {"name": "far", "rtt": "80 ms"}],
    "record": {"every": "20 ms", "drops": True, "packets": True},
}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded result, with a capture and a data file of flent beside it."""
    home = tmp_path_factory.mktemp("files")
    dumbbell.Scenario(_SCENARIO, name="two").run(out=home / "run")
    command("export", "pcapng", home / "run", "--snaplen", "96", "-o", home / "x.pcapng")
    command("export", "flent", home / "run", "-o", home / "x.flent.gz")
    return home / "run"


def _page(tmp_path: Path, *names: Path, **which: Any) -> tuple[str, JSON, list[str]]:
    """The page of these results: its text, its data (empty without panels), and what was said."""
    said = page.write([str(name) for name in names], tmp_path / "page.html", Which(**which))
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="dumbbell-view">(.*?)</script>', text)
    return text, json.loads(found[1]) if found else {}, said


def _panels(meta: JSON) -> dict[str, list[str]]:
    """The labels of the lines in each panel."""
    return {panel["id"]: [s["label"] for s in panel["series"]] for panel in meta["panels"]}


def test_a_capture_has_panels_events_and_sequences(result: Path, tmp_path: Path) -> None:
    file = result.parent / "x.pcapng"
    text, meta, said = _page(tmp_path, file)
    flows = [one.name for one in captures.carried(captures.directions(file))]
    assert said == [] and len(flows) == 2
    assert _panels(meta) == dict.fromkeys(["delay", "flight", "again", "goodput"], flows)
    assert [one["flow"] for one in meta["timeseq"]] == flows
    read = json.loads(command("read", file, "--json").stdout)
    again = {
        f"{c['a']['address']}:{c['a']['port']}": c["a"]["retransmits"] for c in read["connections"]
    }
    rows = {e["flow"].split(" ")[0]: meta["tables"][e["table"]]["rows"] for e in meta["events"]}
    assert rows == {name: number for name, number in again.items() if number}
    assert sum(rows.values()) > 3
    for name, number in again.items():
        assert re.search(rf"{re.escape(name)} &gt; \S+ sent {number} of \d+ segments again", text)
    assert f"dumbbell read {file}" in text and "<h2>Network</h2>" not in text


def test_bytes_in_flight_are_those_of_the_sender(result: Path) -> None:
    """From the packets of the run: the highest byte that was sent less the highest that was
    acknowledged."""
    from dumbbell.view.captures import _in_flight

    packets = polars.read_parquet(result / "packets.parquet").with_columns(
        polars.selectors.categorical().cast(polars.String)
    )
    start = packets["sent_ps"].min()
    assert isinstance(start, int)
    found = captures.carried(captures.directions(result.parent / "x.pcapng", segments=True))
    for name, one in zip(("near", "far"), found, strict=True):
        mine = packets.filter(polars.col("flow") == name)
        sent = mine.filter((polars.col("from") == "sender") & (polars.col("payload_bytes") > 0))
        heard = mine.filter((polars.col("from") == "receiver") & mine["delivered_ps"].is_not_null())
        points = [point for point in _in_flight(one) if point[0] > 1]
        for time, value in points[:: len(points) // 50]:
            at = time * 1e12 + start + 1000  # Captures have nanoseconds.
            before = sent.filter(polars.col("sent_ps") <= at)
            highest = (before["seq"] + before["payload_bytes"]).max()
            known = heard.filter(polars.col("delivered_ps") <= at)["ack"].max()
            later = sent.filter(polars.col("sent_ps").is_between(at - 2000, at))
            assert value == highest - known or later.height, (name, time)  # Several at an instant.


def test_flents_data_are_its_series(result: Path, tmp_path: Path) -> None:
    file = result.parent / "x.flent.gz"
    text, meta, _ = _page(tmp_path, file)
    names = [flow.name for flow in flent.read(file).flows]
    assert _panels(meta) == dict.fromkeys(["delay", "cwnd", "goodput"], names)
    goodput = next(p for p in meta["panels"] if p["id"] == "goodput")
    assert goodput["title"] == "Goodput, means over 0.02 s"
    assert "tcp_nup" in text and "2 flows share" in text


def test_pings_of_flent_are_a_line_of_their_own(tmp_path: Path) -> None:
    document = {
        "version": 4,
        "x_values": [0.0, 0.2, 0.4],
        "results": {"Ping (ms) ICMP": [10.0, 12.0, None]},
        "metadata": {"TITLE": "<b>x", "SERIES_META": {"Ping (ms) ICMP": {"UNITS": "ms"}}},
    }
    (tmp_path / "p.flent").write_text(json.dumps(document))
    text, meta, _ = _page(tmp_path, tmp_path / "p.flent")
    assert _panels(meta) == {"delay": ["ping"]}
    assert "The median of 2 pings is 11 ms." in text and "<b>x" not in text


def test_files_stand_beside_a_result(result: Path, tmp_path: Path) -> None:
    home = result.parent
    _, meta, _ = _page(tmp_path, result, home / "x.pcapng", home / "x.flent.gz")
    assert [run["label"] for run in meta["runs"]] == [
        str(result), str(home / "x.pcapng"), str(home / "x.flent.gz"),
    ]  # fmt: skip
    window = next(p for p in meta["panels"] if p["id"] == "cwnd")
    roles = [{s["role"] for s in window["series"] if s["run"] == run} for run in (0, 2)]
    assert {"near", "far"} <= roles[0] & roles[1]
    colors = {meta["look"][s["look"]]["color"] for s in window["series"] if s["run"] == 2}
    assert len(colors) == 1


def test_of_many_flows_the_largest_are_shown(tmp_path: Path) -> None:
    flows = [{"name": "a", "count": 12, "start_spread": "1 s"}]
    many = {**_SCENARIO, "flow": flows, "duration": "3 s", "warmup": "1 s"}
    dumbbell.Scenario(many).run(out=tmp_path / "many")
    command("export", "pcapng", tmp_path / "many", "-o", tmp_path / "x.pcapng")
    found = captures.carried(captures.directions(tmp_path / "x.pcapng"))
    least = min(found, key=lambda one: one.sent_bytes).name
    text, meta, _ = _page(tmp_path, tmp_path / "x.pcapng", flows=(least,))
    shown = [s["label"] for s in meta["switches"]]
    assert len(shown) == 9 and least in shown
    assert "3 flows with fewer bytes are not drawn" in text
    with pytest.raises(dumbbell.ScenarioError, match="has no flow `x`"):
        _page(tmp_path, tmp_path / "x.pcapng", flows=("x",))


def test_what_is_no_result_is_named(result: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("hello")
    with pytest.raises(dumbbell.ScenarioError, match=r"text\.txt is not a result"):
        _page(tmp_path, tmp_path / "text.txt")
    data = (result.parent / "x.pcapng").read_bytes()
    (tmp_path / "cut.pcapng").write_bytes(data[: len(data) // 2])
    with pytest.raises(dumbbell.CheckFailed, match=r"(?s)cut\.pcapng is damaged.*dumbbell read"):
        _page(tmp_path, tmp_path / "cut.pcapng")
    (tmp_path / "x.flent").write_text("{}")
    with pytest.raises(dumbbell.CheckFailed, match=r"x\.flent is damaged"):
        _page(tmp_path, tmp_path / "x.flent")
    assert not (tmp_path / "page.html").exists()


@pytest.fixture
def live(tmp_path: Path) -> Path:
    """A recorded result that says that it ran on real kernels."""
    dumbbell.Scenario(_SCENARIO, name="two").run(out=tmp_path / "live")
    unsealed(tmp_path / "live", on="kernel", validity=block())
    return tmp_path / "live"


def test_a_live_run_has_its_verdict_and_its_panels(live: Path, tmp_path: Path) -> None:
    text, meta, said = _page(tmp_path, live)
    assert said == []
    assert "It ran on real kernels and is valid, class exact" in text
    assert "--on kernel" in text and "<dd>real kernels" in text
    assert list(_panels(meta)) == ["queue", "probability", "delay", "cwnd", "goodput"]
    assert {one["flow"] for one in meta["timeseq"]} == {"near", "far"}


def test_a_live_run_that_is_not_valid_says_so_first(live: Path, tmp_path: Path) -> None:
    unsealed(live, validity=block("the router was late"))
    text, _, _ = _page(tmp_path, live)
    at = text.index("NOT VALID: the router was late")
    assert at < text.index("2 flows share")


def test_a_live_run_without_series_has_what_its_packets_tell(live: Path, tmp_path: Path) -> None:
    whole = _page(tmp_path, live)[1]
    for name in ("flows", "queues"):
        (live / f"{name}.parquet").unlink()
    text, meta, said = _page(tmp_path, live)
    assert "a run on real kernels cannot be repeated" in said[0] and "record.every" in said[0]
    assert "cannot be repeated" in text
    assert _panels(meta) == {
        "queue": ["bottleneck"],
        **{panel: ["near", "far"] for panel in ("delay", "flight", "again", "goodput")},
    }
    assert [e["flow"] for e in meta["events"]] == [e["flow"] for e in whole["events"]]
    assert [e["flow"] for e in meta["timeseq"]] == [e["flow"] for e in whole["timeseq"]]


def test_a_live_run_without_records_has_its_tables(live: Path, tmp_path: Path) -> None:
    for file in live.glob("*.parquet"):
        file.unlink()
    text, meta, said = _page(tmp_path, live)
    assert meta == {} and "cannot be repeated" in said[0]
    assert "valid, class exact" in text and ">Tables</h2>" in text
