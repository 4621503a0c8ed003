"""ns-2.35: the network as its script reads it, and what the script prints as an outcome."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

from .....errors import DumbbellError
from .....files.write import temporary_folder, write_text
from ..network import UDP_HEADER, Flow, Network, Red
from ..outcome import Cost, Outcome
from .installed import failed, program

NAME = "ns-2"
PACKAGE = "ns2"
SCRIPT = Path(__file__).with_name("dumbbell.tcl")

_AGENTS = {"tahoe": "TCP", "reno": "TCP/Reno", "newreno": "TCP/Newreno", "sack": "TCP/Sack1"}


def version() -> str:
    """Version of the program."""
    done = subprocess.run(
        [binary(), "-"],
        input="puts [ns-version]\nexit\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    return f"ns-{done.stdout.strip()}"


def binary() -> str:
    """Path of ns-2; `EnvironmentLacks` names the package if it is not here."""
    return program(("ns", "ns2"), NAME, PACKAGE)


def run(
    network: Network, *, monitor: bool = True, sends: Path | None = None, drops: Path | None = None
) -> Outcome:
    """Runs the network. Without `monitor`, as timed runs go, counts of the queue are zero. `sends`,
    `drops`: files for the trace of the first flow's access link and of the bottleneck."""
    with temporary_folder() as directory:
        file = Path(directory) / "network.tcl"
        write_text(file, script(network, monitor=monitor, sends=sends, drops=drops))
        done = subprocess.run([binary(), str(SCRIPT), str(file)], capture_output=True, text=True)
    if done.returncode != 0:
        raise failed(NAME, done)
    return read(network, done.stdout)


def measured(network: Network) -> Outcome:
    """The counts of a run with a monitor and the cost of the same run without: a monitor takes time
    on each packet."""
    counted, timed = run(network), run(network, monitor=False)
    if counted.goodputs != timed.goodputs:
        raise DumbbellError(
            f"{NAME}: the same run with and without a monitor gave different goodputs"
        )
    return replace(counted, cost=timed.cost)


def script(
    network: Network, *, monitor: bool = True, sends: Path | None = None, drops: Path | None = None
) -> str:
    """The network as Tcl. Units are spelled as plain numbers: bit/s, s, packets."""
    net = {
        "seed": str(network.seed),
        "rate": f"{network.rate_bps:.0f}",
        "delay": f"{network.delay_s!r}",
        "access": f"{network.access_bps:.0f}",
        "duration": repr(float(network.duration)),
        "warmup": repr(float(network.warmup)),
        "queue": "RED" if network.red else "DropTail",
        # Drop Tail of ns-2 drops what would make the queue as long as its limit; RED what finds it
        # at its limit.
        "limit": str(network.buffer if network.red else network.buffer + 1),
        "queue_options": _red(network.red) if network.red else "",
        "ssthresh": str(network.initial_ssthresh or ""),
        "delayed_ack": "100ms",
        "monitor": str(int(monitor)),
        "trace": str(sends or ""),
        "drops": str(drops or ""),
    }
    lines = [f"set net({name}) {{{value}}}" for name, value in net.items()]
    lines += [f"set tcp({name}) {value}" for name, value in _tcp(network).items()]
    lines += [_flow(flow, network) for flow in network.flows]
    return "\n".join(lines) + "\n"


def _tcp(network: Network) -> dict[str, object]:
    return {
        # Of the whole packet: with useHeaders_ ns-2 adds 40 bytes, but not to a connection's first
        # packet.
        "packetSize_": network.packet,
        "useHeaders_": "false",
        "window_": network.window,
        "windowInit_": network.initial_window,
        "windowInitOption_": 1,
        "minrto_": network.min_rto,
        "maxrto_": 60,
        "rtxcur_init_": 3.0,
        "tcpTick_": 0.000001,  # samples of round-trip times as exact as ours
        "singledup_": int(network.limited_transmit),
        # A SYN, after whose answer the initial window begins; or data at once, of which the first
        # acknowledgment opens the window.
        "syn_": str(network.handshake).lower(),
        "delay_growth_": str(network.handshake).lower(),
        "overhead_": network.jitter,
        "timestamps_": "false",
        # half of the whole packets in the window, as half of FlightSize is
        "precisionReduce_": "false",
        "ecn_": int(bool(network.red and network.red.ecn)),
    }


def _red(red: Red) -> str:
    options = {
        "bytes_": "false",
        "queue_in_bytes_": "false",
        "thresh_": red.min_th,
        "maxthresh_": red.max_th,
        "q_weight_": red.w_q,
        "linterm_": 1 / red.max_p,
        "gentle_": str(red.gentle).lower(),
        "wait_": str(red.wait).lower(),
        "mean_pktsize_": red.mean_packet,
        "setbit_": str(red.ecn).lower(),
        "use_mark_p_": "false",
        "adaptive_": 0,
        "cautious_": 0,
    }
    return " ".join(f"{name} {value}" for name, value in options.items())


def _flow(flow: Flow, network: Network) -> str:
    if flow.datagrams_bps is not None:
        rate = f"{flow.datagrams_bps:.0f}"
        return f"datagrams {flow.start:.9f} {flow.access_s!r} {rate} {network.packet}"
    sink = (
        "TCPSink"
        + ("/Sack1" if flow.cc == "sack" else "")
        + ("/DelAck" if flow.delayed_ack else "")
    )
    return f"flow {flow.start:.9f} {flow.access_s!r} {_AGENTS[flow.cc]} {sink}"


def read(network: Network, text: str) -> Outcome:
    """Output of the script."""
    lines = {
        name: [float(v) for v in values]
        for name, *values in (line.split() for line in text.splitlines())
    }
    window = network.duration - network.warmup
    queue = [
        b - a
        for a, b in zip(
            lines.get("start.queue", [0.0] * 6), lines.get("end.queue", [0.0] * 6), strict=True
        )
    ]
    end_of_run = lines.get("end.queue", [0.0] * 6)
    bare, setup, ran = lines["bare"], lines["setup"], lines["run"]
    return Outcome(
        arrivals=int(queue[0]),
        drops=int(queue[1]),
        departures=int(queue[2]),
        marks=int(queue[5]),
        mean_queue=queue[4] / window,
        utilization=queue[3] * 8 / (network.rate_bps * window),
        goodputs=tuple(
            (b - a) * _payload(flow, network) * 8 / window
            for a, b, flow in zip(lines["start.ack"], lines["end.ack"], network.flows, strict=True)
        ),
        hops=int(end_of_run[0] + 5 * end_of_run[2]),
        cost=Cost(
            run_s=ran[0] - setup[0],
            setup_s=setup[0] - bare[0],
            setup_bytes=int(1024 * (setup[1] - bare[1])),
            peak_bytes=int(1024 * (ran[1] - bare[1])),
        ),
    )


def _payload(flow: Flow, network: Network) -> int:
    """Bytes of the application in a full packet of a flow."""
    return network.payload if flow.datagrams_bps is None else network.packet - UDP_HEADER
