"""What the lost drawing may have shown: the axes of the scan, the candidates of its two stages, and
the scenario of a candidate."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

GROUPS = {"a": [0, 1, 2], "b": [3, 4, 5], "campus": [6, 7, 8], "c": [10, 11, 12]}
UDP = {0: 180, 6: 64}
SPANS = {"1": ("B1", "B2"), "2": ("B2", "B3"), "12": ("B1", "B3"), "123": ("B1", "B4")}
"""The backbone's links that a group passes."""
STYLES = {"shared 8": (155, 8), "own 8": (8, 155), "100": (155, 100)}
"""Mbit/s of each host's link and of the group's last mile."""
RED: dict[str, Any] = {"kind": "red", "gentle": True, "spacing": "uniform_wait"}
BYTES: dict[str, Any] = {"byte_mode": True, "limit_rule": "reached", "min_q_for_drop": "0.5 pkt"}
"""In bytes, ns-2 lets in what finds the limit not reached, and spares only what finds nothing."""
SIZE: dict[str, Any] = {"byte_drop": "ns2"}
AUTOMATIC: dict[str, Any] = {"auto_th": True, "auto_w_q": "ten_rtt"}
REDS: dict[str, dict[str, Any]] = {
    "bytes 20": RED | BYTES | {"limit": "10 kB"},
    "bytes 20, by size": RED | BYTES | SIZE | {"limit": "10 kB"},
    "packets 50": RED | {"limit": "50 pkt"},
    "automatic, bytes 50, by size": RED | BYTES | SIZE | AUTOMATIC | {"limit": "25 kB"},
    "packets 20": RED | {"limit": "20 pkt"},
    "bytes 50": RED | BYTES | {"limit": "25 kB"},
    "automatic, bytes 20, by size": RED | BYTES | SIZE | AUTOMATIC | {"limit": "10 kB"},
    "bytes 20, not gentle": RED | BYTES | {"limit": "10 kB", "gentle": False},
}
AXES: dict[str, list[Any]] = {
    "c_span": list(SPANS),
    "ab_span": list(SPANS),
    "c_style": list(STYLES),
    "ab_style": list(STYLES),
    "red": list(REDS)[:4],
    "u0": [0.448],
    "u6": [0.448],
    "campus": ["155/155"],
    "ways": [1],
    "a_span": ["as b"],
    "a_style": ["100"],
}
"""Stage 1. `ab` are the groups {0, 1, 2} and {3, 4, 5}, the first of which may be apart in stage 2.
"""
FINER: dict[str, list[Any]] = {
    "red": list(REDS),
    "u0": [0.448, 1, 2, 4],
    "u6": [0.448, 1, 2, 4],
    "campus": ["155/155", "155/100", "100/100"],
    "ways": [1, 2],
    "a_span": ["as b", *SPANS],
    "a_style": list(STYLES),
}
"""Stage 2: what is changed, one axis at a time; UDP, and where the group of node 0 passes and how,
in pairs."""
PAIRS = {"u0": "u6", "a_span": "a_style"}


def first() -> Iterator[dict[str, Any]]:
    """Stage 1: every structure, with each RED. The groups b of the two identical ones are one
    axis."""
    for values in itertools.product(*AXES.values()):
        yield dict(zip(AXES, values, strict=True))


def neighbours(here: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Stage 2: the point itself, and those that differ from it in one axis, or in one pair of
    them."""
    yield here
    for axis, values in sorted(FINER.items(), key=lambda pair: pair[0] != "a_span"):
        if axis in PAIRS.values():
            continue
        second = PAIRS.get(axis)
        for value, beside in itertools.product(values, FINER[second] if second else [None]):
            there = here | {axis: value} | ({second: beside} if second else {})
            if there["a_span"] == "as b":
                there["a_style"] = AXES["a_style"][0]
            if there != here:
                yield there


def network(here: dict[str, Any], rate: float, jumbo: bool = False) -> dict[str, Any]:
    """The scenario of a candidate with a backbone of `rate` Mbit/s."""
    queue = REDS[here["red"]]
    free = {"kind": "drop_tail", "limit": "unlimited"}
    back = {"queue": queue if here["ways"] == 2 else free}
    inner: dict[str, Any] = {"delay": "2 ms", "mtu": "9180 B", "queue": queue, "reverse": back}
    links = [
        {"name": f"b{i}", "between": [f"B{i}", f"B{i + 1}"], "rate": f"{rate} Mbps", **inner}
        for i in (1, 2, 3)
    ]
    routers = [{"name": f"B{i}"} for i in range(1, 5)]
    hosts, flows = [], []
    for group, nodes in GROUPS.items():
        host, mile, span = _of_group(here, group)
        enter, leave = SPANS[span]
        routers += [{"name": f"{group}"}, {"name": f"{group}'"}]
        links.append(
            {"name": f"{group}-up", "between": [group, enter], "rate": f"{mile} Mbps", **inner}
        )
        links.append(
            {
                "name": f"{group}-down",
                "between": [leave, f"{group}'"],
                "rate": f"{mile} Mbps",
                **inner,
            }
        )
        for node in nodes:
            hosts += [{"name": f"{node}"}, {"name": f"{node}'"}]
            own = {
                "rate": f"{host} Mbps",
                "delay": "2 ms",
                "mtu": "9180 B" if jumbo and node == 7 else "1500 B",
            }
            links.append({"name": f"from{node}", "between": [f"{node}", group], **own})
            links.append(
                {
                    "name": f"to{node}",
                    "between": [f"{group}'", f"{node}'"],
                    **own,
                    "queue": queue,
                    "reverse": back,
                }
            )
            flows += _flows(here, node, jumbo)
    tcp = {"receive_window": "20 pkt", "min_rto": "1 s", "initial_rto": "6 s", "max_rto": "64 s"}
    parts = {"host": hosts, "router": routers, "link": links, "flow": flows}
    return {
        "schema": 1,
        "duration": "30 s",
        "profile": "ns2",
        "tcp": tcp,
        **parts,
    }


def _of_group(here: dict[str, Any], group: str) -> tuple[float, float, str]:
    """Rates of its hosts' links and of its last mile, and its span."""
    if group == "campus":
        host, mile = map(float, here["campus"].split("/"))
        return host, mile, "123"
    if group == "a" and here["a_span"] != "as b":
        return *STYLES[here["a_style"]], here["a_span"]
    which = "c" if group == "c" else "ab"
    return *STYLES[here[f"{which}_style"]], here[f"{which}_span"]


def _flows(here: dict[str, Any], node: int, jumbo: bool) -> Iterator[dict[str, Any]]:
    flow: dict[str, Any] = {"name": f"n{node}", "from": f"{node}", "to": f"{node}'"}
    if node in UDP:
        size = UDP[node] - 28
        flow["source"] = {
            "kind": "cbr",
            "rate": f"{here[f'u{node}'] * size / UDP[node]:.6g} Mbps",
            "packet": f"{size} B",
        }
    else:
        flow |= {"cc": "reno", "tcp": {"mss": "9140 B" if jumbo and node == 7 else "1460 B"}}
    yield flow
    if here["ways"] == 2:
        yield flow | {"name": f"v{node}", "from": f"{node}'", "to": f"{node}"}
