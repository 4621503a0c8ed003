"""The API of the simulator and the testbed: Python values in, Python values out.

The simulator and the testbed are written in Rust. `call` gives a verb of this extension its request
(see `process.extension`), and `verbs` lists the verbs. The functions below build a request or check
something before.

In docstrings, `{"a", "b"}` lists the keys of an object; `{"a": 1 | 2}` also gives possible values.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .errors import EnvironmentLacks
from .present.progress import Progress as Progress
from .process import extension
from .process.extension import JSON as JSON
from .process.extension import Watch as Watch
from .process.extension import call as call
from .process.interrupt import Work

if TYPE_CHECKING:
    from . import _native
    from ._native import Worlds as Worlds
    from .plugins.base import Own


def verbs() -> JSON:
    """All verbs: `{"verbs": {NAME: {"about", "request", "answer", "interruptible"}}, "$defs"}`.
    `request` is a JSON Schema, and `answer` is `"document"` or `"table"`."""
    return cast(JSON, json.loads(extension.call_native("verbs")))


@cache
def catalogue(*uses: str) -> dict[str, Any]:
    """Every algorithm by kind: page, parameters, defaults. uses: files of plugins."""
    return cast(JSON, extension.ask("catalogue", {}, extension.plugins_from_files(uses)))


@cache
def schema(*uses: str) -> dict[str, Any]:
    """JSON Schema of a scenario file. uses: files of plugins."""
    return cast(JSON, extension.ask("schema", {}, extension.plugins_from_files(uses)))


@cache
def result_schema() -> dict[str, Any]:
    """JSON Schema of a result. Each measurement has its unit, meaning, better direction and more
    there (`data.measurements` reads them)."""
    return cast(JSON, extension.ask("result_schema", {}))


def request(
    source: dict[str, Any], overrides: Iterable[str] = (), **options: Any
) -> dict[str, Any]:
    """Builds the request that most functions here take. `source` is `{"path"}`,
    `{"text", "name"}` or `{"value", "name"}`; options that are None are left out."""
    given = {key: value for key, value in options.items() if value is not None}
    return {"source": source, "overrides": list(overrides), **given}


def plan(request: dict[str, Any], own: Iterable[type[Own]] = ()) -> dict[str, Any]:
    """The points of a scenario with every default resolved:
    `{"points": [...], "notes": [...], "warnings": [...]}`.

    own: plugin classes that the scenario may name, beside the catalogue and its own files of
    plugins.
    """
    return call("plan", request, own=own)


def warnings() -> list[dict[str, str]]:
    """Every kind of warning:
    `[{"code", "name", "title", "explanation", "example", "since"}]`."""
    return call("warnings", None, list[dict[str, str]])


def table(request: list[JSON]) -> _native.Table:
    """One table of the rows of several runs, each with its run's labels (such as point and seed) as
    first columns. The request is `[{"labels": {...}, "file": PATH}]` for files of records, or
    `[{"labels": {...}, "rows": [...]}]` for rows of results."""
    return cast("_native.Table", extension.ask("table", request))


def summary(file: str | Path) -> str:
    """The text of a `summary.json`, checked against the digest at its end. `ScenarioError`: there
    is no such file; `CheckFailed`: it is damaged."""
    return str(extension.call_native("summary", os.fspath(file)))


def check_file(file: str | Path) -> bool:
    """Checks a file of a result directory against its digest in `summary.json`. True: it is intact;
    False: the run did not write this file. Without a summary, or if it has no digests (earlier
    releases), True means that the file exists. `CheckFailed`: it is damaged or missing."""
    return bool(extension.call_native("check_file", os.fspath(file)))


def write_file(file: str | Path, data: bytes, new: bool = False) -> None:
    """Replaces a file, or leaves it as it was and raises `DumbbellError`. new: there must be no
    such file."""
    extension.call_native("write_file", os.fspath(file), data, new)


def import_tc(text: str) -> JSON:
    """Lines of Linux's `tc` as tables of a scenario:
    `{"queue", "conditioner", "impairment", "link", "toml", "explained"}`."""
    return call("import_tc", {"text": text})


def export_tc(
    link: JSON, dev: str = "eth0", queue_only: bool = False, shared_buffer: JSON | None = None
) -> JSON:
    """A link of a plan as lines for Linux's `tc`: `{"lines", "explained"}`. shared_buffer: the
    plan's buffer that the link's queue shares with others."""
    request = {"link": link, "dev": dev, "queue_only": queue_only, "shared_buffer": shared_buffer}
    return call("export_tc", request)


def host_cost(
    cpu: JSON | str,
    mtu: Sequence[int],
    header: int = 52,
    rate_bps: float | None = None,
    acks_per_packet: float = 0.5,
) -> JSON:
    """The CPU cost of packets of each MTU, computed without a run:
    `{"cpu": {...}, "rows": [{"mtu", "payload", "interrupts_per_packet",
    "receive_cycles_per_packet", "send_cycles_per_packet", "receive_cycles_per_bit",
    "send_cycles_per_bit", "receiver_cycles_per_bit", "sender_cycles_per_bit", "limit_bps",
    "utilization"}]}`.

    `receive_cycles_per_bit` and `send_cycles_per_bit` are for data packets only, per bit of
    payload. `receiver_cycles_per_bit` adds the ACKs that the receiver sends, and
    `sender_cycles_per_bit` the ACKs that the sender receives. `limit_bps` is the maximum payload
    rate of a receiving core, and `utilization` its busy share at `rate_bps`.

    cpu: as in a scenario, such as `"server_2021"`. header: bytes of the MTU that are not payload.
    rate_bps: payload rate of evenly spaced packets; without it, or above the limit, packets always
    wait and raise no interrupts. `ScenarioError` for an invalid argument."""
    query = {"cpu": cpu, "mtu": list(mtu), "header": header, "acks_per_packet": acks_per_packet}
    if rate_bps is not None:
        query["rate_bps"] = rate_bps
    return call("host_cost", query)


def rtl_lags(mode: str, spacings: range, p: float) -> JSON:
    """Exact conditional probability that `red_hw` drops again `spacing` clock cycles (modes `paper`
    and `dense_free`) or packets (mode `sound`) after a drop:
    `{"p", "threshold", "rows": [{"spacing", "again", "drops", "probability"}]}`.

    mode: the shift register that draws the random numbers: `paper` is a trinomial with one step a
    clock, `sound` the dense polynomial with 32 steps a packet, `dense_free` the dense polynomial
    with one step a clock. p: the drop probability, rounded to 21 bits (`threshold`); `p` in the
    result is the unconditional probability. `drops` states of the register drop, and `again` of
    them drop again; `probability` is their ratio. `ScenarioError` for an invalid argument.
    """
    query = {"mode": mode, "from": spacings.start, "to": spacings.stop - 1, "p": p}
    return call("rtl_lags", query)


def nearest(written: str, known: Iterable[str]) -> str | None:
    """The known name closest to a misspelled one, or None: at most two edits, and at most a third
    of its letters."""
    return cast("str | None", extension.ask("nearest", {"written": written, "known": list(known)}))


def examine(own: Iterable[type[Own]]) -> JSON:
    """Runs the conformance suite on plugin classes:
    `{"ok", "algorithms": [{"name", "kind", "file", "checks"}]}`."""

    def ask(work: Work[JSON]) -> JSON:
        # The suite creates thousands of instances. After Ctrl-C each creation fails, and so the
        # suite ends.
        def interruptible(cls: type[Own]) -> Callable[..., Own]:
            def create(**parameters: Any) -> Own:
                if work.stop:
                    raise KeyboardInterrupt
                return cls(**parameters)

            return create

        plugins = [
            (kind, page, interruptible(cls), hooks)
            for kind, page, cls, hooks in extension.plugins_from_classes(own)
        ]
        return cast(JSON, extension.ask("test", {}, plugins))

    return Work(ask).result(lambda: None)


def drive_link(
    request: JSON,
    arrivals: tuple[list[int], list[int], list[int], list[int], list[int]],
    own: Iterable[type[Own]] = (),
) -> _native.Table:
    """Sends packets through a single link of a scenario, with its queue, service, conditioner and
    impairments (`drive` has a queue or a congestion control only). One row for each packet.
    arrivals: columns of time [ps], bytes, ECN, flow and DSCP. See `dumbbell.drive`."""

    def drive(_: Work[_native.Table]) -> _native.Table:
        return cast(
            "_native.Table",
            extension.call_native("drive_link", extension.as_json(request), arrivals, plugins),
        )

    plugins = extension.plugins_from_classes(own)
    return Work(drive).result(lambda: None)


def worlds(scenarios: Sequence[str], agents: int, step_s: float) -> Worlds:
    """Simulations side by side that stop every `step_s` seconds, for `dumbbell.gym`. scenarios: as
    JSON; each has as many flows whose control is `agent` as `agents` says."""
    return cast("Worlds", extension.call_native("Worlds", list(scenarios), agents, step_s))


def replace(worlds: Worlds, place: int, scenario: str) -> None:
    """Puts another simulation in the place of one."""
    from . import _native

    try:
        worlds.replace(place, scenario)
    except _native.Problem as problem:
        raise extension.to_exception(problem) from None


def seen_by_agents() -> list[str]:
    """The names of the numbers that `Worlds.step` returns of an agent."""
    from . import _native

    return _native.Worlds.seen()


def need_testbed(verb: str = "doctor") -> None:
    """Raises `EnvironmentLacks` if this build of the extension lacks `verb`, one of the
    testbed's."""
    from . import _native

    if verb not in _native.VERBS:
        raise EnvironmentLacks(
            f"this build of the extension has no testbed (no `{verb}`): it was built for a system "
            "other than Linux, or from older sources\nhelp: rebuild it with `make build`, or use "
            "--on sim"
        )


def shell(request: JSON, watch: Watch | None = None) -> JSON:
    """Runs a user's program on a network of the testbed. The request is
    `{"source": {"value", "name"}, "program": [ARG], "server": [ARG] | None, "out", "on"}`.

    The scenario must have the hosts `client`, where `program` runs, and `server`, where the command
    `server` runs, if any. In their arguments, `{client}` and `{server}` are replaced by the hosts'
    addresses. The result is that of `run`, with `"program": {"exit_code", "signal"}` and the same
    for `"server"`. The call runs on the caller's thread: Ctrl-C is for the program, and
    the run ends when the program does. watch: as for `call`.

    With `"on": "linux"` the programs run in a user-mode kernel, in virtual time
    (docs/how-to/linux.md). Ctrl-C then ends the run, and nothing is written.
    """
    if request.get("on") == "linux":
        return call("shell", _with_kernel(request), watch=watch, interruptible=True)
    from .testbed import lock

    need_testbed("shell")
    with lock.alone():
        return call("shell", request, watch=watch)


def run(
    request: JSON,
    progress: Progress | None = None,
    own: Iterable[type[Own]] = (),
    watch: Watch | None = None,
) -> JSON:
    """Runs a scenario. Returns the result of its one point, or `{"points": [...]}` for a sweep.
    own: as for `plan`.

    With `"on": "linux"` the TCP is that of a user-mode kernel (docs/how-to/linux.md).

    With `"on": "kernel"` in the request it runs on the testbed (docs/how-to/testbed.md) instead of
    the simulator, after waiting for live runs of the user's other processes.

    progress, watch: as for `call`, which says what Ctrl-C does.
    """
    if request.get("on") == "kernel":
        from .testbed import lock

        need_testbed()
        with lock.alone():
            return call("run", request, own=own, progress=progress, watch=watch)
    if request.get("on") == "linux":
        request = _with_kernel(request)
    return call("run", request, own=own, progress=progress, watch=watch)


def _with_kernel(request: JSON) -> JSON:
    """A request with the user-mode kernel that it runs on. `EnvironmentLacks` if there is none."""
    from .linux import kernels

    if "kernel" in request:
        return request
    return request | {"kernel": str(kernels.needed().program)}
