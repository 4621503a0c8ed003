"""Fabrics: a hash shares flows among equal paths, and many senders share a receiver's link."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from ...check import Check
from ...laws import fabrics, red
from ...measured import Measured
from ...readings import Run
from ...runner import Measurement, Runner, of_one_run, worst

MSS, HEADER = 1460, 40
Z = 3.09
"""Of the normal distribution: exceeded once in 1000 tests."""
RATE, DELAY_S = 1_000_000_000, 10e-6

_LINK = {"rate": f"{RATE} bps", "delay": f"{DELAY_S * 1e6:g} us"}


def network(**form: Any) -> dict[str, Any]:
    """A fabric that never drops, with ns-2's TCP: 40 B of header, no options, and windows of 200
    packets from the start."""
    return {
        "duration": "1 s",
        "profile": "ns2",
        "tcp": {
            "mss": f"{MSS} B",
            "handshake": False,
            "initial_window": "200 pkt",
            "receive_window": "unlimited",
            "delayed_ack": "each",
        },
        "queue": {"kind": "drop_tail", "limit": "unlimited"},
        **form,
    }


def _arrivals(run: Run, starts: str, ends: str) -> list[int]:
    """Packets that came to each port whose name starts and ends so."""
    return [
        int(queue["arrivals"])
        for queue in run["queues"]
        if queue["name"].startswith(starts) and queue["name"].endswith(ends)
    ]


def _one_packet_each(count: int, source: str, to: str) -> list[dict[str, Any]]:
    """Flows of one packet from one host to another, one every 200 us."""
    size = {"kind": "fixed", "size": f"{MSS} B"}
    one = {"name": "f", "from": source, "to": to, "source": size}
    return [{**one, "count": count, "start_step": "200 us"}]


def _chi_square(counts: Sequence[int]) -> float:
    mean = statistics.fmean(counts)
    return sum((count - mean) ** 2 / mean for count in counts)


def _shares(spines: int, flows: int) -> Iterator[Check]:
    leaf_spine = {"leaves": 2, "spines": spines, "hosts": 1, "link": _LINK}
    fabric = network(leaf_spine=leaf_spine, flow=_one_packet_each(flows, "leaf1/h1", "leaf2/h1"))

    def spread(key: str) -> Measurement:
        def measure(runner: Runner) -> Measured:
            return Measured(
                statistics.fmean(
                    _chi_square(_arrivals(run, f"{key}->spine", "")) for run in runner.run(fabric)
                ),
                n=runner.seeds,
            )

        return measure

    for key, what in (("leaf1", "data"), ("leaf2", "acknowledgments")):
        dof = spines - 1
        yield Check(
            f"fabric.ecmp.{what}",
            f"A hash shares {flows} flows among {spines} spines by the multinomial law: the mean "
            "of Pearson's statistic, which exceeds its bound once in 1000 tests",
            dof,
            red.chi_square_quantile(dof, Z) - dof,
            spread(key),
            absolute=True,
        )


def _cores(k: int, flows: int) -> Iterator[Check]:
    fat_tree = {"k": k, "link": _LINK}
    source, to = "pod1/edge1/h1", f"pod{k}/edge1/h1"
    fabric = network(fat_tree=fat_tree, flow=_one_packet_each(flows, source, to))
    yield Check(
        f"fabric.fat_tree.cores.k-{k}",
        "Between two pods of a fat tree there are (k/2)^2 paths, one over each core "
        f"(Al-Fares et al., SIGCOMM 2008); {flows} flows take all",
        fabrics.fat_tree_paths(k),
        0,
        worst(
            fabric,
            lambda run: (
                sum(n > 0 for n in _arrivals(run, "core", f"->pod{k}/agg1"))
                + sum(
                    n > 0
                    for agg in range(2, k // 2 + 1)
                    for n in _arrivals(run, "core", f"->pod{k}/agg{agg}")
                )
            ),
            fabrics.fat_tree_paths(k),
        ),
        "cores",
    )


def _incast() -> Iterator[Check]:
    for senders, packets in ((8, 20), (40, 100)):
        size = {"kind": "fixed", "size": f"{packets * MSS} B"}
        pattern = {"kind": "incast", "to": "h1"}
        fabric = network(
            star={"hosts": senders + 1, "link": _LINK},
            flow=[{"name": "f", "pattern": pattern, "source": size}],
        )
        yield Check(
            f"fabric.incast.{senders}",
            f"{senders} senders of {packets} packets each share one link: it sends N size without "
            "a gap",
            fabrics.incast_s(senders, packets, MSS + HEADER, RATE, DELAY_S),
            1e-9,
            of_one_run(fabric, lambda run: max(float(f["completion_s"]) for f in run["flows"])),
            "s",
        )


CHECKS = [*_shares(4, 1000), *_cores(4, 1000), *_incast()]
