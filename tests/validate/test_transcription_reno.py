"""Reno against its transcription (transcriptions/reno.py): each packet's time, each reaction, the
windows between."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import dumbbell
import polars as pl
import pytest
from transcriptions import reno
from transcriptions.reno import Options

PS = 10**12
MS = 10**9
ACCESS_BPS = 102_400_000
LOOK_MS = 53
DEFAULT = Options()
ROUNDING = 4
"""Bytes: the product's window is whole bytes with a carried remainder, the transcription's a
floating-point number."""


@dataclass(frozen=True)
class Case:
    """A dumbbell of Reno flows: (start in ms, round-trip propagation time in ns) each.

    Their segments differ in size and a byte of the access links takes an odd number of picoseconds,
    so that hardly ever two packets come to a link at one instant: which goes first then is drawn by
    the seed, and no RFC's matter.
    """

    flows: tuple[tuple[int, int], ...]
    limit: int
    seconds: int = 20
    rate_mbps: int = 10
    options: Options = DEFAULT
    exact: bool = True
    """Whether every timeout is min_rto times a power of two, so that no rounding of RTO moves
    anything."""
    first: tuple[int, int] = (0, 0)
    """Whose packets the seed lets go first, forward and back, where two flows' come at one
    instant."""

    def mss(self, flow: int) -> int:
        """Of the first flow that of the options."""
        return self.options.mss - 23 * flow

    def scenario(self) -> dict[str, Any]:
        """The same for the product."""
        o = self.options
        tcp = {
            "initial_window": f"{o.initial_window} pkt",
            "initial_ssthresh": "unlimited"
            if o.initial_ssthresh == reno.INFINITE
            else f"{int(o.initial_ssthresh)} B",
            "receive_window": "unlimited",
            "clock": "0 s",
            "handshake": False,
            "reno_reentry": "always",
            "limited_transmit": o.limited_transmit,
            "min_rto": f"{o.min_rto_ps // MS} ms",
            "delayed_ack": "each" if o.delayed_ack_ps is None else "second",
            "delayed_ack_timeout": f"{(o.delayed_ack_ps or 100 * MS) // MS} ms",
        }
        reno_flow = {"cc": "reno", "profile": "ns2"}
        flows = [
            {
                "start": f"{start} ms",
                "rtt": f"{rtt} ns",
                "tcp": {**tcp, "mss": f"{self.mss(i)} B"},
                **reno_flow,
            }
            for i, (start, rtt) in enumerate(self.flows)
        ]
        bottleneck = {"rate": f"{self.rate_mbps} Mbps", "delay": "5 ms"}
        return {
            "duration": f"{self.seconds} s",
            "dumbbell": {
                "bottleneck": bottleneck,
                "access": {"rate": f"{ACCESS_BPS // 1000} kbps"},
            },
            "queue": {"kind": "drop_tail", "limit": f"{self.limit} pkt"},
            "flow": flows,
            "record": {"packets": True, "every": f"{LOOK_MS} ms"},
        }

    def transcribed(self) -> list[reno.Flow]:
        """The same for the transcription."""
        flows = [
            (start * MS, (rtt * 1000 - 10 * MS) // 4, replace(self.options, mss=self.mss(i)))
            for i, (start, rtt) in enumerate(self.flows)
        ]
        return reno.dumbbell(
            flows,
            end_ps=self.seconds * PS,
            bottleneck=(self.rate_mbps * 10**6, 5 * MS, self.limit),
            access_bps=ACCESS_BPS,
            look_ps=LOOK_MS * MS,
            first=self.first,
        )


CASES = {
    "slow-start": Case(flows=((0, 40_012_345),), limit=4000, seconds=2),
    "avoidance": Case(
        flows=((0, 40_012_345),), limit=4000, seconds=8, options=Options(initial_ssthresh=20_000)
    ),
    "one-loss-a-window": Case(
        flows=((0, 40_012_345),), limit=20, seconds=30, options=Options(initial_ssthresh=30_000)
    ),
    "slow-start-overshoot": Case(flows=((0, 40_012_345),), limit=25),
    "tiny-buffer": Case(flows=((0, 60_020_346),), limit=2),
    "no-limited-transmit": Case(
        flows=((0, 40_012_345),), limit=7, options=Options(limited_transmit=False)
    ),
    "delayed-acks": Case(
        flows=((0, 40_012_345),), limit=12, options=Options(delayed_ack_ps=100 * MS)
    ),
    "delayed-acks-timer": Case(
        flows=((0, 40_012_345),),
        limit=3,
        options=Options(delayed_ack_ps=37 * MS, initial_window=1, min_rto_ps=400 * MS),
    ),
    "two-flows": Case(
        flows=((0, 40_012_345), (301, 77_036_971)), limit=15, seconds=40, first=(1, 0)
    ),
    "four-flows": Case(
        flows=((0, 30_004_127), (101, 43_051_371), (211, 61_012_619), (307, 97_052_251)),
        limit=9,
        seconds=25,
    ),
    "starved": Case(
        flows=tuple((13 * i, 23_004_127 + 7_012_733 * i) for i in range(8)),
        limit=3,
        seconds=30,
        rate_mbps=2,
    ),
    "long-timeouts": Case(
        flows=((0, 400_012_347), (150, 290_036_977)),
        limit=6,
        seconds=60,
        options=Options(min_rto_ps=MS),
        exact=False,
    ),
}


def recorded(case: Case, out: Path) -> dict[str, pl.DataFrame]:
    """The product's records of a case."""
    dumbbell.Scenario(case.scenario()).run(out=out)
    names = ("packets", "hops", "reactions", "flows")
    return {
        n: pl.read_parquet(out / f"{n}.parquet").with_columns(pl.col("flow").cast(pl.String))
        for n in names
    }


def compare_packets(
    case: Case, records: dict[str, pl.DataFrame], flow: str, ours: reno.Flow
) -> None:
    """Every segment and every acknowledgment: what it was, when it left, came and was dropped, and
    what it found."""
    slack, end = 0 if case.exact else 1000, case.seconds * PS
    of_flow = (
        records["packets"]
        .filter(pl.col("flow") == flow)
        .with_columns(pl.col("from").cast(pl.String))
    )
    for side, sent in (("sender", ours.sender.sent), ("receiver", ours.receiver.sent)):
        rows = of_flow.filter(pl.col("from") == side).sort("packet")
        for row, p in zip(rows.iter_rows(named=True), sent, strict=True):
            what = (
                row["packet"],
                row["seq"],
                row["ack"],
                row["payload_bytes"],
                bool(row["retransmit"]),
            )
            number = p.ack if side == "receiver" else 0
            said = (
                p.number,
                p.seq,
                number if side == "receiver" else row["ack"],
                p.payload,
                p.retransmit,
            )
            assert what == said, (flow, side, row, p)
            for key in ("sent_ps", "delivered_ps", "dropped_ps"):
                theirs = getattr(p, key)
                theirs = None if theirs is None or theirs > end else theirs
                same = row[key] == theirs or (
                    None not in (row[key], theirs) and abs(row[key] - theirs) <= slack
                )
                assert same, (flow, side, key, row, p)
    hops = records["hops"].filter(
        (pl.col("flow") == flow) & (pl.col("link").cast(pl.String) == "bottleneck")
    )
    found = dict(hops.select("packet", "backlog_packets").iter_rows())
    assert found == {p.number: p.backlog for p in ours.sender.sent if p.backlog is not None}


def compare_reactions(
    case: Case, records: dict[str, pl.DataFrame], flow: str, ours: reno.Flow
) -> None:
    """Every reaction: when, why, and both windows. The product keeps the inflation of a fast
    recovery beside cwnd."""
    rows = records["reactions"].filter(pl.col("flow") == flow).iter_rows(named=True)
    for row, r in zip(rows, ours.sender.reactions, strict=True):
        assert row["time_s"] == pytest.approx(r.time_ps / PS, abs=2e-9), (row, r)
        assert (str(row["cause"]), row["una"]) == (r.cause, r.una)
        assert row["cwnd_bytes"] == pytest.approx(r.cwnd, abs=ROUNDING), (row, r)
        assert row["ssthresh_bytes"] == int(r.ssthresh), (row, r)


def compare_windows(records: dict[str, pl.DataFrame], flow: str, ours: reno.Flow) -> None:
    """The window every 53 ms: the product's whole bytes, with a carried remainder, against
    floating-point numbers."""
    rows = records["flows"].filter(pl.col("flow") == flow).sort("time_s")
    theirs = {round(at / MS): cwnd for at, cwnd in ours.windows}
    compared = 0
    for time_s, cwnd in rows.select("time_s", "cwnd_bytes").iter_rows():
        expected = theirs.get(round(time_s * 1000))
        if expected is not None:
            compared += 1
            assert cwnd == pytest.approx(expected, abs=ROUNDING), (flow, time_s)
    assert compared >= len(theirs) - 1


@pytest.mark.parametrize("name", CASES)
def test_every_packet_is_at_its_time(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    records, transcribed = recorded(case, tmp_path / "out"), case.transcribed()
    for i, ours in enumerate(transcribed):
        compare_packets(case, records, f"flow{i + 1}", ours)
        compare_reactions(case, records, f"flow{i + 1}", ours)
        compare_windows(records, f"flow{i + 1}", ours)


def losses_a_window(f: reno.Flow) -> Counter[int]:
    """How many of the segments outstanding when a fast retransmit began had been dropped: how often
    so many."""
    found: Counter[int] = Counter()
    first = {p.seq: p for p in reversed(f.sender.sent)}
    for r in f.sender.reactions:
        if r.cause == "loss":
            lost = [
                p
                for p in first.values()
                if p.dropped_ps and p.dropped_ps <= r.time_ps and p.seq >= r.una
            ]
            found[len(lost)] += 1
    return found


def test_the_cases_meet_everything_that_they_are_about() -> None:
    """One, two, three and more losses in a window, timeouts, timeouts in a row, and
    acknowledgments by the timer."""
    flows = {name: case.transcribed() for name, case in CASES.items()}
    losses = sum((losses_a_window(f) for each in flows.values() for f in each), Counter())
    assert all(losses[n] >= 3 for n in (1, 2, 3)) and any(n > 3 for n in losses), losses
    timeouts = [
        r
        for each in flows.values()
        for f in each
        for r in f.sender.reactions
        if r.cause == "timeout"
    ]
    assert len(timeouts) > 50
    starved = [r for f in flows["starved"] for r in f.sender.reactions]
    again = [(a, b) for a, b in pairwise(starved) if a.cause == b.cause == "timeout"]
    assert any(a.una == b.una for a, b in again), "no segment timed out twice"
    assert not any(f.sender.reactions for f in flows["slow-start"] + flows["avoidance"])
    assert {r.cause for f in flows["one-loss-a-window"] for r in f.sender.reactions} == {
        "loss",
        "recovered",
    }


def test_a_wrong_transcription_is_found(tmp_path: Path) -> None:
    """A window that falls to 0.51 of the flight is not the product's."""
    case = CASES["one-loss-a-window"]
    records, (flow,) = recorded(case, tmp_path / "out"), case.transcribed()
    for r in flow.sender.reactions:
        r.ssthresh *= 1.02
    with pytest.raises(AssertionError):
        compare_reactions(case, records, "flow1", flow)
