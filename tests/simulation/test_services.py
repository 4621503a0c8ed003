"""Links that are not at a constant rate, from a scenario's file to a result."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import dumbbell
import pytest

ROOT = Path(__file__).resolve().parents[2]
CELLULAR = ROOT / "scenarios" / "cellular.toml"
TRACE = ROOT / "scenarios" / "traces" / "cellular.trace"


def test_tcp_uses_a_cellular_link_as_far_as_it_goes() -> None:
    """A window that fills 200 packets wastes little of what the trace offers, and never gets
    more."""
    lines = [int(line) for line in TRACE.read_text().split()]
    assert lines == sorted(lines)
    offered = sum(5_000 < ms <= 60_000 for ms in lines) * 12_000 / 55
    result = dumbbell.Scenario.from_file(CELLULAR).run()
    (queue,) = result.queues
    (flow,) = result.flows
    assert 0.9 < queue.utilization <= 1.0
    # 1460 of each 1500 bytes are the application's; what is sent twice is not.
    assert (
        queue.utilization * 0.93
        < flow.goodput_bps / (offered * 1460 / 1500)
        <= queue.utilization + 1e-3
    )


def test_a_shorter_queue_trades_throughput_for_delay() -> None:
    scenario = dumbbell.Scenario.from_file(CELLULAR)
    deep = scenario.run()
    shallow = scenario.with_({"queue.limit": "20 pkt"}).run()
    assert shallow.queues[0].p99_sojourn_s < 0.5 * deep.queues[0].p99_sojourn_s
    assert shallow.queues[0].utilization < deep.queues[0].utilization


def test_the_trace_is_what_its_script_writes(tmp_path: Path) -> None:
    script = tmp_path / "make_cellular.py"
    script.write_text((TRACE.parent / script.name).read_text())
    subprocess.run([sys.executable, script], check=True, timeout=60)
    assert (tmp_path / "cellular.trace").read_bytes() == TRACE.read_bytes()


def test_a_service_is_a_class_of_python() -> None:
    bottleneck = {
        "delay": "10 ms",
        "service": dumbbell.Steps(steps=[["0 s", "4 Mbps"], ["1 s", "0 bps"]], period="2 s"),
    }
    words = {
        "duration": "10 s",
        "dumbbell": {"bottleneck": bottleneck},
        "flow": [{"source": {"kind": "cbr"}}],
    }
    plan = dumbbell.Scenario(words).check()[0]["plan"]
    (link,) = [link for link in plan["links"] if link["name"] == "bottleneck"]
    assert (link["rate"], link["service"]["kind"]) == ("2 Mbps", "steps")


@pytest.mark.parametrize(
    ("text", "says"),
    [("", "empty"), ("3\n1\n", "line 2"), ("1\n2", "truncated"), ("x\n", "line 1")],
)
def test_a_bad_trace_is_exit_code_2(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "bad.trace").write_text(text)
    command = [
        sys.executable,
        "-m",
        "dumbbell",
        "check",
        CELLULAR,
        "-s",
        "dumbbell.bottleneck.service.file=bad.trace",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert says in done.stderr
