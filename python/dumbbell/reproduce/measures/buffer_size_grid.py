"""A grid of reserved rates and round-trip times: what law the best sizes of a buffer follow there,
and how well the model of `sawtooth` tells the throughputs that were measured.

A `[surface]` of `paper.toml` names numbers by templates, one for each cell of the grid, each a
family over the size: `total` and `inside` (Mbit/s), and at size 0 alone `wait` (in the core's
queue, s), `out_loss` and `tokens_lost` (shares).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ...files.declared import filled
from ..entries import Surface
from ..predicate import Family
from . import buffer_size, sawtooth

_KAPPAS = [k / 20 for k in range(21)]
FAILS_TOTAL = 0.1
FAILS_SIZE = 2.0


def cells(surface: Surface) -> Iterator[tuple[buffer_size.Cell, dict[str, float]]]:
    """Each cell in bit/s and seconds, and what a template is filled with."""
    for rate in surface.rates:
        for rtt in surface.rtts:
            yield (1e3 * rate, 1e-3 * rtt), {"rate": rate, "rtt": rtt}


def _named(
    surface: Surface, template: str, numbers: Mapping[str, Family]
) -> dict[buffer_size.Cell, Family]:
    return {cell: numbers[filled(template, names)] for cell, names in cells(surface)}


def measured(surface: Surface, numbers: Mapping[str, Family]) -> bool:
    """True if every number of the grid is there."""
    templates = (surface.total, surface.inside, surface.wait, surface.out_loss, surface.tokens_lost)
    return all(filled(text, names) in numbers for text in templates for _, names in cells(surface))


def fits(surface: Surface, numbers: Mapping[str, Family]) -> dict[str, buffer_size.Fit]:
    """The law of the best sizes and that of the nearest."""
    totals = _named(surface, surface.total, numbers)
    at = next(iter(totals.values())).at
    return _fits(surface, tuple(totals), at, tuple(family.values for family in totals.values()))


@lru_cache(maxsize=4)
def _fits(
    surface: Surface,
    where: tuple[buffer_size.Cell, ...],
    at: tuple[float, ...],
    totals: tuple[tuple[tuple[float, ...], ...], ...],
) -> dict[str, buffer_size.Fit]:
    values = dict(zip(where, totals, strict=True))
    away = {
        cell: [[abs(x / (1e-6 * cell[0] + surface.spare) - 1) for x in runs] for runs in family]
        for cell, family in values.items()
    }
    return {
        "best": buffer_size.fit(at, values, surface.packet_bits),
        "nearest": buffer_size.fit(at, away, surface.packet_bits, buffer_size.nearest),
    }


_OF_A_LAW = ("coefficient", "rate", "rtt")
_ENDS = ("", "_low", "_high")

NAMES = frozenset(
    f"{size}_{name}"
    for size in ("best", "nearest")
    for name in (*(f"{key}{end}" for key in _OF_A_LAW for end in _ENDS), "held_rate", "held_rtt")
)
"""Numbers for claims: `best_coefficient`, `best_rate` and `best_rtt` (exponents), each with `_low`
and `_high`, and `best_held_rate`, `best_held_rtt`; the same of `nearest`."""


def laws(surface: Surface, numbers: Mapping[str, Family]) -> dict[str, Family]:
    """Numbers for claims, whose names are `NAMES`."""
    found: dict[str, float] = {}
    for name, fit in fits(surface, numbers).items():
        for law, end in zip((fit.law, fit.low, fit.high), _ENDS, strict=True):
            found |= {f"{name}_{k}{end}": getattr(law, k) for k in _OF_A_LAW}
        found |= {f"{name}_held_rate": fit.held_rate, f"{name}_held_rtt": fit.held_rtt}
    return {name: Family((0.0,), ((value,),)) for name, value in found.items()}


@dataclass(frozen=True, slots=True)
class Tested:
    """The model in one cell: errors over the sizes above 0, and both best sizes."""

    cell: buffer_size.Cell
    total_error: float
    inside_error: float
    predicted: float
    measured: float
    totals: tuple[float, ...]
    """The model's throughput at every size, Mbit/s."""

    @property
    def fails(self) -> bool:
        """By the rule that was committed: the total off by more than 10 %, or the best size by more
        than twice."""
        apart = abs(self.predicted - self.measured)
        far = max(self.predicted, self.measured) > FAILS_SIZE * min(self.predicted, self.measured)
        return self.total_error > FAILS_TOTAL or (far and apart > FAILS_SIZE)


@dataclass(frozen=True, slots=True)
class Examined:
    """The model on the whole grid."""

    kappa: float
    cells: tuple[Tested, ...]

    @property
    def failed(self) -> int:
        """In how many cells."""
        return sum(one.fails for one in self.cells)


def examine(surface: Surface, numbers: Mapping[str, Family], timeout: float = 0.0) -> Examined:
    """Predicts each cell from its own run without a buffer: kappa by the lost tokens of those, all
    else as told."""
    lost = _means(surface, surface.tokens_lost, numbers)

    def missed(kappa: float) -> float:
        told = _flows(surface, numbers, kappa, timeout)
        return math.fsum(
            (sawtooth.throughput(f, 0).tokens_lost - lost[cell][0]) ** 2 for cell, f in told.items()
        )

    kappa = min(_KAPPAS, key=missed)
    flows = _flows(surface, numbers, kappa, timeout)
    totals, inside = (_named(surface, text, numbers) for text in (surface.total, surface.inside))
    return Examined(
        kappa,
        tuple(_tested(surface, cell, flows[cell], totals[cell], inside[cell]) for cell in flows),
    )


def _means(
    surface: Surface, template: str, numbers: Mapping[str, Family]
) -> dict[buffer_size.Cell, list[float]]:
    families = _named(surface, template, numbers)
    return {
        cell: [math.fsum(runs) / len(runs) for runs in family.values]
        for cell, family in families.items()
    }


def _flows(
    surface: Surface, numbers: Mapping[str, Family], kappa: float, timeout: float
) -> dict[buffer_size.Cell, sawtooth.Flow]:
    waits, losses = (_means(surface, text, numbers) for text in (surface.wait, surface.out_loss))
    flows = {}
    for cell in waits:
        rate = cell[0] / surface.packet_bits
        bucket = max(1.0, math.floor(surface.bucket * rate * cell[1]))
        loss = min(max(losses[cell][0], 1e-4), 0.5)
        flows[cell] = sawtooth.Flow(
            rate, cell[1] + waits[cell][0], bucket, loss, kappa, timeout, surface.acks
        )
    return flows


def _tested(
    surface: Surface, cell: buffer_size.Cell, flow: sawtooth.Flow, total: Family, inside: Family
) -> Tested:
    said = [sawtooth.throughput(flow, size) for size in total.at]
    mbit = 1e-6 * surface.packet_bits
    totals = [mbit * one.total for one in said]

    def error(ours: list[float], family: Family) -> float:
        means = [math.fsum(runs) / len(runs) for runs in family.values]
        squares = [
            (x / y - 1) ** 2 for size, x, y in zip(family.at, ours, means, strict=True) if size > 0
        ]
        return math.sqrt(math.fsum(squares) / len(squares))

    return Tested(
        cell,
        error(totals, total),
        error([mbit * one.inside for one in said], inside),
        buffer_size.best(total.at, totals),
        buffer_size.size(total.at, total.values),
        tuple(totals),
    )
