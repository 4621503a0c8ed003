"""Measurements of one run: a path into its JSON, or a figure computed from its recorded series.

Paths: `flows.snd1.goodput_bps`, `queues.bottleneck.drops.overflow`; `*` adds up over all (`flows.*.goodput_bps`).
Series: `series:loss_synchrony`, `series:cwnd_synchrony`; they need the run's directory.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import series
from ..errors import ScenarioError

EPOCH_GAP_S = 0.1
"""Losses closer together than this belong to one congestion epoch: a round trip and its queue, generously."""


def of_run(measure: str, run: dict[str, Any], directory: Path | None) -> float:
    """The value of a measurement in one run."""
    if measure.startswith("series:"):
        function = SERIES.get(measure.removeprefix("series:"))
        if function is None:
            raise ScenarioError(f"there is no measurement `{measure}`; of series there are {', '.join(SERIES)}")
        if directory is None:
            raise ScenarioError(f"`{measure}` needs the run's recorded series")
        return function(directory)
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


def loss_synchrony(directory: Path) -> float:
    """Mean over congestion epochs of the share of flows that lose a packet in it: 1 when all fall together.

    An epoch ends when no packet is lost for `EPOCH_GAP_S`.
    """
    signals, flows = _frame(directory, "signals"), _frame(directory, "flows")
    drops = signals.filter(~signals["marked"]).sort("time_s")
    active = flows["flow"].n_unique()
    epochs: list[set[Any]] = []
    last = float("-inf")
    for time, flow in zip(drops["time_s"], drops["flow"], strict=True):
        if time - last > EPOCH_GAP_S:
            epochs.append(set())
        epochs[-1].add(flow)
        last = time
    return sum(len(epoch) for epoch in epochs) / (len(epochs) * active) if epochs else 0.0


def cwnd_synchrony(directory: Path) -> float:
    """(V - 1) / (N - 1) with V = var(sum of windows) / sum of their variances: 0 independent, 1 in step."""
    windows = _windows(directory)
    columns = [column.var() for column in windows.iter_columns()]
    total = windows.sum_horizontal().var()
    return (total / sum(columns) - 1) / (len(columns) - 1)


def _windows(directory: Path) -> Any:
    """One column of windows for each flow, from the moment when all have one."""
    flows = _frame(directory, "flows")
    wide = flows.pivot(on="flow", index="time_s", values="cwnd_packets").sort("time_s")
    return wide.drop("time_s").drop_nulls()


def _frame(directory: Path, name: str) -> Any:
    frame = series.read(directory, name)
    if frame is None:
        raise ScenarioError(f"{directory} has no {name}: the scenario must record them ([record])")
    return frame


SERIES: dict[str, Callable[[Path], float]] = {
    "loss_synchrony": loss_synchrony,
    "cwnd_synchrony": cwnd_synchrony,
}
