"""Advice in words that are made from the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....present.grids import scaled
from ....present.units import significant
from ...frame.design import Plan
from ..words import counts, rates, times
from . import grid
from .grid import Point
from .judge import LEAST_SHARE, USED, Beaten, Choice, Worst
from .question import Question


def buffer(link: Plan, rate_bps: float) -> str:
    """A link's limit, and how long it takes to send: `625 packets (150 ms)`."""
    amount, seconds = capacity(link, rate_bps)
    return (
        f"{amount} ({scaled(seconds, 's')} at {rates((rate_bps, rate_bps))})" if seconds else amount
    )


def capacity(link: Plan, rate_bps: float) -> tuple[str, float]:
    """A link's limit in words, and in seconds of full packets at this rate; 0 of an unlimited
    one."""
    kind = link["capacity"]
    if isinstance(kind, str):
        return "no limit", 0.0
    if (size := kind.get("bytes", kind.get("reached"))) is not None:
        return f"{size} bytes", 8 * size / rate_bps
    if "buffers" in kind:
        count, size = kind["buffers"]["count"], kind["buffers"]["size"]
        return f"{count} buffers of {size} bytes", 8 * 1500 * (count // -(-1500 // size)) / rate_bps
    return f"{kind['packets']} packets", 8 * 1500 * kind["packets"] / rate_bps


def recommendation(
    question: Question, name: str, held: str, worst: Mapping[str, Worst], baseline: str
) -> str:
    """The recommendation, what it is expected to do at worst, and what the baseline would."""
    mine = worst[name]
    text = (
        f"For {question.text()}: take {name}, with a buffer of {held}. In simulations its p99 "
        f"queueing delay is at most {scaled(mine.delay_s, 's')}, its utilization at least "
        f"{_percent(mine.used)}, its loss at most {_percent(mine.loss)}"
    )
    other = worst.get(baseline)
    if other is None or baseline == name:
        return text + "."
    return text + (
        f"; {baseline} has {scaled(other.delay_s, 's')}, {_percent(other.used)} and "
        f"{_percent(other.loss)}."
    )


def rule(question: Question, choice: Choice) -> str:
    """The rule of the choice."""
    if choice.kept:
        wanted = scaled(question.delay_target_s or 0.0, "s")
        return (
            f"The rule considers the candidates whose p99 queueing delay is at most {wanted} at "
            "every point. It chooses the highest worst utilization, and within 0.01 of it the "
            "smallest worst delay."
        )
    missed = ""
    if choice.kept is False:
        missed = (
            f"No candidate keeps {scaled(question.delay_target_s or 0.0, 's')} at every point. "
        )
    share = LEAST_SHARE[question.objective]
    head = (
        f"{missed}The rule ({question.objective}) considers the candidates whose worst "
        f"utilization is at least {share:g} of the best candidate's. It chooses "
    )
    if question.objective == "balanced":
        tail = (
            "the highest power, and within a tenth of it the fairest candidate. Power is "
            "utilization over the round-trip time with the p99 queueing delay, relative to the "
            "best candidate's at each point; the geometric mean counts."
        )
    else:
        tail = (
            "the smallest worst p99 queueing delay, and within a tenth of it the fairest "
            "candidate, then the simplest."
        )
    return (head + tail)[0].upper() + (head + tail)[1:]


def beaten(one: Beaten, label: str) -> str:
    """Points where another candidate is better, and its price there."""
    price = one["price"]
    if one["metric"] == USED:
        values = (
            f"{_percent(one['value'])} utilization against {_percent(one['other_value'])} of "
            f"{one['other']}"
        )
        cost = f"{scaled(price['value'], 's')} p99 delay against {scaled(price['other'], 's')}"
    else:
        values = (
            f"{scaled(one['value'], 's')} p99 delay against {scaled(one['other_value'], 's')} "
            f"of {one['other']}"
        )
        cost = f"{_percent(price['value'])} utilization against {_percent(price['other'])}"
    return f"{label}: {values} (with {cost})"


def limits(question: Question, met: Sequence[Point], most_rate: float) -> list[str]:
    """The limits of the grid."""
    found = [
        f"Nothing was simulated outside of {rates(question.rate_bps)}, {times(question.rtt_s)} "
        f"and {counts(question.flows)}; within these ranges, only the points of the grid were.",
        "All flows send without end and respond to congestion. Unresponsive traffic (UDP), short "
        "flows, reverse traffic and congestion controls other than "
        + question.cc
        + " were not simulated.",
        "This is a simulation, not a measurement. A device's own rings, offloads and a variable "
        "rate (radio, cable) add delays that were not simulated.",
    ]
    thin = grid.thin(met)
    if thin:
        where = "; ".join(grid.labels(thin))
        found.insert(
            0,
            f"A flow's fair share is less than 10 packets per round trip at {where}. Windows of a "
            "few packets cannot be halved often, so that timeouts and losses grow there with "
            "every queue.",
        )
    short = grid.short(met, question.cc)
    if short:
        found.append(
            f"Runs last for less than five cycles of {question.cc} at "
            f"{'; '.join(grid.labels(short))}. The utilization there is that of the first cycles."
        )
    scale = grid.scale(question, most_rate)
    if scale > 1:
        found.insert(
            0,
            f"Instead of {rates((question.rate_bps[1],) * 2)}, {rates((most_rate, most_rate))} "
            f"was simulated (--most-rate), with 1/{significant(scale, 3)} of the flows but at "
            "least one. Buffers and thresholds keep their durations. A few flows then have "
            "smaller windows than in reality and recover faster, so the utilization is too high.",
        )
    return found


def place(line: str | None, question: Question) -> str:
    """The place of the tc line."""
    if line is None:
        return ""
    return (
        "The queue must be where packets wait: on a device that sends faster than "
        f"{rates(question.rate_bps[1:] * 2)} it stays empty, unless a shaper is above it."
    )


def _percent(share: float) -> str:
    return f"{significant(100 * share, 3)} %"
