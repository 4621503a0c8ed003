"""A program on an emulated network: the network from a few words, and what is said when the program
has ended."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ScenarioError
from ..language.arguments import choice, refused
from ..present.units import plain_rate, seconds

NAME = "shell"
KERNEL, LINUX = "kernel", "linux"
UP, DOWN = "up", "down"
"""The link's directions and their queues: up is from the client, where the program runs, to the
server."""

_LONGEST = "24 h"
_UNSHAPED = "1 Gbps"
"""The rate where none is asked for; where the machine cannot forward that, it is lowered to what it
can."""
_LEAST_LIMIT = 100
_PACKET = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The words of the command line. Rates, delays and limits as in scenarios; `loss` as `"1%"` or
    `"0.01"`; `queue` as `"red:min_th=5pkt"`; `only`: the one direction that is shaped, the other
    one being fast and without loss; `on`: `kernel`, this machine's, or `linux`, a user-mode kernel
    in virtual time."""

    program: Sequence[str]
    on: str = KERNEL
    server: str | None = None
    rate: str | None = None
    up: str | None = None
    down: str | None = None
    trace: str | None = None
    delay: str = "0 ms"
    loss: str | None = None
    queue: str = "drop_tail"
    limit: str | None = None
    mtu: str | None = None
    ecn: bool = False
    only: str | None = None
    required: str | None = None
    time: str | None = None
    seed: int = 1
    record_every: str = "20 ms"
    sets: Sequence[str] = field(default_factory=list)
    capture: bool = False

    @property
    def unshaped(self) -> bool:
        """True if no rate is asked for."""
        return not (self.rate or self.up or self.down or self.trace)


def request(options: Options, out: Path) -> dict[str, Any]:
    """The request for the API. `ScenarioError` for a word that is wrong, underlined."""
    if not options.program:
        raise ScenarioError(
            "no program is given\nhelp: write it after two dashes, as in `dumbbell shell --rate "
            "12Mbps -- iperf3 -c {server}`"
        )
    if options.on == LINUX and options.required:
        raise ScenarioError(
            f"--class {options.required}: a run in virtual time has no class\n"
            "help: leave it out, or run on this machine's kernel, with --on kernel"
        )
    server = shlex.split(options.server) if options.server else None
    return {
        "source": {"value": scenario(options), "name": NAME},
        "overrides": list(options.sets),
        "seed": options.seed,
        "program": list(options.program),
        "unshaped": ["link.0.rate", "link.0.reverse.rate"] if options.unshaped else [],
        "server": server,
        "out": str(out),
        "on": options.on,
    }


def plain(request: Mapping[str, Any]) -> dict[str, Any]:
    """The request of `run` for the same network."""
    named = ("program", "unshaped", "server")
    return {key: value for key, value in request.items() if key not in named}


def unshaped_rate(on: str) -> str:
    """The rate of a link for which none is asked, in words."""
    return _UNSHAPED if on == LINUX else f"{_UNSHAPED}, or what this machine can forward"


def scenario(options: Options) -> dict[str, Any]:
    """The network as a scenario: two hosts and a link."""
    rates = {UP: options.up or options.rate, DOWN: options.down or options.rate}
    forward, reverse = (_direction(options, way, rates[way]) for way in (UP, DOWN))
    link: dict[str, Any] = {
        "between": ["client", "server"],
        "name": UP,
        "delay": options.delay,
        **forward,
    }
    if options.mtu is not None:
        link["mtu"] = options.mtu if not options.mtu.strip().isdigit() else f"{options.mtu} B"
    built: dict[str, Any] = {
        "name": NAME,
        "profile": "linux",
        "duration": options.time or _LONGEST,
        "host": [{"name": "client"}, {"name": "server"}],
        "link": [link | {"reverse": reverse}],
        "flow": [{"name": "program", "from": "client", "to": "server"}],
        "record": {"every": options.record_every, "drops": True},
    }
    if options.capture:
        built["record"]["packets"] = True
    if options.ecn:
        built["tcp"] = {"ecn": "rfc3168"}
    if options.required:
        built["testbed"] = {"class": options.required}
    return built


def _direction(options: Options, way: str, rate: str | None) -> dict[str, Any]:
    """One direction of the link."""
    if options.only not in (None, UP, DOWN):
        raise refused(
            f"--only {options.only}",
            options.only,
            "there is no such direction",
            f"write {UP} or {DOWN}",
        )
    if options.only not in (None, way):
        return {"rate": _UNSHAPED, "queue": {"kind": "drop_tail", "limit": "1000 pkt"}}
    found: dict[str, Any] = {}
    if options.trace is not None and rate is None:
        found["service"] = {"kind": "mahimahi", "file": options.trace}
    else:
        found["rate"] = rate or _UNSHAPED
        if plain_rate(_spaced(found["rate"])) is None:
            raise refused(
                f"--rate {rate}",
                rate,
                "this is not a rate",
                "write it with its unit, as in --rate 12Mbps",
            )
    found["queue"] = _queue(options, found.get("rate"))
    if share := _loss(options.loss):
        found["impairment"] = [{"kind": "bernoulli", "loss": share}]
    return found


def _queue(options: Options, rate: str | None) -> dict[str, Any]:
    wanted = choice(options.queue)
    ecn = {"ecn": True} if options.ecn and _marks(wanted.kind) else {}
    return {
        "kind": wanted.kind,
        "limit": options.limit or _limit(rate, options.delay),
        **ecn,
        **wanted.parameters,
    }


def _marks(kind: str) -> bool:
    """True if a queue has a switch for ECN."""
    from .. import catalogue

    known = (a for a in catalogue.algorithms() if a.name == kind and a.kind in ("aqm", "qdisc"))
    return any(p.name == "ecn" for a in known for p in a.parameters)


def _limit(rate: str | None, delay: str) -> str:
    """A bandwidth-delay product, and 100 packets at least."""
    value = plain_rate(_spaced(rate)) if rate else None
    try:
        rtt = 2 * seconds(_spaced(delay))
    except ValueError:
        raise refused(
            f"--delay {delay}", delay, "this is not a time", "write it with its unit: --delay 20ms"
        ) from None
    return f"{max(_LEAST_LIMIT, round((value or 0.0) * rtt / 8 / _PACKET))} pkt"


def _spaced(text: str) -> str:
    """`12Mbps` as `12 Mbps`."""
    digits = len(text) - len(text.lstrip("0123456789.eE+- "))
    return f"{text[:digits]} {text[digits:]}"


def _loss(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        share = float(text.strip().rstrip("%")) * (0.01 if text.strip().endswith("%") else 1.0)
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise refused(
            f"--loss {text}",
            text,
            "this is not a share of packets",
            "write --loss 1% or --loss 0.01",
        )
    return share


_OPTIONS = {
    "link.0.queue.limit": "limit",
    "link.0.queue": "queue",
    "link.0.impairment": "loss",
    "link.0.service": "trace",
    "link.0.delay": "delay",
    "link.0.mtu": "mtu",
    "duration": "time",
    "record.every": "record_every",
}
"""The option that a key of the scenario comes from; the first that fits."""


def spelled(error: ScenarioError, options: Options) -> ScenarioError:
    """An error in the scenario that was made from the options, in terms of the options, each once.

    The scenario says most of them twice, for both directions. An error in an override (`-s`) stays
    as it is.
    """
    problems = error.detail.get("problems", [])
    if not problems or any(problem.get("file") != NAME for problem in problems):
        return error
    texts: dict[str, None] = {}
    for problem in problems:
        key = problem.get("key", "").replace(".reverse", "")
        option = next((name for place, name in _OPTIONS.items() if key.startswith(place)), None)
        if option is None and options.trace is not None and options.trace in problem["cause"]:
            option = "trace"
        said: str | None = getattr(options, option) if option else None
        if option is None or said is None:
            texts[
                "\n".join(
                    [problem["cause"], *([f"help: {problem['fix']}"] if problem.get("fix") else [])]
                )
            ] = None
            continue
        line = f"--{option.replace('_', '-')} {said}"
        named = key.rpartition(".")[2]
        part = (
            named
            if named and named in said
            else choice(said).kind
            if key.endswith(".kind")
            else said
        )
        fix = (
            "name an existing file, relative to this directory"
            if option == "trace"
            else problem.get("fix", "")
        )
        texts[refused(line, part, problem["cause"], fix).rendered] = None
    return ScenarioError("\n\n".join(texts), error.detail)


def fresh(under: Path) -> Path:
    """Makes the next numbered directory: no call writes over what another has written."""
    under.mkdir(parents=True, exist_ok=True)
    number = max((int(path.name) for path in under.iterdir() if path.name.isdecimal()), default=0)
    while True:
        number += 1
        try:
            (under / str(number)).mkdir()
        except FileExistsError:  # Another shell was quicker.
            continue
        return under / str(number)


def exit_code(data: Mapping[str, Any]) -> int:
    """The program's, as a shell tells it; 5 if it ended well on a network that was not what was
    asked for."""
    from ..present import validity

    ended = data["program"]
    code = 128 + int(ended["signal"]) if ended.get("signal") else int(ended["exit_code"] or 0)
    if _idle(data) or not _is_live(data):
        return code
    return code or (5 if validity.what_is_wrong(data) or not data.get("valid") else 0)


def _is_live(data: Mapping[str, Any]) -> bool:
    """True if the network had to keep up with a real clock, and may have failed to."""
    return "validity" in data


def _idle(data: Mapping[str, Any]) -> bool:
    """True if the program sent nothing, so that there is no network to judge."""
    if not _is_live(data):
        return not any(flow["sent_packets"] for flow in data["flows"])
    return bool(data["validity"].get("conservation", {}).get("in") == 0)


def said(data: Mapping[str, Any]) -> list[str]:
    """A few lines on the queues and on the validity of the run."""
    from ..present import validity
    from ..present.grids import scaled
    from ..present.tables import drops
    from ..result import Result

    lines, names = [], {f"{UP}_reverse": DOWN}
    for queue in Result(dict(data)).queues:
        row = queue.as_dict()
        waits = (
            f"{scaled(row['mean_sojourn_s'] or 0.0, 's')} waiting (99 %: "
            f"{scaled(row['p99_sojourn_s'] or 0.0, 's')})"
        )
        marks = f", {row['marks']} marked" if row.get("marks") else ""
        used = f"{scaled(row['utilization'], '1')} used"
        lines.append(
            f"{names.get(queue.name, queue.name):<4} {queue.kind}: {row['departures']} packets, "
            f"{used}, {waits}, "
            f"mean queue {row['mean_packets']:.1f}, dropped: {drops(queue)}{marks}"
        )
    after = [] if _is_live(data) else _in_virtual_time(data)
    if _idle(data):
        return [*after, "no packet crossed the link, so nothing was measured"]
    for one in validity.runs(data):
        lines.append(one.verdict)
    if any(not one.valid for one in validity.runs(data)):
        lines.append(
            "the network did not meet the request: try a lower rate, an idle machine, `dumbbell "
            "doctor`"
        )
    return lines + after


def _in_virtual_time(data: Mapping[str, Any]) -> list[str]:
    """How long the programs ran, and how far the result is that of each such run."""
    program = data["program"]
    lines = [
        f"the program ran from {program['started_s']:.6f} s to {program['ended_s']:.6f} s of "
        f"virtual time; fingerprint {data['fingerprint']}"
    ]
    if not program["in_time"]:
        lines.append("the program was ended: its time (--time) was over")
    lines.append(
        "the same command has the same fingerprint, unless a program reads files that change, or "
        "clocks and random numbers of the processor itself (RDTSC, RDRAND)"
    )
    return lines
