"""SCReAM in scenarios: the shipped one, what is measured, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dumbbell
import pytest
from dumbbell import shipped
from dumbbell.errors import ScenarioError

HEAD = 'duration = "6 s"\ndumbbell.bottleneck = { rate = "2 Mbps", delay = "10 ms" }\n[[flow]]\n'
CALL = 'name = "f"\ntransport = "scream"\n'


def _run(lines: str) -> Any:
    return dumbbell.Scenario.from_text(HEAD + lines).run()


def test_the_shipped_scenario_keeps_most_frames_within_their_budget() -> None:
    file = shipped.scenario("video-call")
    assert file is not None
    scenario = dumbbell.Scenario.from_file(file)
    run = scenario.run()
    assert run.json["conservation"]["ok"]
    call, download = run.json["flows"]
    media = call["media"]
    assert "media" not in download and call["cc"] is None
    assert media["missed"] < 0.1 and media["frames"] > 1000
    assert media["missed"] * media["frames"] == pytest.approx(
        media["frames_late"] + media["frames_lost"]
    )
    # A queue that the download fills misses many more.
    full = scenario.with_({"queue.kind": "drop_tail"}).run().json["flows"][0]["media"]
    assert full["missed"] > 2 * media["missed"]


def test_a_camera_is_the_usual_source_and_follows_the_target() -> None:
    (flow,) = _run(CALL).json["flows"]
    media = flow["media"]
    # 200 kbps a second from 150 kbps, a tenth of the target each 200 ms below 400 kbps.
    assert 400e3 < media["target_bps"] < 900e3
    assert media["media_bps"] == pytest.approx(media["target_bps"], rel=0.1)
    assert flow["application"]["rate_bps"] > media["target_bps"]
    assert flow["cwnd_mean_packets"] >= 3 and flow["lost_packets"] == 0


def test_series_show_the_control(tmp_path: Path) -> None:
    result = dumbbell.Scenario.from_text(
        HEAD.replace("[[flow]]", 'record.every = "100 ms"\n[[flow]]') + CALL
    ).run(out=tmp_path / "out")
    rows = result.series("flows").rows()
    assert rows[-1]["cc_target_bps"] > rows[0]["cc_target_bps"] > 0
    assert {"cc_qdelay_s", "cc_qdelay_target_s", "cc_rtp_queue_bytes"} <= set(rows[0])


@pytest.mark.parametrize("transport", ["scream", "quic", "tcp"])
def test_delays_of_whatever_is_answered_are_measured(transport: str) -> None:
    head = HEAD.replace("[[flow]]", "record.delays = true\n[[flow]]")
    (flow,) = (
        dumbbell.Scenario.from_text(f'{head}transport = "{transport}"\nrtt = "40 ms"\n')
        .run()
        .json["flows"]
    )
    assert 0.02 < flow["delay_min_s"] < 0.03


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        (CALL + 'cc = "cubic"\n', "`cc` belongs to TCP, and this flow is SCReAM"),
        (CALL + "tcp = { sack = false }\n", "`tcp` belongs to TCP, and this flow is SCReAM"),
        (CALL + "quic = { ack_every = 2 }\n", "`quic` belongs to QUIC, and this flow is SCReAM"),
        (CALL + 'source = "bulk"\n', "SCReAM sets the rate of a coder, and bulk has none"),
        (CALL + "scream = { gian = 2.0 }\n", "gian"),
        (CALL + 'scream = { mss = "2000 B" }\n', "packets of SCReAM are not cut"),
        (CALL + "scream = { beta_loss = 2.0 }\n", "beta_loss"),
        (CALL + 'ecn = "ect0"\n', "this flow is SCReAM"),
        (CALL + "df = true\n", "fit their path"),
        (CALL + 'words = [{ at = "1 s", say = "path_down" }]\n', "this flow is SCReAM"),
        (CALL + 'source = { kind = "camera", budget = "0 s" }\n', "budget"),
        ("scream = { gain = 2.0 }\n", "`scream` belongs to SCReAM, and this flow is TCP"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(lines: str, cause: str) -> None:
    with pytest.raises(ScenarioError, match=cause):
        _run(lines)
