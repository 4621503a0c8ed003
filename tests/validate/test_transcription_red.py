"""RED against its transcription (transcriptions/red.py): the same arrivals and the same draws,
packet by packet."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import dumbbell
import polars as pl
import pytest
from transcriptions import red
from transcriptions.philox import Uniform, philox

HERE = Path(__file__).parents[1]
RATE = 8_000_000
END_PS = 30 * 10**12

VARIANTS: dict[str, dict[str, Any]] = {
    "library": {},
    "paper-1993": {"max_p": 0.02, "idle_style": "paper", "min_q_for_drop": "0 pkt"},
    "gentle": {"gentle": True, "max_p": 0.02, "limit": "80 pkt"},
    "wait": {"spacing": "uniform_wait", "gentle": True},
    "bernoulli": {"spacing": "bernoulli", "w_q": 0.02},
    "stored": {"spacing": "uniform_stored", "max_p": 0.05},
    "ecn": {"ecn": True, "max_p": 0.3},
    "ecn-soft": {"ecn": True, "ecn_hard": False, "gentle": True, "w_q": 0.01},
    "byte-mode": {"byte_mode": True, "mean_packet_size": "1000 B", "byte_drop": "mean_size"},
    "byte-drop-mtu": {"byte_drop": "max_size", "idle_fraction": "real"},
    "byte-drop-ns2": {"byte_drop": "ns2", "mean_packet_size": "800 B", "spacing": "uniform_wait"},
    "overflow": {
        "limit": "12 pkt",
        "min_th": "4 pkt",
        "max_th": "11 pkt",
        "max_p": 0.01,
        "w_q": 0.1,
    },
    "in-service": {"count_in_service": True, "w_q": 0.05, "max_th": "9 pkt"},
    "step": {"w_q": 1.0, "min_th": "8 pkt", "max_th": "8 pkt", "ecn": True, "ecn_hard": False},
    "idle": {
        "w_q": 0.3,
        "min_th": "1 pkt",
        "max_th": "6 pkt",
        "limit": "9 pkt",
        "min_q_for_drop": "0 pkt",
    },
}


def scenario(variant: dict[str, Any], seed: int) -> dict[str, Any]:
    """TCP with and without ECN beside bursts of datagrams of three sizes: pauses, overload, and all
    between."""
    tcp = {"profile": "ns2", "cc": "newreno"}
    jitter = {"send_jitter": "40 us"}  # No two packets come at one instant.
    bursts = {"kind": "on_off", "on_mean": "150 ms", "off_mean": "250 ms"}
    return {
        "duration": "30 s",
        "seed": seed,
        "dumbbell": {
            "bottleneck": {"rate": "8 Mbps", "delay": "10 ms"},
            "access": {"rate": "61 Mbps"},
        },
        "queue": {"kind": "red", "limit": "30 pkt", **variant},
        "flow": [
            {"name": "a", **tcp, "tcp": {"receive_window": "unlimited", **jitter}, "stop": "11 s"},
            {
                "name": "b",
                **tcp,
                "tcp": {"ecn": "rfc3168", "mss": "700 B", **jitter},
                "rtt": "53 ms",
                "stop": "17 s",
            },
            {
                "name": "c",
                "source": {**bursts, "rate": "5 Mbps", "packet": "1200 B"},
                "start_spread": "1 s",
            },
            {
                "name": "d",
                "source": {**bursts, "rate": "7 Mbps", "packet": "333 B"},
                "start_spread": "1 s",
            },
            {
                "name": "e",
                "source": {**bursts, "rate": "4 Mbps", "packet": "900 B"},
                "start_spread": "1 s",
            },
        ],
        "record": {"packets": True},
    }


def recorded(variant: dict[str, Any], seed: int, out: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What came to the bottleneck in the order of time, and the drops and marks there with what
    decided."""
    dumbbell.Scenario(scenario(variant, seed)).run(out=out)
    one = ["flow", "from", "packet"]
    read = {
        name: pl.read_parquet(out / f"{name}.parquet") for name in ("hops", "packets", "signals")
    }
    text = [pl.col("flow").cast(pl.String), pl.col("from").cast(pl.String)]
    packets = read["packets"].with_columns(text).select(*one, "ip_len_bytes", "ecn")
    here = (
        read["hops"]
        .with_columns(*text, pl.col("link").cast(pl.String))
        .filter(pl.col("link") == "bottleneck")
    )
    came = here.join(packets, on=one, how="left").sort("arrived_ps", maintain_order=True)
    assert came["arrived_ps"].n_unique() == len(came), (
        "two packets came at one instant: their order is not recorded"
    )
    signals = read["signals"].with_columns(*text)
    return came, signals.filter(pl.col("queue").cast(pl.String) == "bottleneck")


def transcribed(variant: dict[str, Any], seed: int, came: pl.DataFrame) -> list[red.Decision]:
    """The transcription's decisions on the same arrivals."""
    bare = {
        k: float(v.split()[0]) if isinstance(v, str) and v[0].isdigit() else v
        for k, v in variant.items()
    }
    limit = int(bare.pop("limit", 30))
    arrivals = [
        red.Arrival(row["arrived_ps"], row["ip_len_bytes"], str(row["ecn"]).startswith("ect"))
        for row in came.iter_rows(named=True)
    ]
    return red.queue(
        arrivals,
        red.parameters(bare),
        Uniform(seed, "bottleneck/red"),
        rate_bps=RATE,
        limit=limit,
        count_in_service=bool(bare.get("count_in_service", False)),
    )


@pytest.mark.parametrize("name", VARIANTS)
def test_every_decision_is_the_papers(name: str, tmp_path: Path) -> None:
    seed = 11
    came, signals = recorded(VARIANTS[name], seed, tmp_path / "out")
    decisions = transcribed(VARIANTS[name], seed, came)
    assert len(came) > 5000
    for row, d in zip(came.iter_rows(named=True), decisions, strict=True):
        lost, reason = row["dropped_ps"] is not None, row["reason"]
        ours = str(reason) if lost else "pass" if reason is None else "mark"
        left = d.departed_ps if d.departed_ps is not None and d.departed_ps <= END_PS else None
        assert (ours, row["backlog_packets"], row["departed_ps"]) == (d.fate, d.backlog, left), (
            name,
            row,
            d,
        )
    compare_gauges(name, came, signals, decisions)


def compare_gauges(
    name: str, came: pl.DataFrame, signals: pl.DataFrame, decisions: list[red.Decision]
) -> None:
    """What each drop and mark was decided by: counts exactly, the rest to the last bits of a
    double."""
    key = ["flow", "from", "packet"]
    by_packet = {tuple(row[k] for k in key): row for row in signals.iter_rows(named=True)}
    seen: dict[str, int] = {}
    for row, d in zip(came.iter_rows(named=True), decisions, strict=True):
        if d.fate == "pass":
            continue
        seen[d.why] = seen.get(d.why, 0) + 1
        said = by_packet[tuple(row[k] for k in key)]
        assert (str(said["reason"]), said["marked"]) == (d.why, d.fate == "mark")
        assert said["count"] == d.saw["count"], (name, said, d)
        for gauge in ("avg", "p_b", "p_a", "coin"):
            assert said[gauge] == pytest.approx(d.saw[gauge], rel=1e-9, abs=1e-15), (
                name,
                gauge,
                said,
                d,
            )
    assert len(by_packet) == sum(seen.values())
    assert sum(seen.values()) > 20, seen


def test_the_variants_take_every_way(tmp_path: Path) -> None:
    """The comparison is about something: all reasons, marks and drops, and decisions after idle
    times."""
    met: set[str] = set()
    for name in ("library", "ecn-soft", "overflow", "step"):
        came, _ = recorded(VARIANTS[name], 12, tmp_path / name)
        met |= {f"{d.fate}/{d.why}" for d in transcribed(VARIANTS[name], 12, came)}
    assert met >= {
        "pass/",
        "early/early",
        "forced/forced",
        "overflow/overflow",
        "mark/early",
        "mark/forced",
    }


def test_a_wrong_transcription_is_found(tmp_path: Path) -> None:
    """w_q off by a thousandth changes decisions within this run."""
    came, _ = recorded(VARIANTS["library"], 11, tmp_path / "out")
    right = transcribed(VARIANTS["library"], 11, came)
    wrong = transcribed({"w_q": 0.002 * 1.001}, 11, came)
    assert [d.fate for d in right] != [d.fate for d in wrong]


def test_philox_gives_the_known_answers() -> None:
    """Random123's `kat_vectors` for philox4x32-10."""
    assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    ones = 0xFFFF_FFFF
    assert philox([ones] * 4, [ones] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    pi = [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344]
    assert philox(pi, [0xA4093822, 0x299F31D0]) == [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]


def test_transcriptions_import_nothing_of_the_product() -> None:
    for file in sorted((HERE / "transcriptions").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{file.name} imports a neighbor"
                names = [node.module or ""]
            for name in names:
                assert name.split(".")[0] in sys.stdlib_module_names, f"{file.name} imports {name}"
