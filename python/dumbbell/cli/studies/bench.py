"""`bench`: what a simulated packet costs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from cyclopts import Parameter

from ...bench.measure import SMALL, Way, equal, name, rows
from ...bench.workload import Case, cases
from ...errors import ScenarioError
from ...present.units import prefix, significant
from ..algorithms.test import CHECK_FAILED
from ..options import Json, emit, notes, show

_RUN = (
    "profile",
    "queue",
    "flows",
    "rate",
    "time",
    "packet-hops",
    "ns/hop",
    "loops/hop",
    "goodput",
    "drops",
)
_BEFORE = (
    "profile",
    "queue",
    "flows",
    "plan",
    "set-up",
    "memory/flow",
    "at peak",
    "process at peak",
)
_BESIDE = (
    "profile",
    "queue",
    "flows",
    "way",
    "fingerprint",
    "ns/hop",
    "events/hop",
    "goodput",
    "drops",
)
_COUNTED = ("profile", "queue", "flows", "per packet-hop")


@Parameter(name="*")
@dataclass(kw_only=True)
class Workload:
    """Which runs."""

    flows: Annotated[
        int | None, Parameter(help="Number of flows. Default: 10, 100, 1000, 10000.")
    ] = None
    rate: Annotated[
        str | None,
        Parameter(
            help=(
                'Rate of the bottleneck, such as "1 Gbps". Default: 10 Mbps a flow, at most '
                "10 Gbps."
            )
        ),
    ] = None
    queue: Annotated[
        str | None, Parameter(help="Queue of the bottleneck. Default: drop_tail and red.")
    ] = None
    time: Annotated[
        str | None,
        Parameter(
            help='Simulated time, such as "20 s"; a bare number is seconds. Default: 60 s to 2 s.'
        ),
    ] = None
    profile: Annotated[
        str | None, Parameter(help="TCP profile: ns2, rfc or linux. Default: ns2 and linux.")
    ] = None
    cc: Annotated[
        str | None,
        Parameter(help="Congestion control. Default: newreno; with SACK, RACK and PRR `sack`."),
    ] = None

    def cases(self) -> list[Case]:
        """They, checked."""
        return list(
            cases(self.flows, self.rate, self.queue, _with_unit(self.time), self.profile, self.cc)
        )


def _with_unit(time: str | None) -> str | None:
    try:
        return time if time is None else f"{float(time):.12g} s"
    except ValueError:
        return time


def bench(
    *,
    workload: Workload | None = None,
    held: Annotated[
        bool, Parameter(help="Make every queue hold its packets, as CoDel must.")
    ] = False,
    record: Annotated[bool, Parameter(help="Record every flow and the queue every 10 ms.")] = False,
    reference: Annotated[
        bool | None,
        Parameter(
            negative="--no-reference",
            help=f"Also run without the shortcuts, and compare. Default: up to {SMALL} flows.",
        ),
    ] = None,
    instructions: Annotated[
        bool, Parameter(help="Also count instructions with valgrind; takes minutes.")
    ] = False,
    repeat: Annotated[int, Parameter(help="Runs of each; results are medians.")] = 3,
    json: Json = False,
) -> int:
    """Measure what a simulated packet costs, on the workload by which simulators are compared
    (docs/explanation/performance.md).

    The cost is the processor time of the run for each packet over each link, without planning and
    setup, and the memory of a process that does nothing else. The exit code is 3 if a shortcut
    changes a result.

    Example: `dumbbell bench --flows 100`
    """
    if repeat < 1:
        raise ScenarioError(f"--repeat {repeat}: at least one run is needed")
    wanted = (workload or Workload()).cases()
    lines: list[dict[str, Any]] = []
    for line in rows(wanted, Way(held=held, recorded=record), repeat, reference, instructions):
        lines.append(line)
        _progress(len(lines), wanted)
    if json:
        emit(lines)
    else:
        _print(lines)
    _tell_of_others()
    wrong = [(case, line) for case, line in zip(wanted, lines, strict=True) if not equal(line)]
    for case, line in wrong:
        print(f"{name(case)}: a shortcut changes the result: {_differences(line)}", file=sys.stderr)
    return CHECK_FAILED if wrong else 0


def _progress(done: int, wanted: Sequence[Case]) -> None:
    if sys.stderr.isatty():
        then = f", now {name(wanted[done])}" if done < len(wanted) else ""
        print(
            f"\r\x1b[K{done} of {len(wanted)}{then}",
            end="" if then else "\r\x1b[K",
            file=sys.stderr,
            flush=True,
        )


def _tell_of_others() -> None:
    """Where ns-2 is installed, its figures are to be had."""
    found = shutil.which("ns") or shutil.which("ns2")
    if found:
        notes([f"ns-2 is installed ({found}): `dumbbell compare` runs the same workload with it"])


def _differences(line: dict[str, Any]) -> str:
    others = {word: other for word, other in line["reference"].items() if not other["equal"]}
    return "; ".join(
        f"{word} differs in {', '.join(other['differs'])} ({other['fingerprint']} for "
        f"{line['fingerprint']}, {other['goodput_bps']} bps for {line['goodput_bps']}, drop rate "
        f"{other['drop_rate']} for {line['drop_rate']})"
        for word, other in others.items()
    )


def _print(lines: Sequence[dict[str, Any]]) -> None:
    from ...present.grids import Grid

    show(Grid("The run", _RUN, [_work(line) for line in lines], 2))
    show(Grid("Set-up and memory", _BEFORE, [_before(line) for line in lines], 2))
    beside = [one for line in lines for one in _references(line)]
    if beside:
        show(Grid("The same runs without shortcuts", _BESIDE, beside, 2))
    if any(line["instructions_per_packet_hop"] for line in lines):
        show(Grid("Instructions", _COUNTED, [_counted(line) for line in lines], 2))


def _work(line: dict[str, Any]) -> list[str]:
    queue = (
        line["queue"]
        + (", held" if line["held"] else "")
        + (", recorded" if line["recorded"] else "")
    )
    return [
        line["profile"],
        queue,
        str(line["flows"]),
        _bps(line["rate_bps"]),
        f"{line['duration_s']:g} s",
        f"{line['packet_hops']:,}".replace(",", " "),
        f"{line['ns_per_packet_hop']:.1f}",
        f"{line['calibration_ratio']:.2f}",
        _bps(line["goodput_bps"]),
        _percent(line["drop_rate"]),
    ]


def _counted(line: dict[str, Any]) -> list[str]:
    return [
        line["profile"],
        line["queue"],
        str(line["flows"]),
        f"{line['instructions_per_packet_hop']:.1f}",
    ]


def _before(line: dict[str, Any]) -> list[str]:
    return [
        line["profile"],
        line["queue"],
        str(line["flows"]),
        f"{line['plan_s'] * 1e3:.1f} ms",
        f"{line['setup_s'] * 1e3:.1f} ms",
        *(
            _bytes(line[key] if line["flows"] >= ENOUGH else None)
            for key in ("bytes_per_flow", "peak_bytes_per_flow")
        ),
        _bytes(line["peak_rss_bytes"]),
    ]


def _references(line: dict[str, Any]) -> list[list[str]]:
    if line["reference"] is None:
        return []
    entries = [("as measured", line), *line["reference"].items()]
    return [
        [
            line["profile"],
            line["queue"],
            str(line["flows"]),
            word + ("" if one.get("equal", True) else " (DIFFERS)"),
            one["fingerprint"],
            f"{one['ns_per_packet_hop']:.1f}",
            f"{one['events'] / one['packet_hops']:.2f}",
            _bps(one["goodput_bps"]),
            _percent(one["drop_rate"]),
        ]
        for word, one in entries
    ]


def _percent(value: float) -> str:
    return f"{100 * value:.3f} %"


def _bps(value: float) -> str:
    scale, letter = prefix(value)
    return f"{significant(value / scale)} {letter}bps"


ENOUGH = 100
"""Of fewer flows memory says nothing: it comes in pages."""


def _bytes(value: float | None) -> str:
    if value is None:
        return "-"
    scale, letter = prefix(value)
    return f"{significant(value / scale, 3)} {letter}B"
