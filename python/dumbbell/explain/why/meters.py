"""Reasons of drops at an edge: the rule of its meter. A drop shows no gauges of it, so the contract
is told."""

from __future__ import annotations

from .finding import Decision
from .phrases import said


def bucket(d: Decision) -> str:
    """One bucket, of tokens for packets or bytes."""
    return (
        f"its bucket ({said(d, 'burst')} at {_rate(d, 'rate')}) had too few tokens for it{_drops()}"
    )


def colors(d: Decision) -> str:
    """Two buckets."""
    depths = " and ".join(
        f"{name} = {said(d, name)}" for name in ("cbs", "ebs", "pbs") if name in d.parameters
    )
    return (
        f"its buckets ({depths}, cir = {_rate(d, 'cir')}) had too few tokens for a colour "
        f"that passes{_drops()}"
    )


def window(d: Decision) -> str:
    """An estimate and a coin."""
    return (
        f"its estimate over {said(d, 'window')} was above {_rate(d, 'rate')}, and chance "
        f"took this packet{_drops()}"
    )


def adaptive(d: Decision) -> str:
    """A probability."""
    return (
        f"its throughput had lately been near {_rate(d, 'rate')} or above, so that it was "
        f"not marked{_drops()}"
    )


def _rate(d: Decision, name: str) -> str:
    return "the reserved rate" if d.parameters.get(name) is None else said(d, name)


def _drops() -> str:
    return ", and the edge drops what is out of profile"


EXPLAIN = {
    **dict.fromkeys(("token_bucket", "marker_feedback", "data_buffer"), bucket),
    **dict.fromkeys(("srtcm", "trtcm", "trtcm_4115"), colors),
    **dict.fromkeys(("tsw2cm", "tsw3cm", "tsw_slack", "etsw"), window),
    "adaptive_packet_marking": adaptive,
}
"""The meters and markers that have a sentence."""
