"""Fabrics: how flows and packets are shared among equal paths, what a failing link loses, how many
senders share a receiver's link, and how overloaded queues share a buffer."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...check import Check
from ...laws import fabrics, red
from ...measured import Measured
from ...readings import Run
from ...runner import Measurement, Runner, mean_over_seeds, of_one_run, worst

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


INTERVAL_S, DATAGRAM = 20e-6, 1472
"""Datagrams of 1500 B with their headers, one each 20 us: less than a link carries."""


def _two_ways(routing: dict[str, Any], source: dict[str, Any], **form: Any) -> dict[str, Any]:
    """A host whose datagrams reach another over the routers r, x and s, or r, y and s; the second
    way is `longer_us` longer. A second link from x to s where there is to be one."""
    longer, parallel = form.pop("longer_us", 0), form.pop("parallel", False)
    ends = [("a", "r"), ("r", "x"), ("r", "y"), ("x", "s"), ("y", "s"), ("s", "b")]
    queue = {"kind": "drop_tail", "limit": "unlimited"}
    links = [{**_LINK, "between": list(pair), "queue": queue} for pair in ends]
    links[4]["delay"] = f"{DELAY_S * 1e6 + longer:g} us"
    if parallel:
        links.append({**links[3], "name": "second"})
    return {
        "duration": "200 ms",
        "host": [{"name": "a"}, {"name": "b"}],
        "router": [{"name": name} for name in ("r", "x", "y", "s")],
        "link": links,
        "routing": routing,
        "flow": [{"name": "f", "from": "a", "to": "b", "source": source}],
        **form,
    }


def _steady() -> dict[str, Any]:
    """Datagrams at a constant rate."""
    rate = f"{8 * DATAGRAM / INTERVAL_S:.0f} bps"
    return {"kind": "cbr", "rate": rate, "packet": f"{DATAGRAM} B"}


def _flow(key: str) -> Any:
    return lambda run: float(run["flows"][0][key])


def _failure() -> Iterator[Check]:
    fails_s, converges_s = 0.02, 0.001
    down = [{"from": f"{fails_s * 1e3:g} ms", "to": "60 ms"}]
    packet_s = 8 * (DATAGRAM + 28) / RATE
    fabric = _two_ways(
        {"kind": "shortest", "convergence": f"{converges_s * 1e3:g} ms"},
        _steady(),
        longer_us=5,
        links={"r<->x": {"down": down}},
    )
    yield Check(
        "fabric.failure.lost",
        "A link that fails loses what is on it, and what is sent until routes lead around it",
        fabrics.lost_by_failure(
            fails_s, converges_s, INTERVAL_S, packet_s + DELAY_S + packet_s, DELAY_S
        ),
        0,
        of_one_run(fabric, _flow("lost_packets")),
        "packets",
    )


def _spread() -> Iterator[Check]:
    by_packet = {"kind": "ecmp", "by": "packet"}
    spines = 4
    leaf_spine = {"leaves": 2, "spines": spines, "hosts": 1, "link": _LINK}
    fabric = network(
        leaf_spine=leaf_spine,
        routing=by_packet,
        flow=[{"name": "f", "from": "leaf1/h1", "to": "leaf2/h1", "source": _steady()}],
    )

    def spread(runner: Runner) -> Measured:
        found = [_chi_square(_arrivals(run, "leaf1->spine", "")) for run in runner.run(fabric)]
        return Measured(statistics.fmean(found), n=runner.seeds)

    dof = spines - 1
    yield Check(
        "fabric.spread.spines",
        f"Packets of one flow are shared among {spines} spines by the multinomial law: the mean of "
        "Pearson's statistic, which exceeds its bound once in 1000 tests",
        dof,
        red.chi_square_quantile(dof, Z) - dof,
        spread,
        absolute=True,
    )
    parallel = _two_ways(by_packet, _steady(), parallel=True)
    yield Check(
        "fabric.spread.routers",
        "Each router chooses uniformly: of two links from r and two from x, half of the packets "
        "take the one way over y, not a third",
        fabrics.uniform(2),
        0.03,
        mean_over_seeds(
            parallel,
            lambda run: sum(_arrivals(run, "r->y", "")) / sum(_arrivals(run, "a->r", "")),
        ),
    )
    longer_us = 50
    for name, longer in (("overtaken", longer_us), ("equal", 0)):
        yield Check(
            f"fabric.spread.{name}",
            f"Packets that take one of two ways each, one of them {longer} us longer: the share "
            "that a later packet overtakes",
            fabrics.overtaken(longer * 1e-6, INTERVAL_S) if longer else 0,
            0.02 if longer else 0,
            mean_over_seeds(
                _two_ways(by_packet, _steady(), longer_us=longer),
                lambda run: (
                    run["flows"][0]["reordered_packets"] / run["flows"][0]["delivered_packets"]
                ),
            ),
            absolute=True,
        )
    bursts = {
        "kind": "on_off",
        "distribution": "constant",
        "on_mean": "200 us",
        "off_mean": "300 us",
        "rate": f"{8 * DATAGRAM / INTERVAL_S:.0f} bps",
        "packet": f"{DATAGRAM} B",
    }
    flowlets = {"kind": "ecmp", "by": "flowlet", "gap": "200 us"}
    yield Check(
        "fabric.flowlet.reordered",
        "Flowlets whose pauses exceed the difference of the delays are never reordered (Kandula et "
        "al., CCR 2007)",
        0,
        0,
        worst(_two_ways(flowlets, bursts, longer_us=longer_us), _flow("reordered_packets"), 0),
        "packets",
    )
    yield Check(
        "fabric.flowlet.shares",
        "Each flowlet takes one of two ways, with the same chance",
        fabrics.uniform(2),
        0.15,
        mean_over_seeds(
            _two_ways(flowlets, bursts, longer_us=longer_us),
            lambda run: sum(_arrivals(run, "r->y", "")) / sum(_arrivals(run, "a->r", "")),
        ),
        absolute=True,
    )


def _step_mark() -> Iterator[Check]:
    packets, threshold, ratio = 200, 20, 10
    size = {"kind": "fixed", "size": f"{packets * MSS} B"}
    slow = {**_LINK, "rate": f"{RATE // ratio} bps"}
    queue = {"kind": "step_mark", "threshold": f"{threshold} pkt", "limit": "unlimited"}
    fabric = network(
        host=[{"name": "a"}, {"name": "b"}],
        router=[{"name": "r"}],
        link=[
            {**_LINK, "between": ["a", "r"]},
            {**slow, "between": ["r", "b"], "queue": queue},
        ],
        flow=[{"name": "f", "from": "a", "to": "b", "cc": "dctcp", "source": size}],
    )
    fabric.pop("queue")
    yield Check(
        f"fabric.step_mark.K-{threshold}",
        f"Of a burst of {packets} packets over a link that is {ratio} times faster, those are "
        f"marked that find more than {threshold} waiting (DCTCP, SIGCOMM 2010, section 3.1)",
        fabrics.step_marks(packets, threshold, ratio),
        0,
        of_one_run(fabric, lambda run: float(run["queues"][0]["marks"])),
        "packets",
    )


BUFFER = 1_500_000
"""Of a switch, bytes: 1000 datagrams."""
OVERLOAD = 1.25
"""What comes to a port of such a switch, over its rate."""


def _shared_buffer() -> Iterator[Check]:
    for ports, alpha in ((1, 1.0), (4, 1.0), (2, 0.5), (3, 2.0)):
        fabric = _overloaded(ports, alpha)
        named = f"{ports}-ports.alpha-{alpha:g}"
        queue = fabrics.shared_buffer_queue(BUFFER, alpha, ports)
        free = fabrics.shared_buffer_free(BUFFER, alpha, ports)
        below = fabrics.shared_buffer_below(DATAGRAM + 28, alpha, ports)
        yield Check(
            f"fabric.shared_buffer.queue.{named}",
            f"{ports} overloaded queues of a shared buffer of {BUFFER / 1e6:g} MB hold "
            "alpha B / (1 + n alpha) each (Choudhury and Hahne, 1998), less at most what the "
            "packet that goes and the one that does not fit make",
            queue,
            below / queue,
            worst(fabric, _farthest(queue), queue),
            "B",
        )
        yield Check(
            f"fabric.shared_buffer.free.{named}",
            "They leave B / (1 + n alpha) free, and at most so much more",
            free,
            ports * below / free,
            of_one_run(fabric, lambda run: BUFFER - float(run["shared_buffers"][0]["mean_bytes"])),
            "B",
        )


def _shared_buffer_of_classes() -> Iterator[Check]:
    for kind, codepoints, alpha in (
        ("drr", ("ef", "cs0"), 1.0),
        ("prio", ("ef", "cs0", "cs1"), 0.5),
    ):
        n = len(codepoints)
        if kind == "drr":
            says = "take turns and hold n alpha B / (1 + n alpha)"
            held = n * fabrics.shared_buffer_queue(BUFFER, alpha, n)
        else:
            says = "have strict priority, and those that starve keep what they got at first"
            held = fabrics.shared_buffer_priority(BUFFER, alpha, n, OVERLOAD)
        yield Check(
            f"fabric.shared_buffer.classes.{kind}",
            f"{n} overloaded classes of one port, each with a threshold in a shared buffer, {says}",
            held,
            n * fabrics.shared_buffer_below(DATAGRAM + 28, alpha, n) / held,
            of_one_run(
                _overloaded_classes(kind, codepoints, alpha),
                lambda run: float(run["shared_buffers"][0]["mean_bytes"]),
            ),
            "B",
        )


def _farthest(expected: float) -> Callable[[Run], float]:
    """Bytes that a queue of datagrams holds in the mean: of the one that is farthest from what is
    expected."""

    def measure(run: Run) -> float:
        ports = [queue for queue in run["queues"] if queue["name"].startswith("r->")]
        held = [float(queue["mean_packets"]) * (DATAGRAM + 28) for queue in ports]
        return max(held, key=lambda bytes_: abs(bytes_ - expected))

    return measure


def _overloaded(ports: int, alpha: float) -> dict[str, Any]:
    """A switch with so many ports, to each of which datagrams come at OVERLOAD times its rate. The
    buffer is full after a few milliseconds."""
    source = {"kind": "cbr", "rate": f"{OVERLOAD * RATE:.0f} bps", "packet": f"{DATAGRAM} B"}
    fast = {"rate": f"{4 * RATE} bps", "delay": _LINK["delay"]}
    every = range(1, ports + 1)
    return {
        "duration": "150 ms",
        "warmup": "100 ms",
        "host": [{"name": f"{end}{i}"} for i in every for end in "ab"],
        "router": [{"name": "r", "shared_buffer": {"size": f"{BUFFER} B", "alpha": alpha}}],
        "link": [
            link
            for i in every
            for link in (
                {**fast, "between": [f"a{i}", "r"]},
                {**_LINK, "between": ["r", f"b{i}"], "queue": "drop_tail"},
            )
        ],
        "flow": [
            {"name": f"f{i}", "from": f"a{i}", "to": f"b{i}", "source": source} for i in every
        ],
    }


def _overloaded_classes(kind: str, codepoints: Sequence[str], alpha: float) -> dict[str, Any]:
    """The same with one port, whose queue has classes: datagrams of each codepoint come at
    OVERLOAD times its rate."""
    fabric = _overloaded(len(codepoints), alpha)
    every = range(1, len(codepoints) + 1)
    port = {**_LINK, "between": ["r", "b"], "queue": kind}
    return {
        **fabric,
        "host": [{"name": name} for name in ("b", *(f"a{i}" for i in every))],
        "link": [*(link for link in fabric["link"] if "queue" not in link), port],
        "flow": [
            {**flow, "to": "b", "dscp": codepoint}
            for flow, codepoint in zip(fabric["flow"], codepoints, strict=True)
        ],
    }


CHECKS = [
    *_shares(4, 1000),
    *_cores(4, 1000),
    *_incast(),
    *_failure(),
    *_spread(),
    *_step_mark(),
    *_shared_buffer(),
    *_shared_buffer_of_classes(),
]
