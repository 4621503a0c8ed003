"""Dumbbell: the network as a scenario, run in a process of its own so that its cost is its own."""

from __future__ import annotations

import json
import subprocess
import sys

from ...frame.runs import Answer
from .network import UDP_HEADER, Flow, Network, Red
from .outcome import Cost, Outcome
from .simulators.installed import failed

NAME = "dumbbell"


def version() -> str:
    """The version."""
    from .... import __version__

    return __version__


def run(network: Network) -> Outcome:
    """Runs the network."""
    command = [sys.executable, "-P", "-m", "dumbbell.studies.compare.peers.child"]
    done = subprocess.run(
        command, input=json.dumps(scenario(network)), capture_output=True, text=True
    )
    if done.returncode != 0:
        raise failed(NAME, done)
    return read(network, json.loads(done.stdout))


def scenario(network: Network) -> dict[str, object]:
    """The network in the words of a scenario file: profile `ns2` with the values that the network
    names."""
    return {
        "duration": _time(network.duration),
        "warmup": _time(network.warmup),
        "seed": network.seed,
        "profile": "ns2",
        "tcp": _tcp(network),
        "dumbbell": {
            "bottleneck": {"rate": f"{network.rate_bps:.0f} bps", "delay": _time(network.delay_s)},
            "access": {
                "rate": f"{network.access_bps:.0f} bps",
                "delay": _time(network.flows[0].access_s),
            },
        },
        "queue": {
            "limit": f"{network.buffer} pkt",
            **(_red(network.red) if network.red else {"kind": "drop_tail"}),
        },
        "flow": [_flow(i, flow, network) for i, flow in enumerate(network.flows)],
    }


def _tcp(network: Network) -> dict[str, object]:
    return {
        "mss": f"{network.payload} B",
        "initial_window": f"{network.initial_window} pkt",
        "initial_ssthresh": f"{network.initial_ssthresh} pkt"
        if network.initial_ssthresh
        else "unlimited",
        "receive_window": f"{network.window} pkt",
        "min_rto": _time(network.min_rto),
        "clock": "0 s",
        "send_jitter": _time(network.jitter),
        "limited_transmit": network.limited_transmit,
        "handshake": network.handshake,
        "reduction": "prr" if network.prr else "rfc6675",
        "ecn": "rfc3168" if network.red and network.red.ecn else "off",
    }


def _red(red: Red) -> dict[str, object]:
    return {
        "kind": "red",
        "min_th": f"{red.min_th} pkt",
        "max_th": f"{red.max_th} pkt",
        "max_p": red.max_p,
        "w_q": red.w_q,
        "gentle": red.gentle,
        "spacing": "uniform_wait" if red.wait else "uniform",
        "mean_packet_size": f"{red.mean_packet} B",
        "ecn": red.ecn,
    }


def _flow(i: int, flow: Flow, network: Network) -> dict[str, object]:
    words: dict[str, object] = {
        "name": f"f{i}",
        "start": _time(flow.start),
        "rtt": _time(2 * network.delay_s + 4 * flow.access_s),
    }
    if flow.datagrams_bps is not None:
        payload = network.packet - UDP_HEADER
        rate = round(flow.datagrams_bps * payload / network.packet)
        return {**words, "source": {"kind": "cbr", "rate": f"{rate} bps", "packet": f"{payload} B"}}
    words["cc"] = flow.cc
    tcp: dict[str, object] = {"sack": flow.cc == "sack"}
    return {**words, "tcp": tcp | ({"delayed_ack": "second"} if flow.delayed_ack else {})}


def _time(value: float) -> str:
    return f"{round(value * 1e9)} ns"


def read(network: Network, data: Answer) -> Outcome:
    """Output of the child."""
    result, queue = data["result"], data["result"]["queues"][0]
    return Outcome(
        arrivals=queue["arrivals"],
        drops=sum(queue["drops"].values()),
        departures=queue["departures"],
        marks=queue["marks"],
        mean_queue=queue["mean_packets"],
        utilization=queue["utilization"],
        goodputs=tuple(flow["goodput_bps"] for flow in result["flows"]),
        hops=result["packet_hops"],
        cost=Cost(**data["cost"]),
    )
