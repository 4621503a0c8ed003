"""`dumbbell compare`: what it refuses, its page, and queues of the user."""

from __future__ import annotations

import json
import os
from html.parser import HTMLParser
from pathlib import Path

import pytest
from dumbbell.studies.compare.queues.work import DEFAULT, Options, compare
from helpers.plugins import HALF_FULL

from .network import compared, run


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


def test_queues_of_the_user_are_schemes_and_one_that_fails_does_not_spoil_the_others(
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
    schemes = ("red", "half_full:p=0.2", "broken")
    words = (*schemes, "--use", "mine.py", "-f", net, "--seeds", 2)
    done = run(*words, "--json", cwd=net.parent)
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
    shown = run(*words, cwd=net.parent)
    assert (
        shown.returncode == 1
        and "half_full:p=0.2" in shown.stdout
        and "runs failed" in shown.stderr
    )
