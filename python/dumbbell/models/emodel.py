"""Quality of a telephone conversation: the E-model of ITU-T G.107 (06/2015), from a flow's delay
and losses.

Everything but delay and loss has the recommendation's defaults: a quiet room, a handset, no echo to
speak of. The function `quality` needs no run of its own: it reads what results say of a flow of
datagrams (docs/explanation/delays.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import ScenarioError

# Default values of G.107, table 2, in its names and units (dB, ms).
_SLR, _RLR, _STMR, _LSTR, _DS, _TELR, _WEPL, _QDU = 8.0, 2.0, 15.0, 18.0, 3.0, 65.0, 110.0, 1.0
_NC, _NFOR, _PS, _PR = -70.0, -64.0, 35.0, 35.0
_OLR = _SLR + _RLR

CODECS: Mapping[str, tuple[float, float]] = {
    "g711": (0.0, 25.1),
    "g711_no_plc": (0.0, 4.3),
    "g729": (11.0, 19.0),
    "g723": (15.0, 16.1),
}
"""Equipment impairment Ie and packet-loss robustness Bpl (ITU-T G.113, appendix I), by the names of
the source `voip`: G.711 with packet loss concealment and without, G.729A and G.723.1 with voice
activity detection."""


@dataclass(frozen=True, slots=True)
class Quality:
    """The result of the E-model."""

    r: float
    """Transmission rating, up to 93.2; below 60 nearly all users are dissatisfied (G.107, annex
    B)."""
    mos: float
    """Mean opinion score, estimated (MOS-CQE), from 1 to 4.5."""
    delay_s: float
    """From mouth to ear."""
    loss: float
    """Share of packets that cannot be played: lost, and too late."""


def rating(
    delay_s: float, loss: float = 0.0, codec: str = "g711", burst_ratio: float = 1.0
) -> float:
    """R of G.107 for a delay from mouth to ear and a share of lost packets, 0 to 1.

    burst_ratio: how much longer losses last than random ones would (BurstR): 1, if they are random.
    `ScenarioError` for an unknown codec or a share that is none.
    """
    if codec not in CODECS:
        raise ScenarioError(f"there is no codec `{codec}`; there are {', '.join(CODECS)}")
    if not 0 <= loss <= 1 or not delay_s >= 0 or not burst_ratio > 0:
        raise ScenarioError(
            f"not a delay, a loss share and a burst ratio: {delay_s}, {loss}, {burst_ratio}"
        )
    ie, bpl = CODECS[codec]
    lost = 100 * loss
    effective = ie + (95 - ie) * lost / (lost / burst_ratio + bpl)
    noise = _noise()
    ro = 15 - 1.5 * (_SLR + noise)
    return ro - _simultaneous(ro, noise) - _delayed(1e3 * delay_s, ro, noise) - effective


def mos(r: float) -> float:
    """The mean opinion score of R (G.107, annex B)."""
    if r <= 0:
        return 1.0
    if r >= 100:
        return 4.5
    return 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6


def _power(*levels: float) -> float:
    return 10 * math.log10(sum(10 ** (level / 10) for level in levels))


def _noise() -> float:
    """No, equations 7-3 to 7-7: circuit noise, both rooms, the noise floor."""
    nos = _PS - _SLR - _DS - 100 + 0.004 * (_PS - _OLR - _DS - 14) ** 2
    pre = _PR + 10 * math.log10(1 + 10 ** ((10 - _LSTR) / 10))
    nor = _RLR - 121 + pre + 0.008 * (pre - 35) ** 2
    return _power(_NC, nos, nor, _NFOR + _RLR)


def _simultaneous(ro: float, noise: float) -> float:
    """Is, equations 7-8 to 7-17: too loud, sidetone, quantizing."""
    xolr = _OLR + 0.2 * (64 + noise - _RLR)
    iolr = 20 * ((1 + (xolr / 8) ** 8) ** (1 / 8) - xolr / 8)
    stmr = -10 * math.log10(10 ** (-_STMR / 10) + 10 ** (-_TELR / 10))
    ist = 12 * (1 + ((stmr - 13) / 6) ** 8) ** (1 / 8) - 28 * (1 + ((stmr + 1) / 19.4) ** 35) ** (
        1 / 35
    )
    ist += -13 * (1 + ((stmr - 3) / 33) ** 13) ** (1 / 13) + 29
    q = 37 - 15 * math.log10(_QDU)
    g = 1.07 + 0.258 * q + 0.0602 * q * q
    y, z = (ro - 100) / 15 + 46 / 8.4 - g / 9, 46 / 30 - g / 40
    iq = 15 * math.log10(1 + 10**y + 10**z)
    return float(iolr + ist + iq)


def _delayed(ms: float, ro: float, noise: float) -> float:
    """Id, equations 7-18 to 7-28: echo of the talker and of the listener, and delay itself beyond
    100 ms."""
    terv = _TELR - 40 * math.log10((1 + ms / 10) / (1 + ms / 150)) + 6 * math.exp(-0.3 * ms * ms)
    roe, re = -1.5 * (noise - _RLR), 80 + 2.5 * (terv - 14)
    talker = ((roe - re) / 2 + math.sqrt((roe - re) ** 2 / 4 + 100) - 1) * (1 - math.exp(-ms))
    rle = 10.5 * (_WEPL + 7) * (2 * ms + 1) ** -0.25
    listener = (ro - rle) / 2 + math.sqrt((ro - rle) ** 2 / 4 + 169)
    if ms <= 100:
        return float(talker + listener)
    x = math.log2(ms / 100)
    return float(
        talker + listener + 25 * ((1 + x**6) ** (1 / 6) - 3 * (1 + (x / 3) ** 6) ** (1 / 6) + 2)
    )


def quality(
    flow: Any, codec: str = "g711", packet_s: float = 0.02, lookahead_s: float = 0.0
) -> Quality:
    """The quality for a flow whose delays were measured: `flow` is from `result.flows`, or a
    dictionary of the JSON.

    The receiver plays each packet out at the 99th percentile of the delay, so that one in a hundred
    of those that arrive is too late; the delay from mouth to ear is that, and `packet_s` of speech
    in a packet, and what the codec looks ahead. Losses are taken as random. Means of replications
    count as one run.
    """
    fields = flow if isinstance(flow, Mapping) else flow.as_dict()
    if fields.get("delay_p99_s") is None:
        raise ScenarioError(
            f"`{fields.get('name')}` has no measured delays: datagram flows have them, "
            "connections only with record.delays"
        )
    number = {
        key: _mean(fields[key]) for key in ("delay_p99_s", "delivered_packets", "lost_packets")
    }
    ended = number["delivered_packets"] + number["lost_packets"]
    arrived = number["delivered_packets"] / ended if ended else 0.0
    loss = 1 - 0.99 * arrived
    delay = number["delay_p99_s"] + packet_s + lookahead_s
    r = rating(delay, loss, codec)
    return Quality(r, mos(r), delay, loss)


def _mean(value: Any) -> float:
    return float(value["mean"] if isinstance(value, Mapping) else value)


__all__ = ["CODECS", "Quality", "mos", "quality", "rating"]
