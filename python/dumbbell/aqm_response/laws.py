"""The laws of algorithms. Which one an algorithm has stands on its page, `law` of its `About`:
an expression, or the name of a law here, which is written from its source and not from its code."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from .. import catalogue
from ..language.expression import evaluate
from .sizes import as_ns2, length, of_size, share, typical
from .theory import Gauges, Hold, Instants, Law, Over, Parameters, Response

AVERAGE = "average queue [packets]"
ROOM = {"limit": "10000 pkt"}
"""A limit that nothing reaches."""


def frequency(p_b: float, spacing: str) -> float:
    """Signals per arrival while RED's curve says p_b: 1 over the mean number X of packets from one
    signal to the next.

    `bernoulli`: geometric, 1/p_b. `uniform`: the k-th packet after a signal gets the next one with
    p_b / (1 - k p_b), so that P(X > k) = (1 - (k + 1) p_b) / (1 - p_b) (Floyd and Jacobson 1993,
    figure 2: the first counts as 1). `uniform_stored`: P(X > k) = 1 - k p_b (figure 17).
    `uniform_wait`: from k = 1/p_b on with p_b / (2 - k p_b) (ns-2). Each mean is the sum of P(X >
    k) over k = 0, 1, ...; where 1/p_b is whole it is 1 / (2 p_b), (1 + 1/p_b) / 2 and
    (3/p_b - 1) / 2.
    """
    if p_b <= 0 or p_b >= 1:
        return min(max(p_b, 0.0), 1.0)
    n = math.floor(1 / p_b + 1e-12)
    if spacing == "uniform":
        return (1 - p_b) / (n - p_b * n * (n + 1) / 2) if n > 1 else 1.0
    if spacing == "uniform_stored":
        return 1 / (n + 1 - p_b * n * (n + 1) / 2)
    if spacing == "uniform_wait":
        first = math.ceil(1 / p_b - 1e-12)
        terms = max(0, math.ceil(2 / p_b - 1e-12) - 1 - first)
        rest = 2 * terms - p_b * terms * (2 * first + terms + 1) / 2
        return 1 / (first + rest / (2 - first * p_b)) if terms else 1 / first
    return p_b


def red(gauges: Gauges, p: Parameters) -> float:
    """Floyd and Jacobson 1993, section 4: p_b = max_p (avg - min_th) / (max_th - min_th), then its
    spacing; gentle RED goes on to 1 at 2 max_th (Floyd 2000). The thresholds and max_p are those of
    the decision, where they move."""
    avg = gauges["avg"]
    low, high, top = (p.gauge_or(gauges, key) for key in ("min_th", "max_th", "max_p"))
    if avg < low:
        p_b = 0.0
    elif avg < high:
        p_b = top * (avg - low) / (high - low)
    elif p.word("gentle") == "True" and avg < 2 * high:
        p_b = top + (1 - top) * (avg - high) / high
    else:
        p_b = 1.0
    spacing = p.word("spacing", "uniform")
    if p.word("byte_drop") == "ns2" and p_b < 1:
        return as_ns2(p_b, spacing, typical(p))
    return frequency(p_b if p_b >= 1 or "byte_drop" not in p.values else p_b * share(p), spacing)


def red_hw(gauges: Gauges, p: Parameters) -> float:
    """rtl/red/SPEC.md: none below min_th, all from max_th on; between them each packet by itself
    with a probability that rises from 0 to max_p (`constant`: is max_p), or with uniform gaps from
    1 on (`gap`)."""
    avg = gauges["avg"]
    low, high, top = (p.gauge_or(gauges, key) for key in ("min_th", "max_th", "max_p"))
    if not low <= avg < high:
        return float(avg >= high)
    way = 1.0 if p.word("threshold") == "constant" else (avg - low) / (high - low)
    return frequency(top * way, "uniform_stored" if p.word("gap") == "True" else "bernoulli")


RED = "p_b = max_p (avg - min_th) / (max_th - min_th), spaced"


def blue(times: Sequence[float], hold: Hold, p: Parameters) -> list[float]:
    """CSE-TR-387-99, section 3: + d1 with the first packet that finds too much, once for each
    freeze_time. Packets come once in a service time, and a step needs more than freeze_time since
    the last."""
    period = (math.floor(p["freeze_time"] / hold.service_s) + 1) * hold.service_s
    return [min(1.0, p["d1"] * (1 + math.floor(t / period + 1e-9))) for t in times]


def pi(times: Sequence[float], hold: Hold, p: Parameters) -> list[float]:
    """Hollot and others 2001, equation 8: p + a (q - q_ref) - b (q_old - q_ref), w times in a
    second."""
    values, value, old = [0.0], 0.0, 0.0
    queue = length(hold.packets, p)
    for _ in range(math.ceil(hold.seconds * p["w"])):
        step = p["a"] * (queue - p["q_ref"]) - p["b"] * (old - p["q_ref"])
        value, old = min(1.0, max(0.0, value + step)), queue
        values.append(value)
    return [values[min(len(values) - 1, math.floor(t * p["w"] + 1e-9))] for t in times]


def _delay(t: float, hold: Hold) -> float:
    """The sojourn time of the last packet to leave at t: those of the first burst wait for one
    another."""
    return min(hold.packets, math.floor(t / hold.service_s + 1e-9)) * hold.service_s


SCALES = ((1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (1e-1, 2))
"""RFC 8033, section 4.2: below which probability a step is divided by what."""


def pie(times: Sequence[float], hold: Hold, p: Parameters) -> list[float]:
    """RFC 8033, section 4.2, with the cap of section 5.5."""

    def scaled(step: float, value: float) -> float:
        scale = next((scale for below, scale in SCALES if value < below), None)
        if scale is None and p["cap_drop_adjustment"]:
            return min(step, 0.02)
        return step / (scale or 1)

    return _of_delays(times, hold, p, scaled)


def _of_delays(
    times: Sequence[float], hold: Hold, p: Parameters, scaled: Callable[[float, float], float]
) -> list[float]:
    """A probability that moves by alpha (delay - target) + beta (delay - old delay) every tupdate;
    `scaled`: this step at a probability."""
    values, value, old = [0.0], 0.0, 0.0
    for k in range(1, math.ceil(hold.seconds / p["tupdate"]) + 1):
        delay = _delay(k * p["tupdate"], hold)
        step = p["alpha"] * (delay - p["target"]) + p["beta"] * (delay - old)
        value, old = min(1.0, max(0.0, value + scaled(step, value))), delay
        values.append(value)
    return [values[min(len(values) - 1, math.floor(t / p["tupdate"] + 1e-9))] for t in times]


def pie_frequency(drop_prob: float, hold: Hold, p: Parameters) -> float:
    """RFC 8033, section 5.4: no signal before the probabilities add up to 0.85, then one with
    drop_prob for each packet; none at all below 0.2 while the delay is less than half the
    target."""
    if drop_prob <= 0 or (hold.delay_s < p["target"] / 2 and drop_prob < 0.2):
        return 0.0
    wait = math.ceil(0.85 / drop_prob - 1e-9) - 1 if p["derandomize"] else 0
    return 1 / (wait + 1 / drop_prob)


def pi2(times: Sequence[float], hold: Hold, p: Parameters) -> list[float]:
    """RFC 9332, appendix A.1: p' + alpha (qdelay - target) + beta (qdelay - qdelay_old) every
    tupdate."""
    return _of_delays(times, hold, p, lambda step, value: step)


def rem(times: Sequence[float], hold: Hold, p: Parameters) -> list[float]:
    """Athuraliya and others 2001: with arrivals at the link's rate the price grows by gamma alpha
    (b - b*) each tupdate, after the burst that makes the queue; p = 1 - phi^-price."""
    updates = [math.floor(t / p["tupdate"] + 1e-9) for t in times]
    queue = length(hold.packets, p)
    # Without byte mode each packet counts one, over a link that sends so many typical ones.
    excess = (
        p["alpha"] * (queue - p["target"])
        + (length(1, p) - typical(p)) * p["tupdate"] / hold.service_s
    )
    prices = [p["gamma"] * (queue * (n > 0) + n * excess) for n in updates]
    return [1 - p["phi"] ** -price for price in prices]


def avq(times: Sequence[float], hold: Hold, p: Parameters) -> list[float]:
    """Kunniyur and Srikant 2001: C~ moves by alpha (gamma C - arrivals), from C on."""
    capacity = 8000 / hold.service_s
    return [max(0.0, capacity * (1 + p["alpha"] * (p["gamma"] - hold.load) * t)) for t in times]


def codel(count: int, hold: Hold, p: Parameters) -> list[float]:
    """RFC 8289, section 5: an interval after the delay reached target, then interval / sqrt(k)
    after the k-th."""
    over = math.ceil(p["target"] / hold.service_s - 1e-9) * hold.service_s
    return _control_law(count, over, 1, hold, p)


def cobalt(count: int, hold: Hold, p: Parameters) -> list[float]:
    """CoDel, but a delay of just target is none, and the count, from 1, grows before the next
    distance is taken."""
    over = (math.floor(p["target"] / hold.service_s + 1e-9) + 1) * hold.service_s
    return _control_law(count, over, 2, hold, p)


def _control_law(count: int, over: float, first: int, hold: Hold, p: Parameters) -> list[float]:
    """Packets begin to leave once in a service time; a signal goes to the first that leaves when it
    is due, and CoDel counts from the first signal itself."""
    out: list[float] = []
    due = over + p["interval"]
    for k in range(count):
        out.append(math.ceil(due / hold.service_s - 1e-9) * hold.service_s)
        due = (out[0] if k == 0 else due) + p["interval"] / math.sqrt(k + first)
    return out


def sfb(times: Sequence[float], hold: Hold, p: Parameters) -> list[float]:
    """Feng and others 2001: + increment with each packet that finds its bins full."""
    return [min(1.0, p["increment"] * (1 + math.floor(t / hold.service_s + 1e-9))) for t in times]


RIO = (
    "p_b = max_p (avg - min) / (max - min), spaced: IN by avg_in and its curve, OUT by "
    "avg_tot and its own"
)


def ered(gauges: Gauges, p: Parameters) -> float:
    """Feng and others 1999: the thresholds act on OUT packets alone."""
    return red(gauges, p) if gauges["class"] or p.word("in_curve") == "True" else 0.0


_RED = Over("avg", AVERAGE, RED, red, queue={"limit": "1000 pkt"})

NAMED: dict[str, Law] = {
    "red": _RED,
    "choke": replace(_RED, text=f"{RED}; CHOKe", apart=True),
    "red_hw": Over(
        "avg",
        AVERAGE,
        "p = max_p (avg - min_th) / (max_th - min_th), independently for each packet",
        red_hw,
        queue={"limit": "1000 pkt"},
    ),
    # Clark and Fang 1998, section IV: RED's law for each color, with the average that its packets
    # are judged by.
    "rio": replace(_RED, text=RIO, dscp=("af11", "af12"), classes=("IN", "OUT")),
    "ered": Over(
        "avg",
        AVERAGE,
        f"OUT: {RED}; IN: none",
        ered,
        queue={"limit": "1000 pkt"},
        dscp=("af11", *("af12",) * 9),
        classes=("IN", "OUT"),
    ),
    "blue": Response(
        "p_m",
        "marking probability p_m",
        "p_m grows by d1 once in freeze_time",
        blue,
        lambda p_m, hold, p: of_size(p_m, p),
        lambda p: Hold(round(p["trigger"]) + 10, 2.0),
        queue={**ROOM, "trigger": "20 pkt", "ecn": True},
    ),
    "pi": Response(
        "p",
        "marking probability p",
        "p <- p + a (q - q_ref) - b (q_old - q_ref), w times a second",
        pi,
        lambda probability, hold, p: of_size(probability, p),
        lambda p: Hold(round(2 * p["q_ref"]), 100.0),
        queue={**ROOM, "ecn": True, "a": 1.822e-4, "b": 1.816e-4},
    ),
    "pie": Response(
        "drop_prob",
        "drop probability",
        "p <- p + (alpha (delay - target) + beta (change of delay)) / scale",
        pie,
        pie_frequency,
        lambda p: Hold(round(2.6 * p["target"] / 0.2e-3), 5.0, service_s=0.2e-3),
        queue={**ROOM, "ecn": True, "mark_ecnth": 1.0},
    ),
    "pi2": Response(
        "p",
        "pressure p'",
        "p' <- p' + alpha (delay - target) + beta (change of delay); signals with p'^2",
        pi2,
        lambda pressure, hold, p: pressure**2,
        lambda p: Hold(round(1.5 * p["target"] / 0.2e-3), 4.0, service_s=0.2e-3),
        queue={**ROOM, "ecn": True},
    ),
    "rem": Response(
        "p",
        "marking probability",
        "1 - phi^-price; price grows by gamma alpha (q - q*)",
        rem,
        lambda probability, hold, p: of_size(probability, p),
        lambda p: Hold(
            round(2 * p["target"]), 8.0, service_s=0.97e-3
        ),  # Updates do not meet arrivals.
        queue={**ROOM, "ecn": True, "gamma": 0.1},
    ),
    "avq": Response(
        "virtual_capacity",
        "virtual capacity [bit/s]",
        "C~ moves by alpha (gamma C - arrivals)",
        avq,
        lambda capacity, hold, p: max(0.0, 1 - capacity / (hold.load * 8000 / hold.service_s)),
        lambda p: Hold(0, 20.0, load=1.2),
        queue={**ROOM, "buffer": "10 pkt", "ecn": True},
    ),
    "sfb": Response(
        "p_min",
        "marking probability p_min",
        "p_m grows by increment with each packet that finds `target`",
        sfb,
        lambda p_min, hold, p: of_size(p_min, p),
        lambda p: Hold(round(p["target"]) + 1, 0.5 / p["increment"] * 1e-3),
        queue={**ROOM, "ecn": True, "increment": 1e-4},
    ),
    "codel": Instants(
        "t_1 = interval above target; then + interval / sqrt(k)",
        codel,
        lambda p: Hold(round(4 * p["target"] / 1e-3), 4.0),
        queue={**ROOM, "ecn": True},
    ),
    "cobalt": Instants(
        "t_1 = interval above target; then + interval / sqrt(k + 1)",
        cobalt,
        lambda p: Hold(round(4 * p["target"] / 1e-3), 4.0),
        queue={**ROOM, "ecn": True},
    ),
}
"""Laws by the name that pages of the catalogue give: those that several algorithms share, and those
that take more than an expression."""


def law_of(algorithm: catalogue.Algorithm) -> Law | None:
    """The law that an algorithm's page states; `None` if there is none."""
    match algorithm.law:
        case {"named": {"law": name, "remark": remark}}:
            law = NAMED[name]
            return replace(law, text=f"{law.text}; {remark}") if remark else law
        case {"over": stated}:
            return _stated(stated)
    return None


def _stated(stated: Mapping[str, Any]) -> Over:
    """A law that is written on the page itself."""

    def signals(gauges: Gauges, p: Parameters) -> float:
        return float(evaluate(stated["signals"], lambda name: p.gauge_or(gauges, name)))

    return Over(
        stated["x"],
        stated["label"],
        stated["text"],
        signals,
        capable=stated["capable"],
        reasons=tuple(stated["reasons"]),
        queue=tomllib.loads(f"queue = {{ {stated['queue']} }}")["queue"],
        steps=stated["whole"],
    )


@cache
def known() -> dict[str, Law]:
    """The law of each algorithm of the catalogue that has a closed one."""
    found = {name: law_of(page) for name, page in catalogue.pages("aqm").items()}
    return {name: law for name, law in found.items() if law is not None}
