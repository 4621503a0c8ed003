"""What people see of live runs: their validity on every page, the machine's report, replays,
programs on a network.

Kernels are stood in for by the simulator (`simulated_kernels.py`); the testbed itself is tested
where it is built.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell import EnvironmentLacks, ScenarioError, api, result
from dumbbell.cli import doctor as doctor_command
from dumbbell.cli import main
from dumbbell.cli.runs import replay as replay_command
from dumbbell.cli.runs import run
from dumbbell.files import private
from dumbbell.present import page, validity
from dumbbell.present.grids import to_text
from dumbbell.present.tables import result_tables
from dumbbell.testbed import lock, shell
from helpers import simulated_kernels

SCENARIO = {
    "name": "two",
    "duration": "2 s",
    "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "5 ms"}},
    "queue": {"kind": "drop_tail", "limit": "20 pkt"},
    "flow": [{"name": "a"}, {"name": "b"}],
}


@pytest.fixture(autouse=True)
def own_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that are stood in for need not wait for real ones."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture(scope="module")
def simulated() -> dict[str, Any]:
    return api.run(api.request({"value": SCENARIO, "name": "two"}, replications=2))


def command(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


def test_a_live_result_shows_its_validity_and_a_simulated_one_has_none(simulated) -> None:
    live = to_text(result_tables(result.Result(simulated_kernels.lived(simulated))))
    assert "Validity: all 2 runs are valid" in live
    assert "Validity" not in to_text(result_tables(result.Result(simulated)))
    one = to_text(
        result_tables(
            result.Result(simulated_kernels.lived(simulated["runs"][0] | {"duration_s": 2.0}))
        )
    )
    assert "Validity: valid, class exact" in one
    assert "123 456 in = 122 638 out + 818 dropped + 0 inside: exact" in one
    assert "half 4.4, 99 % 15.2, 99.9 % 247, most 612 us" in one


def test_a_run_that_is_not_valid_is_loud_everywhere(simulated, tmp_path: Path) -> None:
    bad = simulated_kernels.lived(simulated, simulated_kernels.LATE)
    assert "2 of 2 runs are NOT VALID" in to_text(result_tables(result.Result(bad)))
    assert simulated_kernels.LATE in run.what_failed(bad | {"failures": []})
    assert [run["valid"] for run in result.Result(bad).validity] == [False, False]
    for name in ("page.html", "page.md"):
        page.write(bad, tmp_path / name)
        assert "NOT VALID" in (tmp_path / name).read_text()
    assert "<b>" not in (tmp_path / "page.md").read_text()


def test_a_block_that_contradicts_the_result_counts(simulated) -> None:
    bad = simulated_kernels.lived(simulated, simulated_kernels.LATE) | {"valid": True, "code": 0}
    assert run._with_code(bad)["code"] == 5
    assert run._with_code(simulated_kernels.lived(simulated)).get("code") == 0


def test_an_account_that_does_not_balance_is_said() -> None:
    block = simulated_kernels.block("packets were lost")
    block["conservation"]["ok"] = False
    block["replay"]["mismatches"] = 3
    said = dict(validity.facts(block))
    assert "does NOT balance" in said["packets"]
    assert "3 DIFFER" in said["replay through the simulator's queues"]


def test_a_run_that_breaks_its_own_laws_is_not_valid_whatever_its_block_says(simulated) -> None:
    bad = simulated_kernels.lived(simulated)
    bad["runs"][1]["valid"] = False
    assert "1 of 2 runs are NOT VALID" in to_text(result_tables(result.Result(bad)))
    (line,) = validity.what_is_wrong(bad)
    assert "conservation" in line


def test_what_was_turned_away_is_said_by_name() -> None:
    block = simulated_kernels.block() | {
        "strangers": 3,
        "turned_away": {"no_flow": {"packets": 3, "first": "UDP to port 53"}},
    }
    said = dict(validity.facts(block))
    assert said["turned away: no_flow"] == "3, the first: UDP to port 53"
    assert not any("turned away" in what for what, _ in validity.facts(simulated_kernels.block()))


HOLD = """
import sys
from dumbbell.testbed import lock
with lock.alone(), lock.alone():
    print("mine", flush=True)
    sys.stdin.read()
"""


def holding() -> subprocess.Popen[str]:
    """A process that makes live runs until its input ends."""
    return subprocess.Popen([sys.executable, "-c", HOLD], text=True, stdin=-1, stdout=-1, stderr=-1)


def test_live_runs_of_another_process_are_waited_for_unless_one_is_within_them() -> None:
    with holding() as holder:
        assert holder.stdout.readline() == "mine\n"
        with holding() as impatient, holding() as patient:
            said = f"Waiting for another live run (PID {holder.pid}). Ctrl-C to cancel.\n"
            assert impatient.stderr.readline() == said
            assert patient.stderr.readline() == said
            impatient.send_signal(signal.SIGINT)
            out, err = impatient.communicate(timeout=60)
            assert (out, "KeyboardInterrupt" in err) == ("", True)
            holder.kill()  # The lock goes with its process, however that ends.
            assert patient.stdout.readline() == "mine\n"
            assert patient.communicate(timeout=60)[1] == ""
    with (
        lock.alone(),
        holding() as inner,
    ):  # As a program of `dumbbell shell`, which would wait for its own end.
        said = inner.communicate(timeout=60)
        assert said[0] == "mine\n"
        assert f"within the live run of process {os.getpid()}" in said[1]


def test_the_wait_for_another_live_run_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    with holding() as holder:
        assert holder.stdout.readline() == "mine\n"
        monkeypatch.setenv("DUMBBELL_LIVE_WAIT", "0 s")
        with (
            pytest.raises(
                EnvironmentLacks, match=rf"PID {holder.pid}\) of this user has not ended"
            ),
            lock.alone(),
        ):
            pass
        monkeypatch.setenv("DUMBBELL_LIVE_WAIT", "soon")
        with (
            pytest.raises(ScenarioError, match="DUMBBELL_LIVE_WAIT=soon: this is no time"),
            lock.alone(),
        ):
            pass
        holder.communicate(timeout=60)


@pytest.mark.parametrize(
    "plant", [os.mkfifo, lambda path: path.symlink_to("/etc/passwd"), lambda path: path.mkdir()]
)
def test_a_planted_lock_is_noticed_and_blocks_nobody(
    plant: Any, tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "dumbbell").mkdir()
    plant(tmp_path / "dumbbell" / "live.lock")
    with lock.alone():
        assert "other live runs would not be noticed" in capsys.readouterr().err


def test_a_folder_of_others_is_not_used_for_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(open_to_all))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert private.runtime().parent != open_to_all
    assert list(open_to_all.iterdir()) == []
    monkeypatch.setattr(
        private.os, "geteuid", lambda: 12345
    )  # As if another user owned all that is there.
    with pytest.raises(EnvironmentLacks, match="belongs to another user"):
        private.folder(tmp_path)


def test_live_runs_of_another_user_are_said(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    with holding() as other:
        assert other.stdout.readline() == "mine\n"
        assert Path(f"/proc/{other.pid}/comm").read_text(encoding="utf-8") == f"{lock.NAME}\n"
        assert not [note for note in lock._others() if str(other.pid) in note]
        monkeypatch.setattr(
            lock.os, "geteuid", lambda: 12345
        )  # As if this process were another user's.
        assert [note for note in lock._others() if str(other.pid) in note]
        other.communicate(timeout=60)


def test_half_a_block_is_no_reason_to_fail() -> None:
    assert (
        validity.runs({"validity": {"valid": False}})[0].verdict == "NOT VALID: no reason is given"
    )
    assert validity.facts({})
    assert validity.what_is_wrong({"validity": {"valid": False}}) == [
        "it says that it is not valid, and no reason"
    ]


def test_the_command_asks_for_kernels_and_ends_with_5(monkeypatch, capsys, tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(
        'duration = "1 s"\n[dumbbell.bottleneck]\nrate = "1 Mbps"\ndelay = "1 ms"\n[[flow]]\nname '
        '= "a"\n'
    )
    monkeypatch.setattr(api, "run", simulated_kernels.testbed(lambda _: [simulated_kernels.LATE]))
    assert command("run", file, "--on", "kernel", "--page", tmp_path / "page.html") == 5
    out, err = capsys.readouterr()
    assert "1 s on real kernels" in out
    assert simulated_kernels.LATE in err
    assert "NOT VALID" in (tmp_path / "page.html").read_text()
    assert command("run", file, "--on", "kernel", "--json") == 5
    assert json.loads(capsys.readouterr().out)["on"] == "kernel"
    assert command("run", file, "--on", "mars") == 2
    assert command("run", file, "--page", tmp_path / "page.pdf") == 2


def test_a_build_without_a_testbed_says_so(monkeypatch) -> None:
    from dumbbell import _native

    for name in ("doctor", "replay", "shell"):
        monkeypatch.delattr(_native, name, raising=False)
    calls = (
        api.doctor,
        lambda: api.replay({}),
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
        api, "doctor", lambda: {"checks": checks, "can": {"tun": False, "af_packet": True}}
    )
    assert command("doctor", "--on", "kernel") == 0
    shown = capsys.readouterr().out
    assert "NO   TUN devices" in shown
    assert "/dev/net/tun: run as root" in shown
    monkeypatch.setattr(
        api, "doctor", lambda: {"checks": checks, "can": {"tun": {"ok": False, "why": "no"}}}
    )
    assert command("doctor", "--on", "kernel") == 4
    assert command("doctor", "--json") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["testbed"]["checks"] == checks


def test_a_replay_that_differs_ends_with_3(monkeypatch, capsys, tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert command("replay", log) == 2
    log.touch()
    said = {
        "packets": 4000,
        "mismatches": 0,
        "first_mismatch": None,
        "verdict": "same",
        "seed": 1,
        "fingerprint": "0",
    }
    monkeypatch.setattr(api, "replay", lambda wanted: dict(said))
    assert command("replay", log) == 0
    assert "same: 4 000 packets" in capsys.readouterr().out
    said |= {
        "mismatches": 1,
        "verdict": "differs",
        "first_mismatch": {"packet": 17, "live": "drop", "replay": "pass"},
    }
    assert command("replay", log) == replay_command.DIFFERS == 3
    assert "packet: 17" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda run: None, None),
        (
            lambda run: run["validity"].update(valid=True, reasons=["it was late"]),
            "contradicts its class",
        ),
        (lambda run: run["validity"].update({"class": None}), "contradicts its class"),
        (
            lambda run: run["validity"].update({"class": "loose", "required": "good"}),
            "plan requires loose",
        ),
        (lambda run: run["validity"].update({"valid": False}), "is called valid"),
        (lambda run: run["validity"]["lateness_us"].update(p99=3.0), "the log has 15.2 us"),
        (lambda run: run["validity"]["replay"].update(packets=5), "it has 5 packets"),
        (lambda run: run.update(fingerprint="beef"), "the log gives f00d"),
        (
            lambda run: run.update(fingerprint="beef", duration_s=1.0),
            None,
        ),  # It ended with its program.
        (
            lambda run: (run["validity"].pop("required"), run["validity"].pop("class")),
            None,
        ),  # An older release.
    ],
)
def test_a_replay_checks_what_the_summary_says(
    change, words: str | None, monkeypatch, capsys, tmp_path: Path
) -> None:
    run = {
        "seed": 1,
        "fingerprint": "f00d",
        "valid": True,
        "validity": simulated_kernels.block() | {"required": "loose"},
    }
    change(run)
    (tmp_path / "summary.json").write_text(json.dumps(run))
    (tmp_path / "run.log").touch()
    packets = simulated_kernels.BLOCK["replay"]["packets"]
    said = {
        "packets": packets,
        "mismatches": 0,
        "verdict": "same",
        "seed": 1,
        "fingerprint": "f00d",
    }
    said |= {"required": "loose", "duration_s": 60.0, "lateness_us": {"p99": 15.1}}
    monkeypatch.setattr(api, "replay", lambda wanted: said | {"lateness_us": {"p99": 15.2}})
    assert command("replay", tmp_path) == (3 if words else 0)
    out = capsys.readouterr().out
    assert (words or "agrees with it") in out
    assert words or "do not prove who wrote it" in out


def test_the_class_its_bound_and_what_the_better_ones_lack_are_shown() -> None:
    missed = [{"class": "exact", "reasons": ["stalls may have moved the goodput"]}]
    more = {"class": "good", "required": "loose", "missed": missed, "warnings": ["a host waited"]}
    block = simulated_kernels.block() | more | {"bound_percent": {"goodput": 0.62, "wait": 0.1}}
    block["traffic"] = {
        "starved_share": 0.2,
        "window_limited_share": 0.0,
        "buffer_limited_share": 0.01,
    }
    block["calibration"] |= {
        "stalled_share": 0.004,
        "longest_stall_ms": 3.1,
        "expected_class": "loose",
    }
    said = dict(validity.facts(block))
    assert said["results are good to"] == "goodput within 0.62 %, mean wait within 0.1 %"
    assert said["not exact"] == "stalls may have moved the goodput"
    assert said["warning"] == "a host waited"
    assert said["hosts"].startswith("20 % of the time without a processor")
    assert said["stalls of this machine before the run"].endswith(
        "the longest 3.1 ms: class expected: loose"
    )
    assert (
        validity.Run(1, block).verdict
        == "valid, class good (goodput within 0.62 %, mean wait within 0.1 %)"
    )


def test_a_class_is_required_of_kernels_alone(capsys, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text("")
    assert command("run", tmp_path / "one.toml", "--class", "good") == 2
    assert command("reproduce", "red-on-netfpga", "--class", "good") == 2
    assert "add --on kernel" in capsys.readouterr().err
    assert shell.scenario(wish(required="exact"))["testbed"] == {"class": "exact"}
    assert "testbed" not in shell.scenario(wish())


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
        ({"loss": "3"}, "no share"),
        ({"delay": "20"}, "not a time"),
        ({"only": "left"}, "no such direction"),
        ({"queue": "red:min_th"}, "no parameter"),
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
    assert command(*words, "--", "iperf3", "-c", "{server}", "--json") == 7
    assert asked[0]["program"] == ["iperf3", "-c", "{server}", "--json"]
    assert asked[0]["server"] == ["iperf3", "-s", "-1"]
    out, err = capfd.readouterr()
    assert out == "hello\n"
    assert "dropped: overflow" in err
    assert command(*words, "--json", "--", "true") == 7
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
        assert command("shell", "--rate", "2Mbps", "--", "true") == 0
        assert f"records: results/shell/{number}" in capfd.readouterr().err
        monkeypatch.setattr(api, "shell", fails)
        assert command("shell", "--rate", "2Mbps", "--", "true") == 2
    assert sorted(path.name for path in (tmp_path / "results/shell").iterdir()) == ["1", "2"]
    assert command("shell", "--rate", "2Mbps", "--pcap", "nowhere/x.pcapng", "--", "true") == 2


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


def test_a_live_run_of_a_file_for_another_tcp_says_so(
    monkeypatch, capfd, tmp_path: Path, simulated
) -> None:
    file = tmp_path / "one.toml"
    file.write_text(
        'duration = "1 s"\n[dumbbell.bottleneck]\nrate = "2 Mbps"\ndelay = "2 ms"\n[[flow]]\nname '
        '= "a"\n'
    )
    monkeypatch.setattr(api, "run", simulated_kernels.testbed())
    for words, profile in (
        ((), "rfc"),
        (("-s", "profile=ns2"), "ns2"),
        (("-s", "profile=linux"), None),
    ):
        command("run", file, "--on", "kernel", *words)
        assert ("note: the scenario has the profile" in capfd.readouterr().err) is (
            profile is not None
        )


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
    assert shell.said(ran) == ["no packet crossed the link: there is nothing to measure"]


def test_scenarios_in_python_ask_for_kernels(monkeypatch) -> None:
    monkeypatch.setattr(api, "run", simulated_kernels.testbed())
    found = dumbbell.Scenario(**SCENARIO).run(on="kernel")
    assert found.validity[0]["class"] == "exact"
    assert dumbbell.Scenario(**SCENARIO).run().validity == []
    assert "dumbbell.present.validity" in sys.modules
