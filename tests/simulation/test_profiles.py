"""Profiles and markers as people see them: results, records, tables, figures, drawings, answers,
exports. Datagrams at a constant rate are the check: what is IN, what is lost of the tokens and how
long packets are held has closed forms."""

from __future__ import annotations

import csv
import json
import struct
from pathlib import Path
from typing import Any

import dumbbell
import polars as pl
import pytest
from dumbbell import ScenarioError, cli
from dumbbell.explain import why
from dumbbell.models import codepoints
from dumbbell.present import network
from helpers.recorded_runs import rows

WINDOW_S = 8.0
PACKET = 1000
"""Bytes of an IP packet: a payload of 972 and 28 of headers."""

CONSTANT = {
    "duration": "10 s",
    "warmup": "2 s",
    "dumbbell": {
        "bottleneck": {
            "rate": "10 Mbps",
            "delay": "5 ms",
            "conditioner": {"kind": "token_bucket", "per": "flow"},
        },
        "access": {"rate": "100 Mbps"},
    },
    "queue": {"kind": "drop_tail", "limit": "50 pkt"},
}


def constant(name: str, kbps: float, reserved: str | None = "1 Mbps") -> dict[str, Any]:
    """A flow of `kbps` kbit/s of IP packets, with a reservation over 24 ms."""
    source = {"kind": "cbr", "rate": f"{kbps * 0.972} kbps", "packet": "972 B"}
    flow = {"name": name, "transport": "udp", "source": source, "rtt": "24 ms"}
    return flow | ({"reserved": reserved} if reserved else {})


def scenario(*flows: dict[str, Any], conditioner: Any = None, **changes: Any) -> dumbbell.Scenario:
    tables = {**CONSTANT, "flow": list(flows), **changes}
    if conditioner is not None:
        bottleneck = CONSTANT["dumbbell"]["bottleneck"]  # type: ignore[index]
        neck = {**bottleneck, "conditioner": conditioner}
        tables["dumbbell"] = {**CONSTANT["dumbbell"], "bottleneck": neck}  # type: ignore[dict-item]
    return dumbbell.Scenario(tables, name="profiles")


@pytest.fixture(scope="module")
def result() -> dumbbell.Result:
    """One flow above its reservation, one below, one without."""
    return scenario(
        constant("above", 2500), constant("below", 400), constant("none", 1000, None)
    ).run()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Connections before a data buffer, with every record."""
    out = tmp_path_factory.mktemp("profiles") / "run"
    held = {"kind": "data_buffer", "per": "flow", "tokens": "packet", "packet_size": "1 kB"}
    flows = [
        {"name": "gold", "count": 2, "reserved": "2 Mbps", "rtt": "40 ms"},
        {"name": "be", "rtt": "40 ms"},
    ]
    tables = {**CONSTANT, "flow": flows, "profile": "ns2", "tcp": {"mss": "960 B"}}
    tables["record"] = {"every": "20 ms", "markers": True, "packets": True}
    tables["dumbbell"] = {
        **CONSTANT["dumbbell"],
        "bottleneck": {"rate": "10 Mbps", "delay": "5 ms", "conditioner": held},
    }  # type: ignore[dict-item]
    assert dumbbell.Scenario(tables, name="held").run(out=out).valid
    return out


def about(x: Any, expected: float, packets: float = 2) -> bool:
    """To so many packets of the window."""
    return abs(float(x) - expected) <= packets * PACKET * 8 / WINDOW_S


def test_in_is_the_reservation_or_all_that_there_is(result: dumbbell.Result) -> None:
    above, below, none = result.flows
    assert about(above.in_throughput_bps, 1e6)
    assert about(above.out_throughput_bps, 1.5e6)
    assert about(below.in_throughput_bps, 4e5)
    assert (below.out_throughput_bps, none.in_throughput_bps) == (0, 0)
    assert (above.reserved_bps, none.reserved_bps) == (1_000_000, None)
    for flow in result.flows:
        sent = float(flow.in_sent_packets) + float(flow.out_sent_packets)
        assert sent == float(flow.delivered_packets) + float(flow.lost_packets)


def test_tokens_that_nobody_used_are_lost(result: dumbbell.Result) -> None:
    above, below, none = result.markers
    assert result.markers["below"].as_dict() == below.as_dict()
    assert (above.tokens_made_bytes, above.tokens_lost_share) == (WINDOW_S * 125_000, 0)
    assert float(below.tokens_lost_share) == pytest.approx(1 - 0.4, abs=2 * PACKET / 1e6)
    assert not above.packet_tokens
    assert "tokens_made_bytes" not in none.as_dict()
    assert (below.link, below.kind, below.rule, below.reserved_bps) == (
        "bottleneck",
        "token_bucket",
        1,
        1_000_000,
    )
    assert about(above.in_rate_bps, 1e6)
    assert (below.held_packets, below.holding_mean_s) == (0, None)


def test_queues_tell_colours_apart(result: dumbbell.Result) -> None:
    (queue,) = result.queues
    assert float(queue.arrivals_in) + float(queue.arrivals_out) == queue.arrivals
    assert float(queue.arrivals_in) == sum(float(m.in_packets) for m in result.markers)
    assert (queue.drops_in, queue.drops_out) == (0, 0)


def test_replications_have_intervals() -> None:
    several = scenario(constant("s", 2500)).run(replications=3)
    (marker,) = several.markers
    assert isinstance(marker.in_packets, dumbbell.Interval)
    assert (marker.flow, marker.in_packets.n) == ("s", 3)
    tidy = pl.DataFrame(several.summary("markers"))
    assert tidy["in_packets"].to_list() == [run.markers[0].in_packets for run in several.runs]
    assert several.flows["s"].interval("target_bps").mean == 1e7


# Targets.

FIRST = {**{f"as.{i}": "1 Mbps" for i in range(6)}, **{f"be.{i}": None for i in range(6)}}
SECOND = {f"{r}.{i}": f"{r} Mbps" for r in (2, 1, 0.5, 0.1) for i in (1, 2)} | {
    "be.1": None,
    "be.2": 0,
}


def test_targets_are_those_of_the_paper() -> None:
    """Choi and Kim 2001, equations 1 and 2: experiments 1, 2 and 3."""
    first = dumbbell.target_rates(FIRST, "10 Mbps")
    assert first["as.3"] == pytest.approx(1e6 + 4e6 / 12)
    assert first["be.3"] == pytest.approx(4e6 / 12)
    vectors = {
        "12 Mbps": (2.48, 1.48, 0.98, 0.58, 0.48),
        "8 Mbps": (2.08, 1.08, 0.58, 0.18, 0.08),
        "6 Mbps": (1.66667, 0.83333, 0.41667, 0.08333, 0),
    }
    for link, wanted in vectors.items():
        targets = dumbbell.target_rates(SECOND, link)
        found = [targets[name] / 1e6 for name in ("2.1", "1.2", "0.5.1", "0.1.2", "be.2")]
        assert found == pytest.approx(wanted, abs=1e-5), link
        assert sum(targets.values()) == pytest.approx(float(link.split()[0]) * 1e6)
    third = dumbbell.target_rates(
        {**{f"a{i}": 1e6 for i in range(8)}, **{f"b{i}": 0.0 for i in range(8)}}, 14e6
    )
    assert (third["a1"], third["b1"]) == pytest.approx((1.375e6, 0.375e6))


def test_targets_of_a_result_are_in_the_result(result: dumbbell.Result) -> None:
    targets = dumbbell.target_rates(result, "10 Mbps")
    assert [flow.target_bps for flow in result.flows] == pytest.approx(list(targets.values()))
    whole = {f.name: float(f.in_throughput_bps) + float(f.out_throughput_bps) for f in result.flows}
    away = [abs(whole[name] - target) for name, target in targets.items()]
    mean = sum(a / t for a, t in zip(away, targets.values(), strict=True)) / len(away)
    assert result.totals.target_error_mean == pytest.approx(mean)
    assert result.totals.target_error_sum_bps == pytest.approx(sum(away))


@pytest.mark.parametrize(
    ("reserved", "link"),
    [({}, "1 Mbps"), ({"s": "much"}, "1 Mbps"), ({"s": 1}, "fast"), ({"s": -1}, 1)],
)
def test_what_is_no_rate_is_refused(reserved: dict[str, Any], link: Any) -> None:
    with pytest.raises(ScenarioError):
        dumbbell.target_rates(reserved, link)


# Without profiles.


def test_without_profiles_results_are_what_they_were() -> None:
    plain = {
        **CONSTANT,
        "flow": [constant("s", 400, None)],
        "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "5 ms"}},
    }
    found = dumbbell.Scenario(plain).run().json
    assert "markers" not in found
    assert not [
        key for key in found["flows"][0] if key.startswith(("in_", "out_", "target", "reserved"))
    ]
    assert not [key for key in found["queues"][0] if key.startswith(("arrivals_", "drops_"))]
    assert not [key for key in found["totals"] if key.startswith("target")]


# Tables and pages.


def test_the_tables_say_it(result: dumbbell.Result) -> None:
    text = result.table()
    assert "Profiles" in text
    assert "from their targets on average" in text
    (line,) = [
        line
        for line in text.splitlines()
        if line.strip().startswith("below") and "token_bucket" in line
    ]
    assert line.split()[:3] == ["below", "bottleneck", "token_bucket"]
    assert "60" in line  # % of the tokens.
    page = result._repr_html_()
    assert "Markers" in page
    assert "tokens lost [%]" in page


def test_a_network_shows_its_edges() -> None:
    rules = [
        {"kind": "token_bucket", "flows": ["above"], "per": "flow", "in": "ef", "out": "drop"},
        {"kind": "token_bucket", "dscp": ["be", "cs1"], "rate": "1 Mbps", "burst": "10 kB"},
    ]
    shown = scenario(constant("above", 2500), constant("none", 10, None), conditioner=rules)
    plan = shown.check(points=1)[0]["plan"]
    text = (
        "token_bucket per flow of above, IN ef, OUT drop; token_bucket with be, cs1, IN "
        "af11, OUT af12"
    )
    assert (
        network.edge_text(
            plan, next(link for link in plan["links"] if link["name"] == "bottleneck")
        )
        == text
    )
    assert f"edge at left: {text}" in network.drawing(plan)
    assert f"edge: {text}" in network.dot(plan)
    assert any(text in row for row in network.link_rows(plan))
    assert text in shown._repr_html_()


def test_codepoints_have_the_names_of_the_rfcs() -> None:
    names = {
        0: "be",
        1: "le",
        8: "cs1",
        10: "af11",
        12: "af12",
        14: "af13",
        22: "af23",
        38: "af43",
        44: "va",
        46: "ef",
    }
    assert {number: codepoints.name(number) for number in names} == names
    assert (codepoints.name(48), codepoints.name(9), codepoints.name(42)) == ("cs6", "9", "42")


# Records.


def test_the_series_agrees_with_the_summary(recorded: Path) -> None:
    found = dumbbell.Result.load(recorded)
    series = rows(recorded, "markers")
    assert series.columns == [
        "time_s",
        "link",
        "rule",
        "flow",
        "tokens",
        "tokens_lost",
        "held",
        "in_packets",
        "out_packets",
    ]
    assert pl.DataFrame(found.series("markers"))["link"].unique().to_list() == ["bottleneck"]
    for marker in found.markers:
        mine = series.filter(pl.col("flow") == marker.flow)
        assert mine["time_s"].to_list() == pytest.approx([0.02 * i for i in range(501)])
        window = mine.filter(pl.col("time_s") >= 2.0 - 1e-9)
        for column in ("in_packets", "out_packets"):
            # A row comes behind a token that is made at its instant, and the one at 2 s is the
            # window's.
            assert marker.as_dict()[column] - (window[column][-1] - window[column][0]) in (0, 1), (
                marker.flow
            )
        if marker.flow != "be":
            assert marker.packet_tokens
            lost = window["tokens_lost"][-1] - window["tokens_lost"][0]
            assert float(marker.tokens_lost_packets) == pytest.approx(lost, abs=1)
            # Little's law: what was held on average is how many there were, times how long each
            # stayed.
            held_s = float(marker.held_packets) * float(marker.holding_mean_s)
            assert held_s / WINDOW_S == pytest.approx(float(marker.held_mean_packets), rel=0.01)
            # A row comes right behind a token, so that it has less held and more tokens than the
            # mean.
            assert 0 <= window["held"].mean() <= float(marker.held_mean_packets) <= 3
            assert float(marker.tokens_mean_packets) <= 10
            # 2 Mbit/s are 250 packets a second, and three may wait: 12 ms.
            assert (
                0
                < float(marker.holding_mean_s)
                <= float(marker.holding_p99_s)
                <= float(marker.holding_max_s)
                <= 0.012
            )


def test_packets_have_their_codepoints(recorded: Path) -> None:
    packets, hops = rows(recorded, "packets"), rows(recorded, "hops")
    data = packets.filter((pl.col("from") == "sender") & (pl.col("flow") == "gold.1"))
    assert data["dscp"].unique().to_list() == [0]
    assert set(data["dscp_on_arrival"].drop_nulls()) == {10, 12}
    here = hops.filter(
        (pl.col("from") == "sender")
        & (pl.col("flow") == "gold.1")
        & (pl.col("link") == "bottleneck")
    )
    assert dict(here.group_by("colour").agg(pl.col("dscp").unique().first()).iter_rows()) == {
        "green": 10,
        "yellow": 12,
    }
    before = hops.filter(
        (pl.col("flow") == "gold.1") & (pl.col("from") == "sender") & (pl.col("link") == "s1-left")
    )
    links = (
        hops.filter((pl.col("flow") == "gold.1") & (pl.col("from") == "sender"))["link"]
        .unique()
        .to_list()
    )
    assert len(links) == 3, (links, before.height)
    marker = dumbbell.Result.load(recorded).markers["gold.1"]
    green = here.filter((pl.col("arrived_ps") >= 2 * 10**12) & (pl.col("colour") == "green"))
    assert green.height == marker.in_packets
    assert (
        rows(recorded, "hops")
        .filter((pl.col("flow") == "be") & (pl.col("colour") == "green"))
        .height
        == 0
    )


def test_why_says_who_marked_a_packet(recorded: Path) -> None:
    hops = rows(recorded, "hops").filter(
        (pl.col("from") == "sender") & (pl.col("flow") == "gold.1")
    )
    marked = hops.filter((pl.col("colour") == "green") & (pl.col("arrived_ps") > 10**12)).row(
        0, named=True
    )
    finding = why.ask(recorded, "gold.1", packet=int(marked["packet"]))
    hop = next(h for h in finding.packet.hops if h.link == "bottleneck")
    assert (hop.colour, hop.dscp, hop.marker) == ("green", 10, "data_buffer")
    assert "data_buffer before `bottleneck` marked it IN (af11)" in why.told(finding)
    held = hops.sort("packet", "arrived_ps").with_columns(
        since=pl.col("far_end_ps").shift(1).over("packet")
    )
    waited = held.filter(
        (pl.col("link") == "bottleneck") & (pl.col("arrived_ps") > pl.col("since"))
    ).row(0, named=True)
    finding = why.ask(recorded, "gold.1", packet=int(waited["packet"]))
    hop = next(h for h in finding.packet.hops if h.link == "bottleneck")
    assert hop.held_ps == waited["arrived_ps"] - waited["since"]
    assert "after holding it for" in why.told(finding)


# Exports and figures.


def octets(capture: Path) -> set[int]:
    """The second octets of the IPv4 headers of TCP segments with payload in a pcap file."""
    data, found, at = capture.read_bytes(), set(), 24
    while at < len(data):
        kept = struct.unpack_from("<I", data, at + 8)[0]
        frame = data[at + 16 : at + 16 + kept]
        if struct.unpack_from(">H", frame, 16)[0] > 100:
            found.add(frame[15])
        at += 16 + kept
    return found


def test_captures_show_the_codepoint(recorded: Path, tmp_path: Path) -> None:
    for at, wanted in (
        ("sender", {0}),
        ("bottleneck", {10 << 2, 12 << 2}),
        ("receiver", {10 << 2, 12 << 2}),
    ):
        file = tmp_path / f"{at}.pcap"
        assert (
            cli._code(
                ["export", "pcap", str(recorded), "--at", at, "--flow", "gold.1", "-o", str(file)]
            )
            == 0
        )
        assert octets(file) == wanted, at


def test_markers_are_exported(recorded: Path, tmp_path: Path) -> None:
    summary, series = tmp_path / "summary.csv", tmp_path / "series.csv"
    for table, file in (("summary_markers", summary), ("markers", series)):
        assert cli._code(["export", "csv", str(recorded), "--table", table, "-o", str(file)]) == 0
    found = list(csv.DictReader(summary.read_text().splitlines()))
    assert [row["flow"] for row in found] == ["gold.1", "gold.2", "be"]
    assert int(found[0]["in_packets"]) == dumbbell.Result.load(recorded).markers[0].in_packets
    assert len(series.read_text().splitlines()) == 1 + 3 * 501


def test_a_marker_is_drawn(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        cli._code(
            ["plot", str(recorded), "markers", "--flow", "gold.2", "--out", str(tmp_path), "--json"]
        )
        == 0
    )
    assert {Path(p).name for p in json.loads(capsys.readouterr().out)["written"]} == {
        "markers.svg",
        "markers.pdf",
        "markers.png",
    }
    from dumbbell.figures.markers import markers, place
    from dumbbell.figures.recorded_run import Source, View

    title, mine = place(Source(recorded), View(("gold.2",), 1.0, 2.0))
    assert title == "gold.2, before bottleneck"
    assert (mine["time_s"].min(), mine["time_s"].max()) == pytest.approx((1.0, 2.0))
    figure = markers(Source(recorded), View())
    assert [axes.get_ylabel().split("\n")[0] for axes in figure.axes] == [
        "cwnd",
        "tokens",
        "tokens lost",
        "held",
    ]
    with pytest.raises(ScenarioError, match="the flow `nobody` has no marker"):
        place(Source(recorded), View(("nobody",)))


def test_a_series_that_cannot_be_is_told() -> None:
    """`record.markers` without a period has nothing to write."""
    told = scenario(constant("s", 400), record={"markers": True}).run().json["warnings"]
    assert any(
        "record.markers has no effect without record.every" in one["message"] for one in told
    )
