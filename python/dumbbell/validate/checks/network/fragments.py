"""Fragments: packets larger than a link's MTU arrive whole, in as many fragments as the arithmetic
says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...check import Check
from ...laws import fragments
from ...readings import Run
from ...runner import mean_over_seeds, of_one_run

UDP = 8
"""Bytes of its header."""
INTO_1500 = (1501, 3000, 9000, 9018, 9180, 65_535)
"""Lengths whose fragments are in RFC 791's arithmetic as anybody can redo it on paper."""


def path(
    ip_len: int, mtu: int, *, version: int = 4, seconds: int = 2, **narrow: Any
) -> dict[str, Any]:
    """Datagrams of `ip_len` bytes, 100 a second, from a host through a link of `mtu` bytes."""
    payload = ip_len - fragments.HEADER[version] - UDP
    wide = {"rate": "1 Gbps", "delay": "1 ms", "mtu": "65535 B"}
    cbr = {"kind": "cbr", "rate": f"{800 * payload} bps", "packet": f"{payload} B"}
    return {
        "duration": f"{seconds} s",
        "host": [{"name": "a"}, {"name": "b"}],
        "router": [{"name": "r1"}, {"name": "r2"}],
        "reassembly": {"memory": "1 GB"},
        "link": [
            {"between": ["a", "r1"], **wide},
            {
                "between": ["r1", "r2"],
                **wide,
                "mtu": f"{mtu} B",
                "queue": {"limit": "unlimited"},
                **narrow,
            },
            {"between": ["r2", "b"], **wide},
        ],
        "flow": [
            {"from": "a", "to": "b", "ip": version, "stop": f"{seconds - 1} s", "source": cbr}
        ],
    }


def _each(run: Run) -> float:
    """Fragments of each packet that was cut; 0 if a packet did not arrive whole."""
    all_ = run["fragmentation"]
    flow = run["flows"][0]
    whole = all_["reassembled_packets"] == all_["cut_packets"] == flow["delivered_packets"]
    return all_["fragments"] / all_["cut_packets"] if whole else 0.0


def _bytes(run: Run) -> float:
    """Returns the bytes that the narrow link carried for each packet."""
    return float(run["queues"][0]["arrived_bytes"] / run["fragmentation"]["cut_packets"])


def _lost(run: Run) -> float:
    """The share of datagrams that did not arrive whole."""
    flow = run["flows"][0]
    return 1 - float(flow["delivered_packets"] / flow["sent_packets"])


def _counts() -> Iterator[Check]:
    cases = [(n, 1500, 4) for n in INTO_1500] + [(9180, 576, 4), (1992, 1006, 4), (9180, 1500, 6)]
    for ip_len, mtu, version in cases:
        cut, scenario = fragments.lengths(ip_len, mtu, version), path(ip_len, mtu, version=version)
        name, rfc = (
            f"{ip_len}-into-{mtu}" + ("-v6" if version == 6 else ""),
            "791" if version == 4 else "8200",
        )
        yield Check(
            f"fragments.{name}.count",
            f"{ip_len} B into an MTU of {mtu} B: multiples of 8 except for the last (RFC {rfc})",
            len(cut),
            0.0,
            of_one_run(scenario, _each),
            "fragments",
        )
        if version == 4:
            yield Check(
                f"fragments.{name}.bytes",
                f"{ip_len} B into an MTU of {mtu} B: each fragment has a header, the last "
                f"{cut[-1]} B in all",
                sum(cut),
                0.0,
                of_one_run(scenario, _bytes),
                "B",
            )


def _losses() -> Iterator[Check]:
    p, ip_len = 0.05, 9180
    wire = [{"kind": "bernoulli", "loss": p}]
    yield Check(
        "fragments.loss",
        "A datagram of seven fragments is lost if one of them is: 1 - (1 - p)^7 at p = 0.05",
        fragments.loss(p, len(fragments.lengths(ip_len, 1500))),
        0.02,
        mean_over_seeds(path(ip_len, 1500, seconds=601, impairment=wire), _lost),
    )


CHECKS = [*_counts(), *_losses()]
