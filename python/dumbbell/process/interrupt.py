"""Calls that Ctrl-C ends: the simulator works in a thread of its own, and the caller's thread
listens.

An algorithm of the user's own may decide for ever. Nothing but an exception ends Python code, so
after a while every thread that runs such code is handed a KeyboardInterrupt, again and again until
the call is over.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Generic, TypeVar

from .user_stdout import aside

T = TypeVar("T")

_GRACE_S = 0.5
"""Time that the simulator has to stop by itself."""
_PERIOD_S = 0.05
_PATIENCE = 3
"""The number of interrupts that end the wait, even if the simulator still works."""


class Work(Generic[T]):
    """One call, and whether it shall stop. user_code: code of a user's may run in it, whose output
    is not the command's."""

    def __init__(self, call: Callable[[Work[T]], T], user_code: bool = True) -> None:
        self.stop = False
        self._ended = False
        # A lock of C, and no event: two interrupts in succession break an event's own lock.
        self._running = threading.Lock()
        self._running.acquire()
        self._outcome: list[T | BaseException] = []
        self._call = call
        self._output: Callable[[], AbstractContextManager[None]] = (
            aside if user_code else nullcontext
        )
        self._thread: int | None = None

    def result(self, listen: Callable[[], None]) -> T:
        """The answer of the call. `listen` is called ten times a second; what it raises ends the
        call and is raised."""
        try:
            # In here: from its first moment on, an interrupt must wait for it to tidy up.
            # No Thread: an interrupt of its start may raise a RuntimeError, or be lost in a
            # callback, and one of its join takes it for ended in Python 3.11.
            _thread.start_new_thread(self._work, ())
            over = False
            while not over:
                over = self._over(0.1)
                listen()
        except BaseException as ending:
            try:
                self._halt()
            except KeyboardInterrupt:  # Between the lines that expect one.
                self._halt()
            outcome = self._outcome[0] if self._outcome else None
            if (
                isinstance(ending, KeyboardInterrupt)
                and isinstance(outcome, KeyboardInterrupt)
                and outcome.args
            ):
                raise outcome from None  # It says what was kept.
            raise
        answer = self._outcome[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _work(self) -> None:
        self._thread = threading.get_ident()
        # In this order: whoever stops it before its first moment does not wait for it.
        if self.stop:
            return
        _working.add(self)
        try:
            with self._output():
                self._outcome.append(self._call(self))
        except BaseException as error:
            self._outcome.append(error)
        finally:
            _working.discard(self)
            self._ended = True
            self._running.release()

    def _over(self, wait_s: float) -> bool:
        self._running.acquire(timeout=wait_s)
        # An exception that ends user code may come so late that it hits the last lines above.
        return self._ended or self._is_gone()

    def _is_gone(self) -> bool:
        return self._thread is not None and self._thread not in sys._current_frames()

    def _halt(self) -> None:
        """Ends the call and waits for that. Further interrupts meanwhile change nothing, until the
        patience ends."""
        self.stop = True
        heard, since = 1, time.monotonic()
        while self._thread is not None:
            try:
                if self._over(_PERIOD_S):
                    return
                if time.monotonic() - since > _GRACE_S:
                    interrupt_user_code()
            except KeyboardInterrupt:
                heard += 1
                if heard > _PATIENCE:
                    return


_working: set[Work[Any]] = set()


def still_works() -> bool:
    """True if a call goes on that nothing ends."""
    return any(not work._is_gone() for work in list(_working))


def of(error: BaseException) -> KeyboardInterrupt | None:
    """The interrupt during which this went wrong: a folder that could not be removed then, because
    something still writes to it, or a lock of Python's that an interrupt broke."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__context__
    return cause


@contextmanager
def held() -> Iterator[None]:
    """Ctrl-C and SIGTERM do nothing while this lasts: what they would stop is over, and is being
    written down."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def interrupt_user_code() -> None:
    """Raises KeyboardInterrupt in every thread of the simulator that runs Python code of a user."""
    import ctypes

    known = threading.enumerate()
    others = {t.ident for t in known if not isinstance(t, threading._DummyThread)}
    for ident, frame in sys._current_frames().items():
        # A thread that is within the simulator, or in these lines of ours, ends by itself.
        ours = frame.f_globals.get("__name__", "") in _OURS
        if ident not in others and ident != threading.main_thread().ident and not ours:
            raised = ctypes.py_object(KeyboardInterrupt)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), raised)


_OURS = (
    __name__,
    "dumbbell.api",
    "dumbbell.process.extension",
    "dumbbell.process.user_stdout",
    "contextlib",
    "threading",
)
