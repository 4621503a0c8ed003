"""One queue alone, arrivals made for it, and what it signals."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import api
from ..data.arrow import Table
from ..errors import ScenarioError
from ..present.stats import wilson95
from .drive import drive
from .laws import known
from .sizes import SIZE
from .theory import Gauges, Hold, Instants, Over, Parameters, Response

_BINS = 40
_LOADS = ((0.1, 0.8, 1.0), (0.55, 1.0, 1.3), (0.35, 1.3, 8.0))
"""Shares of the packets, and the load at their first and last."""
_PACKETS = 200_000
_TAIL = 4.0


@dataclass(frozen=True, slots=True)
class Share:
    """Packets whose x is near this one: how many, how many of them were signaled, and what the law
    says of them."""

    x: float
    packets: int
    signals: int
    law: float
    of: str = ""
    """The class of packets, where each has a curve of its own."""

    @property
    def measured(self) -> float:
        """Signals per packet."""
        return self.signals / self.packets

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the probability."""
        return wilson95(self.signals, self.packets)


@dataclass(frozen=True, slots=True)
class Curve:
    """Measurement and theory of one algorithm."""

    name: str
    parameters: Mapping[str, Any]
    theory: Over | Response | Instants
    shares: tuple[Share, ...] = ()
    """Signals per packet, by x or by time."""
    times: tuple[float, ...] = ()
    """Instants [s]: of the gauge, or of signals."""
    gauge: tuple[float, ...] = ()
    """The gauge at these instants."""
    law: tuple[float, ...] = ()
    """The theoretical value of the gauge, or the instants of signals [s]."""


def measure(
    name: str, changes: Mapping[str, Any] | None = None, seed: int = 1, packets: int = _PACKETS
) -> Curve:
    """Measures the algorithm `name` with `changes` of its parameters (and of `limit`).

    packets: how many, where the load rises; a held queue has as many as its time takes.

    `ScenarioError` if there is no law for it, or a scenario would refuse the parameters.
    """
    theory = known().get(name)
    if theory is None:
        raise ScenarioError(
            f"`{name}` has no law to draw with the measured curve; laws exist for "
            f"{', '.join(known())}"
        )
    queue = {"kind": name, **theory.queue, **(changes or {})}
    parameters = _resolved(queue)
    match theory:
        case Over():
            return Curve(
                name, queue, theory, tuple(_over(queue, theory, parameters, seed, packets))
            )
        case Response():
            return _response(name, queue, theory, parameters, seed)
        case Instants():
            return _instants(name, queue, theory, parameters, seed)


def _resolved(queue: Mapping[str, Any]) -> Parameters:
    """The parameters with every default, and `limit`."""
    wire = {"rate": "8 Mbps", "delay": "1 ms"}
    scenario = {
        "duration": "1 s",
        "dumbbell": {"bottleneck": wire},
        "queue": dict(queue),
        "flow": [{"name": "s"}],
    }
    planned = api.plan(api.request({"value": scenario, "name": f"curve of {queue['kind']}"}))
    links = planned["points"][0]["plan"]["links"]
    link = next(link for link in links if link["report"])
    capacity = link["capacity"]
    limit = capacity.get("packets") if isinstance(capacity, dict) else None
    return Parameters({**link["aqm"]["config"], "limit": math.inf if limit is None else limit})


def _driven(
    queue: Mapping[str, Any], times: Iterable[float], service_s: float, seed: int, **columns: Any
) -> Table:
    """Packets at these instants [s]; instants are whole nanoseconds, so that they meet ends of
    transmission."""
    arrivals = {"time_ps": [round(t * 1e9) * 1000 for t in times], "bytes": SIZE, **columns}
    rate = f"{8 * SIZE / service_s:.0f} bps"
    return drive(queue, arrivals=arrivals, rate=rate, mtu=f"{SIZE} B", seed=seed)


def _over(
    queue: Mapping[str, Any], theory: Over, p: Parameters, seed: int, packets: int
) -> list[Share]:
    if theory.x == "n":
        times, flows = _more_and_more_flows()
    else:
        times = _rising_load(packets)
        flows = list(range(len(times))) if theory.apart else [0] * len(times)
    codepoints = [theory.dscp[k % len(theory.dscp)] for k in range(len(times))]
    ecn = "ect0" if theory.capable else "not_ect"
    table = _driven(queue, times, 1e-3, seed, flow=flows, ecn=ecn, dscp=codepoints)
    shown = [
        c for c in table.columns if c not in ("verdict", "reason", "ecn") and not c.endswith("_ps")
    ]
    columns = {name: table.column(name) for name in shown}
    if theory.x not in columns:
        raise ScenarioError(f"`{queue['kind']}` does not show `{theory.x}`")
    signalled = _signalled(table, theory.reasons)
    lost_anyway = [r == "overflow" and r not in theory.reasons for r in table.column("reason")]
    decisions: dict[str, list[tuple[float, bool, float]]] = {}
    for i, x in enumerate(columns[theory.x]):
        if isinstance(x, int | float) and not lost_anyway[i]:
            gauges: Gauges = {
                name: float(value)
                for name, values in columns.items()
                if isinstance(value := values[i], int | float)
            }
            of = theory.classes[round(gauges["class"])] if theory.classes else ""
            decisions.setdefault(of, []).append((float(x), signalled[i], theory.law(gauges, p)))
    order = sorted(decisions, key=lambda of: theory.classes.index(of) if of else 0)
    return [replace(share, of=of) for of in order for share in _shares(decisions[of], theory.steps)]


def _rising_load(count: int) -> list[float]:
    """A load that grows by the same factor with each packet, slowly where a few signals balance
    it."""
    times, t = [], 0.0
    for share, low, high in _LOADS:
        packets = round(share * count)
        for k in range(packets):
            times.append(t)
            t += 1e-3 / (low * (high / low) ** (k / packets))
    return times


def _more_and_more_flows() -> tuple[list[float], list[int]]:
    """At 1.02 times the link's rate, one more flow each second, of which the packets come in
    turn."""
    gap = 1e-3 / 1.02
    times = [k * gap for k in range(60_000)]
    return times, [k % (1 + int(t)) for k, t in enumerate(times)]


def _signalled(table: Table, reasons: Sequence[str]) -> list[bool]:
    verdicts, why = table.column("verdict"), table.column("reason")
    return [
        v == "mark" or (v == "drop" and r in reasons) for v, r in zip(verdicts, why, strict=True)
    ]


def _shares(decisions: list[tuple[float, bool, float]], steps: bool) -> list[Share]:
    """Bins of equal width up to where nearly all packets are; the rest is one more. Whole numbers
    have bins of their own if they are few."""
    xs = sorted(x for x, _, _ in decisions)
    top = min(xs[-1], _TAIL * max(xs[len(xs) // 2], 1e-9))
    width = max(1.0, math.ceil(top / _BINS)) if steps else top / _BINS or 1.0
    bins: dict[int, list[tuple[float, bool, float]]] = {}
    for decision in decisions:
        bins.setdefault(min(int(decision[0] / width), 2 * _BINS), []).append(decision)
    return [_share(part) for _, part in sorted(bins.items()) if len(part) >= 50]


def _share(part: list[tuple[float, bool, float]]) -> Share:
    n = len(part)
    mean = math.fsum(x for x, _, _ in part) / n
    return Share(mean, n, sum(s for _, s, _ in part), math.fsum(law for _, _, law in part) / n)


def _held(queue: Mapping[str, Any], hold: Hold, seed: int) -> Table:
    """The burst that makes the queue, then a packet whenever one has left."""
    gap = hold.service_s / hold.load
    times = [0.0] * (hold.packets + 1) + [k * gap for k in range(1, int(hold.seconds / gap))]
    return _driven(queue, times, hold.service_s, seed, ecn="ect0")


def _response(
    name: str, queue: Mapping[str, Any], theory: Response, p: Parameters, seed: int
) -> Curve:
    hold = theory.hold(p)
    table = _held(queue, hold, seed)
    skip = (
        hold.packets
    )  # The burst itself comes in no time; the last of it counts as the packet at 0.
    times = [t * 1e-12 for t in table.numbers("time_ps")][skip:]
    gauge = table.numbers(theory.gauge)[skip:]
    signalled = _signalled(table, ("early", "forced"))[skip:]
    law = theory.law(times, hold, p)
    frequencies = [theory.frequency(value, hold, p) for value in law]
    shares = _shares(list(zip(times, signalled, frequencies, strict=True)), steps=False)
    thin = max(1, len(times) // 400)
    return Curve(
        name,
        queue,
        theory,
        tuple(shares),
        tuple(times[::thin]),
        tuple(gauge[::thin]),
        tuple(law[::thin]),
    )


def _instants(
    name: str, queue: Mapping[str, Any], theory: Instants, p: Parameters, seed: int
) -> Curve:
    """Signals of a queue that decides when packets leave: at the start of transmission, or when
    they are dropped."""
    hold = theory.hold(p)
    table = _held(queue, hold, seed)
    service = round(hold.service_s * 1e12)
    found: list[float] = []
    for verdict, left, dropped in zip(
        table.column("verdict"), table.column("left_ps"), table.column("dropped_ps"), strict=True
    ):
        if verdict == "mark" and isinstance(left, int):
            found.append((left - service) * 1e-12)
        elif verdict == "drop" and isinstance(dropped, int):
            found.append(dropped * 1e-12)
    times = sorted(t for t in found if t <= hold.seconds - hold.delay_s)
    law = theory.law(len(times) + 1, hold, p)
    return Curve(
        name,
        queue,
        theory,
        times=tuple(times),
        law=tuple(law[: bisect_right(law, times[-1] + 1) if times else 0]),
    )
