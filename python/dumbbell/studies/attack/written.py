"""A genome as a scenario: as a tree for the API, and as a file of at most 20 lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...language.arguments import Choice
from ...language.overrides import toml
from .space import Genome

Scenario = dict[str, Any]

DURATION_S, WARMUP_S = 30, 10
PACKET = 1500
MOST_LINES = 20
_ACCESS = 10
"""Rate of an access link over the bottleneck's."""
_PULSE = 1000
"""Bytes of payload of a datagram of the pulses."""


def _n(value: float) -> str:
    return f"{value:.6g}"


def _limit(genome: Genome) -> int:
    path = genome["path"]
    packets = path["buffer"] * path["rate"] * 1e6 * path["rtt"] * 1e-3 / (8 * PACKET)
    return max(2, math.ceil(packets - 1e-9))


def scenario(genome: Genome, cc: Choice, two_flows: bool, seed: int) -> Scenario:
    """The scenario: a link from `left` to `right`. Flow `mine` starts at `a`; jitter and a step of
    delay are on its own link, `near`. The second flow and the pulses start at `b`, or at `a` if
    there is no such link."""
    near = _near(genome)
    others = "b" if near else "a"
    names = ["a", "b", "c"] if near else ["a", "c"]
    found: Scenario = {
        "duration": f"{DURATION_S} s",
        "warmup": f"{WARMUP_S} s",
        "profile": "rfc",
        "seed": seed,
        "host": [{"name": name} for name in names],
    }
    if near:
        found["router"] = [{"name": "r"}]
    found["link"] = [*near, _bottleneck(genome, "r" if near else "a")]
    written = {"kind": cc.kind, **cc.parameters} if cc.parameters else cc.kind
    flows: list[dict[str, Any]] = [{"name": "mine", "from": "a", "to": "c", "cc": written}]
    if two_flows:
        other = {"name": "other", "from": others, "to": "c", "cc": written}
        if "late" in genome:
            other["start"] = f"{_n(genome['late']['by'])} s"
        flows.append(other)
    if "pulses" in genome:
        flows.append(_pulses(genome, others))
    return found | {"flow": flows}


def _near(genome: Genome) -> list[dict[str, Any]]:
    """The access links, if the first flow's has something."""
    if not {"jitter", "ack_jitter", "step"} & set(genome):
        return []
    rate = f"{_n(_ACCESS * genome['path']['rate'])} Mbps"
    mine: dict[str, Any] = {"between": ["a", "r"], "rate": rate, "delay": "0 s"}
    if "step" in genome:
        step = genome["step"]
        handoff = [f"{_n(step['at'])} s", "1 ms", rate, f"{_n(step['by'])} ms"]
        mine["service"] = {"kind": "handoff", "handoffs": [handoff]}
    if "jitter" in genome:
        mine["impairment"] = [_jitter(genome["jitter"]["max"])]
    if "ack_jitter" in genome:
        mine["reverse"] = {"impairment": [_jitter(genome["ack_jitter"]["max"])]}
    return [mine, {"between": ["b", "r"], "rate": rate, "delay": "0 s"}]


def _jitter(most: float) -> dict[str, Any]:
    return {"kind": "jitter", "max": f"{_n(most)} ms", "keep_order": True}


def _bottleneck(genome: Genome, start: str) -> dict[str, Any]:
    path = genome["path"]
    found: dict[str, Any] = {
        "name": "bottleneck",
        "between": [start, "c"],
        "rate": f"{_n(path['rate'])} Mbps",
        "delay": f"{_n(path['rtt'] / 2)} ms",
        "queue": {"kind": "drop_tail", "limit": f"{_limit(genome)} pkt"},
    }
    if "square" in genome:
        square = genome["square"]
        found["service"] = {
            "kind": "square",
            "low": f"{_n(square['low'] * path['rate'])} Mbps",
            "period": f"{_n(square['period'])} ms",
            "duty": square["duty"],
        }
    impairments: list[dict[str, Any]] = []
    if "loss" in genome:
        impairments.append({"kind": "bernoulli", "loss": genome["loss"]["p"]})
    if "bursts" in genome:
        bursts = {name: f"{_n(value)} ms" for name, value in genome["bursts"].items()}
        times = {"mean_good": bursts["good"], "mean_bad": bursts["bad"]}
        impairments.append({"kind": "gilbert_elliott", **times})
    if impairments:
        found["impairment"] = impairments
    return found


def _pulses(genome: Genome, start: str) -> dict[str, Any]:
    pulses = genome["pulses"]
    # The rate of a source is that of its payload; the genome's is that of packets.
    rate = pulses["rate"] * genome["path"]["rate"] * _PULSE / (_PULSE + 28)
    source = {
        "kind": "on_off",
        "distribution": "constant",
        "on_mean": f"{_n(pulses['on'])} ms",
        "off_mean": f"{_n(max(1.0, pulses['period'] - pulses['on']))} ms",
        "rate": f"{rate:.4g} Mbps",
        "packet": f"{_PULSE} B",
    }
    return {"name": "pulses", "from": start, "to": "c", "source": source}


def text(tree: Mapping[str, Any], comments: Sequence[str]) -> str:
    """The scenario as a file: comments, a line for each value, and a line for each table of a
    list."""
    lines = [f"# {one}" for one in comments]
    for name, value in tree.items():
        if isinstance(value, list) and len(value) > 1 and name in ("link", "flow"):
            lines.append(f"{name} = [")
            lines += [f"  {_inline(one)}," for one in value]
            lines.append("]")
        elif isinstance(value, list):
            lines.append(f"{name} = [{', '.join(map(_inline, value))}]")
        else:
            lines.append(f"{name} = {toml(value)}")
    if len(lines) > MOST_LINES:
        raise AssertionError(f"{len(lines)} lines")
    return "\n".join(lines) + "\n"


def _inline(value: Any) -> str:
    """A value as inline TOML, with bare keys."""
    if isinstance(value, dict):
        inside = ", ".join(f"{key} = {_inline(one)}" for key, one in value.items())
        return f"{{ {inside} }}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return toml(value)
