"""Applications on user-mode kernels: their traffic is that of the same scenario in the simulator,
and of closed forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.command import document, dumbbell
from helpers.live import guests

PATH = """
duration = "{seconds} s"
warmup = "1 s"
queue = {{ kind = "drop_tail", limit = "100 pkt" }}
dumbbell.bottleneck = {{ rate = "10 Mbps", delay = "10 ms" }}
"""
RTT_S = 0.04
SEGMENT_S = 1500 * 8 / 10e6
"""A full segment's time on the bottleneck."""


@pytest.fixture(scope="module", autouse=True)
def kernel() -> Path:
    return guests.needed()


def both(where: Path, more: str, seconds: int = 11) -> tuple[dict[str, Any], dict[str, Any]]:
    """The scenario's results in the simulator, with the profile of Linux, and on Linux."""
    file = where / "scenario.toml"
    file.write_text(PATH.format(seconds=seconds) + more)
    simulated = document("run", file, "-s", "profile=linux")
    return simulated, document("run", file, "--on", "linux", timeout_s=240)


def test_responses_take_a_round_trip_and_their_segments(tmp_path: Path) -> None:
    """Eight segments fit into the first window, so a response takes one round trip and its own
    time on the bottleneck; a think time follows. All but the last are acknowledged in pairs."""
    think_s, segments = 0.2, 8
    more = (
        '[[flow]]\nname = "pages"\nrtt = "40 ms"\n[flow.source]\nkind = "request_response"\n'
        f'response = "{segments * 1448} B"\nthink = "{think_s} s"\n'
    )
    simulated, made = (data["flows"][0] for data in both(tmp_path, more))
    told = made["application"]
    least_s = RTT_S + segments * SEGMENT_S
    assert least_s <= told["latency_p50_s"] <= least_s + 0.005
    count = 11 / (think_s + told["latency_mean_s"])
    assert told["responses"] == pytest.approx(count, abs=2)
    assert told["responses"] == pytest.approx(simulated["application"]["responses"], rel=0.03)
    assert made["goodput_bps"] == pytest.approx(simulated["goodput_bps"], rel=0.05)


def test_random_responses_are_those_of_the_simulation(tmp_path: Path) -> None:
    """Windows outlive idle times: else the kernel halves them with each timeout (RFC 2861), and the
    simulation begins anew (RFC 5681). Nothing delays acknowledgments: the kernel tells the end of a
    response by its PSH flag."""
    more = (
        'tcp.restart_after_idle = false\ntcp.delayed_ack = "each"\n'
        '[[flow]]\nname = "pages"\nrtt = "40 ms"\n[flow.source]\nkind = "request_response"\n'
        'response = { kind = "log_normal", mean = "20 kB", sigma = 1.5 }\n'
        'think = { kind = "exponential", mean = "200 ms" }\n'
    )
    simulated, made = (data["flows"][0] for data in both(tmp_path, more, seconds=20))
    theirs, ours = made["application"], simulated["application"]
    assert theirs["responses"] == pytest.approx(ours["responses"], rel=0.1)
    assert theirs["latency_p50_s"] == pytest.approx(ours["latency_p50_s"], rel=0.25)
    assert made["goodput_bps"] == pytest.approx(simulated["goodput_bps"], rel=0.15)


def test_bursts_and_silences_have_their_mean_rate(tmp_path: Path) -> None:
    more = (
        '[[flow]]\nname = "bursts"\nrtt = "40 ms"\n[flow.source]\nkind = "on_off"\n'
        'rate = "2 Mbps"\non_mean = "500 ms"\noff_mean = "500 ms"\ndistribution = "constant"\n'
        '[[flow]]\nname = "random"\nrtt = "40 ms"\n[flow.source]\nkind = "on_off"\n'
        'rate = "2 Mbps"\non_mean = "200 ms"\noff_mean = "300 ms"\n'
    )
    simulated, made = both(tmp_path, more)
    flows = {flow["name"]: flow for flow in made["flows"]}
    assert flows["bursts"]["goodput_bps"] == pytest.approx(1e6, rel=0.06)
    assert flows["bursts"]["lost_packets"] == 0
    for ours in simulated["flows"]:
        theirs = flows[ours["name"]]
        assert theirs["sent_packets"] == pytest.approx(ours["sent_packets"], abs=2)
        assert theirs["goodput_bps"] == pytest.approx(ours["goodput_bps"], rel=0.02)


def test_transfers_of_sessions_are_those_of_the_simulation(tmp_path: Path) -> None:
    """Arrivals and sizes are drawn before the run, so the same flows start; an idle path lets each
    finish. With delayed acknowledgments completion times differ by some milliseconds."""
    more = (
        '[[session]]\nname = "web"\nload = 0.2\nrtt = "40 ms"\nstop = "9 s"\n'
        'size = { kind = "bounded_pareto", shape = 1.2, min = "1 kB", max = "300 kB" }\n'
    )
    simulated, made = (data["sessions"][0] for data in both(tmp_path, more))
    assert made["flows"] == simulated["flows"] > 100
    assert made["finished"] == made["flows"]
    assert made["mean_bytes"] == simulated["mean_bytes"]
    assert made["p50_completion_s"] == pytest.approx(simulated["p50_completion_s"], rel=0.1)
    assert made["mean_completion_s"] == pytest.approx(simulated["mean_completion_s"], rel=0.15)
    # Handshake, request of data, their way: two round trips at least.
    assert made["completion_percentiles_s"][0] >= 1.5 * RTT_S


def test_an_application_that_adapts_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "film.toml"
    source = '{ kind = "video", ladder = ["1 Mbps", "3 Mbps"] }'
    flow = f'[[flow]]\nname = "film"\nsource = {source}\n'
    file.write_text(PATH.format(seconds=4) + flow)
    told = dumbbell("run", file, "--on", "linux", timeout_s=120)
    assert told.returncode == 2, told.stderr
    assert "cannot choose by how fast its data arrived" in guests.flat(told.stderr)


@pytest.mark.parametrize("kind", ["dash", "web"])
def test_clients_that_act_when_their_data_arrive_are_refused(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "client.toml"
    file.write_text(PATH.format(seconds=4) + f'[[flow]]\nname = "f"\nsource = "{kind}"\n')
    told = dumbbell("run", file, "--on", "linux", timeout_s=120)
    assert told.returncode == 2, told.stderr
    assert "cannot see when a kernel's receiver has its data" in guests.flat(told.stderr)
