"""The retransmission timer against RFC 6298: arithmetic by scripts, to the nanosecond; timeouts in
a network.

A script gives a sender the round-trip times for which the law was computed, in exact fractions. It
claims that the number in question is negative, and the error message has the actual value. Times of
a sender are whole multiples of 16 ns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ....errors import DumbbellError
from ... import scripts
from ...check import Check
from ...laws.tcp import rto
from ...measured import Measured
from ...recorded import Recorded
from ...runner import Measurement
from .. import paths
from ..given_losses import Chosen

NS = 1e-9
"""The precision of an instant of a script, and of a number that it shows; the sender counts in
16 ns (1/61 us)."""
UNITS = {"": 1.0, "B": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}

# The arithmetic: round trips that a script decides.

PRINTED = (Fraction(1, 10), Fraction(2, 10), Fraction(1, 10), Fraction(15, 100))
"""Round trips of 100, 200, 100 and 150 ms."""
SHRINKING = (Fraction(8, 10), *[Fraction(1, 10)] * 7)
"""One of 800 ms, then 100 ms each: RTTVAR falls by a quarter each time, SRTT by an eighth of its
excess."""
STEADY = tuple([Fraction(3, 10)] * 12)


def asked(text: str, name: str) -> float:
    """Returns the value of `name` at the end of a script: seconds, bytes or a count. The last line
    claims that it is negative; this fails and shows the value."""
    outcome = scripts.run_text(f"{text} ? {name} < 0\n", "validation")
    came = [failure.came for failure in outcome.failures]
    shown = r"([0-9.]+) ?(s|ms|us|ns|B|)(?: \(.*\))?"
    number = re.fullmatch(shown, came[-1]) if len(came) == 1 else None
    if number is None:
        raise DumbbellError(f"the script does not show {name}: {outcome}")
    return float(number[1]) * UNITS[number[2]]


def sampled(samples: Sequence[Fraction], **fields: str) -> str:
    """A script in which one segment after the other goes there and back in these round-trip times;
    its last instant is that of the last acknowledgment."""
    words = {"cc": "newreno", "min_rto": "1us"} | fields
    lines, now = (
        ["sender " + " ".join(f"{key}={value}" for key, value in words.items())],
        Fraction(0),
    )
    for number, sample in enumerate(samples, start=1):
        lines += [f"{float(now):.9f} write 1 pkt", f"{float(now):.9f} > s{number}"]
        now += sample
        lines.append(f"{float(now):.9f} < ack s{number + 1}")
    return "\n".join([*lines, f"{float(now):.9f}"])


def _estimated(case: str, samples: Sequence[Fraction], n: int, name: str, **fields: str) -> Check:
    least = Fraction(1) if "min_rto" in fields else Fraction(1, 10**6)
    law = getattr(rto.estimates(samples[:n], least=least)[-1], name)
    return Check(
        id=f"rto.{case}.{name}.{n}",
        law=f"{name.upper()} after {n} sample{'s' * (n > 1)}: RFC 6298 section 2",
        expected=float(law),
        tolerance=20 * NS,
        absolute=True,
        measure=lambda runner: Measured(asked(sampled(samples[:n], **fields), name)),
        unit="s",
    )


def _arithmetic() -> Iterator[Check]:
    for n in (1, 2, 3, 4):
        for name in ("srtt", "rttvar", "rto"):
            yield _estimated("vector", PRINTED, n, name)
    for n in (2, 5, 8):
        yield _estimated("shrinking", SHRINKING, n, "rto")
    yield _estimated("steady", STEADY, 12, "rttvar")
    yield _estimated("minimum", STEADY, 12, "rto", min_rto="1s")


# Expiries, backoff and Karn's rule by scripts.


def _backed_off(expiries: int, last: str) -> str:
    """Segments that go there and back in 300 ms, so that RTO is 900 ms at first; then silence: so
    many expiries."""
    lines, now = [sampled([Fraction(3, 10)], min_rto="1us") + " write 1 pkt"], Fraction(3, 10)
    lines.append(f"{float(now)} > s2")
    for wait in rto.backoff(rto.estimates([Fraction(3, 10)], least=Fraction(0))[0].rto, expiries):
        now += wait
        lines.append(f"{float(now)} > s2 again")
    return "\n".join([*lines, last.format(float(now), float(now) + 0.25)])


def _after_expiries(expiries: int) -> Check:
    first = rto.estimates([Fraction(3, 10)], least=Fraction(0))[0].rto
    return Check(
        id=f"rto.backoff.{expiries}",
        law=(
            f"RTO after {expiries} timeout{'s' * (expiries > 1)} of one segment: doubled "
            f"each time, "
            "at most 60 s: RFC 6298 (5.5), (2.5)"
        ),
        expected=float(rto.backoff(first, expiries + 1)[-1]),
        tolerance=20 * NS,
        absolute=True,
        measure=lambda runner: Measured(asked(_backed_off(expiries, "{0}"), "rto")),
        unit="s",
    )


def _karn(name: str, expected: Fraction) -> Check:
    return Check(
        id=f"rto.karn.{name}",
        law=(
            f"no sample from retransmitted segments: {name.upper()} does not change: RFC 6298 "
            "section 3"
        ),
        expected=float(expected),
        tolerance=20 * NS,
        absolute=True,
        measure=lambda runner: Measured(asked(_backed_off(2, "{1} < ack s3\n{1}"), name)),
        unit="s",
    )


def _expiries() -> Iterator[Check]:
    for expiries in (1, 2, 6, 7, 9):
        yield _after_expiries(expiries)
    known = rto.estimates([Fraction(3, 10)], least=Fraction(0))[0]
    yield _karn("srtt", known.srtt)
    yield _karn("rttvar", known.rttvar)
    yield _karn("rto", rto.backoff(known.rto, 3)[-1])


# In a network: everything is lost from a packet on, and the sender's expiries are timed.

SILENT_FROM = 400


def _silence(**fields: Any) -> dict[str, Any]:
    flow = paths.sender("newreno", 0.1, receive_window="20 pkt", frto=False, **fields)
    return paths.clear(
        flow, seconds=400, queue=Chosen(packets=f"{SILENT_FROM}-", limit="unlimited")
    )


def _gap(n: int, seen: Recorded) -> float:
    """Seconds between the n-th expiry and the one after."""
    before, after = seen.reactions("timeout")[n - 1 : n + 1]
    return float(after["time_s"] - before["time_s"])


def _network() -> Iterator[Check]:
    least = rto.backoff(Fraction(1), 9)
    for n in (1, 2, 4, 6, 8):
        yield Check(
            id=f"rto.silence.gap-{n}",
            law=(
                f"time from expiry {n} to the next, RTT 0.1 s, RTO from 1 s: doubles, at most 60 "
                "s: RFC 6298 section 5"
            ),
            expected=float(least[n]),
            tolerance=1e-6,
            absolute=True,
            measure=paths.of_records(_silence(), partial(_gap, n)),
            unit="s",
        )
    for name, minimum in (("200ms", Fraction(1, 5)), ("400ms", Fraction(2, 5))):
        yield Check(
            id=f"rto.silence.minimum-{name}",
            law=(
                "the second expiry comes twice the minimum RTO after the first, after hundreds "
                "of equal samples"
            ),
            expected=float(rto.backoff(minimum, 2)[1]),
            tolerance=1e-6,
            absolute=True,
            measure=paths.of_records(_silence(min_rto=f"{name[:-2]} ms"), partial(_gap, 1)),
            unit="s",
        )


# The handshake.


def _opened(lost: int) -> Measurement:
    """Returns the time at which the first data leave, seconds, if so many SYNs are lost."""
    queue = Chosen(packets=",".join(map(str, range(1, lost + 1))), limit="unlimited")
    flow = paths.sender("newreno", 0.1, handshake=True, receive_window="4 pkt")
    return paths.of_records(
        paths.clear(flow, seconds=10, queue=queue),
        lambda seen: float(seen.data()[0]["sent_ps"] * 1e-12),
        packets=True,
    )


def _handshakes() -> Iterator[Check]:
    for lost in (1, 2, 3):
        yield Check(
            id=f"rto.handshake.{lost}-lost",
            law=(
                "data leave one round trip after a SYN that arrives; SYNs are repeated after 1, "
                "2, 4 s: RFC 6298 (2.1), (5.5)"
            ),
            expected=float(sum(rto.backoff(rto.INITIAL, lost)) + Fraction(1, 10)),
            tolerance=1e-6,
            absolute=True,
            measure=_opened(lost),
            unit="s",
        )


CHECKS = [*_arithmetic(), *_expiries(), *_network(), *_handshakes()]
