"""A stand-in for the testbed, for tests of what is said of live runs: simulated runs with a block
of validity."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from dumbbell import api

JSON = dict[str, Any]

BLOCK: JSON = {
    "valid": True,
    "class": "exact",
    "reasons": [],
    "datapath": "tun",
    "realtime": True,
    "calibration": {
        "ceiling_packets_per_s": 612000,
        "ceiling_bps": 7.344e9,
        "rtt_p50_us": 21.3,
        "rtt_p99_us": 36.1,
    },
    "lateness_us": {"p50": 4.4, "p99": 15.2, "p999": 247, "max": 612},
    "gap_error_us": {"p50": 0.5, "p99": 12.5},
    "stalls": {"over_packet_time": 12, "over_1ms": 0, "share_of_time": 0.00002, "longest_ms": 0.61},
    "rate_error": 0.00002,
    "port_drops": {"sent": 0, "written": 0},
    "oversized_frames": 0,
    "bad_checksums": 0,
    "conservation": {"ok": True, "in": 123456, "out": 122638, "dropped": 818, "inside": 0},
    "retransmissions": {"router_drops": 818, "retransmits": 817},
    "cpu": {"router_share": 0.36, "steal_share": 0.01, "involuntary_switches": 42},
    "replay": {"packets": 123456, "mismatches": 0},
}

SCENARIO: JSON = {
    "name": "two",
    "duration": "2 s",
    "dumbbell": {"bottleneck": {"rate": "10 Mbps", "delay": "5 ms"}},
    "queue": {"kind": "drop_tail", "limit": "20 pkt"},
    "flow": [{"name": "a"}, {"name": "b"}],
}

LATE = "99 of 100 packets left within 3940 us of their time; the bound is one packet, 121 us"


def two_runs() -> JSON:
    """The scenario with two seeds, simulated."""
    return api.run(api.request({"value": SCENARIO, "name": "two"}, replications=2))


def block(*reasons: str) -> JSON:
    """What a run says of itself: that it is valid, or why not."""
    return {**copy.deepcopy(BLOCK), "valid": not reasons, "reasons": list(reasons)}


def lived(document: JSON, *reasons: str) -> JSON:
    """A simulated result as if kernels had made it."""
    out = copy.deepcopy(document)
    for run in out.get("runs") or [out]:
        run["validity"] = block(*reasons)
    return out | {"on": "kernel", "valid": not reasons, "code": 5 if reasons else 0}


def testbed(invalid: Callable[[JSON], Iterable[str]] = lambda _: ()) -> Callable[..., JSON]:
    """An `api.run` whose kernels are the simulator; `invalid` gives the reasons against a run."""
    simulate = api.run

    def run(wanted: JSON, progress: Any = None, own: Any = ()) -> JSON:
        if wanted.get("on") != "kernel":
            return simulate(wanted, progress, own)
        plain = {key: value for key, value in wanted.items() if key != "on"}
        done = lived(simulate(plain, progress, own), *invalid(wanted))
        if (out := wanted.get("out")) is not None:
            _write(Path(out) / "summary.json", done)
        return done

    return run


def _write(file: Path, document: JSON) -> None:
    """A result's document, as of a release without digests."""
    kept = {k: v for k, v in document.items() if k not in ("digests", "blake3", "out", "files")}
    file.write_text(json.dumps(kept), encoding="utf-8")


def mark(figure: object, path: Path) -> list[Path]:
    """Leaves marks where a figure would be written; test_figures.py has the real one, which takes
    its time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".svg").write_text("<svg/>")
    return [path.with_suffix(".svg")]
