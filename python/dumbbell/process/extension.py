"""Calls of the extension `_native`: requests and answers as JSON text, its errors as exceptions of
`errors`, and what Ctrl-C can end in a thread of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, get_origin, overload

from ..errors import ScenarioError, of_code
from ..present.progress import Progress
from .interrupt import Work

if TYPE_CHECKING:
    from .. import _native
    from ..plugins.base import Own

JSON = dict[str, Any]
"""A JSON object."""
T = TypeVar("T")
Watch = Callable[[str], object]
"""Called a few times a second with what is new of runs that the request watches (its `watch`), as
JSON: rows of series (`{"tables", "blobs"}`, as `pack` answers them) and results of runs that ended
(`"ended": [{"point" (from 0), "overrides", "seed", "run"}]`)."""


def to_exception(problem: _native.Problem) -> BaseException:
    """The exception that belongs to the exit code of an error of the extension."""
    code, rendered, detail = problem.args
    return of_code(code, rendered, json.loads(detail))


def call_native(function: str, *args: Any) -> Any:
    """Calls a function of the extension. An error raises the exception of `errors` for its code."""
    from .. import _native

    try:
        return getattr(_native, function)(*args)
    except _native.Problem as problem:
        raise to_exception(problem) from None
    except UnicodeEncodeError as error:
        shown = error.object.encode("ascii", "backslashreplace").decode("ascii")
        raise ScenarioError(f"`{shown}` is not text: give names and texts in UTF-8") from None


def as_json(request: object) -> str:
    """A request as JSON."""
    try:
        return json.dumps(request)
    except TypeError as error:
        raise ScenarioError(
            f"the request has a value that no scenario has: {error}\n"
            "help: write texts, numbers, truth values, lists and tables"
        ) from None


def ask(
    verb: str,
    request: object,
    plugins: Sequence[Any] = (),
    report: Callable[[int, int, float], bool] | None = None,
    watch: Watch | None = None,
) -> Any:
    """The answer of a verb: Python values, or a table. report: asked whether to go on, with the
    runs that are finished, all runs, and the fraction done. watch: as for `call`."""
    answer = call_native("call", verb, as_json(request), plugins, report, watch)
    return json.loads(answer) if isinstance(answer, str) else answer


def _listen(
    verb: str,
    request: object,
    plugins: Sequence[Any],
    progress: Progress | None,
    watch: Watch | None,
) -> Any:
    """`ask` in a thread of its own. Ctrl-C ends it, even while a user's plugin loops."""
    from .. import _native

    shown = (0, 0, 0.0)
    latest = [shown]

    def asked(work: Work[Any]) -> Any:
        def report(finished: int, runs: int, fraction: float) -> bool:
            latest[0] = (finished, runs, fraction)
            return not work.stop

        return ask(verb, request, plugins, report, watch)

    def forward() -> None:
        nonlocal shown
        if progress is not None and latest[0] != shown:
            shown = latest[0]
            progress(*shown)

    user_code = _native.VERBS[verb]  # Of others the only code of a user's is a program.
    answer = Work(asked, user_code).result(forward)
    forward()
    return answer


@overload
def call(
    verb: str,
    request: object = ...,
    *,
    own: Iterable[type[Own]] = ...,
    progress: Progress | None = ...,
    watch: Watch | None = ...,
    interruptible: bool = ...,
) -> JSON: ...


@overload
def call(
    verb: str,
    request: object,
    answer: type[T],
    *,
    own: Iterable[type[Own]] = ...,
    progress: Progress | None = ...,
    watch: Watch | None = ...,
    interruptible: bool = ...,
) -> T: ...


def call(
    verb: str,
    request: object = None,
    answer: Any = dict,
    *,
    own: Iterable[type[Own]] = (),
    progress: Progress | None = None,
    watch: Watch | None = None,
    interruptible: bool = False,
) -> Any:
    """Calls a verb of the extension with a request. `verbs` describes both.

    answer: the type of the answer, a JSON object without it. own: plugin classes that the request
    may name. progress: called on the caller's thread, at most ten times a second, with the runs
    that are finished, all runs, and the fraction done. watch: called, on the thread of the call,
    with what is new of the runs that the request watches; what it raises does not end them.

    If the verb is `interruptible`, or the caller says so, it runs in a thread of its own. On Ctrl-C
    it stops within a fraction of a second, leaves no half-written file, and `KeyboardInterrupt` is
    raised here; an exception that `progress` raises stops it in the same way. Other verbs run on
    the caller's thread.
    """
    from .. import _native

    plugins = plugins_from_classes(own)
    request = {} if request is None else request
    if interruptible or _native.VERBS.get(verb):
        found = _listen(verb, request, plugins, progress, watch)
    else:
        found = ask(verb, request, plugins, None, watch)
    if not isinstance(found, get_origin(answer) or answer):
        raise TypeError(f"`{verb}` returns {type(found).__name__}, not {answer}")
    return found


def plugins_from_files(uses: Iterable[str]) -> list[Any]:
    """The plugins in the files `uses`, as the extension takes them."""
    from ..plugins.load import described

    return [plugin for path in uses for plugin in described(path)]


def plugins_from_classes(own: Iterable[type[Own]]) -> list[Any]:
    """The plugin classes `own` as the extension takes them, each once."""
    classes = list(dict.fromkeys(own))
    if not classes:
        return []
    from ..plugins.describe import describe

    return [describe(cls) for cls in classes]
