"""What Linux 6.12.117 did in virtual time, as numbers: the profile `linux` does the same without a
kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars
import pytest
from dumbbell import api

TAIL = {
    "profile": "linux",
    "duration": "4 s",
    "warmup": "0 s",
    "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "20 ms"}},
    "queue": {"kind": "drop_tail", "limit": "60 pkt"},
    "flow": [
        {
            "name": "a",
            "cc": "sack",
            "rtt": "80 ms",
            "source": {"kind": "request_response", "response": "7 kB", "think": "100 ms"},
        }
    ],
}
"""Five segments leave at 80 ms, the last one short; the bottleneck has sent them 1.2 ms apart, from
91.4 ms on."""
LAST, BOTH, ALL = "0.0957", "0.0944 0.0956", "0.0908 0.0920 0.0932 0.0944 0.0956"


def sent_again(tmp_path: Path, lost: str) -> list[tuple[float, int]]:
    """When the sender sent what it had sent before, s, and from which byte on."""
    wire = {"kind": "loss_trace", "of": "times", "trace": lost}
    bottleneck = {**TAIL["dumbbell"]["bottleneck"], "impairment": [wire]}  # type: ignore[index]
    value = TAIL | {"dumbbell": {"bottleneck": bottleneck}, "record": {"packets": True}}
    out = tmp_path / "run"
    api.run(api.request({"value": value, "name": "tail"}, ["seed=1"], out=str(out)))
    rows = polars.read_parquet(out / "packets.parquet").to_dicts()
    data = sorted(
        (row["sent_ps"], row["seq"])
        for row in rows
        if row["from"] == "sender" and row["payload_bytes"]
    )
    seen: set[int] = set()
    again = []
    for at, seq in data:
        if seq in seen:
            again.append((at / 1e12, seq))
        seen.add(seq)
    return again


@pytest.mark.parametrize(
    ("lost", "kernel"),
    [
        (LAST, [(0.447382, 5793)]),
        (BOTH, [(0.335382, 5793), (0.416653, 4345)]),
        (
            ALL,
            [(0.247382, 5793), (0.328653, 1), (0.410155, 1449), (0.410155, 2897), (0.491656, 4345)],
        ),
        (f"{LAST} 0.447", [(0.447382, 5793), (0.735382, 5793)]),
    ],
)
def test_tails_are_repaired_when_the_kernel_does(
    tmp_path: Path, lost: str, kernel: list[tuple[float, int]]
) -> None:
    """Tail loss probes and timeouts, to the part of a tick by which the kernel's ticks lie before
    ours, 0.618 ms."""
    again = sent_again(tmp_path, lost)
    assert [seq for _, seq in again] == [seq for _, seq in kernel]
    for (ours, _), (at, _) in zip(again, kernel, strict=True):
        assert ours == pytest.approx(at + 0.000618, abs=2e-5)


@pytest.mark.parametrize(("rtt", "window"), [(20, 95), (60, 176), (100, 336), (200, 656)])
def test_hystart_leaves_slow_start_at_the_kernels_window(
    tmp_path: Path, rtt: int, window: int
) -> None:
    value = {
        "profile": "linux",
        "duration": "2.2 s",
        "warmup": "0 s",
        "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": f"{rtt / 4:g} ms"}},
        "queue": {"kind": "drop_tail", "limit": "200 pkt"},
        "flow": [{"name": "a", "cc": "cubic", "rtt": f"{rtt} ms"}],
        "record": {"every": "10 ms"},
    }
    out = tmp_path / "run"
    api.run(api.request({"value": value, "name": "hystart"}, ["seed=1"], out=str(out)))
    thresholds = polars.read_parquet(out / "flows.parquet")["ssthresh_bytes"].to_list()
    first = next(size for size in thresholds if size is not None)
    assert first / 1448 == pytest.approx(window, abs=2)


def test_westwood_plus_holds_what_the_kernels_does_under_random_loss() -> None:
    """10 Mbit/s, 60 ms, 1 % loss, 60 s: three seeds of the kernel, Mbit/s."""
    kernel = [7.335, 7.415, 7.451]
    scenario: dict[str, Any] = {
        "profile": "linux",
        "duration": "60 s",
        "warmup": "0 s",
        "dumbbell": {
            "bottleneck": {
                "rate": "10 Mbps",
                "delay": "15 ms",
                "impairment": [{"kind": "bernoulli", "loss": 0.01}],
            }
        },
        "queue": {"kind": "drop_tail", "limit": "60 pkt"},
        "flow": [{"name": "a", "cc": "westwood_plus", "rtt": "60 ms"}],
    }

    def goodput(cc: Any, seed: int) -> float:
        value = scenario | {"flow": [{**scenario["flow"][0], "cc": cc}]}
        run = api.run(api.request({"value": value, "name": "loss"}, [f"seed={seed}"]))
        return float(run["flows"][0]["goodput_bps"]) / 1e6

    ours = [goodput("westwood_plus", seed) for seed in (1, 2, 3)]
    assert sum(ours) / 3 == pytest.approx(sum(kernel) / 3, rel=0.06)
    once = goodput({"kind": "westwood_plus", "duplicates": "once"}, 1)
    assert once < 0.8 * min(kernel)
