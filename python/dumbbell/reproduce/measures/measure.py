"""Measurements of one run: a path into its JSON, or a figure computed from its recorded series.

Paths: `flows.snd1.goodput_bps`, `queues.bottleneck.drops.overflow`. A name may be a pattern (`a*`);
a path adds up over all that fit (`flows.*.goodput_bps`), and a word of `REDUCTIONS` before it makes
something else of them (`jain:flows.*.goodput_bps`). Paths may be joined: `A + B` adds, `A / B`
divides (0 / 0 is 0). What an edge did for a flow has the flow's name
(`markers.a?1.tokens_lost_share`). Series: `series:` and a name of `SERIES`
(`series:loss_synchrony`), or one of `delivery` and a flow (`series:peak.n7`); they need the run's
directory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ...errors import ScenarioError
from . import ack_path, bandwidth, bunching, cwnd, delivery
from .fairness import active_jain, jain, variation, zeros
from .synchrony import cwnd_synchrony, loss_correlation, loss_synchrony
from .thresholds import average_between


def of_run(measure: str, run: dict[str, Any], directory: Path | None) -> float:
    """The value of a measurement in one run."""
    kind, colon, path = measure.partition(":")
    if not colon:
        return _joined(measure, run)
    if kind != "series":
        if kind not in REDUCTIONS:
            raise ScenarioError(
                f"`{measure}`: there is no `{kind}`; there are series, {', '.join(REDUCTIONS)}"
            )
        return REDUCTIONS[kind](_path(path, run))
    if directory is None:
        raise ScenarioError(f"`{measure}` needs the run's recorded series")
    return _of_series(measure, path, run, directory)


def _of_series(measure: str, path: str, run: dict[str, Any], directory: Path) -> float:
    name, dot, flow = path.partition(".")
    if dot and name in delivery.OF_A_FLOW:
        return delivery.OF_A_FLOW[name](run, directory, flow)
    if path not in SERIES:
        known = ", ".join([*SERIES, *(f"{name}.FLOW" for name in delivery.OF_A_FLOW)])
        raise ScenarioError(f"there is no measurement `{measure}`; of series there are {known}")
    return SERIES[path](run, directory)


def needs_series(measure: str) -> bool:
    """True if a measurement needs recorded series."""
    return measure.startswith("series:")


def _joined(measure: str, run: dict[str, Any]) -> float:
    """Sums of paths, and perhaps one over another."""
    above, over, below = measure.partition(" / ")
    sums = [
        math.fsum(x for path in part.split(" + ") for x in _path(path, run))
        for part in (above, below)
        if part
    ]
    if not over:
        return sums[0]
    return sums[0] / sums[1] if sums[1] else 0.0


def _path(measure: str, run: dict[str, Any]) -> list[float]:
    part, *rest = measure.split(".")
    value: Any = run.get(part)
    if isinstance(value, list):
        name, *rest = rest
        chosen = (
            value if name == "*" else [item for item in value if fnmatchcase(_name(item), name)]
        )
        if not chosen:
            raise ScenarioError(
                f"`{measure}`: there is no `{name}`; there are {', '.join(map(_name, value))}"
            )
        return [_leaf(measure, item, rest) for item in chosen]
    return [_leaf(measure, run, [part, *rest])]


def _name(item: dict[str, Any]) -> str:
    """The name of an item of a list; a marker has that of its flow."""
    return str(item["name"] if "name" in item else item.get("flow") or item["link"])


def _leaf(measure: str, value: Any, keys: list[str]) -> float:
    for i, key in enumerate(keys):
        if not isinstance(value, dict) or key not in value:
            if i and keys[i - 1] == "drops":
                return 0.0  # a reason that never occurred is not listed
            raise ScenarioError(f"`{measure}`: there is no `{key}` in the result")
        value = value[key]
    if value is None:
        raise ScenarioError(
            f"`{measure}`: the result has no value for it, as no such event happened"
        )
    return float(value)


REDUCTIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "jain": jain,
    "variation": variation,
    "zeros": zeros,
}

SERIES: dict[str, Callable[[dict[str, Any], Path], float]] = {
    "loss_synchrony": loss_synchrony,
    "loss_correlation": loss_correlation,
    "cwnd_synchrony": cwnd_synchrony,
    "active_jain": active_jain,
    "average_between": average_between,
    "needless_timeouts": ack_path.needless_timeouts,
    "late_timeouts": ack_path.late_timeouts,
    "lost_timeouts": ack_path.lost_timeouts,
    "ack_loss": ack_path.ack_loss,
    "ack_wait": ack_path.ack_wait,
    "warnings": ack_path.warnings,
    "warnings_per_ack": ack_path.warnings_per_ack,
    "warned_time": ack_path.warned_time,
    "warned_timeouts": ack_path.warned_timeouts,
    "ack_bunching": bunching.ack_bunching,
    "flows_known": bunching.flows_known,
    "estimate_error": bandwidth.estimate_error,
    "window_mean": cwnd.window_mean,
    "window_peak": cwnd.window_peak,
    "falls_to_one": cwnd.falls_to_one,
}
