"""The chosen candidate as a file: network.toml."""

from __future__ import annotations

import json
from typing import Any

from candidates import network

HEAD = """# The jumbo paper's network, as the scan chose it: rules.md says how, scan.csv has every \
candidate.
# Written by scan.py --write. Node 7 has standard frames here; the paper changes \
`link.from7.mtu` and `link.to7.mtu`.
schema = 1
title = "Twelve senders in four groups over a backbone of three links, whose routers hold 10 kB"
duration = "30 s"
profile = "rfc"
# All senders start at once, and the 30 s that the paper measures begin with that.
allow = ["W006"]
"""
NS2: dict[str, Any] = {
    "initial_window": "2 pkt",
    "initial_window_bytes": "unlimited",
    "receive_window": "20 pkt",
    "timestamps": False,
    "clock": "10 ms",
    "sack": False,
    "delayed_ack": "each",
    "delayed_ack_timeout": "100 ms",
    "recovery": "newreno",
    "detection": "dupack",
    "tail_loss_probe": False,
    "reduction": "rfc6675",
    "frto": False,
    "reno_reentry": "beyond",
    "exit": "ssthresh",
    "min_rto": "1 s",
    "initial_rto": "6 s",
    "max_rto": "64 s",
    "restart_after_idle": False,
}
"""The profile `ns2` with the timers of before October 2004, field by field."""


def written(here: dict[str, Any]) -> str:
    """The scenario of a candidate at 50 Mbit/s as a file. Segments are as large as the path's MTU
    lets them: so the profile is the one without a segment size of its own, and what ns-2 of 2004
    does otherwise is written out."""
    net = network(here, 50)
    nodes = [
        f"{kind} = [{', '.join(_toml(one) for one in net[kind])}]" for kind in ("host", "router")
    ]
    lines = [HEAD, *nodes, "", "[tcp]", *(f"{key} = {_toml(value)}" for key, value in NS2.items())]
    for link in map(_plain, net["link"]):
        lines += ["", "[[link]]", *(f"{key} = {_toml(value)}" for key, value in link.items())]
    for flow in net["flow"]:
        lines += [
            "",
            "[[flow]]",
            *(f"{key} = {_toml(value)}" for key, value in flow.items() if key != "tcp"),
        ]
    return "\n".join(lines) + "\n"


def _plain(link: dict[str, Any]) -> dict[str, Any]:
    """Links towards receivers have plain queues in the file: in the chosen network RED has nothing
    to do there, and gives the same run in twice the time."""
    if not link["name"].startswith("to") and not link["name"].endswith("-down"):
        return link
    return {key: value for key, value in link.items() if key not in ("queue", "reverse")}


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value)
