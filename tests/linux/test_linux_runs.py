"""Runs on user-mode kernels: the same each time, every packet accounted for, nothing left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.command import document, dumbbell
from helpers.live import guests
from helpers.live.guests import BULK


@pytest.fixture(scope="module", autouse=True)
def kernel() -> Path:
    return guests.needed()


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("linux") / "two.toml"
    file.write_text(BULK)
    return file


@pytest.fixture(scope="module")
def ran(scenario: Path) -> tuple[Path, dict[str, Any]]:
    """A recorded run: its directory, and its document."""
    out = scenario.with_name("out")
    words = ("run", scenario, "--on", "linux", "--out", out, "--record-every", "100 ms")
    return out, document(*words, timeout_s=240)


def test_a_run_has_the_document_of_a_simulation(ran: tuple[Path, dict[str, Any]]) -> None:
    _, data = ran
    assert data["on"] == "linux"
    assert data["valid"]
    assert data["conservation"]["ok"]
    goodput = sum(flow["goodput_bps"] for flow in data["flows"])
    assert goodput == pytest.approx(10e6 * 1448 / 1500, rel=0.02)
    assert all(flow["cwnd_mean_packets"] > 2 for flow in data["flows"])
    assert all(0.04 < flow["srtt_mean_s"] < 0.1 for flow in data["flows"])


def test_the_kernels_retransmissions_are_those_that_the_network_saw(
    ran: tuple[Path, dict[str, Any]],
) -> None:
    """Drops of the whole run, against what the senders' TCP_INFO says of it at the end."""
    from dumbbell.data import series

    out, _ = ran
    flows = series.read(out, "flows")
    assert flows is not None
    last = flows.filter(flows["time_s"] == flows["time_s"].max())
    sent_again, lost = last["retransmits"].sum(), last["lost_packets"].sum()
    assert lost > 0
    assert abs(sent_again - lost) <= 3


def test_a_lost_syn_is_sent_again(tmp_path: Path) -> None:
    """After the initial timeout of a second (RFC 6298 section 2). A kernel does not send again what
    its device still holds."""
    from dumbbell.data import series

    file = tmp_path / "lost.toml"
    file.write_text(
        'profile = "linux"\nduration = "3 s"\nflow = [{ cc = "cubic", rtt = "40 ms" }]\n'
        'queue = { kind = "drop_tail", limit = "100 pkt" }\nrecord = { packets = true }\n'
        '[dumbbell.bottleneck]\nrate = "10 Mbps"\ndelay = "10 ms"\n'
        'impairment = [{ kind = "loss_trace", trace = "1" }]\n'
        "reverse = { impairment = [] }\n",
        encoding="utf-8",
    )
    out = tmp_path / "out"
    data = document("run", file, "--on", "linux", "--out", out, timeout_s=240)
    packets = series.read(out, "packets")
    assert packets is not None
    syns = packets.filter(packets["flags"].cast(str) == "S")["sent_ps"] / 1e12
    assert len(syns) == 2
    assert syns[1] - syns[0] == pytest.approx(1.0, abs=0.1)
    assert data["flows"][0]["goodput_bps"] > 5e6


def test_jumbo_frames_fill_their_link(tmp_path: Path) -> None:
    """A guest has room for frames beyond Ethernet's only if its device names its MTU."""
    file = tmp_path / "jumbo.toml"
    link = 'rate = "100 Mbps", delay = "5 ms", mtu = "9180 B"'
    file.write_text(
        'schema = 1\nduration = "2 s"\nwarmup = "1 s"\nhost = [{ name = "a" }, { name = "b" }]\n'
        'router = [{ name = "r" }]\n'
        f'link = [{{ between = ["a", "r"], {link} }}, {{ between = ["r", "b"], {link} }}]\n'
        'flow = [{ name = "f", from = "a", to = "b", cc = "cubic" }]\n'
    )
    data = document("run", file, "--on", "linux", timeout_s=120)
    assert data["valid"]
    # 9128 of 9180 bytes are data.
    assert data["flows"][0]["goodput_bps"] == pytest.approx(100e6 * 9128 / 9180, rel=0.02)


def series_of_one(cc: str, seconds: int, packets: int, folder: Path, **changed: str) -> Any:
    """The series of a flow over 10 Mbit/s and 40 ms with a buffer of `packets`, each 50 ms."""
    from dumbbell.data import series

    file, out = folder / "one.toml", folder / "out"
    file.write_text(
        f'profile = "linux"\nduration = "{seconds} s"\nflow = [{{ cc = "{cc}", rtt = "40 ms" }}]\n'
        f'queue = {{ kind = "drop_tail", limit = "{packets} pkt" }}\n'
        'dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }\n',
        encoding="utf-8",
    )
    changes = [word for key, value in changed.items() for word in ("-s", f"{key}={value}")]
    options = ["--on", "linux", "--out", out, "--record-every", "50 ms", *changes]
    document("run", file, *options, timeout_s=240)
    flows = series.read(out, "flows")
    assert flows is not None
    return flows


def test_no_timeout_is_shorter_than_the_least(tmp_path: Path) -> None:
    """The kernel takes a route's least timeout only if it is locked, and else its own 200 ms."""
    least = {"tcp.min_rto": "700 ms", "tcp.probe_ack_delay": "700 ms"}
    flows = series_of_one("cubic", 3, 20, tmp_path, **least)
    settled = flows.filter(flows["srtt_us"] > 0)
    assert len(settled) > 50
    assert settled["rto_us"].min() >= 740e3


def test_a_congestion_control_says_what_it_holds(tmp_path: Path) -> None:
    """BBR alone on 10 Mbit/s and 40 ms: its model of the path is the path, its gains are those of
    ours."""
    flows = series_of_one("bbr", 4, 100, tmp_path)
    late = flows.filter(flows["time_s"] > 2)
    assert late["cc_btl_bw"].min() == pytest.approx(10e6 * 1448 / 1500, rel=0.03)
    assert late["cc_rt_prop"].max() == pytest.approx(0.04, abs=0.002)
    assert set(late["cc_pacing_gain"].round(2)) <= {0.75, 1.0, 1.25}
    assert flows["cc_pacing_gain"].max() == pytest.approx(2.885, abs=0.01)


def test_a_run_is_the_same_in_another_folder_and_under_load(
    ran: tuple[Path, dict[str, Any]], scenario: Path, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere.toml"
    other.write_text(scenario.read_text(encoding="utf-8"))
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        again = document("run", other, "--on", "linux", timeout_s=240)
    finally:
        for process in load:
            process.kill()
            process.wait()
    assert again["fingerprint"] == ran[1]["fingerprint"]


def test_the_log_of_a_run_replays(ran: tuple[Path, dict[str, Any]]) -> None:
    replayed = document("replay", ran[0] / "run.log")
    assert replayed["verdict"] == "same"
    assert replayed["fingerprint"] == ran[1]["fingerprint"]


def test_another_seed_is_another_run(ran: tuple[Path, dict[str, Any]], scenario: Path) -> None:
    words = ("run", scenario, "--on", "linux", "--seed", 2, "-s", "duration=2s")
    other = document(*words, timeout_s=240)
    assert other["fingerprint"] != ran[1]["fingerprint"]


def test_transfers_requests_and_datagrams_run_too(scenario: Path) -> None:
    more = (
        '[[flow]]\nname = "file"\ncc = "cubic"\nrtt = "40 ms"\nstart = "1 s"\n'
        'source = { kind = "fixed", size = "100 kB" }\n'
        '[[flow]]\nname = "voice"\nrtt = "40 ms"\nsource = { kind = "cbr", rate = "500 kbps" }\n'
    )
    file = scenario.with_name("more.toml")
    file.write_text(BULK + more)
    data = document("run", file, "--on", "linux", timeout_s=240)
    flows = {flow["name"]: flow for flow in data["flows"]}
    assert data["valid"]
    assert 0 < flows["file"]["completion_s"] < 3
    assert flows["voice"]["goodput_bps"] == pytest.approx(500e3, rel=0.2)


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("flow.a.cc=jersey", "jersey"),
        ("flow.a.ip=6", "IP version 6"),
    ],
)
def test_what_the_kernel_lacks_is_refused_by_name(scenario: Path, override: str, said: str) -> None:
    refused = dumbbell("run", scenario, "--on", "linux", "-s", override, timeout_s=120)
    assert refused.returncode == 2, refused.stderr
    assert said in refused.stderr


def test_a_second_call_of_a_device_whose_interrupt_waits_is_no_event() -> None:
    """Both come while the kernel has interrupts disabled. With the 25 devices of a paper's network
    that happens before two seconds are over."""
    network = Path(__file__).parents[2] / "papers" / "jumbo-frames" / "network.toml"
    rates = [f"link.b{hop}.rate=155 Mbps" for hop in (1, 2, 3)]
    controls = [f"flow.n{n}.cc=newreno" for n in (1, 2, 3, 4, 5, 7, 8, 10, 11, 12)]
    tcp = ["tcp.clock=1 us", "tcp.initial_rto=1 s", "tcp.exit=deflated", "tcp.max_rto=120 s"]
    words = [w for s in ("duration=2 s", *rates, *controls, *tcp) for w in ("-s", s)]
    data = document("run", network, "--on", "linux", "--seed", 101, *words, timeout_s=240)
    assert data["valid"]
    assert data["conservation"]["ok"]
