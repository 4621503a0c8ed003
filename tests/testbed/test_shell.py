"""`shell`: its words as a network, wrong words, and how its program ends the command."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from dumbbell import ScenarioError, api
from dumbbell.testbed import shell
from helpers import simulated_kernels
from helpers.command import exit_code


@pytest.fixture(autouse=True)
def own_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that are stood in for need not wait for real ones."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture(scope="module")
def simulated() -> dict[str, Any]:
    return simulated_kernels.two_runs()


def test_a_shell_without_a_rate_asks_for_what_the_machine_can_forward(tmp_path: Path) -> None:
    assert shell.request(wish(), tmp_path)["unshaped"] == ["link.0.rate", "link.0.reverse.rate"]
    assert shell.request(wish(down="5Mbps"), tmp_path)["unshaped"] == []


def wish(**words: Any) -> shell.Options:
    return shell.Options(**{"program": ["true"], **words})


def test_words_become_a_network_that_the_laboratory_takes() -> None:
    asked = wish(
        rate="12Mbps",
        delay="20ms",
        loss="1%",
        queue="red:min_th=5pkt",
        ecn=True,
        up="1Mbps",
        mtu="9000",
    )
    built = shell.scenario(asked)
    plan = api.plan(api.request({"value": built, "name": "shell"}))["points"][0]["plan"]
    up, down = plan["links"]
    assert (up["name"], down["name"]) == ("up", "up_reverse")
    assert built["link"][0]["rate"] == "1Mbps"
    assert built["link"][0]["reverse"]["rate"] == "12Mbps"
    assert up["mtu"] == down["mtu"]
    assert up["aqm"]["config"]["ecn"] is True
    assert built["link"][0]["impairment"] == [{"kind": "bernoulli", "loss": 0.01}]
    assert "rfc3168" in json.dumps(plan["flows"][0]["transport"])


def test_limits_hold_a_round_trip_and_100_packets_at_least() -> None:
    limit = lambda **words: shell.scenario(wish(**words))["link"][0]["queue"]["limit"]  # noqa: E731
    assert limit(rate="12Mbps", delay="20ms") == "100 pkt"
    assert limit(rate="600Mbps", delay="50ms") == "5000 pkt"
    assert limit(rate="12Mbps", limit="20ms") == "20ms"


def test_one_direction_alone_and_traces() -> None:
    link = shell.scenario(wish(rate="1Mbps", only="down", loss="0.5"))["link"][0]
    assert link["rate"] == "1 Gbps"
    assert "impairment" not in link
    assert link["reverse"]["rate"] == "1Mbps"
    assert shell.scenario(wish(trace="cell.trace"))["link"][0]["service"]["kind"] == "mahimahi"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"rate": "12"}, "not a rate"),
        ({"loss": "3"}, "not a share"),
        ({"delay": "20"}, "not a time"),
        ({"only": "left"}, "no such direction"),
        ({"queue": "red:min_th"}, "not a parameter"),
        ({"program": []}, "no program"),
    ],
)
def test_wrong_words_are_underlined(words: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        shell.request(wish(**words), Path("out"))


def test_a_program_ends_the_command_with_its_own_code(
    monkeypatch, capfd, tmp_path: Path, simulated
) -> None:
    asked = []

    def run(wanted: dict[str, Any]) -> dict[str, Any]:
        asked.append(wanted)
        os.write(1, b"hello\n")
        ended = {"exit_code": 7, "signal": None}
        return simulated_kernels.lived(simulated["runs"][0] | {"duration_s": 2.0}) | {
            "program": ended
        }

    monkeypatch.setattr(api, "need_testbed", lambda function: None)
    monkeypatch.setattr(api, "shell", run)
    words = ("shell", "--rate", "2Mbps", "--server", "iperf3 -s -1", "--out", tmp_path)
    assert exit_code(*words, "--", "iperf3", "-c", "{server}", "--json") == 7
    assert asked[0]["program"] == ["iperf3", "-c", "{server}", "--json"]
    assert asked[0]["server"] == ["iperf3", "-s", "-1"]
    out, err = capfd.readouterr()
    assert out == "hello\n"
    assert "dropped: overflow" in err
    assert exit_code(*words, "--json", "--", "true") == 7
    assert json.loads(capfd.readouterr().out)["program"]["exit_code"] == 7


def test_each_shell_has_a_directory_of_its_own(
    monkeypatch, capfd, tmp_path: Path, simulated
) -> None:
    def run(wanted: dict[str, Any]) -> dict[str, Any]:
        (Path(wanted["out"]) / "summary.json").write_text("{}")
        ended = {"exit_code": 0, "signal": None}
        return simulated_kernels.lived(simulated["runs"][0] | {"duration_s": 2.0}) | {
            "program": ended
        }

    def fails(wanted: dict[str, Any]) -> dict[str, Any]:
        raise ScenarioError("refused")

    monkeypatch.setattr(api, "need_testbed", lambda function: None)
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        monkeypatch.setattr(api, "shell", run)
        assert exit_code("shell", "--rate", "2Mbps", "--", "true") == 0
        assert f"records: results/shell/{number}" in capfd.readouterr().err
        monkeypatch.setattr(api, "shell", fails)
        assert exit_code("shell", "--rate", "2Mbps", "--", "true") == 2
    assert sorted(path.name for path in (tmp_path / "results/shell").iterdir()) == ["1", "2"]
    assert exit_code("shell", "--rate", "2Mbps", "--pcap", "nowhere/x.pcapng", "--", "true") == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            {"queue": "redd"},
            "--queue redd\n        ^^^^ there is no queue named `redd`\nhelp: did you mean `red`?",
        ),
        (
            {"queue": "red:min_thh=5pkt"},
            "--queue red:min_thh=5pkt\n            ^^^^^^^ there is no parameter",
        ),
        ({"queue": "red:min_th=50pkt"}, "max_th = 15 pkt is not above min_th = 50 pkt"),
        ({"limit": "5x"}, "--limit 5x"),
        ({"mtu": "5x"}, "--mtu 5x"),
        ({"trace": "no.trace"}, "--trace no.trace\n        ^^^^^^^^ there is no file no.trace"),
        ({"record_every": "0"}, "--record-every 0"),
        ({"time": "soon"}, "--time soon"),
    ],
)
def test_a_wrong_option_is_told_once_and_as_it_was_written(
    words: dict[str, Any], said: str
) -> None:
    asked = wish(**words)
    with pytest.raises(ScenarioError) as caught:
        api.plan(api.request({"value": shell.scenario(asked), "name": shell.NAME}))
    text = shell.spelled(caught.value, asked).rendered
    assert said in text
    assert text.count("help:") == 1
    assert "shell:" not in text


def test_a_wrong_override_of_a_shell_stays_as_it_was_written() -> None:
    asked = wish()
    with pytest.raises(ScenarioError) as caught:
        api.plan(
            api.request({"value": shell.scenario(asked), "name": shell.NAME}, ["link.0.dellay=3"])
        )
    assert shell.spelled(caught.value, asked) is caught.value


def test_ends_of_programs() -> None:
    good, late = simulated_kernels.block(), simulated_kernels.block(simulated_kernels.LATE)
    ends = [(0, None, good, 0), (0, None, late, 5), (3, None, late, 3), (None, 9, good, 137)]
    for code, killer, block, expected in ends:
        ran = {
            "program": {"exit_code": code, "signal": killer},
            "validity": block,
            "valid": block["valid"],
        }
        assert shell.exit_code(ran) == expected
    assert shell.exit_code({"program": {"exit_code": 0}, "validity": good, "valid": False}) == 5
    silent = {
        "valid": False,
        "reasons": ["no packet came to the router"],
        "conservation": {"ok": True, "in": 0},
    }
    ran = {
        "program": {"exit_code": 0, "signal": None},
        "validity": silent,
        "valid": False,
        "queues": [],
        "flows": [],
    }
    assert shell.exit_code(ran) == 0
    assert shell.said(ran) == ["no packet crossed the link, so nothing was measured"]
