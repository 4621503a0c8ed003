"""Assertions about `tcp_info` as claims of Dumbbell's scripts."""

from __future__ import annotations

import re

from .statements import Statement

STATES = {"TCP_CA_Open": "open", "TCP_CA_Recovery": "recovery", "TCP_CA_Loss": "loss"}
_NUMBERS = {"0": "TCP_CA_Open", "3": "TCP_CA_Recovery", "4": "TCP_CA_Loss"}
PACKETS = {"tcpi_snd_cwnd": "cwnd", "tcpi_snd_ssthresh": "ssthresh"}
"""Fields that count whole packets; ours are bytes."""
TIMES = {"tcpi_rtt": "srtt", "tcpi_rttvar": "rttvar", "tcpi_rto": "rto"}
"""Fields in microseconds."""
COUNTS = {"tcpi_total_retrans": "retransmits"}
FIELDS = (*PACKETS, *TIMES, *COUNTS, "tcpi_ca_state")
"""The fields of the subset."""
_ASSERT = re.compile(r"assert\s+\(?\s*(\w+)\s*(==|!=|<=|>=|<|>)\s*(\w+)\s*\)?\s*(?:,.*)?$")


def claims(statement: Statement) -> list[str]:
    """The claims of `%{ ... }%`. `ScenarioError` with its place."""
    if not statement.text.endswith("}%"):
        raise statement.place.wrong("`%{` does not end on its line", "write }% at its end")
    found: list[str] = []
    for part in re.split(r"[\n;]", statement.text[2:-2]):
        said = part.strip()
        if not said:
            continue
        match = _ASSERT.match(said)
        if match is None or match[1] not in FIELDS:
            raise statement.place.wrong(
                f"`{said}` is not an assertion of the subset",
                f"write `assert FIELD == NUMBER`; fields are {', '.join(FIELDS)}",
            )
        found += _claim(statement, *match.groups())
    return found


def _claim(statement: Statement, name: str, relation: str, value: str) -> list[str]:
    if name == "tcpi_ca_state":
        state = STATES.get(_NUMBERS.get(value, value))
        if state is None or relation not in ("==", "!="):
            raise statement.place.wrong(
                f"`{value}` is not a state of the subset", f"write one of {', '.join(STATES)}"
            )
        return [f"phase {relation} {state}"]
    if not value.isdigit():
        raise statement.place.wrong(f"`{value}` is not a number", "write a whole number")
    number = int(value)
    if name in TIMES:
        return [f"{TIMES[name]} {relation} {number}us"]
    if name in COUNTS:
        return [f"{COUNTS[name]} {relation} {number}"]
    ours = PACKETS[name]
    # A kernel counts whole packets: 10 is everything from 10 packets to below 11.
    return {
        "==": [f"{ours} >= {number} pkt", f"{ours} < {number + 1} pkt"],
        "<": [f"{ours} < {number} pkt"],
        "<=": [f"{ours} < {number + 1} pkt"],
        ">": [f"{ours} >= {number + 1} pkt"],
        ">=": [f"{ours} >= {number} pkt"],
    }.get(relation) or [f"{ours} {relation} {number} pkt"]
