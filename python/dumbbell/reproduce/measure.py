"""Measurements of one run: a path into its JSON, or a figure computed from its recorded series.

Paths: `flows.snd1.goodput_bps`, `queues.bottleneck.drops.overflow`. A name may be a pattern (`a*`); a path adds up over
all that fit (`flows.*.goodput_bps`), and a word of `REDUCTIONS` before it makes something else of them
(`jain:flows.*.goodput_bps`).
Series: `series:` and a name of `SERIES` (`series:loss_synchrony`); they need the run's directory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ..errors import ScenarioError
from . import ackpath, bandwidth, windows
from .fairness import active_jain, jain, variation, zeros
from .synchrony import cwnd_synchrony, loss_correlation, loss_synchrony
from .thresholds import average_between


def of_run(measure: str, run: dict[str, Any], directory: Path | None) -> float:
    """The value of a measurement in one run."""
    kind, colon, path = measure.partition(":")
    if not colon:
        return math.fsum(_path(measure, run))
    if kind != "series":
        if kind not in REDUCTIONS:
            raise ScenarioError(f"`{measure}`: there is no `{kind}`; there are series, {', '.join(REDUCTIONS)}")
        return REDUCTIONS[kind](_path(path, run))
    function = SERIES.get(path)
    if function is None:
        raise ScenarioError(f"there is no measurement `{measure}`; of series there are {', '.join(SERIES)}")
    if directory is None:
        raise ScenarioError(f"`{measure}` needs the run's recorded series")
    return function(run, directory)


def needs_series(measure: str) -> bool:
    """Whether a measurement needs recorded series."""
    return measure.startswith("series:")


def _path(measure: str, run: dict[str, Any]) -> list[float]:
    part, *rest = measure.split(".")
    value: Any = run.get(part)
    if isinstance(value, list):
        name, *rest = rest
        chosen = value if name == "*" else [item for item in value if fnmatchcase(item["name"], name)]
        if not chosen:
            raise ScenarioError(f"`{measure}`: there is no `{name}`; there are {', '.join(i['name'] for i in value)}")
        return [_leaf(measure, item, rest) for item in chosen]
    return [_leaf(measure, run, [part, *rest])]


def _leaf(measure: str, value: Any, keys: list[str]) -> float:
    for i, key in enumerate(keys):
        if not isinstance(value, dict) or key not in value:
            if i and keys[i - 1] == "drops":
                return 0.0  # a reason that never occurred is not listed
            raise ScenarioError(f"`{measure}`: there is no `{key}` in the result")
        value = value[key]
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
    "needless_timeouts": ackpath.needless_timeouts,
    "late_timeouts": ackpath.late_timeouts,
    "lost_timeouts": ackpath.lost_timeouts,
    "ack_loss": ackpath.ack_loss,
    "ack_wait": ackpath.ack_wait,
    "warnings": ackpath.warnings,
    "warnings_per_ack": ackpath.warnings_per_ack,
    "warned_time": ackpath.warned_time,
    "warned_timeouts": ackpath.warned_timeouts,
    "estimate_error": bandwidth.estimate_error,
    "window_mean": windows.window_mean,
    "window_peak": windows.window_peak,
    "falls_to_one": windows.falls_to_one,
}
