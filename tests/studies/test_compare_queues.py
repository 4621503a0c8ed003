"""Schemes beside each other: what is read, and the command from its words to its page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell import catalogue
from dumbbell.errors import ScenarioError
from dumbbell.language import arguments
from dumbbell.present import stats
from dumbbell.studies.compare.queues import design
from dumbbell.studies.compare.queues.work import DEFAULT, Options, compare
from helpers.plugins import HALF_FULL

NET = """duration = "6 s"
warmup = "1 s"
queue = { kind = "red", limit = "40 pkt", min_th = "6 pkt" }

[dumbbell.bottleneck]
rate = "5 Mbps"
delay = "10 ms"

[[flow]]
name = "near"
count = 2
start_spread = "1 s"

[[flow]]
name = "far"
rtt = "90 ms"
start_spread = "1 s"
"""
BOUND = {"rate": 'dumbbell.bottleneck.rate="{}"', "cc": "flow.*.cc={}"}


@pytest.fixture(autouse=True)
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than running; commands, which are processes of their own, still draw."""
    monkeypatch.setattr("dumbbell.studies.compare.queues.figures.figures_of", lambda document: [])


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "net.toml"
    path.write_text(NET)
    return path


def run(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dumbbell", "compare", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=cwd)


def compared(net: Path, *schemes: str, **more: Any) -> dict[str, Any]:
    wish = {"source": {"path": str(net)}, "seeds": 3, **more}
    return compare(Options(schemes=schemes, **wish), net.parent / "page")


# What is asked for.


def test_a_scheme_has_a_kind_and_parameters() -> None:
    read = arguments.choice('red:min_th=5pkt,max_p=0.02,ecn=true,curve="linear"')
    assert (read.kind, read.parameters) == (
        "red",
        {"min_th": "5pkt", "max_p": 0.02, "ecn": True, "curve": "linear"},
    )
    assert list(read.at("link.1.queue").items())[:2] == [
        ("link.1.queue", "red"),
        ("link.1.queue.min_th", "5pkt"),
    ]
    nested = arguments.choice('drr:aqm={kind="red", max_p=0.1},limit=36 pkt')
    assert nested.parameters == {"aqm": {"kind": "red", "max_p": 0.1}, "limit": "36 pkt"}


@pytest.mark.parametrize(
    "text", [":x=1", "red:", "red:min_th", "red:=3", "red:min_th=", "queue=red", ""]
)
def test_what_is_no_scheme_is_refused_with_the_way_to_write_one(text: str) -> None:
    with pytest.raises(ScenarioError, match="red:min_th=5pkt"):
        arguments.choice(text)


@pytest.mark.parametrize("text", ["rate", "=3", "rate=", "rate=1Mbps,,2Mbps"])
def test_what_is_no_axis_is_refused(text: str) -> None:
    with pytest.raises(ScenarioError, match="this is not an axis"):
        arguments.axis(text)


def test_the_short_words_of_axes_are_paths_of_the_scenario(net: Path) -> None:
    base = design.read({"path": str(net)}, [], [], None)
    axes = arguments.axes(
        ["rate=5Mbps", "delay=2ms", "rtt=50ms", "limit=9pkt", "flow.near.count=1", "duration=9 s"]
    )
    (condition,) = design.conditions(base, [], axes)
    assert list(condition.over) == [
        "dumbbell.bottleneck.rate",
        "dumbbell.bottleneck.delay",
        "flow.*.rtt",
        "queue.limit",
        "flow.near.count",
        "duration",
    ]
    assert (
        condition.label
        == "rate 5Mbps, delay 2ms, rtt 50ms, limit 9pkt, flow.near.count 1, duration 9 s"
    )


# Where schemes go.


def test_a_network_of_ones_own_has_the_scheme_at_the_queue_that_is_looked_at(
    tmp_path: Path,
) -> None:
    graph = tmp_path / "graph.toml"
    graph.write_text(
        'duration = "3 s"\nhost = [{ name = "a" }, { name = "b" }]\nrouter = [{ name = "r" }, { '
        'name = "s" }]\n'
        + "".join(
            f'[[link]]\nbetween = ["{x}", "{y}"]\nrate = "{rate}"\ndelay = "2 ms"\n{queue}\n'
            for x, y, rate, queue in (
                ("a", "r", "1 Gbps", ""),
                ("r", "s", "9 Mbps", 'name = "first"\nqueue = "drop_tail"\nreverse.queue = "red"'),
                ("s", "b", "5 Mbps", 'name = "second"\nqueue = "drop_tail"'),
            )
        )
        + '[[flow]]\nfrom = "a"\nto = "b"\n'
    )
    source = {"path": str(graph)}
    assert (
        design.read(source, [], [], None).place == "link.1.queue"
    )  # Both forward queues have one flow: the first.
    assert design.read(source, [], [], "second").place == "link.2.queue"
    assert design.read(source, [], [], "first_reverse").place == "link.1.reverse.queue"
    with pytest.raises(ScenarioError, match="first, first_reverse, second"):
        design.read(source, [], [], "third")
    document = compare(
        Options(schemes=["drop_tail", "red"], source=source, queue="second", seeds=2),
        tmp_path / "page",
    )
    assert [document["queue"], document["valid"]] == ["second", True]
    assert document["rows"][0]["fingerprint"] != document["rows"][1]["fingerprint"]


def test_udp_flows_have_no_congestion_control_to_replace(net: Path) -> None:
    net.write_text(
        NET + '[[flow]]\nsource = { kind = "cbr", rate = "1 Mbps" }\n[[flow]]\nname = "last"\n',
        encoding="utf-8",
    )
    base = design.read({"path": str(net)}, [], [], None)
    assert base.cc_places == ("flow.0.cc", "flow.1.cc", "flow.3.cc")
    document = compared(net, "red", "drop_tail", ccs=["cubic"], seeds=1)
    assert document["valid"] and document["flows"] == 5


def test_a_scenarios_own_sweep_is_conditions(net: Path) -> None:
    net.write_text(NET + '[sweep.grid]\n"queue.limit" = ["20 pkt", "40 pkt"]\n', encoding="utf-8")
    document = compared(net, "red", "drop_tail", over=["rate=4Mbps,8Mbps"], seeds=1)
    assert [c["label"] for c in document["conditions"]] == [
        "limit 20 pkt, rate 4Mbps",
        "limit 20 pkt, rate 8Mbps",
        "limit 40 pkt, rate 4Mbps",
        "limit 40 pkt, rate 8Mbps",
    ]
    assert len({row["fingerprint"] for row in document["rows"]}) == 8


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["redd"], "did you mean `red`"),
        (["red:minth=3"], "did you mean `min_th`"),
        (["red", "cubic"], "write --cc cubic"),
        (["red", "--cc", "cubik"], "did you mean `cubic`"),
        (["red", "drop_tail", "--baseline", "pie"], "write one of red, drop_tail"),
        (["red", "-s", "queue=drop_tail"], "queues are what is compared"),
        (["red", "-o", "queue=drop_tail,red"], "queues are what is compared"),
        (
            ["red", "-o", "limit=0 pkt"],
            "red in limit 0 pkt: a limit of 0 pkt does not hold one packet",
        ),
        (["red", "-o", "rats=5Mbps"], "did you mean `rate`"),
        (["red", "-o", "flows=3"], "flow.near.count, flow.far.count"),
        (
            ["red", "-o", "rate=5Mbps", "-s", "dumbbell.bottleneck.rate=3Mbps"],
            "leave one of them out",
        ),
        (["red", "-o", "rate=5Mbps", "-o", "rate=6Mbps"], "varied already"),
        (["red:limit=9pkt", "-o", "limit=5pkt"], "`queue.limit` is varied, too"),
        (["red", "--seeds", "0"], "write --seeds 5"),
        (["red", "--queue", "bottle"], "write one of bottleneck"),
        (["red", "--flows", "10"], "write --over flows=10"),
        (["red", "--rate", "9Mbps"], "write --over rate=9Mbps"),
        (["red", "--against", "ns2"], "leave out the schemes"),
        (["red", "--no-store", "--store", "x"], "exclude each other"),
        (["--cc", "cubic"], "dumbbell compare drop_tail red --cc cubic"),
        (["--baseline", "red"], "this is only for comparing schemes"),
    ],
)
def test_what_cannot_be_meant_ends_with_2_and_says_what_to_write(
    net: Path, words: list[str], said: str
) -> None:
    file = [] if words[0].startswith("--") else ["-f", net]
    done = run(*words, *file, cwd=net.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "Traceback" not in done.stderr
    assert not (net.parent / "results").exists()


# The whole.


def test_numbers_are_those_of_single_runs_and_differences_are_paired(net: Path) -> None:
    document = compared(
        net, "drop_tail", "red:max_p=0.02", ccs=["newreno", "cubic"], over=["rate=4Mbps,8Mbps"]
    )
    assert [c["label"] for c in document["conditions"]][1] == "newreno · rate 8Mbps"
    by_place = {(row["scheme"], row["cc"], *row["over"].values()): row for row in document["rows"]}
    assert len(by_place) == len(document["rows"]) == 8
    sums, shares = {}, {}
    for queue in ("drop_tail", "red:max_p=0.02"):
        changes = ["queue=red", "queue.max_p=0.02"] if queue != "drop_tail" else ["queue=drop_tail"]
        scenario = dumbbell.Scenario.from_file(net).with_(
            [*changes, "flow.*.cc=cubic", "dumbbell.bottleneck.rate=8Mbps"]
        )
        result = scenario.run(replications=3)
        row = by_place[queue, "cubic", "8Mbps"]
        assert row["fingerprint"] == result.fingerprint
        goodputs = [[float(f.goodput_bps) for f in one.flows] for one in result.runs]
        sums[queue] = [sum(xs) for xs in goodputs]
        shares[queue] = [sum(xs) ** 2 / (3 * sum(x * x for x in xs)) for xs in goodputs]
        assert row["goodput_bps"]["mean"] == pytest.approx(stats.mean(sums[queue]))
        assert row["jain"]["mean"] == pytest.approx(stats.mean(shares[queue]))
        drops = [
            sum(float(n) for n in one.queues[0].drops.values()) / float(one.queues[0].arrivals)
            for one in result.runs
        ]
        assert row["loss_share"]["mean"] == pytest.approx(stats.mean(drops))
    versus = by_place["red:max_p=0.02", "cubic", "8Mbps"]["versus"]
    for key, of in (("goodput_bps", sums), ("jain", shares)):
        expected = stats.paired(of["red:max_p=0.02"], of["drop_tail"])
        assert versus[key]["difference"] == pytest.approx(expected.mean)
        assert versus[key]["ci95"] == pytest.approx((expected.low, expected.high))
    assert by_place["drop_tail", "cubic", "8Mbps"]["versus"] is None


def test_a_scheme_against_itself_differs_in_nothing(net: Path) -> None:
    document = compared(net, "red", "red:max_p=0.1")
    mine, other = document["rows"]
    assert mine["fingerprint"] == other["fingerprint"]
    assert all(block is None or block["difference"] == 0 for block in other["versus"].values())
    assert all(
        v["best"] is None and v["tied"] == ["red", "red:max_p=0.1"] for v in document["best"]
    )
    assert all("no significant winner" in sentence for sentence in document["finding"])


def test_seeds_that_change_nothing_are_said(net: Path) -> None:
    net.write_text(NET.partition("[[flow]]")[0] + '[[flow]]\nname = "alone"\n', encoding="utf-8")
    same = compared(net, "drop_tail")
    assert any("all seeds gave the same runs" in note for note in same["notes"])
    assert not any("all seeds" in note for note in compared(net, "drop_tail", "red")["notes"])


def test_every_queue_of_the_catalogue_can_be_compared(net: Path) -> None:
    kinds = catalogue.kinds()
    names = [*kinds["aqm"], *kinds.get("qdisc", [])]
    document = compared(net, *names, seeds=1)
    assert [row["scheme"] for row in document["rows"]] == names
    assert all(row["valid"] and row["goodput_bps"]["mean"] > 1e6 for row in document["rows"])
    assert all(
        0 <= row["p50_sojourn_s"]["mean"] <= row["p99_sojourn_s"]["mean"] < 1
        for row in document["rows"]
    )


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [
            v
            for k, v in attrs
            if k in ("src", "href", "xlink:href") and v and not v.startswith("#")
        ]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_command_writes_a_page_that_needs_nothing_else(net: Path) -> None:
    words = [
        "drop_tail",
        "red",
        "--cc",
        "newreno",
        "cubic",
        "-f",
        net,
        "-o",
        "rate=4Mbps,8Mbps",
        "--seeds",
        "2",
    ]
    done = run(*words, "--json", cwd=net.parent)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    directory = net.parent / "results" / "compare-net"
    assert Path(document["page"]) == directory / "index.html"
    assert json.loads((directory / "results.json").read_text()) == document
    page = Page()
    page.feed((directory / "index.html").read_text())
    text = " ".join("".join(page.text).split())
    assert page.links == []
    assert document["finding"][0] in text and "--seeds 2 --json" in text
    assert all(row["fingerprint"] in text for row in document["rows"])
    assert {Path(path).name for path in document["figures"]} >= {"tradeoff.svg", "metrics.pdf"}
    again = run(
        *words[:2], *words[5:7], "--seeds", "2", "--cc", "cubic", cwd=net.parent
    )  # One of these conditions.
    assert "drop_tail" in again.stdout and "brackets = not significant" in again.stdout
    assert again.stdout.rstrip().endswith(f"page: {document['page']}")
    kept = compared(
        net,
        "drop_tail",
        "red",
        "codel",
        ccs=["newreno", "cubic"],
        over=["rate=4Mbps,8Mbps"],
        seeds=2,
        options={"store": os.environ["DUMBBELL_STORE"]},
    )
    assert kept["from_store"] == 2 * len(document["rows"])
    assert [r for r in json.loads(json.dumps(kept["rows"])) if r["scheme"] != "codel"] == document[
        "rows"
    ]


def test_warnings_about_what_was_run_are_told_once_and_kept(net: Path) -> None:
    """Two entries of `flow` have the control that needs marks; one scheme gives none."""
    words = ("drop_tail", "red:ecn=true", "-f", net, "--cc", "dctcp", "--seeds", 1, "--out", "out")
    said = [line for line in run(*words, cwd=net.parent).stderr.splitlines() if "W001" in line]
    cause = "Data Center TCP (DCTCP) needs a queue that marks, but drop_tail never marks"
    assert said == [f"warning[W001]: {cause}"]
    assert said[0] in (net.parent / "out" / "index.html").read_text()
    kept = json.loads((net.parent / "out" / "results.json").read_text())["scenario_warnings"]
    marks = [one for one in kept if one["code"] == "W001"]
    assert [(one["key"], one["points"]) for one in marks] == [("flow.0.cc", 1), ("flow.1.cc", 1)]
    assert run(*words, "--quiet", cwd=net.parent).stderr == ""


def test_without_a_file_there_is_a_dumbbell_to_compare_in(tmp_path: Path) -> None:
    done = run(
        "drop_tail",
        "red",
        "--seeds",
        "2",
        "-s",
        "duration=12s",
        "--out",
        "here",
        "--json",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["scenario_name"], document["flows"], document["duration_s"]) == (
        "eight-flows",
        8,
        12,
    )
    assert (tmp_path / "here" / "index.html").exists()
    assert DEFAULT.read_text().startswith("name")


def test_queues_of_ones_own_are_schemes_and_one_that_fails_does_not_spoil_the_others(
    net: Path,
) -> None:
    (net.parent / "mine.py").write_text(
        HALF_FULL
        + """

class Broken(dumbbell.Aqm):
    \"\"\"Raises when its queue is long.\"\"\"

    def arrive(self, cx, queue, packet, fits):
        if queue.fullness > 0.5:
            raise ValueError("too long for me")
        return PASS
"""
    )
    done = run(
        "red",
        "half_full:p=0.2",
        "broken",
        "--use",
        "mine.py",
        "-f",
        net,
        "--seeds",
        2,
        "--json",
        cwd=net.parent,
    )
    assert done.returncode == 1
    document = json.loads(done.stdout)
    good, own, broken = document["rows"]
    assert (good["valid"], own["valid"], broken["valid"], document["valid"]) == (
        True,
        True,
        False,
        False,
    )
    assert broken["goodput_bps"] is None and own["goodput_bps"]["n"] == 2
    assert "too long for me" in document["failures"][0]["message"]
    page = (net.parent / "results" / "compare-net" / "index.html").read_text()
    assert "too long for me" in page
    # A baseline without a result: the runner-up takes its place in the finding, and nothing has a
    # difference.
    wish = Options(
        schemes=["broken", "red", "half_full"],
        source={"path": str(net)},
        use=[str(net.parent / "mine.py")],
        seeds=2,
    )
    document = compare(wish, net.parent / "other")
    assert all(block is None for block in document["rows"][1]["versus"].values())
    assert not any("broken" in sentence for sentence in document["finding"])
    shown = run(
        "red",
        "half_full:p=0.2",
        "broken",
        "--use",
        "mine.py",
        "-f",
        net,
        "--seeds",
        2,
        cwd=net.parent,
    )
    assert (
        shown.returncode == 1
        and "half_full:p=0.2" in shown.stdout
        and "runs failed" in shown.stderr
    )
