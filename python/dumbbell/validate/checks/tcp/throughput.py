"""Throughput at given losses: the square root law and its constants, AIMD(a, b), timeouts.

The path has 10 Gbit/s and no queue, so round-trip times are those of propagation. Losses are those
of the law: independent (`bernoulli`), or every n-th packet. The square root law comes from a
sawtooth between W/2 and W with a loss every 1/p segments (Mathis et al. 1997). It leaves out two
round trips in a tooth of b W/2: the one in which a loss is noticed and the one in which it is
repaired. Checks with losses at equal intervals (`sqrt`, `aimd`) allow these two and no more. With
delayed acknowledgments the last segment of an odd window waits for the next round; the tolerance
includes this. At independent losses the exact constant of the same sawtooth is 1.3098 instead of
1.2247 (Ott, Kemperman, Mathis 1996; for other a and b Guillemin, Robert, Zwart 2004). `mathis`
compares with the published constant, within 15 %, where timeouts are rare (p <= 3e-3). `pftk` has p
= 0.001 to 0.1, T0 = 1 s (the minimum RTO) and a Reno sender, as its authors had. Their loss model
differs from independent losses: it also loses the rest of a round but repairs it at once, which
Reno does not do. So a line may be wrong by the share of losses that have another one in their
window, and by what five runs leave open (2 %): from 3 % to 25 %, which is the most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ....present import stats
from ...check import Check
from ...laws.tcp import throughput
from ...measured import Measured
from ...readings import goodput
from ...recorded import Recorded
from ...runner import Runner, mean_over_seeds, of_one_run
from .. import paths
from ..given_losses import Nth

RTT = 0.1
TEETH = 20
"""Losses at equal intervals: teeth that are measured."""


def _p(p: float) -> str:
    mantissa, exponent = f"{p:e}".split("e")
    return f"p-{float(mantissa):g}e{int(exponent)}"


# Random loss.

LOSSES = 1000
"""The approximate number of losses in a run; five such runs give the goodput to about 2 %."""
FEWER = 500
"""The number of losses in a run with about one loss in ten thousand packets."""


def _lossy(p: float, cc: str, rtt: float, mss: int, acked: int) -> dict[str, Any]:
    seconds = (LOSSES if p >= 1e-3 else FEWER) / p / throughput.mathis(p, rtt, acked)
    flow = paths.sender(cc, rtt, mss, delayed_ack="second" if acked == 2 else "each")
    # Teeth of sqrt(2 / (3 p)) round trips; slow start overshoots, and takes some of them to come
    # down.
    warmup = 20 * rtt / math.sqrt(p)
    return paths.clear(
        flow, seconds=seconds + warmup, warmup=warmup, loss=p, mtu=max(1500, mss + 40)
    )


def _mathis(
    p: float,
    cc: str = "sack",
    rtt: float = RTT,
    mss: int = paths.MSS,
    acked: int = 1,
    part: str = "",
) -> Check:
    scenario = _lossy(p, cc, rtt, mss, acked)
    return Check(
        id=f"mathis.{_p(p)}{part}",
        law="B = MSS/RTT sqrt(3/(2 b p)) at random loss, p <= 3e-3: Mathis et al. 1997",
        expected=8 * mss * throughput.mathis(p, rtt, acked),
        tolerance=0.15,
        measure=mean_over_seeds(scenario, goodput),
        unit="bit/s",
        quick=p >= 1e-3,
    )


def _ideal(p: float) -> Check:
    # The law knows neither the round trip in which a loss is noticed nor that in which it is
    # repaired.
    round_trips = throughput.aimd_random(1, 0.5, p, 1.0) ** -1 / p
    return Check(
        id=f"ott.{_p(p)}",
        law=(
            "B = 1.3098 MSS/(RTT sqrt p) at random loss, within two round trips per loss: Ott, "
            "Kemperman, Mathis 1996"
        ),
        expected=8 * paths.MSS * throughput.aimd_random(1, 0.5, p, RTT),
        tolerance=2 / round_trips,
        measure=mean_over_seeds(_lossy(p, "sack", RTT, paths.MSS, 1), goodput),
        unit="bit/s",
    )


def _ideal_aimd(a: float, b: float, p: float = 1e-3) -> Check:
    """As `_ideal`, for other steps: both are random losses' version of the sawtooth of AIMD(a,
    b)."""
    rate = throughput.aimd_random(a, b, p, RTT)
    flow = paths.sender({"kind": "aimd", "a": a, "b": b}, RTT)
    scenario = paths.clear(flow, seconds=LOSSES / p / rate + 100, warmup=100, loss=p)
    return Check(
        id=f"ott.aimd.a-{a:g}.b-{b:g}.{_p(p)}",
        law=(
            "sqrt(2a)/E[X^-1/2] MSS/(RTT sqrt p) at random loss, within two round trips and one "
            "segment: Guillemin 2004"
        ),
        expected=8 * paths.MSS * rate,
        # And windows are whole segments: up to one of rate RTT.
        tolerance=2 * p * rate * RTT + 1 / (rate * RTT),
        measure=mean_over_seeds(scenario, goodput),
        unit="bit/s",
    )


def _random_losses() -> Iterator[Check]:
    for p in (1e-4, 3e-4, 1e-3, 3e-3):
        yield _mathis(p, part=".sack")
        yield _mathis(p, "newreno", part=".newreno")
    for p in (3e-4, 1e-3, 3e-3):
        yield _mathis(p, acked=2, part=".delack")
    yield _mathis(1e-3, acked=2, cc="newreno", part=".newreno.delack")
    for rtt in (0.02, 0.3):
        yield _mathis(1e-3, rtt=rtt, part=f".rtt-{rtt * 1e3:g}ms")
    for mss in (536, 8960, 9140):
        yield _mathis(1e-3, mss=mss, part=f".mss-{mss}")
    for p in (1e-3, 3e-3):
        yield _ideal(p)
    for a, b in ((0.2, 0.125), (1.0, 0.25)):
        yield _ideal_aimd(a, b)


# Ratios, which do not depend on the law's constant.


def _ratio(runner: Runner, above: Mapping[str, Any], below: Mapping[str, Any]) -> Measured:
    """Returns the ratio of goodputs under the same seeds."""
    runs = zip(runner.run(above), runner.run(below), strict=True)
    return Measured.of([goodput(a) / goodput(b) for a, b in runs])


def _scaling() -> Iterator[Check]:
    """The same losses hit the same segments, so these ratios are known better than the goodputs."""
    p = 1e-3
    one = _lossy(p, "sack", RTT, paths.MSS, 1)
    for mss in (536, 8960, 9140):
        yield Check(
            id=f"mathis.scaling.mss-{mss}",
            law="goodput is proportional to the MSS at equal p and RTT: Mathis et al. 1997",
            expected=mss / paths.MSS,
            tolerance=0.01,
            measure=partial(_ratio, above=_lossy(p, "sack", RTT, mss, 1), below=one),
        )
    for rtt in (0.02, 0.3):
        yield Check(
            id=f"mathis.scaling.rtt-{rtt * 1e3:g}ms",
            law="goodput is proportional to 1/RTT at equal p and MSS: Mathis et al. 1997",
            expected=throughput.mathis(p, rtt) / throughput.mathis(p, RTT),
            tolerance=0.05,
            measure=partial(_ratio, above=_lossy(p, "sack", rtt, paths.MSS, 1), below=one),
        )


# A signal every n-th packet.


def _toothed(
    cc: str | Mapping[str, Any],
    every: int,
    peak: float,
    rounds: float,
    **tcp_fields: Any,
) -> dict[str, Any]:
    """A flow that begins at the peak of its tooth, measured over whole teeth, of `rounds` round
    trips each."""
    flow = paths.sender(cc, RTT, **paths.congestion_avoidance(int(peak)), **tcp_fields)
    queue = Nth(every=every, limit="unlimited")
    return paths.toothed(flow, queue, rounds * RTT, TEETH, skipped=8)


def _periodic(every: int, cc: str, acked: int = 1) -> Check:
    peak = throughput.peak_window(1 / every, acked)
    rounds = acked * peak / 2
    scenario = _toothed(cc, every, peak, rounds, delayed_ack="second" if acked == 2 else "each")
    # With b = 2 the last segment of an odd window is held until the next round trip brings another.
    held = (acked - 1) / throughput.mathis(1 / every, 1.0, acked)
    return Check(
        id=f"sqrt.every-{every}.{cc}{'.delack' if acked == 2 else ''}",
        law=(
            "B = MSS/RTT sqrt(3/(2 b p)), every 1/p-th packet lost, within two round trips per "
            "tooth: Mathis et al. 1997"
        ),
        expected=8 * paths.MSS * throughput.mathis(1 / every, RTT, acked),
        tolerance=2 / rounds + held,
        measure=of_one_run(scenario, goodput),
        unit="bit/s",
    )


def _peak(seen: Recorded) -> float:
    """The mean of what was in flight when losses were noticed, segments; without the first
    teeth."""
    losses = seen.reactions("loss")[5:]
    return stats.mean([row["in_flight_bytes_before"] / paths.MSS for row in losses])


def _peak_check(every: int) -> Check:
    peak = throughput.peak_window(1 / every)
    return Check(
        id=f"sqrt.every-{every}.peak",
        law=(
            "the tooth's peak is sqrt(8/(3 p)) segments, within the two round trips of a loss: "
            "Mathis et al. 1997"
        ),
        expected=peak,
        tolerance=4 / peak,
        measure=paths.of_records(_toothed("sack", every, peak, peak / 2), _peak),
        unit="segments",
    )


def _aimd(a: float, b: float, every: int = 3000) -> Check:
    peak = throughput.aimd_peak(a, b, 1 / every)
    rounds = b * peak / a
    return Check(
        id=f"aimd.a-{a:g}.b-{b:g}",
        law=(
            "B = MSS/RTT sqrt(a(2-b)/(2b p)), every 1/p-th packet lost, within two round trips per "
            "tooth: Floyd et al. 2000"
        ),
        expected=8 * paths.MSS * throughput.aimd(a, b, 1 / every, RTT),
        tolerance=2 / rounds,
        measure=of_one_run(
            _toothed({"kind": "aimd", "a": a, "b": b}, every, peak, rounds), goodput
        ),
        unit="bit/s",
    )


def _regular_losses() -> Iterator[Check]:
    for every in (300, 1000, 10_000):
        for cc in ("reno", "newreno", "sack"):
            yield _periodic(every, cc)
    yield _periodic(1000, "sack", acked=2)
    yield _periodic(10_000, "newreno", acked=2)
    yield _peak_check(1000)
    yield _peak_check(10_000)
    for a, b in ((1.0, 0.5), (0.2, 0.125), (0.31, 0.125), (2.0, 0.5), (1.0, 0.25)):
        yield _aimd(a, b)


# Timeouts.

PRECISION = 0.02
"""What five runs of thousands of losses leave open."""
LOOSEST = 0.25


def _pftk(p: float, acked: int, w_max: int | None) -> Check:
    seconds = min(3 * LOSSES / p / throughput.pftk(p, RTT, 1.0, acked=acked), 10_000)
    fields: dict[str, Any] = {
        "delayed_ack": "second" if acked == 2 else "each",
        "limited_transmit": False,
        "frto": False,
    }
    window: dict[str, Any] = {"receive_window": f"{w_max} pkt"} if w_max else {}
    mean_window = min(throughput.pftk_unconstrained_window(p, acked), w_max or math.inf)
    flow = paths.sender("reno", RTT, **fields, **window)
    scenario = paths.clear(flow, seconds=seconds + 20, warmup=20, loss=p)
    return Check(
        id=f"pftk.{_p(p)}.b-{acked}{f'.wmax-{w_max}' if w_max else ''}",
        law=(
            "send rate with timeouts, Reno, T0 = 1 s, the full model: Padhye et al. 1998, "
            "equation (32)"
        ),
        expected=throughput.pftk(p, RTT, 1.0, w_max or math.inf, acked),
        tolerance=min(throughput.pftk_second_loss(p, mean_window) + PRECISION, LOOSEST),
        measure=mean_over_seeds(
            scenario, lambda run: float(run["flows"][0]["sent_packets"] / seconds)
        ),
        unit="segments/s",
    )


def _timeouts() -> Iterator[Check]:
    for p in (1e-2, 2e-2, 5e-2, 1e-1):
        yield _pftk(p, 2, None)
    for p in (1e-2, 2e-2, 5e-2):
        yield _pftk(p, 1, None)
    for p in (1e-3, 1e-2, 2e-2):
        yield _pftk(p, 2, 8)


CHECKS = [*_random_losses(), *_scaling(), *_regular_losses(), *_timeouts()]
