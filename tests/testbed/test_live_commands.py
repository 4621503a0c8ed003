"""Commands on live runs where there is no kernel to ask: what `run`, `doctor` and Python give."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import dumbbell
import pytest
from dumbbell import EnvironmentLacks, api
from dumbbell.cli import doctor as doctor_command
from dumbbell.testbed import shell, verbs
from helpers import simulated_kernels
from helpers.command import exit_code


@pytest.fixture(autouse=True)
def own_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that are stood in for need not wait for real ones."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def test_the_command_asks_for_kernels_and_ends_with_5(monkeypatch, capsys, tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(
        'duration = "1 s"\n[dumbbell.bottleneck]\nrate = "1 Mbps"\ndelay = "1 ms"\n[[flow]]\nname '
        '= "a"\n'
    )
    monkeypatch.setattr(api, "run", simulated_kernels.testbed(lambda _: [simulated_kernels.LATE]))
    assert exit_code("run", file, "--on", "kernel", "--page", tmp_path / "page.html") == 5
    out, err = capsys.readouterr()
    assert "1 s on real kernels" in out
    assert simulated_kernels.LATE in err
    assert "NOT VALID" in (tmp_path / "page.html").read_text()
    assert exit_code("run", file, "--on", "kernel", "--json") == 5
    assert json.loads(capsys.readouterr().out)["on"] == "kernel"
    assert exit_code("run", file, "--on", "mars") == 2
    assert exit_code("run", file, "--page", tmp_path / "page.pdf") == 2


def test_scenarios_in_python_ask_for_kernels(monkeypatch) -> None:
    monkeypatch.setattr(api, "run", simulated_kernels.testbed())
    found = dumbbell.Scenario(**simulated_kernels.SCENARIO).run(on="kernel")
    assert found.validity[0]["class"] == "exact"
    assert dumbbell.Scenario(**simulated_kernels.SCENARIO).run().validity == []
    assert "dumbbell.present.validity" in sys.modules


def test_a_file_for_another_tcp_is_warned_of(capfd, tmp_path: Path) -> None:
    file = tmp_path / "one.toml"
    file.write_text(
        'duration = "1 s"\n[dumbbell.bottleneck]\nrate = "2 Mbps"\ndelay = "2 ms"\n[[flow]]\nname '
        '= "a"\n'
    )
    for words, profile in (
        ((), "rfc"),
        (("-s", "profile=ns2"), "ns2"),
        (("-s", "profile=linux"), None),
    ):
        exit_code("check", file, "--on", "kernel", *words)
        said = capfd.readouterr().err
        assert ("warning[W013]" in said) is (profile is not None)
        assert "<request>" not in said
    file.write_text('profile = "ns2"\n' + file.read_text())
    exit_code("check", file, "--on", "linux")
    assert "one.toml:1:11]" in capfd.readouterr().err


def test_a_class_is_required_of_kernels_alone(capsys, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text("")
    assert exit_code("run", tmp_path / "one.toml", "--class", "good") == 2
    assert exit_code("reproduce", "red-on-netfpga", "--class", "good") == 2
    assert "add --on kernel" in capsys.readouterr().err
    asked = shell.Options(program=["true"], required="exact")
    assert shell.scenario(asked)["testbed"] == {"class": "exact"}
    assert "testbed" not in shell.scenario(shell.Options(program=["true"]))


def test_a_build_without_a_testbed_says_so(monkeypatch) -> None:
    from dumbbell import _native

    for name in ("doctor", "replay", "shell"):
        monkeypatch.delitem(_native.VERBS, name)
    calls = (
        verbs.doctor,
        lambda: verbs.replay({}),
        lambda: api.shell({}),
        lambda: api.run({"on": "kernel"}),
    )
    for call in calls:
        with pytest.raises(EnvironmentLacks, match="no testbed"):
            call()
    assert doctor_command.examine()["testbed"]["ok"] is False


def test_the_report_on_a_machine_says_what_works_and_what_to_do(monkeypatch, capsys) -> None:
    checks = [
        {"check": "namespaces", "ok": True, "found": "as root", "needed_for": "all", "fix": ""},
        {
            "check": "/dev/net/tun",
            "ok": False,
            "found": None,
            "needed_for": "speed",
            "fix": "run as root",
        },
    ]
    monkeypatch.setattr(
        verbs, "doctor", lambda: {"checks": checks, "can": {"tun": False, "af_packet": True}}
    )
    assert exit_code("doctor", "--on", "kernel") == 0
    shown = capsys.readouterr().out
    assert "NO   TUN devices" in shown
    assert "/dev/net/tun: run as root" in shown
    monkeypatch.setattr(
        verbs, "doctor", lambda: {"checks": checks, "can": {"tun": {"ok": False, "why": "no"}}}
    )
    assert exit_code("doctor", "--on", "kernel") == 4
    assert exit_code("doctor", "--json") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["testbed"]["checks"] == checks
