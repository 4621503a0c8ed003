"""Each setting of TCP changes what a kernel sends, and what the simulator sends in the same way.

Every flow has hosts and links of its own, so one run has all of them. A setting that a kernel takes
but does not obey shows only here: a route's metric without its lock, for example.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from dumbbell.data import series
from helpers.command import document
from helpers.live import guests

BULK = 'kind = "fixed", size = "200 kB"'
MORE = 'kind = "fixed", size = "400 kB"'
TAIL = 'kind = "fixed", size = "20 kB"'
IDLE = 'kind = "request_response", response = "60 kB", think = "1 s", exchanges = 3'
SMALL = 'kind = "poisson", rate = "400 kbps", packet = "100 B"'

THREE, LAST_TWO = (37, 39, 41), (13, 14)
"""Segments with data that are lost, from 1."""
OUTAGE = 'service = { kind = "handoff", handoffs = [["0.125 s", "500 ms", "50 Mbps", "0 ms"]] }'
NO_EIFEL = "timestamps = false, eifel = false"

FLOWS: dict[str, tuple[str, str | tuple[int, ...], str]] = {
    # Name: the application, the link besides its rate and delay, the settings.
    "base": (BULK, "", ""),
    "mss": (BULK, "", 'mss = "536 B"'),
    "initial_window": (BULK, "", 'initial_window = "4 pkt"'),
    "receive_window": (BULK, "", 'receive_window = "20 pkt"'),
    "window_scaling": (BULK, "", "window_scaling = false"),
    "timestamps": (BULK, "", "timestamps = false"),
    "delayed_ack": (BULK, "", 'delayed_ack = "each"'),
    "ecn": (BULK, "", 'ecn = "rfc3168"'),
    "burst": (MORE, "", ""),
    "pacing": (MORE, "", "pacing = true"),
    "slow_pacing": (MORE, "", "pacing = true, pacing_gain_slow_start = 1.2"),
    "idle": (IDLE, "", ""),
    "no_restart": (IDLE, "", "restart_after_idle = false"),
    "small": (SMALL, "", ""),
    "nagle": (SMALL, "", "nagle = true"),
    "three_lost": (BULK, THREE, ""),
    "no_sack": (BULK, THREE, 'sack = false, recovery = "newreno"'),
    "dupack_threshold": (BULK, THREE, "dupack_threshold = 10"),
    "tail_lost": (TAIL, LAST_TWO, ""),
    "no_probe": (TAIL, LAST_TWO, "tail_loss_probe = false"),
    "min_rto": (
        TAIL,
        LAST_TWO,
        'tail_loss_probe = false, min_rto = "500 ms", probe_ack_delay = "500 ms"',
    ),
    "outage": (MORE, OUTAGE, NO_EIFEL),
    "no_frto": (MORE, OUTAGE, f"{NO_EIFEL}, frto = false"),
    "no_undo": (MORE, OUTAGE, f"{NO_EIFEL}, frto = false, dsack_undo = false"),
}


def scenario(before_data: int) -> str:
    """before_data: packets that a sender sends before its first data."""
    hosts, links, flows = [], [], []
    for name, (source, link, tcp) in FLOWS.items():
        hosts += [f'{{ name = "{name}_a" }}', f'{{ name = "{name}_b" }}']
        parts = [f'between = ["{name}_a", "{name}_b"], rate = "50 Mbps", delay = "20 ms"']
        if isinstance(link, tuple):
            lost = " ".join(str(number + before_data) for number in link)
            trace = f'{{ kind = "loss_trace", of = "packets", trace = "{lost}" }}'
            parts.append(f"impairment = [{trace}], reverse = {{ impairment = [] }}")
        elif link:
            parts.append(link)
        links.append(f"{{ {', '.join(parts)} }}")
        ends = f'name = "{name}", from = "{name}_a", to = "{name}_b", transport = "tcp"'
        flows.append(f"{{ {ends}, source = {{ {source} }}, tcp = {{ {tcp} }} }}")
    lists = {"host": hosts, "link": links, "flow": flows}
    rows = [f"{key} = [\n" + ",\n".join(rows) + "\n]" for key, rows in lists.items()]
    return "\n".join(['profile = "linux"', 'duration = "4 s"', "record.packets = true", *rows])


class Ran:
    """The packets and the series of a run."""

    def __init__(self, out: Path) -> None:
        packets, flows = series.read(out, "packets"), series.read(out, "flows")
        assert packets is not None and flows is not None
        names = [pl.col(name).cast(str) for name in ("flow", "from", "flags", "ecn")]
        self.packets, self.flows = packets.with_columns(names), flows

    def data(self, flow: str) -> Any:
        """Segments with data that the sender sent."""
        of = self.packets.filter((pl.col("flow") == flow) & (pl.col("from") == "sender"))
        return of.filter(pl.col("payload_bytes") > 0)

    def acks(self, flow: str) -> Any:
        """Acknowledgments without data."""
        of = self.packets.filter((pl.col("flow") == flow) & (pl.col("from") == "receiver"))
        return of.filter((pl.col("payload_bytes") == 0) & pl.col("flags").str.ends_with("."))

    def flight(self, flow: str, since_s: float = 0.0) -> int:
        """Segments within 30 ms, less than a round trip, from the first one after an instant."""
        sent = self.data(flow)["sent_ps"] / 1e12
        sent = sent.filter(sent >= since_s)
        return int((sent < sent[0] + 0.03).sum())

    def again(self, flow: str) -> Any:
        """The instants of retransmissions."""
        return self.data(flow).filter(pl.col("retransmit"))["sent_ps"]

    def repairs(self, flow: str) -> list[float]:
        """The instants of retransmissions, in ms after the first loss."""
        lost = self.data(flow).filter(pl.col("dropped_ps").is_not_null())["sent_ps"].min()
        return [(t - lost) / 1e9 for t in self.again(flow)]

    def windows(self, flow: str, within: Sequence[float]) -> Any:
        of = self.flows.filter(pl.col("flow").cast(str) == flow)
        return of.filter(pl.col("time_s").is_between(*within))["cwnd_packets"].drop_nulls()


@pytest.fixture(scope="module", params=["sim", "linux"])
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    on_linux = request.param == "linux"
    if on_linux:
        guests.needed()
    folder = tmp_path_factory.mktemp(request.param)
    file, out = folder / "settings.toml", folder / "out"
    # The simulator's first data carry the acknowledgment of the handshake.
    file.write_text(scenario(2 if on_linux else 1), encoding="utf-8")
    where = ["--on", "linux"] if on_linux else []
    document("run", file, *where, "--record-every", "10 ms", "--out", out, timeout_s=240)
    return Ran(out)


def test_sizes(ran: Ran) -> None:
    """A timestamp option takes 12 bytes of each segment."""
    assert ran.data("base")["payload_bytes"].max() == 1448
    assert ran.data("mss")["payload_bytes"].max() == 524
    assert ran.data("timestamps")["payload_bytes"].max() == 1460
    assert ran.data("timestamps")["ts_val_ps"].null_count() == len(ran.data("timestamps"))


def test_windows(ran: Ran) -> None:
    assert ran.flight("base") == 10
    assert ran.flight("initial_window") == 4
    assert ran.acks("receive_window")["window_bytes"].max() <= 20 * 1460
    assert ran.acks("window_scaling")["window_bytes"].max() <= 65_535
    assert ran.acks("base")["window_bytes"].max() > 1_000_000


def test_after_an_idle_second_the_window_restarts(ran: Ran) -> None:
    """The second response: ten segments, or all 42 at once."""
    assert ran.flight("idle", since_s=1.0) == 10
    assert ran.flight("no_restart", since_s=1.0) == 42


def test_acknowledgments(ran: Ran) -> None:
    """The first 17 segments are acknowledged one by one in any case."""
    segments = len(ran.data("base"))
    assert len(ran.acks("base")) < 0.7 * segments
    assert len(ran.acks("delayed_ack")) >= len(ran.data("delayed_ack"))


def test_ecn(ran: Ran) -> None:
    assert set(ran.data("ecn")["ecn"]) == {"ect0"}
    assert set(ran.data("base")["ecn"]) == {"not_ect"}


def test_pacing(ran: Ran) -> None:
    """In slow start a paced flow sends twice its window in a round trip, or 1.2 times."""
    ends = [ran.data(flow)["sent_ps"].max() for flow in ("burst", "pacing", "slow_pacing")]
    assert ends[0] < ends[1] < ends[2]


def test_nagle(ran: Ran) -> None:
    """500 small writes a second; with Nagle's algorithm few segments in each round trip."""
    assert len(ran.data("nagle")) < 0.2 * len(ran.data("small"))


def test_losses_within_a_window(ran: Ran) -> None:
    """With SACK all three are repaired at once; NewReno repairs one in a round trip (RFC 6582)."""
    selective, each = ran.repairs("three_lost"), ran.repairs("no_sack")
    assert len(selective) == len(each) == 3
    assert selective[2] - selective[0] < 5
    assert each[1] - each[0] > 39 and each[2] - each[1] > 39
    assert ran.repairs("dupack_threshold")[0] > selective[0] + 1


def test_the_last_segments_are_lost(ran: Ran) -> None:
    """A probe after two round trips, or the timeout: the round trip and at least 200 ms."""
    probe, timeout, late = (ran.repairs(flow)[0] for flow in ("tail_lost", "no_probe", "min_rto"))
    assert 80 < probe < 170
    assert 240 < timeout < 300
    assert timeout + 299 < late < timeout + 360


def test_needless_timeouts(ran: Ran) -> None:
    """Nothing was lost in the outage. F-RTO (RFC 5682) repairs one segment. Without it all are sent
    again, and reports of duplicates (RFC 3708) restore the threshold, unless they are off."""
    assert len(ran.again("outage")) == 1
    assert len(ran.again("no_frto")) > 20
    undone, reduced = (ran.windows(flow, (0.75, 0.85)) for flow in ("no_frto", "no_undo"))
    assert undone.max() > 1.5 * reduced.max()
