"""Measurements of one run: a path into its JSON, or a figure computed from its recorded series.

Paths: `flows.snd1.goodput_bps`, `queues.bottleneck.drops.overflow`; `*` adds up over all (`flows.*.goodput_bps`).
Series: `series:` and a name of `SERIES` (`series:loss_synchrony`); they need the run's directory.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import ScenarioError
from .synchrony import cwnd_synchrony, loss_correlation, loss_synchrony


def of_run(measure: str, run: dict[str, Any], directory: Path | None) -> float:
    """The value of a measurement in one run."""
    if measure.startswith("series:"):
        function = SERIES.get(measure.removeprefix("series:"))
        if function is None:
            raise ScenarioError(f"there is no measurement `{measure}`; of series there are {', '.join(SERIES)}")
        if directory is None:
            raise ScenarioError(f"`{measure}` needs the run's recorded series")
        return function(run, directory)
    return _path(measure, run)


def needs_series(measure: str) -> bool:
    """Whether a measurement needs recorded series."""
    return measure.startswith("series:")


def _path(measure: str, run: dict[str, Any]) -> float:
    part, *rest = measure.split(".")
    value: Any = run.get(part)
    if isinstance(value, list):
        name, *rest = rest
        chosen = [item for item in value if name in ("*", item["name"])]
        if not chosen:
            raise ScenarioError(f"`{measure}`: there is no `{name}`; there are {', '.join(i['name'] for i in value)}")
        return sum(_leaf(measure, item, rest) for item in chosen)
    return _leaf(measure, run, [part, *rest])


def _leaf(measure: str, value: Any, keys: list[str]) -> float:
    for i, key in enumerate(keys):
        if not isinstance(value, dict) or key not in value:
            if i and keys[i - 1] == "drops":
                return 0.0  # a reason that never occurred is not listed
            raise ScenarioError(f"`{measure}`: there is no `{key}` in the result")
        value = value[key]
    return float(value)


SERIES: dict[str, Callable[[dict[str, Any], Path], float]] = {
    "loss_synchrony": loss_synchrony,
    "loss_correlation": loss_correlation,
    "cwnd_synchrony": cwnd_synchrony,
}
