"""Measurements of two calls beside the flow: one-way delay, and its jitter as receivers compute
it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....present import stats
from .network import CALLS

NUMBERS = ("jitter_s", "delay_mean_s", "delay_p99_s", "loss_share")


def of_run(run: Mapping[str, Any]) -> dict[str, float | None]:
    """The numbers of a run, means over the calls: the jitter of RFC 3550, section 6.4.1, as its
    mean over the run, mean and 99th percentile of the one-way delay [s], and the share that was
    lost; None where no packet came."""
    calls = [flow for flow in run["flows"] if flow["name"] in CALLS]
    return {
        "jitter_s": _mean([call["jitter_mean_s"] for call in calls]),
        "delay_mean_s": _mean([call["delay_mean_s"] for call in calls]),
        "delay_p99_s": _mean([call["delay_p99_s"] for call in calls]),
        "loss_share": _mean([_lost(call) for call in calls]),
    }


def _lost(call: Mapping[str, Any]) -> float | None:
    return call["lost_packets"] / call["sent_packets"] if call["sent_packets"] else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return stats.mean(known) if known else None


def cell(values: Sequence[float | None]) -> Mapping[str, Any] | None:
    """A mean with its interval; None if some run has no number."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return {"mean": stats.mean(known), "ci95": stats.ci95(known), "n": len(known)}
