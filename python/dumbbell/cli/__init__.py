"""The command line. Each command lives in a module of its own, imported when it is asked for.

The first page, the version and `check FILE` need no parser and no terminal library, so they appear
at once.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO, TypeVar, cast

from ..errors import DumbbellError, ScenarioError
from ..process import interrupt, user_stdout
from . import encoding

if TYPE_CHECKING:
    from cyclopts import App

T = TypeVar("T")

_COMMANDS = (
    (
        "demo",
        "runs.demo:demo",
        "See the same link through two queues, on one page. Start here.",
    ),
    ("run", "runs.run:run", "Run a scenario file."),
    (
        "shell",
        "runs.shell:shell",
        "Run any program on an emulated network, and report what happened to its packets.",
    ),
    (
        "replay",
        "runs.replay:replay",
        "Replay a live run's log and verify every queue decision.",
    ),
    ("check", "runs.run:check", "Check a scenario file; write nothing."),
    ("sharing", "runs.sharing:sharing", "Show how much of each flow's path is shared with others."),
    ("show", "runs.show:show", "Draw a scenario's network, its flows and their round-trip times."),
    (
        "sweep",
        "runs.sweep:sweep",
        "Run a scenario over combinations of values; print a table of the points.",
    ),
    ("store", "runs.store:store", "Manage a store of finished runs: check, list, repair, gc."),
    ("script", "runs.script:script", "Run scripts that test TCP step by step."),
    (
        "list",
        "algorithms.catalogue:list_",
        "List every algorithm by kind, the papers, and the scenarios that ship.",
    ),
    (
        "explain",
        "algorithms.catalogue:explain",
        "Describe an algorithm, `tcp`, a profile of it, a scenario key, or a warning.",
    ),
    ("import-tc", "algorithms.tc:import_tc", "Read a line of Linux's tc as tables of a scenario."),
    ("export-tc", "algorithms.tc:export_tc", "Write a link of a scenario as lines for Linux's tc."),
    (
        "schema",
        "algorithms.catalogue:schema",
        "Print the JSON Schema of scenario files or results.",
    ),
    (
        "why",
        "results.why:why",
        "Explain what happened to a flow at a given time, and why.",
    ),
    (
        "diff",
        "results.diff:diff",
        "Show the first packet on which two runs diverge, and what each decided.",
    ),
    (
        "view",
        "results.view:view",
        "Show results on one page in the browser, on one time axis.",
    ),
    ("plot", "results.plot:plot", "Draw a result directory again, or an algorithm's curve."),
    (
        "export",
        "results.export:export",
        "Write a result as CSV, pcapng, pcap, Perfetto, qlog, ns-2, Mahimahi or flent data.",
    ),
    ("read", "results.export:read", "Summarize a capture (pcapng, pcap) or a trace of ns-2."),
    (
        "test",
        "algorithms.test:test",
        "Run the conformance suite on your algorithms.",
    ),
    ("new", "algorithms.new:new", "Write a first scenario, or scaffold a new algorithm."),
    (
        "compare",
        "studies.compare:compare",
        "Compare queues on one page; or Dumbbell with real kernels, ns-2 or ns-3.",
    ),
    (
        "table",
        "studies.table:app",
        "Compare congestion controls: RTT fairness, friendliness, coexistence, loss tolerance.",
    ),
    (
        "advise",
        "studies.advise:app",
        "Recommend settings by simulation: `advise queue`, `marker`, `mtu`.",
    ),
    (
        "attack",
        "studies.attack:app",
        "Search for conditions that hurt a congestion control, and shrink them.",
    ),
    (
        "validate",
        "studies.validate:validate",
        "Check the simulator against known laws.",
    ),
    (
        "conform",
        "studies.conform:app",
        "Judge an algorithm by the criteria of RFC 9743, RFC 7928 and drafts.",
    ),
    (
        "reproduce",
        "studies.reproduce:reproduce",
        "Reproduce a paper: a verdict on each number and claim.",
    ),
    (
        "classroom",
        "classroom:app",
        "Exercises for a course, and the check of their answers.",
    ),
    ("linux", "linux:app", "Build the kernel that `--on linux` runs."),
    ("rtl", "rtl:app", "RED in hardware: check, synthesize and draw it; test your own core."),
    (
        "bench",
        "studies.bench:bench",
        "Measure what a simulated packet costs: time, memory, instructions.",
    ),
    (
        "completion",
        "completion:completion",
        "Print the script that completes commands in bash, zsh or fish.",
    ),
    ("man", "man:man", "Print the manual page: `dumbbell man | man -l -`."),
    (
        "doctor",
        "doctor:doctor",
        "Check what this machine supports, and how to install what is missing.",
    ),
)

OPTIONS = {
    "--wide": "Show every column of a table, however wide it is.",
    "--quiet": "Print results and errors only: no notes, no progress (-q).",
}
"""The options of every command, which `output.taken` reads."""
EXIT_CODES = (
    "Exit codes: 0 ok, 1 failure, 2 usage or scenario error, 3 a check failed, 4 this machine "
    "lacks something,\n"
    "5 the run is not valid, 130 interrupted."
)


_STDERR = 2
_ONE_END_S = 0.05
"""Signals within this time are one request to end."""


def first_page() -> str:
    """What `dumbbell --help` prints."""
    commands = "\n".join(f"  {name:<10} {text}" for name, _, text in _COMMANDS)
    options = "\n".join(f"  {name:<10} {text}" for name, text in OPTIONS.items())
    return (
        "Dumbbell, a laboratory for congestion control.\n\n"
        "Usage: dumbbell COMMAND [OPTIONS]\n\n"
        f"Commands:\n{commands}\n\n"
        f"Options of every command:\n{options}\n\n"
        "`dumbbell help COMMAND` describes a command; `dumbbell --version` prints the version.\n"
        f"{EXIT_CODES}"
    )


def app() -> App:
    """The command line's grammar."""
    from cyclopts import App

    from .. import __version__
    from .usage_errors import DEFAULTS

    grammar = App(
        name="dumbbell",
        help="A laboratory for congestion control.",
        version=__version__,
        default_parameter=DEFAULTS,
        exit_on_error=False,
        suppress_keyboard_interrupt=False,
        print_error=False,
        result_action="return_value",
        help_epilogue="Every command also takes "
        + " and ".join(f"{name} ({text.rstrip('.').lower()})" for name, text in OPTIONS.items())
        + ".",
    )
    for name, target, _ in _COMMANDS:
        grammar.command(f"dumbbell.cli.{target}", name=name)
    return grammar


def main(arguments: list[str] | None = None) -> None:
    """Runs a command and exits: 0 ok, 1 failure, 2 usage or scenario, 3 a check failed, 4 the
    environment lacks something, 5 the run is not valid, 130 interrupted."""
    words = sys.argv[1:] if arguments is None else arguments
    if sys.stderr is None:  # As after `2>&-`. Else the next file that is opened takes its place.
        _discard(_STDERR)
        sys.stderr = os.fdopen(_STDERR, "w", errors="backslashreplace", closefd=False)
    if sys.stdout is None:  # As after `>&-`.
        print("cannot write to standard output: it is closed", file=sys.stderr)
        sys.exit(DumbbellError.code)
    encoding.prepare()
    stdout, stderr, code = sys.stdout, sys.stderr, 0
    sys.stdout, sys.stderr = cast(TextIO, _Stdout(stdout)), cast(TextIO, _Stderr(stderr))
    try:
        code = _answered(words)
        sys.stdout.flush()
    except _NoOutput as lost:
        _discard(stdout.fileno())
        code = DumbbellError.code
        print(f"cannot write to standard output: {lost}", file=sys.stderr)
    except BrokenPipeError:
        _discard(stdout.fileno())
    finally:
        sys.stdout, sys.stderr = stdout, stderr
    if code == 130 and interrupt.still_works():
        sys.stderr.flush()
        user_stdout.leave(
            code
        )  # Code of a user that nothing ends, in C: the interpreter cannot be taken down around it.
    sys.exit(code)


def _answered(words: list[str]) -> int:
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if words[:1] == ["-V"]:
        words = ["--version", *words[1:]]
    if not words or words in (["--help"], ["-h"]):
        print(first_page())
        return 0
    if words == ["--version"]:
        from .. import __version__

        print(__version__)
        return 0
    signal.signal(signal.SIGTERM, _end())  # A batch system's end is an interrupt, too.
    user_stdout.to_stderr()
    return _code(words)


def _end() -> Callable[[int, FrameType | None], None]:
    """A handler of SIGTERM that interrupts. `timeout` sends the signal twice in succession, which
    is one interrupt."""
    heard = -_ONE_END_S

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal heard
        now = time.monotonic()
        before, heard = heard, now
        if now - before >= _ONE_END_S:
            signal.default_int_handler(number, frame)

    return interrupt


class _NoOutput(Exception):
    """What was printed could not be written."""


class _Stdout:
    """Standard output whose failures can be told from those of other files."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """As `TextIO.write`."""
        return _written(lambda: self._file.write(text))

    def flush(self) -> None:
        """As `TextIO.flush`."""
        _written(self._file.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _Stderr:
    """Standard error, whose failures change neither what a command does nor its exit code: there is
    nowhere to tell them."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """As `TextIO.write`."""
        self._or_discard(lambda: self._file.write(text))
        return len(text)

    def flush(self) -> None:
        """As `TextIO.flush`."""
        self._or_discard(self._file.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def _or_discard(self, write: Callable[[], object]) -> None:
        try:
            write()
        except OSError:
            _discard(self._file.fileno())


def _discard(descriptor: int) -> None:
    """What is written there is lost from now on. Else Python tries again when it ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    if null != descriptor:
        os.dup2(null, descriptor)
        os.close(null)


def _written(write: Callable[[], T]) -> T:
    try:
        return write()
    except BrokenPipeError:  # A reader that has seen enough is no error.
        raise
    except OSError as error:
        raise _NoOutput(error.strerror or str(error)) from None


def _code(words: list[str]) -> int:
    try:
        encoding.need_text(words)
        return _interruptible(words)
    except DumbbellError as error:
        return _refuse(words, error.code, error.rendered, error.detail)
    except KeyboardInterrupt as stop:
        user_stdout.back()  # Code of a user that nothing ends may still print.
        return _refuse(words, 130, str(stop) or "interrupted", {})
    except BrokenPipeError:
        return 0
    except UnicodeDecodeError as error:
        return _refuse(
            words,
            ScenarioError.code,
            f"the input is not UTF-8: {error.reason} at byte {error.start}",
            {},
        )
    except (
        OSError
    ) as error:  # A folder that cannot be made, a disk without room for temporary files.
        code = ScenarioError.code if error.errno == errno.ENAMETOOLONG else DumbbellError.code
        return _refuse(words, code, _of_file(error), {})


def _interruptible(words: list[str]) -> int:
    try:
        return _done(words)
    except (OSError, RuntimeError) as error:
        stop = interrupt.of(error)
        if stop is None:
            raise
        raise stop from None


def _done(words: list[str]) -> int:
    from . import output

    own = output.taken(words)
    if own[:1] == ["check"]:
        from . import checking

        code = checking.plain(own)
        if code is not None:
            return code
    from cyclopts import CycloptsError

    from .usage_errors import sentence, with_values

    try:
        return app()(with_values(own)) or 0
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # The terminal library's way to end.
            raise end.__context__ from None
        raise
    except CycloptsError as error:
        message = sentence(error, [name for name, _, _ in _COMMANDS])
        return _refuse(words, 2, f"{message}\nTry `dumbbell {_command(words)}--help`.", {})


def _of_file(error: OSError) -> str:
    name = error.filename if isinstance(error.filename, str) else "a file"
    return f"{name} cannot be used: {error.strerror or error}"


def _command(words: list[str]) -> str:
    known = [name for name, _, _ in _COMMANDS]
    return f"{words[0]} " if words and words[0] in known else ""


def _refuse(words: list[str], code: int, text: str, detail: dict[str, Any]) -> int:
    from ..present.messages import flowed, narrow, wrapped
    from .output import message_columns, sentence_columns

    text = narrow(text)
    shown = wrapped(text.rstrip("\n"), message_columns())
    print(flowed(shown, sentence_columns()), file=sys.stderr)
    if "--json" in words:
        print(json.dumps({"error": {"code": code, "text": text, **detail}}))
    return code
