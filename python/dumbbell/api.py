"""The API of the simulator and the testbed: Python values in, Python values out.

Everything that knows congestion control lives behind it, in Rust; this module turns JSON text into
objects and refusals into exceptions, and keeps Ctrl-C working while the simulator has the machine.
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
"""A document of the API."""


def _refused(problem: _native.Problem) -> BaseException:
    code, rendered, detail = problem.args
    return of_code(code, rendered, json.loads(detail))


def _ask(function: str, *args: Any) -> Any:
    """Calls a function of the extension. Its refusals are exceptions of `errors`."""
    from . import _native

    try:
        return getattr(_native, function)(*args)
    except _native.Problem as problem:
        raise _refused(problem) from None
    except UnicodeEncodeError as error:
        shown = error.object.encode("ascii", "backslashreplace").decode("ascii")
        raise ScenarioError(f"`{shown}` is not text: give names and texts in UTF-8") from None


def _call(function: str, *args: Any) -> JSON:
    return cast(JSON, json.loads(_ask(function, *args)))


def _interruptible(function: str, *args: Any) -> JSON:
    """A call that may run code of the user: Ctrl-C ends it, whatever that code does."""
    work: Work[JSON] = Work(lambda _: _call(function, *args))
    return work.result(lambda: None)


@cache
def catalogue(*uses: str) -> dict[str, Any]:
    """Every algorithm by kind: page, parameters, defaults. uses: files with algorithms of the
    user's own."""
    return _call("catalogue", _brought(uses))


@cache
def schema(*uses: str) -> dict[str, Any]:
    """JSON Schema of a scenario file. uses: files with algorithms of the user's own."""
    return _call("schema", _brought(uses))


def _brought(uses: Iterable[str]) -> list[Any]:
    from .plugins.load import described

    return [one for path in uses for one in described(path)]


def _described(own: Iterable[type[Own]]) -> list[Any]:
    from .plugins.describe import describe

    return [describe(cls) for cls in dict.fromkeys(own)]


def script(text: str, name: str) -> dict[str, Any]:
    """Runs a script that tests one end of a TCP: `{"file", "ok", "failures"}`; `name` is what
    messages call it."""
    return _call("script", text, name)


def request(
    source: dict[str, Any], overrides: Iterable[str] = (), **options: Any
) -> dict[str, Any]:
    """A request as the extension reads it. `source` is `{"path"}`, `{"text", "name"}` or
    `{"value", "name"}`; options that are None are left out."""
    given = {key: value for key, value in options.items() if value is not None}
    return {"source": source, "overrides": list(overrides), **given}


def plan(wanted: dict[str, Any], own: Iterable[type[Own]] = ()) -> dict[str, Any]:
    """The points of a scenario with every default resolved: `{"points": [...], "notes": [...]}`.

    own: classes of algorithms that it names, beside the catalogue and the files that it uses.
    """
    return _interruptible("plan", json.dumps(wanted), _described(own))


def draft(wanted: JSON, own: Iterable[type[Own]] = ()) -> None:
    """Checks the syntax and the names of a request's scenario, in which keys may still be
    missing."""
    _interruptible("draft", json.dumps(wanted), _described(own))


def sharing(wanted: JSON) -> JSON:
    """The part of each flow's path that other flows share, for the first point of a request."""
    return _interruptible("sharing", json.dumps(wanted), [])


def store(wanted: dict[str, Any]) -> dict[str, Any]:
    """Looks after a store: `{"do": "check" | "list" | "repair" | "gc", "dir"}`."""
    return _call("store", json.dumps(wanted))


def jobs(wanted: dict[str, Any]) -> dict[str, Any]:
    """The runs of a request that its store has not, each with all that a worker needs."""
    return _interruptible("jobs", json.dumps(wanted))


def work(order: dict[str, Any]) -> list[dict[str, Any]]:
    """Makes the runs of an order on this machine: a line for each, and its row where there is no
    store."""
    done: Any = _call("work", json.dumps(order))
    return list(done)


def keep(rows: dict[str, Any]) -> dict[str, Any]:
    """Keeps rows that workers sent: `{"store", "rows"}`."""
    return _call("keep", json.dumps(rows))


def table(wanted: list[JSON]) -> _native.Table:
    """One table of several runs: `[{"labels": {...}, "file": PATH}]` for records, with `"rows"` for
    a result's rows."""
    return cast("_native.Table", _ask("table", json.dumps(wanted)))


def summary(file: str | Path) -> str:
    """The text of a `summary.json`. `ScenarioError`: there is none; `CheckFailed`: it is
    damaged."""
    return str(_ask("summary", os.fspath(file)))


def check_file(file: str | Path) -> bool:
    """Compares a file of a result directory with its digest; False if it was not written. Without
    digests (results of earlier releases) the file is only looked for. `CheckFailed`: it is damaged
    or missing."""
    return bool(_ask("check_file", os.fspath(file)))


def write_file(file: str | Path, data: bytes, new: bool = False) -> None:
    """Replaces a file, or leaves it as it was and raises `DumbbellError`. new: there must be no
    such file."""
    _ask("write_file", os.fspath(file), data, new)


def import_tc(text: str) -> JSON:
    """Lines of Linux's `tc` as tables of a scenario:
    `{"queue", "conditioner", "impairment", "link", "toml", "explained"}`."""
    return _call("import_tc", text)


def export_tc(link: JSON, dev: str = "eth0", queue_only: bool = False) -> JSON:
    """A link of a plan as lines for Linux's `tc`: `{"lines", "explained"}`."""
    return _call("export_tc", json.dumps({"link": link, "dev": dev, "queue_only": queue_only}))


def host_cost(
    cpu: JSON | str,
    mtu: Sequence[int],
    header: int = 52,
    rate_bps: float | None = None,
    acks_per_packet: float = 0.5,
) -> JSON:
    """The cost of packets of each MTU to a host, without a run:
    `{"cpu": {...}, "rows": [{"mtu", "payload", "receive_cycles_per_bit", "send_cycles_per_bit",
    "receiver_cycles_per_bit", "sender_cycles_per_bit", "limit_bps", "utilization", ...}]}`.

    cpu: as a scenario writes it, such as `"server_2021"`. header: bytes of the MTU that are no
    payload. rate_bps: payload that comes evenly; without it packets always wait. `ScenarioError`
    for what is wrong with them."""
    asked = {"cpu": cpu, "mtu": list(mtu), "header": header, "acks_per_packet": acks_per_packet}
    if rate_bps is not None:
        asked["rate_bps"] = rate_bps
    return _call("host_cost", json.dumps(asked))


def rtl_lags(mode: str, spacings: range, p: float) -> JSON:
    """The probability that `red_hw` drops a packet that is so many clocks (`paper`, `dense_free`)
    or packets (`sound`) after one that it dropped, exactly:
    `{"p", "threshold", "rows": [{"spacing", "again", "drops", "probability"}]}`.

    p: the probability of a drop, which the answer has as 21 bits make it. `ScenarioError` for what
    is wrong.
    """
    return _call(
        "rtl_lags",
        json.dumps({"mode": mode, "from": spacings.start, "to": spacings.stop - 1, "p": p}),
    )


def export(wanted: JSON) -> JSON:
    """Writes a run's records in a format of other programs: `{"format", "result", "out", ...}`;
    says what was written. Without `out` it goes to standard output."""
    return _call("export", json.dumps(wanted))


def read_capture(file: str) -> JSON:
    """The contents of a capture or a trace; `damage` says where it stops making sense, if it
    does."""
    return _call("read_capture", json.dumps({"file": file}))


def nearest(written: str, known: Iterable[str]) -> str | None:
    """The known name that a word was probably meant to be: within two edits and a third of its
    letters."""
    from . import _native

    return _native.nearest(written, list(known))


def examine(own: Iterable[type[Own]]) -> JSON:
    """The conformance suite, applied to classes of the user's own:
    `{"ok", "algorithms": [...]}`."""

    def call(work: Work[JSON]) -> JSON:
        # The suite makes instances by the thousand; after an interrupt none is made, and so it
        # ends.
        def made(cls: type[Own]) -> Callable[..., Own]:
            def make(**parameters: Any) -> Own:
                if work.stop.is_set():
                    raise KeyboardInterrupt
                return cls(**parameters)

            return make

        return _call(
            "test", [(kind, page, made(cls), hooks) for kind, page, cls, hooks in _described(own)]
        )

    return Work(call).result(lambda: None)


def drive(wanted: JSON, own: Iterable[type[Own]] = ()) -> JSON:
    """One algorithm under a trace, without a network: see `dumbbell.strategies.drive`."""
    return _interruptible("drive", json.dumps(wanted), _described(own))


def drive_link(
    wanted: JSON,
    arrivals: tuple[list[int], list[int], list[int], list[int], list[int]],
    own: Iterable[type[Own]] = (),
) -> _native.Table:
    """Packets, in columns (time in ps, bytes, ECN, flow, DSCP), through one link by itself: see
    `dumbbell.drive`."""

    def call(_: Work[_native.Table]) -> _native.Table:
        return cast("_native.Table", _ask("drive_link", json.dumps(wanted), arrivals, described))

    described = _described(own)
    return Work(call).result(lambda: None)


def need_testbed(function: str = "doctor") -> None:
    """`EnvironmentLacks` if this build of the extension has no testbed."""
    from . import _native

    if not hasattr(_native, function):
        raise EnvironmentLacks(
            f"this build of the extension has no testbed (no `{function}`): built for another "
            f"system than Linux, "
            "or from sources before it\nhelp: build it anew with `make build`, or use --on sim"
        )


def doctor() -> JSON:
    """The abilities of this machine for the testbed:
    `{"checks": [{"check", "ok", "found", "needed_for", "fix"}], "can": {...}}`."""
    need_testbed("doctor")
    return _call("doctor")


def replay(wanted: JSON) -> JSON:
    """Feeds the log of a live run, `{"log": FILE}`, to the simulator's ports:
    `{"packets", "mismatches", "first_mismatch", "verdict": "same" | "differs"}`."""
    need_testbed("replay")
    return _interruptible("replay", json.dumps(wanted))


def gigabyte(wanted: JSON) -> JSON:
    """The cost of a gigabyte to two real hosts:
    `{"mtu_bytes", "condition": "plain" | "offloads" | "router", "seconds", "warmup_s", "idle_s"}`;
    `sum_s_per_gb` and its parts are seconds of processors for 10^9 bytes that arrived. Ctrl-C ends
    it at once, and nothing is left."""
    need_testbed("gigabyte")

    def call(work: Work[JSON]) -> JSON:
        return _call("gigabyte", json.dumps(wanted), lambda: not work.stop.is_set())

    return Work(call).result(lambda: None)


def rtl_lockstep(wanted: JSON, progress: Callable[[float], None] | None = None) -> JSON:
    """RED's RTL beside its model:
    `{"packets", "seed", "modes", "dut", "include", "coverage", "patience", "threads"}`, all
    optional. Ctrl-C ends it at once."""
    done = 0.0

    def call(work: Work[JSON]) -> JSON:
        def heard(share: float) -> bool:
            nonlocal done
            done = share
            return not work.stop.is_set()

        return _call("rtl_lockstep", json.dumps(wanted), heard)

    return Work(call).result(lambda: progress(done) if progress else None)


def rtl_vectors(wanted: JSON) -> JSON:
    """Writes stimulus and expectation of RED's RTL: `{"dir", "packets", "seed", "mode"}`."""
    return _call("rtl_vectors", json.dumps(wanted))


def enclose(argv: list[str]) -> int:
    """Runs a command in a user namespace, where it may make hosts without being root: its exit
    code."""
    need_testbed("enclose")
    return cast(int, _call("enclose", json.dumps(argv)))


def shell(wanted: JSON) -> JSON:
    """Runs a program on a network:
    `{"source": {"value", "name"}, "program": [WORD], "server": [WORD] | None, "out"}`.

    The scenario has the hosts `client`, where the program runs, and `server`; the words `{client}`
    and `{server}` stand for their addresses. The result is a run's, with
    `"program": {"exit_code", "signal"}`, and `"server"` alike. It works on the caller's thread: the
    terminal's signals are the program's business.
    """
    from .testbed import lock

    need_testbed("shell")
    with lock.alone():
        return _call("shell", json.dumps(wanted))


def run(wanted: JSON, progress: Progress | None = None, own: Iterable[type[Own]] = ()) -> JSON:
    """Runs a scenario: the result of its one point, or `{"points": [...]}` of a sweep. own: as for
    `plan`.

    `"on": "kernel"` in the request runs it on the testbed (docs/testbed.md) instead of the
    simulator, after live runs of other processes of this machine have ended.

    The simulator works in a thread of its own, so that Ctrl-C is heard at once: the run is then
    told to stop, which it does within a fraction of a second and without a half-written file, and
    `KeyboardInterrupt` goes on to the caller. So does what `progress` raises; it is called on the
    caller's thread, ten times a second.
    """
    if wanted.get("on") == "kernel":
        from .testbed import lock

        need_testbed()
        with lock.alone():
            return _run(wanted, progress, own)
    return _run(wanted, progress, own)


def _run(wanted: JSON, progress: Progress | None, own: Iterable[type[Own]]) -> JSON:
    described = _described(own)
    told = (0, 0, 0.0)
    heard = [told]

    def call(work: Work[JSON]) -> JSON:
        def report(finished: int, runs: int, fraction: float) -> bool:
            heard[0] = (finished, runs, fraction)
            return not work.stop.is_set()

        return _call("run", json.dumps(wanted), report, described)

    def listen() -> None:
        nonlocal told
        if progress is not None and heard[0] != told:
            told = heard[0]
            progress(*told)

    return Work(call).result(listen)
