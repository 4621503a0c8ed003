"""The path as scenarios: the flow by itself, and beside calls and a flow with standard frames."""

from __future__ import annotations

import math

from ....validate.laws import links
from ..queue.tc_lines import rate as rate_word
from . import closed_forms
from .question import Question
from .scale import Case
from .sizes import ETHERNET

FLOW, NEIGHBOR = "flow", "neighbour"
CALLS = {"call-64": 64, "call-180": 180}
"""Bytes of the IP packets of two calls: the paper's."""
EVERY_S = 0.02
"""From one packet of a call to the next (RFC 3551: 20 ms)."""
_LEAST_FRAMES = 10
_UDP = 20 + 8


def scenario() -> dict[str, object]:
    """The scenario of all cases."""
    return {
        "name": "advice",
        "duration": "1 s",
        "dumbbell": {
            "bottleneck": {"rate": "1 Mbps", "delay": "1 ms"},
            "access": {"rate": "10 Mbps"},
        },
        "queue": {"kind": "drop_tail", "limit": "100 pkt"},
        "flow": [{"name": FLOW}],
    }


def alone(question: Question, case: Case) -> dict[str, object]:
    """The overrides of `scenario` that make it the flow by itself: what the path lets it have."""
    return _path(question, case, [_flow(question, FLOW)])


def beside(question: Question, case: Case) -> dict[str, object]:
    """The path with neighbors: a TCP with packets of 1500 bytes at most, and two calls."""
    calls: list[dict[str, object]] = [
        {
            "name": name,
            "rtt": _time(question.rtt_s),
            "source": {
                "kind": "cbr",
                "rate": f"{8 * (size - _UDP) / EVERY_S:.0f} bps",
                "packet": f"{size - _UDP} B",
            },
            "start_spread": "20 ms",
        }
        for name, size in CALLS.items()
    ]
    other = _flow(question, NEIGHBOR, mss=f"{min(ETHERNET, case.mtu) - 40} B")
    return _path(question, case, [_flow(question, FLOW), other, *calls])


def _path(question: Question, case: Case, flows: list[dict[str, object]]) -> dict[str, object]:
    wire: dict[str, object] = {
        "rate": rate_word(case.rate_bps),
        "delay": f"{question.rtt_s * 1e9 / 40:.0f} ns",
        "mtu": f"{case.mtu} B",
        "framing": "ethernet",
    }
    if case.loss_share:
        wire["impairment"] = [_loss(question, case)]
    return {
        "duration": f"{case.length_s:g} s",
        "warmup": f"{case.warmup_s:g} s",
        "dumbbell.bottleneck": wire,
        "dumbbell.access.rate": rate_word(10 * case.rate_bps),
        "queue": {"kind": "drop_tail", "limit": f"{limit_bytes(question, case)} B"},
        "flow": flows,
    }


def limit_bytes(question: Question, case: Case) -> int:
    """The buffer: a bandwidth-delay product, or ten of the largest packets if that is more."""
    return max(
        math.ceil(case.rate_bps * question.rtt_s / 8), _LEAST_FRAMES * max(case.mtu, ETHERNET)
    )


def _loss(question: Question, case: Case) -> dict[str, object]:
    """The loss of the wire: packets of any size alike, or by their bits, so that full packets lose
    what they should."""
    if question.loss_kind == "packet":
        return {"kind": "bernoulli", "loss": case.loss_share}
    return {
        "kind": "bit_error",
        "rate": -math.expm1(math.log1p(-case.loss_share) / (8 * (case.mtu + links.ETHERNET))),
    }


def _flow(question: Question, name: str, **tcp: str) -> dict[str, object]:
    return {
        "name": name,
        "rtt": _time(question.rtt_s),
        "cc": question.cc,
        "profile": question.profile,
        "tcp": {
            "receive_window": "unlimited",
            "timestamps": question.profile in closed_forms.TIMESTAMPS,
            **tcp,
        },
        "start_spread": "100 ms",
    }


def _time(seconds: float) -> str:
    return f"{seconds * 1e9:.0f} ns"
