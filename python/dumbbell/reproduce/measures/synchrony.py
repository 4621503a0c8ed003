"""Synchrony of flows, from the recorded series of one run after its warm-up.

Three measures: losses by congestion epoch, losses by pairs of flows, and the windows' variances.
What "together" means for losses is set by the slowest flow's own mean round trip, queue included
(`slowest_rtt_s`): a sender cannot answer a loss sooner.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...data import series
from ...errors import ScenarioError
from ...models.synchrony import epochs_of, index


def slowest_rtt_s(run: dict[str, Any]) -> float:
    """The largest of the flows' mean smoothed round-trip times [s], queues included."""
    return max(float(flow["srtt_mean_s"]) for flow in run["flows"])


def loss_synchrony(run: dict[str, Any], directory: Path) -> float:
    """Mean over congestion epochs of the share of flows that lose a packet in it: 1 when all fall
    together.

    An epoch ends when no packet is lost for longer than the slowest round trip.
    """
    epochs = epochs_of(_losses(run, directory), slowest_rtt_s(run))
    return sum(map(len, epochs)) / (len(epochs) * len(run["flows"])) if epochs else 0.0


def loss_correlation(run: dict[str, Any], directory: Path) -> float:
    """Mean phi coefficient over pairs of flows of "loses in this bin", in bins of the slowest round
    trip: the index of `dumbbell.synchrony`.

    0 when flows lose independently, 1 when always together, negative when in turns.
    """
    width, start = slowest_rtt_s(run), run["warmup_s"]
    count = int((run["duration_s"] - start) / width)
    bins: dict[str, set[int]] = {flow["name"]: set() for flow in run["flows"]}
    for time, flow in _losses(run, directory):
        if (k := int((time - start) / width)) < count:
            bins[flow].add(k)
    return index(bins.values(), count) or 0.0


def cwnd_synchrony(run: dict[str, Any], directory: Path) -> float:
    """(V - 1) / (N - 1) with V = var(sum of windows) / sum of their variances: 0 independent, 1 in
    step."""
    flows = _frame(directory, "flows")
    flows = flows.filter(flows["time_s"] >= run["warmup_s"])
    wide = flows.pivot(on="flow", index="time_s", values="cwnd_packets").drop("time_s").drop_nulls()
    variances = [column.var() for column in wide.iter_columns()]
    return float((wide.sum_horizontal().var() / sum(variances) - 1) / (len(variances) - 1))


def _losses(run: dict[str, Any], directory: Path) -> list[tuple[float, str]]:
    """(time, flow) of each packet dropped at a queue after the warm-up, in the order of time."""
    signals = _frame(directory, "signals")
    drops = signals.filter(~signals["marked"] & (signals["time_s"] >= run["warmup_s"])).sort(
        "time_s"
    )
    return list(zip(drops["time_s"], drops["flow"].cast(str), strict=True))


def _frame(directory: Path, name: str) -> Any:
    frame = series.read(directory, name)
    if frame is None:
        raise ScenarioError(f"{directory} has no {name}: the scenario must record them ([record])")
    return frame
