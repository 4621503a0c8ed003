"""PRR, RACK and tail loss probes: by scripts what one acknowledgment brings about, exactly; in a
network what reordering and a lost tail cost.

A script's round trip is 0.1 s, and every acknowledgment comes at that instant. `rack.late` has one
segment in twenty late by the time in its name, in windows of three, so that three are never
acknowledged selectively. `tail` loses the last segments of a transfer; RTO is 1 s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ...check import Check
from ...laws.tcp import repair, rto
from ...measured import Measured
from ...recorded import Recorded
from ...runner import Measurement, of_one_run
from .. import paths
from ..given_losses import Chosen
from .timers import NS, asked

RTT = 0.1


def _scripted(ask: Callable[[], float]) -> Measurement:
    """Measures what a script shows."""
    return lambda runner: Measured(ask())


def _timer(text: str, since: float) -> float:
    """The time from `since` to the next timer at the end of a script, seconds."""
    return asked(text, "deadline") - since


# PRR: a window of which the third duplicate tells the first loss.

BY_DUPLICATES = "limited_transmit=false detection=dupack tail_loss_probe=false reduction=prr"
FOUND = 3
"""Selectively acknowledged segments with which a loss is found."""


def _sent_in_recovery(cc: str, window: int, acknowledgments: Sequence[str]) -> int:
    """Segments that leave in a recovery: all that leave after a window. The first `FOUND`
    acknowledgments begin it."""
    head = f"sender cc={cc} initial_window={window}pkt initial_window_bytes=unlimited"
    lines = [f"{head} {BY_DUPLICATES}", "0 write forever", "0 > any"]
    for ack in acknowledgments:
        lines += [f"{RTT} < ack {ack}", f"{RTT} > any"]
    return round(asked("\n".join([*lines, f"{RTT}"]), "sent_packets")) - window


def _proportional() -> Iterator[Check]:
    window = 40
    for cc, share in (("sack", Fraction(1, 2)), ("cubic", Fraction(7, 10))):
        flight = repair.recover_fs(window, FOUND)
        for delivered in (5, 13, 25):
            sacked = range(2, 2 + FOUND + delivered - 1)
            acks = [f"s1 sack s2-s{last}" if last > 2 else "s1 sack s2" for last in sacked]
            yield Check(
                id=f"prr.proportional.{cc}.delivered-{delivered}",
                law=(
                    "sent in recovery, pipe above ssthresh: delivered ssthresh / RecoverFS, in "
                    "whole segments: RFC 9937 section 6"
                ),
                expected=repair.in_proportion(delivered, int(share * window), flight),
                tolerance=0,
                measure=_scripted(partial(_sent_in_recovery, cc, window, acks)),
                unit="segments",
            )


def _conserving() -> Iterator[Check]:
    """Twelve of twenty are lost, so that five are in the network and ssthresh is ten."""
    lost, window, after = 12, 20, 5
    first = lost + 1
    sacks = [f"s1 sack s{first}"]
    sacks += [f"s1 sack s{first}-s{first + n}" for n in range(1, FOUND + after)]
    for name, advances in (("sacks", 0), ("advances", 3)):
        acks = sacks + [f"s{n} sack s{first}-s{window}" for n in range(2, 2 + advances)]
        yield Check(
            id=f"prr.below.{name}",
            law=(
                "sent in recovery, pipe below ssthresh: what was delivered, one more where SND.UNA "
                "advances: RFC 9937 section 6"
            ),
            expected=repair.conserving(1 + after + advances, advances),
            tolerance=0,
            measure=_scripted(partial(_sent_in_recovery, "sack", window, acks)),
            unit="segments",
        )


# RACK.

AHEAD = f"""sender cc=sack limited_transmit=false
0 write forever
0 > any
{RTT} < ack s1 sack s2
"""
"""One segment is ahead of another."""
SEEN = f"""{AHEAD}0.11 < ack s3
0.11 > any
0.12 < ack s3 sack s4, ack s3 sack s4-s5, ack s3 sack s4-s6
0.12"""
"""Reordering was seen; then three are ahead of one that was sent with them, 0.12 s ago."""


def _windows() -> Iterator[Check]:
    law = "reo_wnd is min_RTT / 4 {}: RFC 8985 section 6.2 step 4"
    for name, text, rtt, when in (
        ("one-ahead", f"{AHEAD}{RTT}", RTT, "with one segment ahead"),
        ("seen", SEEN, 0.12, "with three ahead, once reordering was seen"),
    ):
        yield Check(
            id=f"rack.window.{name}",
            law=law.format(when),
            expected=repair.reordering_window(RTT, RTT),
            tolerance=20 * NS,
            absolute=True,
            measure=_scripted(partial(_timer, text, rtt)),
            unit="s",
        )
    three = f"{AHEAD}{RTT} < ack s1 sack s2-s3, ack s1 sack s2-s4\n{RTT} > s1 again\n{RTT}"
    yield Check(
        id="rack.window.three-ahead",
        law=(
            "no window with three segments ahead, before reordering was seen: the loss is "
            "found at once: RFC 8985 section 6.2 step 4"
        ),
        expected=1,
        tolerance=0,
        measure=_scripted(partial(asked, three, "retransmits")),
        unit="segments",
    )


def _reordered(late_ms: int) -> dict[str, Any]:
    """Every twentieth segment is late."""
    flow = paths.sender("sack", RTT, receive_window="3 pkt")
    scenario = paths.clear(flow, seconds=40)
    late = {"kind": "reorder", "share": 1.0, "gap": 20, "delay": f"{late_ms} ms"}
    scenario["dumbbell"]["bottleneck"]["impairment"] = [late]
    return scenario


def _late() -> Iterator[Check]:
    for late_ms in (20, 30, 60, 90):
        yield Check(
            id=f"rack.late-{late_ms}ms",
            law=(
                "needless retransmissions: none if a segment is late by less than min_RTT / 4; "
                "each DSACK adds as much: RFC 8985 section 6.2"
            ),
            expected=repair.needless(late_ms / 1000, RTT),
            tolerance=0,
            measure=of_one_run(
                _reordered(late_ms), lambda run: float(run["flows"][0]["retransmits"])
            ),
            unit="segments",
        )


# Tail loss probes.


def _probes() -> Iterator[Check]:
    five = f"0 write 5 pkt\n0 > any\n{RTT} < ack s2-s{{}}\n{RTT}"
    timeout = float(rto.estimates([Fraction(1, 10)] * 12, least=Fraction(0))[-1].rto)
    steady = "\n".join(
        f"{n * RTT:.1f} write 1 pkt\n{n * RTT:.1f} > any\n{(n + 1) * RTT:.1f} < ack s{n + 2}"
        for n in range(11)
    )
    tail = "1.1 write 3 pkt\n1.1 > any\n1.2 < ack s13\n1.2"
    short = "sender cc=sack min_rto=1us\n"
    cases = (
        ("flight-2", "sender cc=sack\n" + five.format(4), RTT, repair.probe_timeout(RTT, 2, 1.0)),
        ("flight-1", "sender cc=sack\n" + five.format(5), RTT, repair.probe_timeout(RTT, 1, 1.0)),
        (
            "no-sample",
            "sender cc=sack initial_rto=3s\n0 write 2 pkt\n0 > any\n0",
            0.0,
            repair.probe_timeout(None, 2, 3.0),
        ),
        (
            "timeout-first",
            f"{short}{steady}\n{tail}",
            1.2,
            repair.probe_timeout(RTT, 2, timeout),
        ),
    )
    for name, text, since, expected in cases:
        yield Check(
            id=f"tlp.timeout.{name}",
            law=(
                "PTO: 2 SRTT, + 0.2 s with one segment out; 1 s without a sample; at most RTO: "
                "RFC 8985 section 7.2"
            ),
            expected=expected,
            tolerance=40 * NS,
            absolute=True,
            measure=_scripted(partial(_timer, text, since)),
            unit="s",
        )


def _tail(lost: int) -> dict[str, Any]:
    """A transfer of ten segments whose last ones are lost."""
    transfer = {"kind": "fixed", "size": f"{10 * paths.MSS} B"}
    flow = paths.sender("sack", RTT) | {"source": transfer}
    packets = ",".join(map(str, range(11 - lost, 11)))
    return paths.clear(flow, seconds=3, queue=Chosen(packets=packets, limit="unlimited"))


def _tails() -> Iterator[Check]:
    for lost in (1, 2):
        scenario = _tail(lost)
        yield Check(
            id=f"tlp.tail-{lost}.timeouts",
            law="a lost tail is repaired without a timeout: RFC 8985 section 7",
            expected=0,
            tolerance=0,
            measure=paths.of_records(scenario, lambda seen: int(seen.flow["rtos"]), packets=True),
        )
        yield Check(
            id=f"tlp.tail-{lost}.repaired",
            law=(
                "the receiver has the lost tail after a round trip, PTO and half a round trip; "
                "a segment before the last one a round trip later: RFC 8985"
            ),
            expected=repair.tail_repaired(RTT, lost, 1.0),
            tolerance=1e-4,
            absolute=True,
            measure=paths.of_records(scenario, Recorded.repaired_s, packets=True),
            unit="s",
        )


CHECKS = [*_proportional(), *_conserving(), *_windows(), *_late(), *_probes(), *_tails()]
