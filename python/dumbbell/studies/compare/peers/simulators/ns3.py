"""ns-3.37: the network as its program reads it, the program compiled once, and what it prints as an
outcome."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .....errors import DumbbellError
from .....files import private
from ..network import Network
from ..outcome import Cost, Outcome
from .installed import failed, lacking, program

NAME = "ns-3"
PACKAGES = ("libns3-dev", "ns3")
SOURCE = Path(__file__).with_name("dumbbell.cc")

_MODULES = (
    "core",
    "network",
    "internet",
    "applications",
    "point-to-point",
    "traffic-control",
    "nix-vector-routing",
)


def version() -> str:
    """The version of the library that is installed."""
    done = _pkg_config("--modversion", "ns3-core")
    return f"ns-{done.stdout.strip()}"


def binary() -> str:
    """Our program for ns-3, compiled at the first call and kept; `EnvironmentLacks` names the
    packages if ns-3 is not here."""
    flags = _flags()
    key = hashlib.blake2b(
        f"{SOURCE.read_text(encoding='utf-8')}{version()}{flags}".encode(), digest_size=8
    ).hexdigest()
    path = private.cache() / f"ns3-{key}"
    if private.is_own_file(path):
        return str(path)
    compiler = program(("c++", "g++", "clang++"), "a C++ compiler for ns-3", "g++")
    print("compiling our program for ns-3: about a minute, once", file=sys.stderr)
    private.folder(path.parent)
    unfinished = path.with_suffix(f".{os.getpid()}")
    command = [compiler, "-O2", "-DNDEBUG", str(SOURCE), "-o", str(unfinished), *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise DumbbellError(f"{compiler} could not compile {SOURCE.name}:\n{done.stderr[-2000:]}")
    unfinished.chmod(0o700)
    unfinished.rename(path)  # At once, so that nobody starts half a program.
    return str(path)


def _flags() -> list[str]:
    modules = [f"ns3-{module}" for module in _MODULES]
    include = _pkg_config("--cflags", *modules).stdout.split()
    # Not `--libs`: it names libraries of modules that we do not use, whose packages are not asked
    # for.
    return [
        *include,
        f"-L{_pkg_config('--variable=libdir', 'ns3-core').stdout.strip()}",
        *(f"-l{m}" for m in modules),
    ]


def _pkg_config(*words: str) -> subprocess.CompletedProcess[str]:
    tool = shutil.which("pkg-config")
    if tool is None:
        raise lacking(NAME, *PACKAGES, "pkg-config")
    done = subprocess.run([tool, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise lacking(NAME, *PACKAGES)
    return done


def run(network: Network) -> Outcome:
    """Runs the network. ns-3 has no record of the mean queue here: it is 0."""
    done = subprocess.run([binary()], input=words(network), capture_output=True, text=True)
    if done.returncode != 0:
        raise failed(NAME, done)
    return read(network, done.stdout)


measured = run
"""The counts and the cost of a run: ns-3 keeps the counts anyway."""


def words(network: Network) -> str:
    """The network as lines of a name and a value. Flows must be NewReno with equal access links,
    without a warm-up."""
    delays = {flow.access_s for flow in network.flows}
    kinds = {(flow.cc, flow.delayed_ack) for flow in network.flows}
    if (
        len(delays) != 1
        or kinds not in ({("newreno", False)}, {("sack", False)})
        or network.warmup
        or network.initial_ssthresh
    ):
        raise ValueError("the program for ns-3 supports only NewReno flows over equal access links")
    values: dict[str, object] = {
        "seed": network.seed,
        "rate": f"{network.rate_bps:.0f}",
        "delay": network.delay_s,
        "access": f"{network.access_bps:.0f}",
        "access_delay": delays.pop(),
        "duration": network.duration,
        "queue": network.queue,
        "buffer": network.buffer,
        "payload": network.payload,
        "packet": network.packet,
        "window": network.window,
        "initial_window": network.initial_window,
        "min_rto": network.min_rto,
        "sack": int(network.flows[0].cc == "sack"),
    }
    if red := network.red:
        values |= {"min_th": red.min_th, "max_th": red.max_th, "max_p": red.max_p, "w_q": red.w_q}
        values |= {"gentle": int(red.gentle), "wait": int(red.wait)}
    lines = [f"{name} {value}" for name, value in values.items()]
    return "\n".join([*lines, *(f"flow {flow.start:.9f}" for flow in network.flows)]) + "\n"


def read(network: Network, text: str) -> Outcome:
    """Output of the program."""
    lines = {
        name: [float(v) for v in values]
        for name, *values in (line.split() for line in text.splitlines())
    }
    arrivals, drops, departures = (int(v) for v in lines["queue"])
    bare, setup, ran = lines["bare"], lines["setup"], lines["run"]
    return Outcome(
        arrivals=arrivals,
        drops=drops,
        departures=departures,
        marks=0,
        mean_queue=0.0,
        utilization=departures * network.packet * 8 / (network.rate_bps * network.duration),
        goodputs=tuple(b * 8 / network.duration for b in lines["bytes"]),
        hops=arrivals + 5 * departures,
        cost=Cost(
            run_s=ran[0] - setup[0],
            setup_s=setup[0] - bare[0],
            setup_bytes=int(1024 * (setup[1] - bare[1])),
            peak_bytes=int(1024 * (ran[1] - bare[1])),
        ),
    )
