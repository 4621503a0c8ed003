"""One queue by itself: a table of packets in, what became of each out. The code is the simulator's
port."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from operator import index
from typing import Any, Literal

from .. import api
from ..algorithms import Spec
from ..data.arrow import Table
from ..errors import ScenarioError
from ..linux import kernels
from ..models.dscp import codepoint
from ..plugins.base import Aqm

_ECN = {"not_ect": 0, "ect1": 1, "ect0": 2, "ce": 3}
"""The ECN field's bits (RFC 3168 section 5)."""

Algorithm = str | Spec | Aqm | Mapping[str, Any]
"""An algorithm: a name, a table with `kind`, `dumbbell.Red(...)`, or one of your own."""
Arrivals = Iterable[Sequence[Any]] | Mapping[str, Any]
"""Packets: rows `(time_s, bytes)`, `(time_s, bytes, ecn)`, `(time_s, bytes, ecn, flow)`; or columns
by these names."""


def drive(
    queue: Algorithm,
    parameters: Mapping[str, Any] | None = None,
    /,
    *,
    arrivals: Arrivals,
    rate: str | None = None,
    delay: str = "0 s",
    mtu: str = "65535 B",
    framing: str | None = None,
    service: Algorithm | None = None,
    conditioner: Algorithm | None = None,
    impairment: Sequence[Algorithm] = (),
    seed: int = 1,
    on: Literal["sim", "linux"] = "sim",
    tc: Sequence[str] = (),
) -> Table:
    """Sends packets through one link by itself, and says what became of each.

    queue: as in a scenario, with `parameters` applied to it, `limit` and `count_in_service` too.
    arrivals: packets in order of time; `bytes` is the IP length (1 to 65535), `ecn` one of
    `not_ect`, `ect0`, `ect1`, `ce`. Columns may have `dscp` too, 0 to 63 or a name as `af11` or
    `ef`. Of columns, one that is a single value holds for all packets, and `time_ps`, whole
    picoseconds, may stand for `time_s`. rate, delay, mtu, framing, service, conditioner,
    impairment: the link, as in a scenario. seed: of all chance; a link in a scenario that is called
    `port` draws the same numbers.

    The queue and its transmitter are those of the simulator, and after the last arrival they send
    what they still hold. A row for each packet: `time_ps`, `bytes`, `ecn`, `flow`, `dscp`;
    `queue_packets` that it found; `verdict` (`pass`, `mark`, `drop`) and its `reason`; when it came
    to the queue (`entered_ps`) and with which codepoint (`entered_dscp`: the color that a marker
    gave it), was dropped (`dropped_ps`), when its last bit left (`left_ps`) and when that was at
    the far end (`arrived_ps`); and what the algorithm shows after its decision (of RED `avg`,
    `p_b`, `count`, ...), null for packets that the queue never saw.

    on: with `linux` the queue is the kernel's own of this kind, in a user-mode Linux and in virtual
    time (docs/explanation/kernel-queues.md). Packets then have 28 to 1500 bytes, and arrive at the
    next whole nanosecond. Of the columns above, the kernel tells `verdict`, `entered_ps`, `left_ps`
    and `arrived_ps`.

    tc: the kernel's queue in words of tc, as `["fq limit 1000 ..."]`, from the root down, in place
    of the counterpart of `queue`. An entry that begins with `class` is a class of the one before.

    `ScenarioError`: the link or a packet cannot be. `DumbbellError`: an algorithm of your own
    failed.
    """
    own: list[type[Aqm]] = []
    link: dict[str, Any] = {
        "queue": {**_table(queue, own), **(parameters or {})},
        "delay": delay,
        "mtu": mtu,
    }
    link |= {"rate": rate} if rate is not None else {}
    link |= {"framing": framing} if framing is not None else {}
    link |= {"service": _table(service, own)} if service is not None else {}
    link |= {"conditioner": _table(conditioner, own)} if conditioner is not None else {}
    link |= {"impairment": [_table(one, own) for one in impairment]} if impairment else {}
    request: dict[str, Any] = {"link": link, "seed": seed}
    if on == "linux":
        request["kernel"] = str(kernels.needed().program)
        request |= {"tc": list(tc)} if tc else {}
    elif tc:
        raise ScenarioError('`tc` is the kernel\'s queue: write on="linux"')
    return Table(api.drive_link(request, _columns(arrivals), own))


def _table(algorithm: Algorithm, own: list[type[Aqm]]) -> dict[str, Any]:
    if isinstance(algorithm, Aqm):
        own.append(type(algorithm))
    if isinstance(algorithm, Spec | Aqm):
        return dict(algorithm.as_dict())
    return {"kind": algorithm} if isinstance(algorithm, str) else dict(algorithm)


def _columns(arrivals: Arrivals) -> tuple[list[int], list[int], list[int], list[int], list[int]]:
    """Times in picoseconds, lengths, ECN fields, flows, DiffServ codepoints."""
    given = dict(arrivals) if isinstance(arrivals, Mapping) else _of_rows(arrivals)
    unknown = given.keys() - {"time_s", "time_ps", "bytes", "ecn", "flow", "dscp"}
    if unknown or ("time_s" in given) == ("time_ps" in given) or "bytes" not in given:
        named = (
            f"not {', '.join(sorted(unknown))}"
            if unknown
            else f"these are {', '.join(given) or 'none'}"
        )
        raise ScenarioError(
            f"arrivals have `time_s` or `time_ps`, `bytes`, and may have `ecn`, `flow`, `dscp`; "
            f"{named}"
        )
    unit = "time_ps" if "time_ps" in given else "time_s"
    moments = _column(unit, given[unit])
    times = [_of_ps(t) if unit == "time_ps" else _ps(t) for t in moments]
    _need_whole("time_ps", times, 2**64 - 1, f"0 to {2**63 - 1}")
    n = len(times)
    names = _broadcast("ecn", given.get("ecn", "not_ect"), n)
    wrong = [name for name in names if not isinstance(name, str) or name not in _ECN]
    if wrong:
        raise ScenarioError(f"`{wrong[0]}` is not a codepoint: write one of {', '.join(_ECN)}")
    fields = [_ECN[name] for name in names]
    codepoints = [codepoint(value) for value in _broadcast("dscp", given.get("dscp", 0), n)]
    sizes = _broadcast("bytes", given["bytes"], n)
    _need_whole("bytes", sizes, 2**32 - 1, "1 to 65535")
    flows = _broadcast("flow", given.get("flow", 0), n)
    _need_whole("flow", flows, 2**32 - 1)
    return times, sizes, fields, flows, codepoints


def _of_rows(rows: Iterable[Sequence[Any]]) -> dict[str, Any]:
    rows = _column("rows", rows)
    whole = [
        (*row, *("not_ect", 0)[len(row) - 2 :])
        if hasattr(row, "__len__") and 2 <= len(row) <= 4
        else None
        for row in rows
    ]
    if None in whole:
        raise ScenarioError(
            f"arrival {whole.index(None)} does not describe a packet: write (time_s, bytes), "
            "(time_s, bytes, ecn) or (time_s, bytes, ecn, flow)"
        )
    columns = list(zip(*whole, strict=True)) or [()] * 4
    return dict(zip(("time_s", "bytes", "ecn", "flow"), columns, strict=True))


def _broadcast(name: str, value: Any, n: int) -> list[Any]:
    return [value] * n if isinstance(value, str | int) else _column(name, value)


def _column(name: str, values: Any) -> list[Any]:
    if not isinstance(values, Iterable) and not hasattr(values, "__getitem__"):
        raise ScenarioError(f"`{name}` of arrivals is {values!r}: write a list of values")
    return list(values)


def _need_whole(name: str, values: Sequence[Any], most: int, allowed: str | None = None) -> None:
    """Refuses what the extension cannot read as a whole number from 0 to `most`."""
    for i, value in enumerate(values):
        if not hasattr(value, "__index__") or not 0 <= index(value) <= most:
            raise ScenarioError(
                f"arrival {i}: `{name}` is {value!r}\n"
                f"help: write a whole number from {allowed or f'0 to {most}'}"
            )


def _of_ps(time: Any) -> int:
    try:
        return int(time)
    except (TypeError, ValueError, OverflowError):
        raise ScenarioError(f"{time!r} ps is not a time of a run: write whole numbers") from None


def _ps(seconds: Any) -> int:
    time_s = float(seconds) if isinstance(seconds, Real) else math.nan
    if not 0 <= time_s < 9e6:
        raise ScenarioError(f"{seconds} s is not a time of a run: write 0 to 9e6 s")
    return round(time_s * 1e12)
