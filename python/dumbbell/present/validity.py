"""The validity of a live run: True if it may be used, else the reasons, and the figures behind
them.

A run of real kernels has a clock of its own and can fail without anybody noticing: a router thread
that is late, a rate that is not reached, packets lost outside the router. Each such run has a block
`validity`, and nothing here lets it go unseen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .grids import Grid, scaled
from .units import significant

JSON = Mapping[str, Any]

CLASSES = ("exact", "good", "loose")
"""From the best to the worst; docs/how-to/testbed.md says what each permits."""


_NOT_CONSERVED = (
    "the network's conservation laws do not hold (`conservation` in --json): this is a bug in "
    "Dumbbell"
)


@dataclass(frozen=True, slots=True)
class Run:
    """A run with its block; `seed` is None where the run does not say it."""

    seed: int | None
    block: JSON
    conserved: bool = True
    """True if the conservation laws hold that any run has, simulated or not."""

    @property
    def valid(self) -> bool:
        """True if it may be used."""
        return bool(self.block.get("valid")) and self.conserved

    @property
    def reasons(self) -> list[str]:
        """The reasons against the run."""
        own = [] if self.conserved or not self.block.get("valid") else [_NOT_CONSERVED]
        return own + [str(reason) for reason in self.block.get("reasons", ())]

    @property
    def verdict(self) -> str:
        """In a few words."""
        if self.valid:
            bound = _bound(self.block)
            return f"valid, class {self.block.get('class', '?')}{f' ({bound})' if bound else ''}"
        return f"NOT VALID: {'; '.join(self.reasons) or 'no reason is given'}"


def runs(document: JSON) -> list[Run]:
    """The live runs of a result, of all its points; none of a simulated one."""
    found = [row for row in rows(document) if row.get("validity")]
    return [Run(row.get("seed"), row["validity"], bool(row.get("valid", True))) for row in found]


def rows(document: JSON) -> Iterator[JSON]:
    """The runs of a result, of all its points, live or not."""
    for point in document.get("points", [document]):
        yield from point.get("runs") or [point]


def what_is_wrong(document: JSON) -> list[str]:
    """A line for each run that is not valid, with its reasons."""
    bad = [run for run in runs(document) if not run.valid]
    many = len(runs(document)) > 1
    return [
        f"{f'seed {run.seed}: ' if many and run.seed is not None else ''}{r}"
        for run in bad
        for r in _all(run)
    ]


def _all(run: Run) -> Sequence[str]:
    return run.reasons or ["it is not valid, without a reason"]


def grids(document: JSON) -> list[Grid]:
    """The block as a table: of one run every figure, of several a row for each."""
    found = runs(document)
    if not found:
        return []
    if len(found) == 1:
        return [
            Grid(
                f"Validity: {found[0].verdict}",
                ["what", "measured"],
                facts(found[0].block),
                text_columns=2,
            )
        ]
    return [_of_many(found)]


def facts(block: JSON) -> list[list[str]]:
    """Every figure of a block, in words: [(what, measured)]."""
    stalls, drops, conserved = (
        block.get(key) or {} for key in ("stalls", "port_drops", "conservation")
    )
    losses, cpu, replay = (block.get(key) or {} for key in ("retransmissions", "cpu", "replay"))
    lateness, gaps, limits = (
        block.get(key) or {} for key in ("lateness_us", "gap_error_us", "calibration")
    )
    rows = [
        ["results are good to", _bound(block)],
        *([f"not {one['class']}", "; ".join(one["reasons"])] for one in block.get("missed") or ()),
        *(["warning", text] for text in block.get("warnings") or ()),
        ["datapath", _datapath(block)],
        ["packets leave late by", _percentiles(lateness, _FOUR, "us")],
        [
            "wait until the router reads a packet",
            _percentiles(block.get("door_wait_us") or {}, _FOUR, "us"),
        ],
        ["gaps between packets are off by", _percentiles(gaps, ("p50", "p99"), "us")],
        ["rate error while a queue waits", _percent(block.get("rate_error"))],
        [
            "stalls of the router",
            f"{_count(stalls, 'over_packet_time')} longer than a packet, "
            f"{_count(stalls, 'over_1ms')} than 1 ms, {_percent(stalls.get('share_of_time'))} of "
            f"the time, the longest {_number(stalls.get('longest_ms'))} ms",
        ],
        ["stalls of this machine before the run", _stalled(limits)],
        ["hosts", _hosts(block.get("traffic") or {})],
        ["packets of no flow of the scenario", _some(block, "strangers")],
        *_turned_away(block),
        ["records lost on their way to the log", _some(block, "log_overflow")],
        ["packets missing in the capture for lack of space", _some(block, "uncaptured")],
        ["denied by the kernel", ", ".join(block.get("denied") or ())],
        [
            "lost outside the router",
            f"{_count(drops, 'sent')} before it, {_count(drops, 'written')} after it",
        ],
        [
            "frames above the MTU, bad checksums",
            f"{_count(block, 'oversized_frames')}, {_count(block, 'bad_checksums')}",
        ],
        ["packets", _conserved(conserved)],
        [
            "lost in the router, retransmitted by hosts",
            f"{_count(losses, 'router_drops')}, {_count(losses, 'retransmits')}",
        ],
        ["this machine's ceiling", _ceiling(limits)],
        [
            "processor",
            f"router {_percent(cpu.get('router_share'))} of a core, "
            f"{_percent(cpu.get('steal_share'))} stolen, {_count(cpu, 'involuntary_switches')} "
            "involuntary switches",
        ],
        ["replay through the simulator's queues", _replayed(replay)],
    ]
    return [row for row in rows if row[1]]


_FOUR = ("p50", "p99", "p999", "max")


def _datapath(block: JSON) -> str:
    core = "" if block.get("core") is None else f", router on core {block['core']}"
    return (
        f"{block.get('datapath', '?')}, {'real-time' if block.get('realtime') else 'normal'} "
        f"priority{core}"
    )


def _of_many(found: Sequence[Run]) -> Grid:
    columns = [
        "seed",
        "verdict",
        "late p99 [us]",
        "gap p99 [us]",
        "rate [%]",
        "stalls > 1 ms",
        "lost outside",
    ]
    columns += ["dropped", "sent again", "replay differs"]
    rows = []
    for run in found:
        block = run.block
        late, gaps = block.get("lateness_us") or {}, block.get("gap_error_us") or {}
        stalls, losses = block.get("stalls") or {}, block.get("retransmissions") or {}
        outside = sum((block.get("port_drops") or {}).values())
        error = block.get("rate_error")
        rows.append(
            [
                "-" if run.seed is None else str(run.seed),
                f"valid, {block.get('class', '?')}" if run.valid else "NOT VALID",
                _number(late.get("p99")),
                _number(gaps.get("p99")),
                "-" if error is None else significant(100 * error, 2),
                _count(stalls, "over_1ms"),
                str(outside),
                _count(losses, "router_drops"),
                _count(losses, "retransmits"),
                _count(block.get("replay") or {}, "mismatches"),
            ]
        )
    bad = sum(not run.valid for run in found)
    title = (
        f"Validity: {bad} of {len(found)} runs are NOT VALID"
        if bad
        else f"Validity: all {len(found)} runs are valid"
    )
    return Grid(title, columns, rows, text_columns=2)


def _percentiles(block: JSON, names: Sequence[str], unit: str) -> str:
    words = {"p50": "half", "p99": "99 %", "p999": "99.9 %", "max": "most"}
    known = [(words[name], block[name]) for name in names if block.get(name) is not None]
    return ", ".join(f"{word} {_number(value)}" for word, value in known) + (
        f" {unit}" if known else ""
    )


def _number(value: float | None) -> str:
    return "-" if value is None else significant(float(value), 3)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{significant(100 * value, 2)} %"


def _count(block: JSON, key: str) -> str:
    value = block.get(key)
    return "-" if value is None else f"{round(value):,}".replace(",", " ")


def _some(block: JSON, key: str) -> str:
    """A count of what should not be; nothing where it is 0."""
    return _count(block, key) if block.get(key) else ""


def _turned_away(block: JSON) -> list[list[str]]:
    """Packets that did not come in, by reason, and the first of each in words."""
    found = block.get("turned_away") or {}
    return [
        [f"turned away: {name}", f"{_count(one, 'packets')}, the first: {one.get('first', '?')}"]
        for name, one in sorted(found.items())
    ]


def _conserved(block: JSON) -> str:
    if not block:
        return ""
    said = (
        f"{_count(block, 'in')} in = {_count(block, 'out')} out + {_count(block, 'dropped')} "
        "dropped"
    )
    end = "exact" if block.get("ok") else "the totals do NOT balance"
    return f"{said} + {_count(block, 'inside')} inside: {end}"


def _ceiling(block: JSON) -> str:
    if not block:
        return ""
    rate = scaled(float(block.get("ceiling_bps") or 0), "bps")
    rtt = f"{_number(block.get('rtt_p50_us'))} us (99 %: {_number(block.get('rtt_p99_us'))} us)"
    return (
        f"{_count(block, 'ceiling_packets_per_s')} packets/s, {rate}; round trip through the "
        f"router {rtt}"
    )


def _bound(block: JSON) -> str:
    """The effect that lateness and stalls may have had on the results; nothing for a run that does
    not say it."""
    bound = block.get("bound_percent")
    if not bound:
        return ""
    goodput, wait = (significant(float(bound[key]), 2) for key in ("goodput", "wait"))
    return f"goodput within {goodput} %, mean wait within {wait} %"


def _stalled(block: JSON) -> str:
    """The estimate of the calibration."""
    if "stalled_share" not in block:
        return ""
    expected = block.get("expected_class") or "none"
    longest = _number(block.get("longest_stall_ms"))
    return (
        f"{_percent(block['stalled_share'])} of the time, the longest {longest} ms: class "
        f"expected: {expected}"
    )


def _hosts(block: JSON) -> str:
    if "starved_share" not in block:
        return ""
    starved, window, buffer = (
        _percent(block.get(f"{key}_share"))
        for key in ("starved", "window_limited", "buffer_limited")
    )
    return (
        f"{starved} of the time without a processor; senders limited by windows {window}, by "
        f"buffers {buffer}"
    )


def _replayed(block: JSON) -> str:
    if not block:
        return ""
    differ = block.get("mismatches")
    same = "the same verdict, mark and departure for each" if differ == 0 else f"{differ} DIFFER"
    return f"{_count(block, 'packets')} packets: {same}"
