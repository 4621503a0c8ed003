"""QUIC: sizes of packets, acknowledgments, loss detection, probe timeouts, persistent congestion
and pacing, each in closed form, over a link that the flow has for itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from ..check import Check
from ..laws import quic
from ..readings import goodput
from ..recorded import Recorded, Row
from ..runner import Measurement, of_one_run, of_records

RATE = 10_000_000
DELAY = Fraction(20, 1000)
DATAGRAM = 1472
PAYLOAD = quic.payload(DATAGRAM)
NS = 1e-9


def _wire(ip_bytes: int) -> Fraction:
    """Transmission of a packet, seconds."""
    return Fraction(8 * ip_bytes, RATE)


SEND = _wire(DATAGRAM + quic.HEADER)


def _alone(packets: int | None, seconds: float, lost: str = "", **fields: Any) -> Any:
    """A sender `a` and a receiver `b`, with so many full packets to send, or without end. lost: the
    numbers of those that the wire loses, from 1."""
    source = {"kind": "fixed", "size": f"{packets * PAYLOAD} B"} if packets else "bulk"
    losses = [{"kind": "loss_trace", "of": "packets", "trace": lost}] if lost else []
    link = {
        "between": ["a", "b"],
        "rate": f"{RATE} bps",
        "delay": "20 ms",
        "queue": {"kind": "drop_tail", "limit": "unlimited"},
        "impairment": losses,
        "reverse": {"impairment": []},
    }
    return {
        "duration": f"{seconds * 1e3:g} ms",
        "host": [{"name": "a"}, {"name": "b"}],
        "link": [link],
        "flow": [
            {
                "name": "f",
                "from": "a",
                "to": "b",
                "transport": "quic",
                "cc": "newreno",
                "quic": fields,
                "source": source,
            }
        ],
    }


def _packets(scenario: Any, measure: Callable[[list[Row], list[Row]], float]) -> Measurement:
    """Measures the packets of the sender and those of the receiver, each in order."""

    def measured(seen: Recorded) -> float:
        rows = sorted(seen.rows("packets"), key=lambda row: (row["sent_ps"], row["packet"]))
        of = [[row for row in rows if row["from"] == end] for end in ("sender", "receiver")]
        return float(measure(*of))

    return of_records({**scenario, "record": {"packets": True}}, measured)


def _sent(n: int) -> Callable[[list[Row], list[Row]], float]:
    """The instant of the sender's packet number `n`, seconds."""
    return lambda data, _: data[n]["sent_ps"] * 1e-12


HANDSHAKE = 2 * (_wire(quic.INITIAL + quic.HEADER) + DELAY)
BARE: dict[str, Any] = {"handshake": "none", "pacing": False, "probes": 1}


def _sizes() -> Iterator[Check]:
    yield Check(
        "quic.handshake.data",
        "data leave when the answer to the Initial has come, 1200 B and headers in each direction: "
        "RFC 9000 section 14.1",
        float(HANDSHAKE),
        NS,
        _packets(_alone(2, 2), _sent(1)),
        "s",
        absolute=True,
    )
    share = Fraction(PAYLOAD, DATAGRAM + quic.HEADER)
    yield Check(
        "quic.header.goodput",
        f"{DATAGRAM - PAYLOAD} B of QUIC and {quic.HEADER} B of UDP and IP in each packet: a full "
        "link's goodput is its rate times what is left",
        float(RATE * share),
        1e-3,
        of_one_run(_alone(None, 20, window="200 kB") | {"warmup": "5 s"}, goodput),
        "bit/s",
    )
    yield Check(
        "quic.header.ack",
        "an ACK of two packets: RFC 9000 section 19.3",
        float(quic.ack([(0, 1)])),
        0,
        _packets(_alone(2, 2, **BARE), lambda _, acks: acks[0]["ip_len_bytes"]),
        "B",
    )


def _acknowledgments() -> Iterator[Check]:
    for name, every, packets, expected in (("2", 2, 200, 100), ("5", 5, 200, 40)):
        yield Check(
            f"quic.ack.every-{name}",
            f"{packets} packets in order, one ACK for {every}: RFC 9000 section 13.2.2",
            expected,
            0,
            _packets(
                _alone(packets, 10, ack_every=every, **BARE), lambda _, acks: float(len(acks))
            ),
            "packets",
        )
    yield Check(
        "quic.ack.delay",
        "the third of three packets is acknowledged max_ack_delay after it came: RFC 9000 section "
        "13.2.1",
        float(HANDSHAKE + 3 * SEND + DELAY + quic.MAX_ACK_DELAY),
        NS,
        _packets(_alone(3, 2, pacing=False), lambda _, acks: acks[-1]["sent_ps"] * 1e-12),
        "s",
        absolute=True,
    )


def _losses() -> Iterator[Check]:
    # The sixth packet is the third one after the lost one.
    by_number = 6 * SEND + 2 * DELAY + _wire(quic.ack([(3, 5), (0, 1)]))
    yield Check(
        "quic.loss.packet-threshold",
        "the third of ten packets goes again when the third later one is acknowledged: RFC 9002 "
        "section 6.1.1",
        float(by_number),
        NS,
        _packets(_alone(10, 2, lost="3", **BARE), _again),
        "s",
        absolute=True,
    )
    # The third of four: the fourth is acknowledged at once, and its sample is the latest.
    first = 2 * SEND + 2 * DELAY + _wire(quic.ack([(0, 1)]))
    latest = 4 * SEND + 2 * DELAY + _wire(quic.ack([(3, 3), (0, 1)]))
    by_time = quic.lost_after(latest, quic.estimate([first, latest]).srtt)
    yield Check(
        "quic.loss.time-threshold",
        "the third of four packets goes again 9/8 of the latest round trip after it went: RFC 9002 "
        "section 6.1.2",
        float(by_time),
        NS,
        _packets(_alone(4, 2, lost="3", **BARE), _again),
        "s",
        absolute=True,
    )


def _again(data: list[Row], _: list[Row]) -> float:
    """When the first repetition leaves, seconds."""
    return float(next(row["sent_ps"] for row in data if row["retransmit"]) * 1e-12)


FIRST = 2 * SEND + 2 * DELAY + _wire(quic.ack([(0, 1)]))
"""The round trip of the first ACK, of two packets."""
TAIL = quic.estimate([FIRST])


def _tail(lost: str, seconds: float = 30) -> Any:
    """Three packets and one with the FIN; the third and later ones are lost."""
    return _alone(3, seconds, lost, **BARE)


def _probes() -> Iterator[Check]:
    for n in (1, 2, 4):
        yield Check(
            f"quic.pto.{n}",
            f"probe {n} for a lost tail, after one sample: each wait is twice the one before: RFC "
            "9002 section 6.2",
            float((2**n - 1) * TAIL.pto),
            NS,
            _packets(_tail("3 4 5 6 7 8 9"), _sent(3 + n)),
            "s",
            absolute=True,
        )
    for name, lost, expected in (("none", "3 4 5 6", 0), ("found", "3 4 5 6 7", 1)):
        # The probes are 2 PTO apart in the first case, 6 PTO in the second.
        yield Check(
            f"quic.persistent.{name}",
            "lost probes that span more than three probe timeouts are persistent congestion: RFC "
            "9002 section 7.6",
            expected,
            0,
            of_one_run(
                _tail(lost), lambda run: float(run["flows"][0]["quic"]["persistent_congestions"])
            ),
        )


def _pacing() -> Iterator[Check]:
    gap = HANDSHAKE * DATAGRAM / (10 * DATAGRAM) / quic.PACING
    yield Check(
        "quic.pacing.interval",
        "the tenth packet of the initial window leaves nine intervals of srtt x size / cwnd / 1.25 "
        "after the first: RFC 9002 section 7.7",
        float(HANDSHAKE + 9 * gap),
        NS,
        _packets(_alone(10, 2, pacing_burst="1 pkt"), _sent(10)),
        "s",
        absolute=True,
    )


CHECKS = [*_sizes(), *_acknowledgments(), *_losses(), *_probes(), *_pacing()]
