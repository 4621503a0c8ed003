"""Networks of many switches, against numbers that were counted or calculated by hand."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell import api
from dumbbell.cli import main
from dumbbell.present.units import plain_bytes

LINK = {"rate": "1 Gbps", "delay": "10 us"}
RATE, MSS, PACKET = 1e9, 1460, 1500
TCP = {
    "mss": f"{MSS} B",
    "handshake": False,
    "initial_window": "200 pkt",
    "receive_window": "unlimited",
    "delayed_ack": "each",
}


def fabric(**words: Any) -> dumbbell.Scenario:
    """A network that never drops, with headers of 40 B."""
    base = {
        "duration": "20 ms",
        "profile": "ns2",
        "tcp": TCP,
        "queue": {"kind": "drop_tail", "limit": "unlimited"},
    }
    return dumbbell.Scenario({**base, **words})


def paths(scenario: dumbbell.Scenario) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.call("paths", scenario._request())["flows"]
    return found


@pytest.mark.parametrize(("leaves", "spines"), [(2, 1), (2, 3), (4, 8)])
def test_a_leaf_spine_has_a_path_over_each_spine(leaves: int, spines: int) -> None:
    form = {"leaves": leaves, "spines": spines, "hosts": 2, "link": LINK}
    flows = [
        {"name": "far", "from": "leaf1/h1", "to": f"leaf{leaves}/h1"},
        {"name": "near", "from": "leaf1/h1", "to": "leaf1/h2"},
    ]
    far, near = paths(fabric(leaf_spine=form, flow=flows))
    assert (far["equal"], near["equal"]) == (spines, 1)
    assert far["via"][0] == "leaf1" and far["via"][2] == f"leaf{leaves}"
    assert near["via"] == ["leaf1"]


@pytest.mark.parametrize("k", [2, 4, 6])
def test_a_fat_tree_has_a_path_over_each_core(k: int) -> None:
    flows = [{"name": "f", "count": 300, "from": "pod1/edge1/h1", "to": f"pod{k}/edge1/h1"}]
    found = paths(fabric(fat_tree={"k": k, "link": LINK}, flow=flows))
    assert {flow["equal"] for flow in found} == {(k // 2) ** 2}
    assert {flow["via"][2] for flow in found} == {f"core{i + 1}" for i in range((k // 2) ** 2)}


def test_the_ports_that_packets_pass_are_those_of_the_paths() -> None:
    """Of 400 flows of one packet, each spine forwards as many packets as it has paths, and the
    number is binomial: within four standard deviations of 400 / 4."""
    size = {"kind": "fixed", "size": f"{MSS} B"}
    flow = {"name": "f", "count": 400, "start_step": "20 us", "source": size}
    form = {"leaves": 2, "spines": 4, "hosts": 1, "link": LINK}
    scenario = fabric(leaf_spine=form, flow=[{**flow, "from": "leaf1/h1", "to": "leaf2/h1"}])
    found = paths(scenario)
    queues = {queue.name: queue.arrivals for queue in scenario.run().queues}
    for way, leaf in (("via", "leaf1"), ("via_back", "leaf2")):
        taken = Counter(flow[way][1] for flow in found)
        ports = {f"spine{i}": queues[f"{leaf}->spine{i}"] for i in (1, 2, 3, 4)}
        packets = sum(ports.values()) / 400
        assert {name: packets * taken[name] for name in ports} == ports
        assert all(abs(n - 100) < 4 * math.sqrt(400 * 0.25 * 0.75) for n in taken.values())


def test_a_permutation_in_a_star_has_the_whole_rate_of_each_host() -> None:
    """Each host's link carries its data and the acknowledgments, 40 B each, of what it gets:
    windows of 200 packets fill it from the first round on."""
    scenario = fabric(
        star={"hosts": 8, "link": LINK}, warmup="5 ms", flow=[{"pattern": "permutation"}]
    )
    run = scenario.run()
    for flow in run.flows:
        assert flow.goodput_bps == pytest.approx(RATE * MSS / (PACKET + 40), rel=1e-3)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_permutation_is_bounded_by_the_links_that_its_paths_share(seed: int) -> None:
    """Two leaves of four hosts under two spines: what crosses between the leaves is at most the two
    links up from each, and each link carries at most its rate."""
    form = {"leaves": 2, "spines": 2, "hosts": 4, "link": LINK}
    scenario = fabric(
        leaf_spine=form, warmup="5 ms", flow=[{"name": "f", "pattern": "permutation"}]
    )
    run = scenario.run(seed=seed)
    found = paths(scenario.with_({"seed": seed}))
    loads: Counter[tuple[str, str]] = Counter()
    across: Counter[str] = Counter()
    for flow, path in zip(run.flows, found, strict=True):
        assert flow.name == path["name"]
        nodes = [path["from"], *path["via"], path["to"]]
        for pair in pairwise(nodes):
            loads[pair] += flow.goodput_bps
        if len(path["via"]) > 1:
            across[path["via"][0]] += flow.goodput_bps
    # Acknowledgments of 40 B for each packet share the links with data the other way.
    least, most = RATE * MSS / (PACKET + 40), RATE * MSS / PACKET
    assert max(loads.values()) <= most * 1.001
    assert across and max(across.values()) <= 2 * most * 1.001
    # The busiest link is a bottleneck: it is full.
    assert max(loads.values()) >= least * 0.999


@pytest.mark.parametrize(("senders", "packets"), [(1, 10), (5, 40), (30, 7)])
def test_an_incast_takes_n_sizes_over_the_rate(senders: int, packets: int) -> None:
    """The first packets pass the senders' links side by side; then the receiver's link sends all
    packets without a gap."""
    size = {"kind": "fixed", "size": f"{packets * MSS} B"}
    pattern = {"kind": "incast", "senders": senders, "to": "h1"}
    scenario = fabric(
        star={"hosts": senders + 1, "link": LINK}, flow=[{"pattern": pattern, "source": size}]
    )
    run = scenario.run()
    packet_s = PACKET * 8 / RATE
    expected = packet_s + 10e-6 + senders * packets * packet_s + 10e-6
    assert max(flow.completion_s for flow in run.flows) == pytest.approx(expected, rel=1e-9)
    assert sum(flow.goodput_bps for flow in run.flows) <= RATE


US = 1e-6
INTERVAL = 20 * US
DATAGRAM = {"kind": "cbr", "rate": f"{1472 * 8 / INTERVAL:.0f} bps", "packet": "1472 B"}
"""Datagrams of 1500 B, one each 20 us: 12 us on a link of 1 Gbit/s."""


def two_ways(source: dict[str, Any], longer: float = 0, **words: Any) -> dumbbell.Scenario:
    """From a to b over r, x, s, or over r, y, s, which is longer."""
    queue = {"kind": "drop_tail", "limit": "unlimited"}
    pairs = [("a", "r"), ("r", "x"), ("r", "y"), ("x", "s"), ("y", "s"), ("s", "b")]
    links: list[dict[str, Any]] = [{**LINK, "between": [*pair], "queue": queue} for pair in pairs]
    links[4]["delay"] = f"{10 + longer / US:g} us"
    base = {
        "duration": "100 ms",
        "host": [{"name": "a"}, {"name": "b"}],
        "router": [{"name": name} for name in "rxys"],
        "link": links,
        "flow": [{"name": "f", "from": "a", "to": "b", "source": source}],
    }
    return dumbbell.Scenario({**base, **words})


def queues(run: Any) -> dict[str, Any]:
    return {queue.name: queue for queue in run.queues}


@pytest.mark.parametrize("convergence", [0, 333, 5000])
def test_a_link_that_fails_loses_what_is_on_it_until_paths_follow(convergence: int) -> None:
    """A datagram is sent at 20 k us; its last bit leaves r 12 + 10 + 12 us later and arrives 10 us
    after that. The link is down from 20 to 60 ms: lost are those that leave r from 19 990 us on and
    were sent before 20 000 us + convergence. All that are sent from then until the link is known to
    be back go over y."""
    down = [{"from": "20 ms", "to": "60 ms"}]
    routing = {"kind": "shortest", "convergence": f"{convergence} us"}
    links = {"r<->x": {"down": down}}
    run = two_ways(DATAGRAM, longer=5 * US, routing=routing, links=links).run()
    sent = range(0, 100_001, 20)
    around = [t for t in sent if 20_000 + convergence <= t < 60_000 + convergence]
    lost = [t for t in sent if t + 34 >= 19_990 and t < 20_000 + convergence]
    ports = queues(run)
    assert run.flows[0].lost_packets == len(lost) == ports["r->x"].drops.get("link", 0)
    assert ports["r->y"].arrivals == len(around)
    # Of the last datagrams those have come to r whose last bit was there by 100 ms.
    come = sum(t + 22 <= 100_000 for t in sent)
    assert ports["r->x"].arrivals == come - len(around)
    assert run.flows[0].reordered_packets == 0


def test_a_packet_on_its_way_keeps_its_path() -> None:
    """With a first link of 1 ms, 50 datagrams are on it when the link behind it fails: they are
    lost, although routes follow at once."""
    links = {"r<->x": {"down": [{"from": "20 ms"}]}}
    scenario = two_ways(DATAGRAM, longer=5 * US, links=links)
    slow = scenario.with_({"link.0.delay": "1 ms"}).run()
    # Sent before 20 ms, and at the failing link's end at 19 990 us or later.
    lost = [t for t in range(0, 20_000, 20) if t + 12 + 1000 + 12 >= 19_990]
    assert len(lost) == 51 and slow.flows[0].lost_packets == len(lost)


def test_tcp_goes_on_over_the_other_path() -> None:
    """All data is delivered, although its first path never returns."""
    size = {"kind": "fixed", "size": "2 MB"}
    links = {"r<->x": {"down": [{"from": "5 ms"}]}}
    scenario = two_ways(size, longer=5 * US, links=links, tcp={"min_rto": "5 ms"})
    run = scenario.run()
    assert run.flows[0].completion_s is not None and run.flows[0].lost_packets > 0
    assert queues(run)["r->y"].arrivals > 500


@pytest.mark.parametrize(("longer", "next_ones"), [(10, 0), (30, 1), (50, 2), (150, 7)])
def test_packets_overtake_each_other_on_the_shorter_path(longer: int, next_ones: int) -> None:
    """One on the longer path is overtaken if one of the next m takes the shorter, m < longer /
    interval: with the probability (1 - 2^-m) / 2, within five standard deviations of a number whose
    terms depend on m others."""
    routing = {"kind": "ecmp", "by": "packet"}
    run = two_ways(DATAGRAM, longer=longer * US, routing=routing).run()
    n, share = run.flows[0].delivered_packets, (1 - 0.5**next_ones) / 2
    found = run.flows[0].reordered_packets
    assert abs(found - n * share) <= 5 * math.sqrt(n * share * (1 - share) * (1 + 2 * next_ones))
    ways = [queues(run)[name].arrivals for name in ("r->x", "r->y")]
    assert abs(ways[0] - ways[1]) < 5 * math.sqrt(sum(ways))


def test_flowlets_are_not_reordered_if_pauses_are_long_enough() -> None:
    """Bursts of ten datagrams, and 300 us of silence. The longer path takes 50 us more: with a gap
    of 100 us each burst takes one path, and with one of 10 us each datagram."""
    burst = {
        "kind": "on_off",
        "distribution": "constant",
        "on_mean": "200 us",
        "off_mean": "300 us",
        "rate": DATAGRAM["rate"],
        "packet": "1472 B",
    }

    def run(gap: str) -> Any:
        routing = {"kind": "ecmp", "by": "flowlet", "gap": gap}
        return two_ways(burst, longer=50 * US, routing=routing).run()

    whole, single, never = run("100 us"), run("10 us"), run("1 ms")
    assert whole.flows[0].reordered_packets == 0 < single.flows[0].reordered_packets
    over_y = [queues(each)["r->y"].arrivals for each in (whole, never)]
    bursts = whole.flows[0].sent_packets / 10
    # Whole bursts; half of them, within five standard deviations.
    assert abs(over_y[0] / 10 - bursts / 2) < 5 * math.sqrt(bursts / 4)
    assert over_y[1] in (0, whole.flows[0].sent_packets)


def test_spread_packets_fill_all_links_of_a_fat_tree() -> None:
    """One flow by packet takes every core of a fat tree, and each a quarter."""
    flow = {"name": "f", "from": "pod1/edge1/h1", "to": "pod2/edge1/h1", "source": DATAGRAM}
    scenario = fabric(
        fat_tree={"k": 4, "link": LINK}, flow=[flow], routing={"kind": "ecmp", "by": "packet"}
    )
    run = scenario.run()
    cores = [n.arrivals for n in run.queues if n.name.startswith("core") and "->pod2" in n.name]
    taken = [n for n in cores if n]
    assert len(taken) == 4
    mean = sum(taken) / 4
    assert all(abs(n - mean) < 5 * math.sqrt(mean * 0.75) for n in taken)


def test_show_says_what_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = {
        "duration": "100 ms",
        "leaf_spine": {"leaves": 2, "spines": 2, "hosts": 1, "link": LINK},
        "routing": {"kind": "ecmp", "by": "packet"},
        "links": {"leaf1->spine1": {"down": [{"from": "20 ms", "to": "40 ms"}]}},
        "flow": [{"name": "f", "from": "leaf1/h1", "to": "leaf2/h1"}],
    }
    file = tmp_path / "net.toml"
    words = {key: _toml(value) for key, value in scenario.items()}
    words["links"] = '{ "leaf1->spine1" = { down = [{ from = "20 ms", to = "40 ms" }] } }'
    file.write_text("\n".join(f"{key} = {value}" for key, value in words.items()))
    with pytest.raises(SystemExit):
        main(["show", str(file)])
    shown = " ".join(capsys.readouterr().out.split())
    assert "among 2 paths of equal cost; each packet takes one of them" in shown
    assert "down: leaf1->spine1 from 20 ms to 40 ms; 1 of 1 flows change their paths" in shown


def test_slowdown_by_size_has_a_tail() -> None:
    session = {"name": "s", "pattern": "random", "load": 0.6, "size": "hadoop", "stop": "15 ms"}
    run = fabric(star={"hosts": 8, "link": LINK}, session=[session]).run()
    rows = [row for row in run.sessions["s"].by_size if row.finished]
    assert rows
    for row in rows:
        tail = [row.p50_slowdown, row.p95_slowdown, row.p99_slowdown, row.p999_slowdown]
        assert tail[0] >= 1 and tail == sorted(tail)


def test_files_of_networks_and_of_sizes(tmp_path: Path) -> None:
    (tmp_path / "net.graphml").write_text(
        """<graphml>
        <key attr.name="label" for="node" id="a"/><key attr.name="Latitude" for="node" id="b"/>
        <key attr.name="Longitude" for="node" id="c"/>
        <key attr.name="LinkSpeedRaw" for="edge" id="d"/><graph>
        <node id="0"><data key="a">West</data><data key="b">0</data><data key="c">0</data></node>
        <node id="1"><data key="a">East</data><data key="b">0</data><data key="c">90</data></node>
        <edge source="0" target="1"><data key="d">1000000000.0</data></edge></graph></graphml>"""
    )
    (tmp_path / "sizes.txt").write_text("0 0\n1000 50\n3000 100\n")
    file = tmp_path / "wan.toml"
    file.write_text(
        """duration = "1 s"
        wan = { file = "net.graphml" }
        [[session]]
        from = "West/h1"
        to = "East/h1"
        arrivals = "100/s"
        size = { kind = "empirical", file = "sizes.txt" }
        """
    )
    plan = dumbbell.Scenario.from_file(file).check()[0]["plan"]
    [link] = [link for link in plan["links"] if link["name"] == "West->East"]
    # A quarter of the equator, 10 007.5 km, at 200 000 km/s.
    assert link["rate"] == "1 Gbps" and link["delay"] == "50.038 ms"
    sizes = [plain_bytes(flow["source"]["config"]["size"]) or 0 for flow in plan["flows"]]
    assert len(sizes) > 50 and min(sizes) > 0 and max(sizes) <= 3000
    # Half are below 1000 B: within four standard deviations of a binomial number.
    few = sum(size <= 1000 for size in sizes)
    assert abs(few - len(sizes) / 2) < 4 * math.sqrt(len(sizes) / 4)
    # The scenario of a result needs no file.
    shown = api.plan(api.request({"path": str(file)}))["scenario"]
    assert shown["wan"] == {"edges": "from,to,rate,delay,cost\nWest,East,1 Gbps,50.038 ms,\n"}
    assert shown["session"][0]["size"]["cdf"] == [["1 B", 0.0], ["1000 B", 0.5], ["3000 B", 1.0]]


def test_a_bad_file_is_an_error_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text("from,to\nA,A\n")
    file = tmp_path / "wan.toml"
    file.write_text('duration = "1 s"\nwan = { file = "net.csv" }\nflow = [{}]\n')
    with pytest.raises(dumbbell.ScenarioError, match=r"net.csv, line 2: a link of `A` with itself"):
        dumbbell.Scenario.from_file(file).check()


def test_show_draws_layers_and_says_the_choice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tree.json"
    scenario = {
        "duration": "1 s",
        "fat_tree": {"k": 4, "link": LINK},
        "flow": [{"name": "f", "from": "pod1/edge1/h1", "to": "pod2/edge1/h1"}],
    }
    text = "\n".join(f"{key} = {_toml(value)}" for key, value in scenario.items())
    file = file.with_suffix(".toml")
    file.write_text(text)
    with pytest.raises(SystemExit):
        main(["show", str(file)])
    shown = " ".join(capsys.readouterr().out.split())
    assert "16 × pod*/agg* ── 1 Gbps, 10 us ── core*" in shown
    assert "(1 of 4)" in shown
    assert "routing: ecmp; 1 of 1 flows have a choice, among 4 paths of equal cost" in shown


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


SHARED = {"size": "150 kB", "alpha": 1}
"""Of a switch: 100 packets."""


def test_a_full_queue_leaves_a_shared_buffer_to_others() -> None:
    """One overloaded queue holds half of the buffer with alpha 1, two hold a third each."""
    star = {"hosts": 7, "link": LINK, "shared_buffer": SHARED}
    one = {"source": {"kind": "cbr", "rate": "800 Mbps", "packet": f"{PACKET - 28} B"}}
    flows = [
        {**one, "from": "h1", "to": "h5"},
        {**one, "from": "h2", "to": "h5"},
        {**one, "from": "h3", "to": "h6"},
        {**one, "from": "h4", "to": "h6"},
    ]
    times = {"duration": "30 ms", "warmup": "10 ms", "queue": "drop_tail"}
    for count, share in ((1, 1 / 2), (2, 1 / 3)):
        run = fabric(star=star, flow=flows[: 2 * count], **times).run()
        for to in ("h5", "h6")[:count]:
            assert run.queues[f"hub->{to}"].mean_packets == pytest.approx(100 * share, abs=1.5)
        buffer = run.shared_buffers["hub"]
        assert buffer.mean_bytes == pytest.approx(150_000 * share * count, abs=3000)
        drops = sum(queue.drops["overflow"] for queue in run.queues)
        assert buffer.threshold_drops + buffer.full_drops == drops > 0
        assert buffer.max_bytes <= 150_000


def test_a_queue_of_a_shared_buffer_marks_by_its_own_threshold() -> None:
    star = {"hosts": 3, "link": LINK, "shared_buffer": SHARED}
    flows = [{"from": f"h{i}", "to": "h3", "cc": "dctcp"} for i in (1, 2)]
    words = {
        "queue": {"kind": "step_mark", "threshold": "20 pkt"},
        "tcp": {**TCP, "initial_window": "10 pkt"},
        "duration": "50 ms",
        "warmup": "10 ms",
    }
    run = fabric(star=star, flow=flows, **words).run()
    queue = run.queues["hub->h3"]
    assert queue.marks > 0 and sum(queue.drops.values()) == 0
    assert run.shared_buffers["hub"].max_bytes < 75_000


@pytest.mark.parametrize("threads", [2, 3, 4, 8])
def test_shared_buffers_have_one_history_for_any_number_of_threads(threads: int) -> None:
    form = {"leaves": 4, "spines": 2, "hosts": 4, "link": LINK, "shared_buffer": SHARED}
    flow = [{"name": "f", "pattern": "permutation"}]
    busy = fabric(leaf_spine=form, flow=flow, queue="drop_tail", duration="30 ms")
    alone, beside = (api.run(busy._request(threads=n)) for n in (1, threads))
    assert alone["fingerprint"] == beside["fingerprint"]
    assert alone["shared_buffers"] == beside["shared_buffers"]
    assert sum(buffer["threshold_drops"] for buffer in alone["shared_buffers"]) > 0


def test_show_says_which_buffers_are_shared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "shared.toml"
    file.write_text(
        'duration = "1 s"\n[leaf_spine]\nleaves = 2\nspines = 2\nhosts = 2\n'
        'link = { rate = "1 Gbps", delay = "1 us" }\nshared_buffer = { size = "2 MB" }\n'
        '[[flow]]\nfrom = "leaf1/h1"\nto = "leaf2/h1"\n'
    )
    with pytest.raises(SystemExit):
        main(["show", str(file)])
    said = capsys.readouterr().out
    assert "shared buffer: leaf1 and 3 more, each 2 MB, alpha 1" in said
    assert "drop_tail, 1000000 B" in said
