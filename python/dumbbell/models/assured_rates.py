"""The bandwidth that was meant for each flow of an assured service: S. Choi, C. Kim, "TCP
throughput guarantee using packet buffering", KISS 28(2), 2001, equations 1 and 2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..errors import ScenarioError
from ..present.units import plain_rate

if TYPE_CHECKING:
    from ..result import Result

Rate = float | int | str | None


def target_rates(
    reserved: Result | Mapping[str, Rate], link: float | int | str
) -> dict[str, float]:
    """The target of each flow on a link that they share, bit/s, by name.

    reserved: what each flow reserved, in bit/s or as in a scenario (`"1 Mbps"`); nothing or None is
    best effort. Or a result, whose flows all count as crossing the link. link: its rate, in bit/s
    or as in a scenario.

    Of `n` flows with reservations `r` on a link of rate `C` each is to have `r + (C - sum r) / n`
    (equation 1): what is not reserved is for all in equal parts. Where more is reserved than there
    is, `r C / sum r` (equation 2). `ScenarioError` for a rate that is none, and without flows.
    """
    given = reserved if isinstance(reserved, Mapping) else _of_result(reserved)
    if not given:
        raise ScenarioError("there are no flows to share a link")
    rates = {
        name: 0.0 if rate is None else _bps(rate, f"the reservation of {name}")
        for name, rate in given.items()
    }
    whole, total = _bps(link, "the link's rate"), sum(rates.values())
    if total > whole:
        return {name: rate * whole / total for name, rate in rates.items()}
    return {name: rate + (whole - total) / len(rates) for name, rate in rates.items()}


def _of_result(result: Result) -> dict[str, Rate]:
    rows = [(flow.name, flow.interval("reserved_bps")) for flow in result.flows]
    return {name: None if rate is None else rate.mean for name, rate in rows}


def _bps(rate: float | int | str, what: str) -> float:
    value = float(rate) if isinstance(rate, int | float) else plain_rate(rate)
    if value is None or not 0 <= value < float("inf"):
        raise ScenarioError(f'{what} is not a rate: {rate!r}; write bits per second, or "1 Mbps"')
    return value


__all__ = ["target_rates"]
