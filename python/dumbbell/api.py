"""The API of the simulator and the testbed: Python values in, Python values out.

The simulator and the testbed are written in Rust (the extension `_native`). This module converts
Python values to JSON text and back, raises the extension's errors as exceptions of `errors`, and
runs long calls in a thread of their own, so that Ctrl-C can end them.

In docstrings, `{"a", "b"}` lists the keys of an object; `{"a": 1 | 2}` also gives possible values.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .errors import EnvironmentLacks, ScenarioError, of_code
from .present.progress import Progress as Progress
from .process.interrupt import Work

if TYPE_CHECKING:
    from . import _native
    from .plugins.base import Own

JSON = dict[str, Any]
"""A JSON object."""


def _to_exception(problem: _native.Problem) -> BaseException:
    """The exception that belongs to the exit code of an error of the extension."""
    code, rendered, detail = problem.args
    return of_code(code, rendered, json.loads(detail))


def _call_native(function: str, *args: Any) -> Any:
    """Calls a function of the extension. An error raises the exception of `errors` for its code."""
    from . import _native

    try:
        return getattr(_native, function)(*args)
    except _native.Problem as problem:
        raise _to_exception(problem) from None
    except UnicodeEncodeError as error:
        shown = error.object.encode("ascii", "backslashreplace").decode("ascii")
        raise ScenarioError(f"`{shown}` is not text: give names and texts in UTF-8") from None


def _call_json(function: str, *args: Any) -> JSON:
    """Calls a function of the extension and parses the JSON text that it returns."""
    return cast(JSON, json.loads(_call_native(function, *args)))


def _interruptible(function: str, *args: Any) -> JSON:
    """`_call_json` in a thread of its own. Ctrl-C ends it, even while a user's plugin loops."""
    work: Work[JSON] = Work(lambda _: _call_json(function, *args))
    return work.result(lambda: None)


@cache
def catalogue(*uses: str) -> dict[str, Any]:
    """Every algorithm by kind: page, parameters, defaults. uses: files of plugins."""
    return _call_json("catalogue", _plugins_from_files(uses))


@cache
def schema(*uses: str) -> dict[str, Any]:
    """JSON Schema of a scenario file. uses: files of plugins."""
    return _call_json("schema", _plugins_from_files(uses))


def _plugins_from_files(uses: Iterable[str]) -> list[Any]:
    """The plugins in the files `uses`, as the extension takes them."""
    from .plugins.load import described

    return [plugin for path in uses for plugin in described(path)]


def _plugins_from_classes(own: Iterable[type[Own]]) -> list[Any]:
    """The plugin classes `own` as the extension takes them, each once."""
    from .plugins.describe import describe

    return [describe(cls) for cls in dict.fromkeys(own)]


def script(text: str, name: str) -> dict[str, Any]:
    """Runs a script that tests one end of a TCP: `{"file", "ok", "failures"}`; `name` is what
    messages call it."""
    return _call_json("script", text, name)


def request(
    source: dict[str, Any], overrides: Iterable[str] = (), **options: Any
) -> dict[str, Any]:
    """Builds the request that most functions here take. `source` is `{"path"}`,
    `{"text", "name"}` or `{"value", "name"}`; options that are None are left out."""
    given = {key: value for key, value in options.items() if value is not None}
    return {"source": source, "overrides": list(overrides), **given}


def plan(request: dict[str, Any], own: Iterable[type[Own]] = ()) -> dict[str, Any]:
    """The points of a scenario with every default resolved: `{"points": [...], "notes": [...]}`.

    own: plugin classes that the scenario may name, beside the catalogue and its own files of
    plugins.
    """
    return _interruptible("plan", json.dumps(request), _plugins_from_classes(own))


def draft(request: JSON, own: Iterable[type[Own]] = ()) -> None:
    """Checks the syntax and the names of a request's scenario, which may be incomplete: a missing
    key is no error. `ScenarioError` lists all errors. own: as for `plan`."""
    _interruptible("draft", json.dumps(request), _plugins_from_classes(own))


def sharing(request: JSON) -> JSON:
    """The share of each flow's links that each other flow uses too, for the first point of a
    request: `{"name", "flows", "matrix", "links", "most_shared"}`. `matrix[a][b]` is the share of
    the links of flow `a` that flow `b` uses; it is None with more than 200 flows."""
    return _interruptible("sharing", json.dumps(request), [])


def store(request: dict[str, Any]) -> dict[str, Any]:
    """Checks, lists, repairs or cleans up (`gc`) the store in folder `dir`. The request is
    `{"do": "check" | "list" | "repair" | "gc", "dir"}`."""
    return _call_json("store", json.dumps(request))


def jobs(request: dict[str, Any]) -> dict[str, Any]:
    """The runs of a request that its store lacks, for workers:
    `{"store", "id", "results_version", "audit", "overrides", "have",
    "jobs": [{"key", "of", "plan"}]}`.
    `have` counts the results that the store has."""
    return _interruptible("jobs", json.dumps(request))


def work(order: dict[str, Any]) -> list[dict[str, Any]]:
    """Runs the jobs of a batch on this machine; one status for each run, with its row if the batch
    names no store.

    order: the batch, `{"jobs", "results_version", "store", "threads", "audit", "overrides"}`. A
    status is `{"key", "seed", "state": "done" | "failed", "fingerprint", "wall_s"}`, and `"row"`.
    """
    statuses: Any = _call_json("work", json.dumps(order))
    return list(statuses)


def keep(rows: dict[str, Any]) -> dict[str, Any]:
    """Writes rows that workers sent to a store: `{"store", "rows": [{"key", "row"}]}`."""
    return _call_json("keep", json.dumps(rows))


def table(request: list[JSON]) -> _native.Table:
    """One table of the rows of several runs, each with its run's labels (such as point and seed) as
    first columns. The request is `[{"labels": {...}, "file": PATH}]` for files of records, or
    `[{"labels": {...}, "rows": [...]}]` for rows of results."""
    return cast("_native.Table", _call_native("table", json.dumps(request)))


def summary(file: str | Path) -> str:
    """The text of a `summary.json`, checked against the digest at its end. `ScenarioError`: there
    is no such file; `CheckFailed`: it is damaged."""
    return str(_call_native("summary", os.fspath(file)))


def check_file(file: str | Path) -> bool:
    """Checks a file of a result directory against its digest in `summary.json`. True: it is intact;
    False: the run did not write this file. Without a summary, or if it has no digests (earlier
    releases), True means that the file exists. `CheckFailed`: it is damaged or missing."""
    return bool(_call_native("check_file", os.fspath(file)))


def write_file(file: str | Path, data: bytes, new: bool = False) -> None:
    """Replaces a file, or leaves it as it was and raises `DumbbellError`. new: there must be no
    such file."""
    _call_native("write_file", os.fspath(file), data, new)


def import_tc(text: str) -> JSON:
    """Lines of Linux's `tc` as tables of a scenario:
    `{"queue", "conditioner", "impairment", "link", "toml", "explained"}`."""
    return _call_json("import_tc", text)


def export_tc(link: JSON, dev: str = "eth0", queue_only: bool = False) -> JSON:
    """A link of a plan as lines for Linux's `tc`: `{"lines", "explained"}`."""
    return _call_json("export_tc", json.dumps({"link": link, "dev": dev, "queue_only": queue_only}))


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
    return _call_json("host_cost", json.dumps(query))


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
    return _call_json(
        "rtl_lags",
        json.dumps({"mode": mode, "from": spacings.start, "to": spacings.stop - 1, "p": p}),
    )


def export(request: JSON) -> JSON:
    """Writes a run's records in a format of other programs. The request is
    `{"format", "result", "out", ...}`; without `out` the export goes to standard output. The result
    counts what was written."""
    return _call_json("export", json.dumps(request))


def read_capture(file: str) -> JSON:
    """The connections or flows of a capture (pcap, pcapng) or an ns-2 trace. If the file is cut or
    damaged, `damage` says where, and the rest is what was read before."""
    return _call_json("read_capture", json.dumps({"file": file}))


def nearest(written: str, known: Iterable[str]) -> str | None:
    """The known name closest to a misspelled one, or None: at most two edits, and at most a third
    of its letters."""
    from . import _native

    return _native.nearest(written, list(known))


def examine(own: Iterable[type[Own]]) -> JSON:
    """Runs the conformance suite on plugin classes:
    `{"ok", "algorithms": [{"name", "kind", "file", "checks"}]}`."""

    def call(work: Work[JSON]) -> JSON:
        # The suite creates thousands of instances. After Ctrl-C each creation fails, and so the
        # suite ends.
        def interruptible(cls: type[Own]) -> Callable[..., Own]:
            def create(**parameters: Any) -> Own:
                if work.stop.is_set():
                    raise KeyboardInterrupt
                return cls(**parameters)

            return create

        plugins = [
            (kind, page, interruptible(cls), hooks)
            for kind, page, cls, hooks in _plugins_from_classes(own)
        ]
        return _call_json("test", plugins)

    return Work(call).result(lambda: None)


def drive(request: JSON, own: Iterable[type[Own]] = ()) -> JSON:
    """Runs one algorithm on a trace, without a network: packets through a queue, or events through
    a congestion control. See `dumbbell.strategies.drive`."""
    return _interruptible("drive", json.dumps(request), _plugins_from_classes(own))


def drive_link(
    request: JSON,
    arrivals: tuple[list[int], list[int], list[int], list[int], list[int]],
    own: Iterable[type[Own]] = (),
) -> _native.Table:
    """Sends packets through a single link of a scenario, with its queue, service, conditioner and
    impairments (`drive` has a queue or a congestion control only). One row for each packet.
    arrivals: columns of time [ps], bytes, ECN, flow and DSCP. See `dumbbell.drive`."""

    def call(_: Work[_native.Table]) -> _native.Table:
        return cast(
            "_native.Table", _call_native("drive_link", json.dumps(request), arrivals, plugins)
        )

    plugins = _plugins_from_classes(own)
    return Work(call).result(lambda: None)


def need_testbed(function: str = "doctor") -> None:
    """Raises `EnvironmentLacks` if this build of the extension lacks `function`, one of the
    testbed's."""
    from . import _native

    if not hasattr(_native, function):
        raise EnvironmentLacks(
            f"this build of the extension has no testbed (no `{function}`): built for another "
            f"system than Linux, "
            "or from sources before it\nhelp: build it anew with `make build`, or use --on sim"
        )


def doctor() -> JSON:
    """Checks what this machine can do on the testbed:
    `{"checks": [{"check", "ok", "found", "needed_for", "fix"}], "can": {...}}`. `can` maps the
    name of an ability to true or false."""
    need_testbed("doctor")
    return _call_json("doctor")


def replay(request: JSON) -> JSON:
    """Feeds the log of a live run, `{"log": FILE}`, to the simulator's ports:
    `{"packets", "mismatches", "first_mismatch", "verdict": "same" | "differs"}`."""
    need_testbed("replay")
    return _interruptible("replay", json.dumps(request))


def gigabyte(request: JSON) -> JSON:
    """Measures the processor time that two hosts of the testbed need for 10^9 bytes of payload. The
    request is `{"mtu_bytes", "condition": "plain" | "offloads" | "router", "seconds", "warmup_s",
    "idle_s"}`.

    condition: `plain` joins the hosts by a veth pair without offloads, `offloads` turns
    segmentation, GRO and checksum offload on, `router` puts the testbed's router between plain
    hosts. seconds: length of the run with its warm-up. idle_s: time for which the idle machine is
    measured before. `sum_s_per_gb` is the sum for sender, receiver, soft interrupts and router.
    Ctrl-C ends the measurement at once and removes the hosts."""
    need_testbed("gigabyte")

    def call(work: Work[JSON]) -> JSON:
        return _call_json("gigabyte", json.dumps(request), lambda: not work.stop.is_set())

    return Work(call).result(lambda: None)


def rtl_lockstep(request: JSON, progress: Callable[[float], None] | None = None) -> JSON:
    """Runs RED's RTL and its model in lockstep on random packets. The request is
    `{"packets", "seed", "modes", "dut", "include", "coverage", "patience", "threads"}`, all
    optional. Ctrl-C ends it at once.

    dut: SystemVerilog files with a module `red_core` to test instead of Dumbbell's. include: their
    include directories. patience: clock cycles without an answer after which the core counts as
    hung. coverage: directory for coverage files. threads: 0 is one for each processor. progress:
    called with the fraction done."""
    done = 0.0

    def call(work: Work[JSON]) -> JSON:
        def report(fraction: float) -> bool:
            nonlocal done
            done = fraction
            return not work.stop.is_set()

        return _call_json("rtl_lockstep", json.dumps(request), report)

    return Work(call).result(lambda: progress(done) if progress else None)


def rtl_vectors(request: JSON) -> JSON:
    """Writes input packets for RED's RTL and the expected decisions as hex files. The request is
    `{"dir", "packets", "seed", "mode"}`."""
    return _call_json("rtl_vectors", json.dumps(request))


def enclose(argv: list[str]) -> int:
    """Runs a command in a user namespace, in which it can create the testbed's network namespaces
    without root. Returns the command's exit code."""
    need_testbed("enclose")
    return cast(int, _call_json("enclose", json.dumps(argv)))


def shell(request: JSON) -> JSON:
    """Runs a user's program on a network of the testbed. The request is
    `{"source": {"value", "name"}, "program": [ARG], "server": [ARG] | None, "out"}`.

    The scenario must have the hosts `client`, where `program` runs, and `server`, where the command
    `server` runs, if any. In their arguments, `{client}` and `{server}` are replaced by the hosts'
    addresses. The result is that of `run`, with `"program": {"exit_code", "signal"}` and the same
    for `"server"`. The call runs on the caller's thread: Ctrl-C is for the program, and
    the run ends when the program does.
    """
    from .testbed import lock

    need_testbed("shell")
    with lock.alone():
        return _call_json("shell", json.dumps(request))


def run(request: JSON, progress: Progress | None = None, own: Iterable[type[Own]] = ()) -> JSON:
    """Runs a scenario. Returns the result of its one point, or `{"points": [...]}` for a sweep.
    own: as for `plan`.

    With `"on": "kernel"` in the request it runs on the testbed (docs/testbed.md) instead of the
    simulator, after waiting for live runs of the user's other processes.

    The simulator runs in a thread of its own. On Ctrl-C it stops within a fraction of a second,
    leaves no half-written file, and `KeyboardInterrupt` is raised here. `progress` is called on the
    caller's thread ten times a second; an exception that it raises stops the run in the same way.
    """
    if request.get("on") == "kernel":
        from .testbed import lock

        need_testbed()
        with lock.alone():
            return _run(request, progress, own)
    return _run(request, progress, own)


def _run(request: JSON, progress: Progress | None, own: Iterable[type[Own]]) -> JSON:
    plugins = _plugins_from_classes(own)
    shown = (0, 0, 0.0)
    latest = [shown]

    def call(work: Work[JSON]) -> JSON:
        def report(finished: int, runs: int, fraction: float) -> bool:
            latest[0] = (finished, runs, fraction)
            return not work.stop.is_set()

        return _call_json("run", json.dumps(request), report, plugins)

    def forward() -> None:
        nonlocal shown
        if progress is not None and latest[0] != shown:
            shown = latest[0]
            progress(*shown)

    return Work(call).result(forward)
