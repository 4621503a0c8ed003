"""What a result says, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from ..data.shapes import ResultLike
from . import validity
from .stats import Interval
from .units import significant, time_text


def of(result: ResultLike) -> list[str]:
    """Sentences on a result, the finding first: how the flows shared the link, then what each of at
    most four queues did, and of a live run whether it may be used; if it may not, that is first."""
    found = [*_shares(result), *(_queue(queue) for queue in list(result.queues)[:4])]
    verdicts = _live(result)
    valid = all(run.valid for run in validity.runs(result.json))
    return [*found, *verdicts] if valid else [*verdicts, *found]


def _live(result: ResultLike) -> list[str]:
    """The verdict of each live run."""
    found = validity.runs(result.json)
    if len(found) == 1:
        return [f"It ran on real kernels and is {found[0].verdict}."]
    return [f"Seed {run.seed} ran on real kernels and is {run.verdict}." for run in found]


def _shares(result: ResultLike) -> list[str]:
    rates = {str(flow.name): _mean(flow.as_dict().get("goodput_bps")) for flow in result.flows}
    return shares(rates, _mean(result.json.get("jain")))


def shares(rates: Mapping[str, float], jain: float) -> list[str]:
    """How flows shared a link, by their goodputs [bit/s] and Jain's index; empty if nobody got
    anything."""
    total = sum(rates.values())
    if not total:
        return []
    if len(rates) == 1:
        (name,) = rates
        return [f"{name} has a goodput of {_rate(total)}."]
    most, least = max(rates, key=lambda n: rates[n]), min(rates, key=lambda n: rates[n])
    text = (
        f"{len(rates)} flows share {_rate(total)} of goodput. {most} has the largest share, "
        f"{_percent(rates[most] / total)}; {least} has the smallest, "
        f"{_percent(rates[least] / total)}."
    )
    if rates[most] <= 1.02 * rates[least]:
        text = f"{len(rates)} flows share {_rate(total)} of goodput equally."
    return [f"{text} Jain's index is {significant(jain, 3)}."]


def _queue(queue: object) -> str:
    row = queue.as_dict()  # type: ignore[attr-defined]
    mean, wait = _mean(row.get("mean_packets")), row.get("mean_sojourn_s")
    head = f"The queue of {row['name']} ({row['kind']})"
    text = f"{head} has {significant(mean, 3)} packets on average"
    if wait is not None:
        text += f"; a packet waits {time_text(_mean(wait))}"
    used = row.get("utilization")
    if used is not None:
        text += f", and the link is busy for {_percent(_mean(used))} of the time"
    drops = {reason: _mean(n) for reason, n in (row.get("drops") or {}).items()}
    dropped = sum(drops.values())
    marks = _mean(row.get("marks"))
    signals = [
        f"drops {significant(dropped)} packets" if dropped else "",
        f"marks {significant(marks)}" if marks else "",
    ]
    done = " and ".join(filter(None, signals))
    return f"{text}. It {done}." if done else f"{text}. It drops nothing."


def _mean(number: object) -> float:
    found = None if number is None else Interval.read(number)  # type: ignore[arg-type]
    return 0.0 if found is None else found.mean


def _rate(bps: float) -> str:
    return f"{significant(bps / 1e6, 3)} Mbit/s"


def _percent(share: float) -> str:
    return f"{significant(share * 100, 3)} %"
