"""Arrivals of one flow over time, from the record of its packets: rates of bins, delays, losses,
lulls.

Measurements of the series that are of one flow: `series:peak.n7` is `peak` of the flow `n7`, which
must be among those that were recorded packet by packet (`record.packets`). Bytes are those of IP,
headers and repetitions included.
"""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

from ...data import series
from ...errors import ScenarioError
from ...present import stats

BIN_PS = 5 * 10**10
"""50 ms: how often the jumbo paper samples throughput."""
LATE = 0.5
"""The share of a run after which a loss is no longer one of the start."""


def sent(directory: Path, flow: str) -> Any:
    """The packets of a flow's sender, in the order in which they were sent."""
    file = directory / "packets.parquet"
    return _sent(str(directory), flow, file.stat().st_mtime_ns if file.exists() else 0)


@functools.lru_cache(maxsize=32)
def _sent(directory: str, flow: str, written_ns: int) -> Any:
    packets = series.read(Path(directory), "packets")
    if packets is None:
        raise ScenarioError(
            f"{directory} has no packets: the scenario must record them (record.packets)"
        )
    own = packets.filter(
        (packets["flow"].cast(str) == flow) & (packets["from"].cast(str) == "sender")
    )
    if own.is_empty():
        raise ScenarioError(
            f"{directory} has no packet of `{flow}`: the scenario must record them (record.packets)"
        )
    return own.sort("packet")


def rates(run: dict[str, Any], directory: Path, flow: str, bin_ps: int = BIN_PS) -> list[float]:
    """Bit/s that arrived in each whole bin of the run."""
    count = round(float(run["duration_s"]) * 1e12) // bin_ps
    held = [0] * count
    own = sent(directory, flow).drop_nulls("delivered_ps")
    for at, length in zip(own["delivered_ps"], own["ip_len_bytes"], strict=True):
        if at // bin_ps < count:
            held[at // bin_ps] += length
    return [8e12 * length / bin_ps for length in held]


def peak(run: dict[str, Any], directory: Path, flow: str) -> float:
    """The largest rate of a bin, bit/s."""
    return max(rates(run, directory, flow))


def rate(run: dict[str, Any], directory: Path, flow: str) -> float:
    """The rate over the whole run, bit/s."""
    own = sent(directory, flow).drop_nulls("delivered_ps")
    return 8.0 * float(own["ip_len_bytes"].sum()) / float(run["duration_s"])


def busy(run: dict[str, Any], directory: Path, flow: str) -> float:
    """The share of bins in which anything arrived."""
    found = rates(run, directory, flow)
    return sum(r > 0 for r in found) / len(found)


def together(run: dict[str, Any], directory: Path, flows: str) -> float:
    """The correlation of the rates of two flows, named with a `~` between them; 0 if one never
    changes."""
    x, y = (rates(run, directory, flow) for flow in flows.split("~"))
    own_x, own_y = stats.deviation(x), stats.deviation(y)
    if own_x == 0 or own_y == 0:
        return 0.0
    mean_x, mean_y = stats.mean(x), stats.mean(y)
    products = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return products / ((len(x) - 1) * own_x * own_y)


def full(run: dict[str, Any], directory: Path, flow: str) -> float:
    """The share of bins with more than half of the largest rate."""
    found = rates(run, directory, flow)
    return sum(r > max(found) / 2 for r in found) / len(found)


def delays(directory: Path, flow: str) -> list[float]:
    """One-way delays of what arrived, ms."""
    own = sent(directory, flow).drop_nulls("delivered_ps")
    return [1e-9 * (at - of) for at, of in zip(own["delivered_ps"], own["sent_ps"], strict=True)]


def jitter(run: dict[str, Any], directory: Path, flow: str) -> float:
    """The largest one-way delay less the least, ms."""
    found = delays(directory, flow)
    return max(found) - min(found)


def spread(run: dict[str, Any], directory: Path, flow: str) -> float:
    """The standard deviation of one-way delays, ms."""
    found = delays(directory, flow)
    mean = math.fsum(found) / len(found)
    return math.sqrt(math.fsum((d - mean) ** 2 for d in found) / len(found))


def lost(run: dict[str, Any], directory: Path, flow: str) -> float:
    """Lost over sent packets."""
    own = sent(directory, flow)
    return float(own["dropped_ps"].drop_nulls().len() / own.height)


def lost_late(run: dict[str, Any], directory: Path, flow: str) -> float:
    """Packets that were lost in the second half of the run."""
    dropped = sent(directory, flow)["dropped_ps"].drop_nulls()
    return float((dropped > round(LATE * float(run["duration_s"]) * 1e12)).sum())


def losses(
    directory: Path, flow: str, every_ps: int, until_ps: int
) -> tuple[list[float], list[float]]:
    """Times [s], and what was lost until then over what was sent until then."""
    own = sent(directory, flow)
    begun = _counts(own["sent_ps"].to_list(), every_ps, until_ps)
    gone = _counts(own["dropped_ps"].drop_nulls().to_list(), every_ps, until_ps)
    times = [1e-12 * every_ps * (k + 1) for k in range(len(begun))]
    return times, [x / n if n else 0.0 for x, n in zip(gone, begun, strict=True)]


def _counts(times: list[int], every_ps: int, until_ps: int) -> list[int]:
    """Number of events until the end of each period."""
    counts = [0] * (until_ps // every_ps)
    for t in times:
        if t // every_ps < len(counts):
            counts[t // every_ps] += 1
    total, told = 0, []
    for n in counts:
        total += n
        told.append(total)
    return told


OF_A_FLOW = {
    "peak": peak,
    "rate": rate,
    "busy": busy,
    "full": full,
    "together": together,
    "jitter": jitter,
    "spread": spread,
    "lost": lost,
    "lost_late": lost_late,
}
"""Measurements of one flow, by name."""
