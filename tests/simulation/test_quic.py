"""QUIC in scenarios: the shipped one, what is measured, and what is refused."""

from __future__ import annotations

from typing import Any

import dumbbell
import pytest
from dumbbell import shipped
from dumbbell.errors import ScenarioError

HEAD = 'duration = "3 s"\ndumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }\n[[flow]]\n'
QUIC = 'name = "f"\ntransport = "quic"\n'
COUNTS = {
    "declared_lost",
    "spurious_losses",
    "loss_events",
    "ecn_events",
    "persistent_congestions",
}


def _run(lines: str) -> Any:
    return dumbbell.Scenario.from_text(HEAD + lines).run()


def test_the_shipped_scenario_shares_a_bottleneck() -> None:
    file = shipped.scenario("quic")
    assert file is not None
    run = dumbbell.Scenario.from_file(file).run()
    assert run.json["conservation"]["ok"]
    quic, tcp = run.json["flows"]
    assert set(quic["quic"]) == COUNTS and "quic" not in tcp
    assert 0.3 < quic["share"] < 0.7


def test_quic_and_tcp_share_a_link_that_drops_by_chance() -> None:
    """With the same control neither has an advantage where no phase decides who loses: 40 random
    starts over 300 s have a mean share of 0.510 and a standard deviation of 0.005."""
    file = shipped.scenario("quic")
    assert file is not None
    changes = {
        "duration": "100 s",
        "queue.kind": "red",
        "flow.0.start_spread": "2 s",
        "flow.1.start_spread": "2 s",
    }
    runs = dumbbell.Scenario.from_file(file).with_(changes).run(replications=6).json["runs"]
    shares = [run["flows"][0]["share"] for run in runs]
    assert 0.48 < sum(shares) / len(shares) < 0.54, shares


@pytest.mark.parametrize("handshake", ["1-rtt", "0-rtt", "none"])
def test_a_transfer_completes(handshake: str) -> None:
    size = 'source = { kind = "fixed", size = "500 kB" }\n'
    run = _run(QUIC + size + f'quic = {{ handshake = "{handshake}" }}\n')
    (flow,) = run.json["flows"]
    assert flow["completion_s"] is not None and flow["cc"] == "newreno"


def test_marks_reach_a_scalable_control() -> None:
    queue = 'queue = { kind = "red", limit = "100 pkt", ecn = true }\n'
    text = HEAD.replace("[[flow]]\n", queue + "[[flow]]\n") + QUIC + 'cc = "dctcp"\n'
    run = dumbbell.Scenario.from_text(text).run()
    (flow,) = run.json["flows"]
    assert flow["marks"] > 0 and flow["quic"]["ecn_events"] > 0


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        (QUIC + 'cc = "tahoe"\n', "tahoe cannot run over QUIC"),
        (QUIC + 'cc = "cae"\n', "QUIC has no timestamps"),
        (QUIC + "tcp = { sack = false }\n", "`tcp` belongs to TCP, and this flow is QUIC"),
        (QUIC + 'profile = "linux"\n', "`profile` belongs to TCP, and this flow is QUIC"),
        (QUIC + "quic = { ack_evry = 2 }\n", "ack_evry"),
        (QUIC + 'quic = { datagram = "1000 B" }\n', "not a valid datagram size"),
        (QUIC + 'quic = { datagram = "9000 B" }\n', "QUIC packets are not cut"),
        (QUIC + 'cc = "prague"\nquic = { ecn = "off" }\n', 'prague needs ecn = "l4s"'),
        (QUIC + 'ecn = "ect0"\n', "this flow is QUIC"),
        (QUIC + "df = true\n", "never cut"),
        ("quic = { ack_every = 2 }\n", "`quic` belongs to QUIC, and this flow is TCP"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(lines: str, cause: str) -> None:
    with pytest.raises(ScenarioError, match=cause.replace("(", r"\(")):
        _run(lines)
