"""How schemes and axes are written, and at which queue a scheme goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from dumbbell.errors import ScenarioError
from dumbbell.language import arguments
from dumbbell.studies.compare.queues import design
from dumbbell.studies.compare.queues.work import Options, compare


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


def test_a_network_of_the_users_own_has_the_scheme_at_the_queue_that_is_looked_at(
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
