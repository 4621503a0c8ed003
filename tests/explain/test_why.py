"""`why` on scenarios whose answer is known: every number of the answer is compared with the rows of
the records."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import polars as pl
import pytest
from dumbbell import ScenarioError
from dumbbell.explain import why
from dumbbell.explain.why import decisions
from dumbbell.explain.why.finding import Decision, Finding
from dumbbell.explain.why.sentences.quantities import span
from helpers.recorded_runs import BASE, first_repaired_drop, rows, run


@pytest.fixture(scope="module")
def overflow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A single flow against a short queue."""
    return run(tmp_path_factory.mktemp("why") / "overflow")


@pytest.fixture(scope="module")
def marks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """RED that marks, and two senders that hear it."""
    return run(
        tmp_path_factory.mktemp("why") / "marks",
        queue={
            "kind": "red",
            "limit": "100 pkt",
            "ecn": True,
            "min_th": "5 pkt",
            "max_th": "60 pkt",
        },
        tcp={**BASE["tcp"], "ecn": "rfc3168"},
        flow=[{"name": "s", "count": 2, "start_spread": "1 s"}],
    )


def said(finding: Finding) -> str:
    return why.told(finding)


def clock(ps: int) -> str:
    return f"{ps / 1e12:.4f} s"


def test_an_overflow_its_detection_its_answer_and_its_repair(overflow: Path) -> None:
    drop = first_repaired_drop(overflow)
    packets, reactions = rows(overflow, "packets"), rows(overflow, "reactions")
    reaction = reactions.filter(pl.col("cause") == "loss").row(0, named=True)
    again = packets.filter(pl.col("retransmit") & (pl.col("seq") == drop["seq"])).row(0, named=True)
    acks = packets.filter(
        (pl.col("from") == "receiver")
        & (pl.col("ack") == drop["seq"])
        & (pl.col("delivered_ps") <= round(reaction["time_s"] * 1e12) + 10)
    )
    finding = why.ask(overflow, "s", time_s=drop["dropped_ps"] / 1e12)
    text = said(finding)
    assert finding.kind == "drop"
    assert finding.packet is not None and finding.packet.number == drop["packet"]
    assert finding.decision is not None and finding.decision.queue_packets == 20
    assert finding.detection is not None and finding.detection.duplicates == acks.height - 1 == 3
    assert [p.delivered_ps for p in finding.repairs] == [again["delivered_ps"]]
    assert (
        f"At {clock(drop['dropped_ps'])} the queue of `bottleneck` (drop_tail) dropped packet "
        f"{drop['packet']}" in text
    )
    assert (
        f"bytes {drop['seq']} to {drop['seq'] + 999} (sent at {clock(drop['sent_ps'])}, its first "
        f"trans" in text
    )
    assert "it found 20 packets waiting, its limit is 20 packets" in text
    assert (
        f"After 3 duplicate acknowledgments, "
        f"{span(finding.detection.reaction.time_ps - drop['dropped_ps'])}" in text
    )
    before, after = (f"{reaction[k] / 1000:.3g}" for k in ("cwnd_bytes_before", "cwnd_bytes"))
    assert f"halved cwnd from {before} to {after} packets" in text
    assert (
        f"The retransmission at {clock(again['sent_ps'])} arrived at "
        f"{clock(again['delivered_ps'])}" in text
    )


def test_a_retransmission_and_a_reaction_lead_to_their_drop(overflow: Path) -> None:
    drop = first_repaired_drop(overflow)
    again = (
        rows(overflow, "packets")
        .filter(pl.col("retransmit") & (pl.col("seq") == drop["seq"]))
        .row(0, named=True)
    )
    reactions = rows(overflow, "reactions")
    for instant in (
        again["sent_ps"] / 1e12,
        reactions.filter(pl.col("cause") == "loss")["time_s"][0],
    ):
        finding = why.ask(overflow, "1", time_s=instant)
        assert finding.packet is not None and finding.packet.number == drop["packet"], instant
    end = reactions.filter(pl.col("cause") == "recovered").row(0, named=True)
    began = reactions.filter(
        pl.col("cause").is_in(["loss", "timeout"]) & (pl.col("time_s") < end["time_s"])
    ).row(-1, named=True)
    finding = why.ask(overflow, "s", time_s=end["time_s"])
    assert finding.packet is not None and finding.packet.seq == began["una"]
    assert "all losses were repaired" in said(finding)


def test_the_journey_adds_up_to_the_delay(overflow: Path) -> None:
    packets = rows(overflow, "packets").filter(
        (pl.col("from") == "sender")
        & pl.col("delivered_ps").is_not_null()
        & (pl.col("payload_bytes") > 0)
    )
    for number in packets["packet"].gather_every(packets.height // 7):
        row = packets.filter(pl.col("packet") == number).row(0, named=True)
        finding = why.ask(overflow, "s", packet=number)
        assert finding.packet is not None and finding.kind == "journey"
        hops = finding.packet.hops
        assert [h.link for h in hops] == ["s/sender->left", "bottleneck", "right->s/receiver"]
        # 1,040 B at ten times 10 Mbit/s, at 10 Mbit/s, and again ten times: 83.2, 832 and 83.2 us;
        # 12 ms of way.
        assert [h.transmission_ps for h in hops] == [83_200_000, 832_000_000, 83_200_000]
        waited = sum(h.waited_ps or 0 for h in hops)
        assert (
            abs(row["delivered_ps"] - row["sent_ps"] - (998_400_000 + 12_000_000_000 + waited)) <= 3
        )
        assert f"{span(row['delivered_ps'] - row['sent_ps'])} later" in said(finding)


def test_an_early_drop_says_what_red_saw(tmp_path: Path) -> None:
    out = run(
        tmp_path / "red",
        queue={"kind": "red", "limit": "60 pkt"},
        duration="10 s",
        flow=[{"name": "s", "count": 3}],
    )
    signal = rows(out, "signals").filter(pl.col("reason") == "early").row(-1, named=True)
    finding = why.ask(out, signal["flow"], packet=signal["packet"])
    assert finding.decision is not None
    assert dict(finding.decision.gauges) == {
        k: signal[k] for k in ("avg", "p_b", "p_a", "count", "coin", "min_th", "max_th")
    }
    text = said(finding)
    numbers = [
        float(n)
        for n in re.findall(
            r"queue was ([\d.]+) packets.*p_b = ([\d.]+).*p_a = ([\d.]+).*draw, ([\d.]+),", text
        )[0]
    ]
    assert numbers == pytest.approx([signal[k] for k in ("avg", "p_b", "p_a", "coin")], rel=1e-3)
    # The same from the law itself, Floyd and Jacobson 1993, section 4: p_a = p_b / (1 - count p_b).
    assert signal["p_a"] == pytest.approx(
        signal["p_b"] / (1 - signal["count"] * signal["p_b"]), rel=1e-9
    )
    assert "between min_th 5 and max_th 15" in text


def test_a_mark_its_echo_and_the_answer(marks: Path) -> None:
    packets, reactions = rows(marks, "packets"), rows(marks, "reactions")
    reaction = reactions.filter(pl.col("cause") == "ecn_echo").row(0, named=True)
    mine = packets.filter(pl.col("flow") == reaction["flow"])
    # The first mark that had arrived before the first answer is behind it: nothing was echoed
    # before.
    mark = mine.filter(pl.col("ce_on_arrival")).sort("delivered_ps").row(0, named=True)
    finding = why.ask(marks, reaction["flow"], packet=mark["packet"])
    assert finding.decision is not None and finding.decision.marked
    assert finding.detection is not None and finding.detection.how == "echo"
    assert finding.detection.reaction is not None
    assert (
        finding.detection.reaction.time_ps
        == round(reaction["time_s"] * 1e12)
        == finding.detection.echo_ps
    )
    at = round(
        rows(marks, "signals").filter(
            (pl.col("flow") == reaction["flow"]) & (pl.col("packet") == mark["packet"])
        )["time_s"][0]
        * 1e12
    )
    text = said(finding)
    assert f"At {clock(at)} the queue of `bottleneck` (red) marked packet {mark['packet']}" in text
    assert f"its echo reached the sender at {clock(finding.detection.echo_ps)}" in text
    same = why.ask(marks, reaction["flow"], time_s=reaction["time_s"], cwnd=True)
    assert same.packet is not None and same.packet.number == mark["packet"]
    assert same.reaction is not None and same.reaction.cwnd_bytes == reaction["cwnd_bytes"]


def test_a_second_mark_in_a_round_trip_is_not_answered_again(marks: Path) -> None:
    reactions = rows(marks, "reactions").filter(pl.col("cause") == "ecn_echo")
    marked = rows(marks, "packets").filter(pl.col("ce_on_arrival"))
    answers = [
        why.ask(marks, m["flow"], packet=m["packet"]).detection
        for m in marked.iter_rows(named=True)
    ]
    direct = [d for d in answers if d is not None and d.how == "echo"]
    assert {d.reaction.time_ps for d in direct if d.reaction} <= {
        round(t * 1e12) for t in reactions["time_s"]
    }
    assert len(direct) <= marked.height
    assert len({d.reaction.time_ps for d in direct if d.reaction}) == reactions.height


def test_a_loss_on_the_wire(tmp_path: Path) -> None:
    bottleneck = {
        **BASE["dumbbell"]["bottleneck"],
        "impairment": [{"kind": "bernoulli", "loss": 0.01}],
    }
    out = run(
        tmp_path / "wire",
        dumbbell={"bottleneck": bottleneck},
        queue={"kind": "drop_tail", "limit": "500 pkt"},
    )
    lost = (
        rows(out, "packets")
        .filter((pl.col("reason") == "link") & (pl.col("from") == "sender"))
        .row(0, named=True)
    )
    finding = why.ask(out, "s", time_s=lost["dropped_ps"] / 1e12)
    text = said(finding)
    assert (
        f"At {clock(lost['dropped_ps'])} the link `bottleneck` lost packet {lost['packet']}" in text
    )
    assert (
        "no queue was involved; the link has the impairment bernoulli (loss = 0.01, per = packet)"
        in text
    )
    assert finding.decision is not None and finding.decision.queue_packets is None


def test_a_tail_loss_waits_for_the_timer_and_says_why(tmp_path: Path) -> None:
    # Eight segments at once, room for five and one in transmission: the last are lost, and nothing
    # comes after them.
    out = run(
        tmp_path / "tail",
        queue={"kind": "drop_tail", "limit": "5 pkt"},
        tcp={"initial_window": "8 pkt"},
        flow=[{"name": "s", "source": {"kind": "fixed", "size": "8 kB"}}],
    )
    packets, reactions = rows(out, "packets"), rows(out, "reactions")
    last = packets.filter(pl.col("dropped_ps").is_not_null()).row(0, named=True)
    timeout = reactions.filter(pl.col("cause") == "timeout").row(0, named=True)
    finding = why.ask(out, "s", time_s=last["dropped_ps"] / 1e12)
    assert finding.detection is not None and finding.detection.how == "timeout"
    assert finding.detection.arrived_after == 0 == finding.detection.duplicates
    text = said(finding)
    assert "because no later packet had arrived" in text
    assert (
        f"at {clock(round(timeout['time_s'] * 1e12))} the retransmission timer of "
        f"{timeout['rto_us_before'] / 1e3:g} ms" in text
    )
    assert f"it cut cwnd from {timeout['cwnd_bytes_before'] / 1000:.3g} to 1 packet" in text


def test_udp_repairs_nothing(tmp_path: Path) -> None:
    out = run(
        tmp_path / "udp",
        flow=[{"name": "u", "transport": "udp", "source": {"kind": "cbr", "rate": "12 Mbps"}}],
        duration="1 s",
    )
    lost = rows(out, "packets").filter(pl.col("dropped_ps").is_not_null()).row(0, named=True)
    finding = why.ask(out, "u", packet=lost["packet"])
    assert finding.detection is None and finding.repairs == ()
    assert (
        f"UDP does not retransmit: its {lost['payload_bytes']} bytes of payload never arrived."
        in said(finding)
    )
    with pytest.raises(ScenarioError, match="no congestion window"):
        why.ask(out, "u", time_s=0.5, cwnd=True)


def test_a_lost_acknowledgement(tmp_path: Path) -> None:
    bottleneck = {
        **BASE["dumbbell"]["bottleneck"],
        "reverse": {"impairment": [{"kind": "bernoulli", "loss": 0.05}]},
    }
    out = run(tmp_path / "acks", dumbbell={"bottleneck": bottleneck}, duration="2 s")
    lost = (
        rows(out, "packets")
        .filter(pl.col("dropped_ps").is_not_null() & (pl.col("from") == "receiver"))
        .row(0, named=True)
    )
    text = said(why.ask(out, "s", packet=lost["packet"], sender=False))
    assert (
        f"`bottleneck_reverse` lost packet {lost['packet']}, an acknowledgment of all bytes "
        f"before {lost['ack']}" in text
    )


def test_nothing_happened_names_the_neighbours(overflow: Path) -> None:
    times = sorted(
        {*rows(overflow, "packets").filter(pl.col("retransmit"))["sent_ps"]}
        | {
            round(t * 1e12)
            for name in ("signals", "reactions")
            for t in rows(overflow, name)["time_s"]
        }
    )
    gap, before = max((b - a, a) for a, b in itertools.pairwise(times))
    asked = before + gap // 2
    finding = why.ask(overflow, "s", time_s=asked / 1e12, within_s=gap / 4e12)
    assert finding.kind == "nothing"
    assert finding.before is not None and finding.after is not None
    assert (finding.before.time_ps, finding.after.time_ps) == (before, before + gap)
    assert f"{span(finding.after.time_ps - finding.asked_ps)} away" in said(finding)


def test_a_window_grows_between_two_reactions(overflow: Path) -> None:
    moved = rows(overflow, "reactions").filter(pl.col("cwnd_bytes") != pl.col("cwnd_bytes_before"))
    first, second = moved.row(1, named=True), moved.row(2, named=True)
    finding = why.ask(overflow, "s", time_s=(first["time_s"] + second["time_s"]) / 2, cwnd=True)
    assert finding.reaction is not None and finding.next_reaction is not None
    assert finding.reaction.cwnd_bytes == first["cwnd_bytes"]
    assert finding.next_reaction.cwnd_bytes_before == second["cwnd_bytes_before"]
    assert f"Next, at {clock(round(second['time_s'] * 1e12))}" in said(finding)


def test_any_algorithm_is_explained_with_all_that_it_saw() -> None:
    gauges = {"delay": 0.0061, "prob": 0.25, "burst_allowance": -1.0}
    mine = Decision(0, "core", "my_own_aqm", {}, "50 packets", "early", False, 12, gauges)
    text = decisions.explained(mine)
    assert text == (
        "it found 12 packets waiting; the decision used delay = 0.0061, prob = 0.25, "
        "burst_allowance = -1"
    )
