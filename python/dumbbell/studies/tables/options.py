"""Options of a survey, with defaults, and quantities as scenario files write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...errors import ScenarioError
from ...language.arguments import Choice, choice, refused
from ...present import units
from ..frame.design import runs_of

SEEDS, QUICK_SEEDS = 5, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """ccs: controls as `NAME` or `NAME:KEY=VALUE,...` (empty: those of `controls`); against: the
    one that they stand beside, where a survey has one; rate, rtt, buffer: as scenario files
    write them, several where a survey varies them (empty: the survey's); queue: as
    `red:min_th=5pkt`; flows: of each side; ratios, losses: what two surveys vary; time: of a run
    (None: by the controls' cycles); quick: fewer conditions, fewer seeds, shorter runs;
    `options` of the request."""

    ccs: Sequence[str] = ()
    against: str | None = None
    rate: Sequence[str] = ()
    rtt: str | None = None
    buffer: Sequence[str] = ()
    queue: str = "drop_tail"
    flows: int | None = None
    ratios: Sequence[float] = ()
    losses: Sequence[float] = ()
    time: str | None = None
    seeds: int | None = None
    seed: int | None = None
    quick: bool = False
    sets: Sequence[str] = ()
    use: Sequence[str] = ()
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def replications(self) -> int:
        """Runs of each point. `ScenarioError` for less than one."""
        return runs_of(self.seeds, QUICK_SEEDS if self.quick else SEEDS)

    def count(self, default: int) -> int:
        """Flows of each side."""
        if self.flows is not None and self.flows < 1:
            raise refused(
                f"--flows {self.flows}",
                self.flows,
                "there must be at least one flow",
                "write --flows 1",
            )
        return self.flows or default

    def queue_table(self, buffer: str) -> dict[str, object]:
        """The queue of a scenario, which holds `buffer`."""
        asked: Choice = choice(self.queue)
        return {"kind": asked.kind, **asked.parameters, "limit": limit(buffer)}


_BDP = re.compile(r"\s*([0-9.eE+-]+)\s*(?:BDP)?\s*")


def limit(buffer: str) -> str:
    """A buffer as a scenario writes it; a bare number is in BDP."""
    found = bdp(buffer)
    return buffer if found is None else f"{found:g} BDP"


def bdp(buffer: str) -> float | None:
    """Bandwidth-delay products of a buffer; None if it is given otherwise."""
    match = _BDP.fullmatch(buffer)
    try:
        return None if match is None else float(match[1])
    except ValueError:
        return None


def bps(option: str, text: str) -> float:
    """A rate in bit/s. `ScenarioError` if it is none."""
    found = units.plain_rate(text)
    if not found:
        raise refused(
            f"{option} {text}",
            text,
            "this is not a rate",
            f"write it with its unit, as in {option} 20Mbps",
        )
    return found


def seconds(option: str, text: str) -> float:
    """A time in seconds. `ScenarioError` if it is none."""
    try:
        return units.seconds(text)
    except ValueError:
        fix = f"write it with its unit, as in {option} 40ms"
        raise refused(f"{option} {text}", text, "this is not a time", fix) from None


def single(option: str, given: Sequence[str], default: str) -> str:
    """The one value of an option that a survey does not vary. `ScenarioError` if there are
    several."""
    if len(given) > 1:
        values = " ".join(given)
        raise refused(
            f"{option} {values}", values, "this table has one", f"write {option} {given[0]}"
        )
    return given[0] if given else default


def several(
    option: str, given: Sequence[float], default: Sequence[float], least: float, most: float
) -> list[float]:
    """Values of an axis, ascending. `ScenarioError` names one that is out of range."""
    for value in given:
        if not least <= value <= most:
            fix = f"write values from {least:g} to {most:g}"
            raise refused(f"{option} {value:g}", f"{value:g}", "this is out of range", fix)
    found = sorted(set(given or default))
    if not found:
        raise ScenarioError(f"{option} has no value")
    return found
