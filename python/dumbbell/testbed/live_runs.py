"""Makes live runs: one at a time, schemes and conditions interleaved in time, once more those that
are not valid."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .. import api
from ..errors import InvalidRun, of_code
from ..present.units import seconds
from .attempts import Attempts, Kept, key_of

T = TypeVar("T")

_REASON = 130
"""Characters of a reason in a line; the page has all of it."""

ATTEMPTS = 2
"""A run that is not valid is made once more, after all others: what disturbed it may be over then.
If that is not valid either, it is shown as such and never used."""
OVERHEAD_S = 3.0
"""Time of a run beside its duration: calibrating, setting up, the last packets, reading the log."""


@dataclass(frozen=True, slots=True)
class Order:
    """One run: a scenario, its overrides, and its seed. every: the period of its record, if
    it has one."""

    label: str
    source: Mapping[str, object]
    overrides: Sequence[str]
    seed: int
    every: str | None = None

    def request(self, **more: Any) -> dict[str, Any]:
        """The request for the API."""
        return api.request(
            dict(self.source), self.overrides, seed=self.seed, replications=1, **more
        )


def interleaved(conditions: Sequence[T], repeats: int) -> list[tuple[T, int]]:
    """Every condition once in each repeat, the order turned round each time: A B, B A, A B. What
    drifts on a machine in the course of an hour then falls on all conditions alike."""
    return [
        (condition, repeat)
        for repeat in range(repeats)
        for condition in (conditions if repeat % 2 == 0 else tuple(reversed(conditions)))
    ]


def turned(pair: tuple[T, T], number: int) -> tuple[T, T]:
    """A pair, turned round if its number is odd: who is first changes from pair to pair."""
    return pair if number % 2 == 0 else pair[::-1]


@dataclass(frozen=True, slots=True)
class Job:
    """An order, its place among all, what it is kept under, and how long it takes."""

    order: Order
    number: int
    key: str
    length_s: float


@dataclass(slots=True)
class LiveRunner:
    """Makes the runs of one study: all of them first, then those once more that were not valid.
    `progress` hears how far it is, `tell` gets a line after each run. No second attempt begins that
    would end after `budget_s`. again: runs that were not valid in earlier calls are tried anew,
    too."""

    attempts: Attempts
    progress: api.Progress = lambda finished, runs, fraction: None
    tell: Callable[[str], None] = lambda line: None
    budget_s: float | None = None
    again: bool = False
    began: float = field(default_factory=time.monotonic)
    made: int = 0
    _whole: int = 0
    _done_s: float = 0.0
    _whole_s: float = 0.0
    _tried: dict[str, int] = field(default_factory=dict)
    _alike: Counter[str] = field(default_factory=Counter)

    def jobs(self, orders: Sequence[Order]) -> list[Job]:
        """Each order with its plan's key. Orders that mean the same have runs of their own all the
        same: one run that stood on both sides of a comparison would agree with itself."""
        from .. import __version__

        jobs = []
        for i, order in enumerate(orders):
            plan, testbed = _plan(order)
            alike = key_of(plan, testbed, order.seed, __version__)
            key = key_of(plan, testbed, order.seed, __version__, self._alike[alike])
            self._alike[alike] += 1
            jobs.append(Job(order, i, key, seconds(plan["duration"]) + OVERHEAD_S))
        return jobs

    def left_s(self, jobs: Sequence[Job]) -> float:
        """Estimated time of the runs that are still to be made, without second attempts."""
        return sum(job.length_s for job in jobs if self._attempts_left(job) == ATTEMPTS)

    def run(self, jobs: Sequence[Job]) -> list[Kept]:
        """The attempt at each run that counts, in the order given; those that are kept already are
        not made again."""
        self._whole, self._whole_s, self._done_s = len(jobs), self.left_s(jobs), 0.0
        for job in jobs:
            if self._attempts_left(job) == ATTEMPTS:
                self._make(job)
                self._done_s += job.length_s
        once_more = [job for job in jobs if self._attempts_left(job) > 0]
        self._whole_s, self._done_s = sum(job.length_s for job in once_more), 0.0
        for job in once_more:
            if self._time_for(job.length_s):
                self._make(job)
            else:
                self.tell(f"{job.order.label}, seed {job.order.seed}: no time for another attempt")
            self._done_s += job.length_s
        return [_counts(self.attempts.attempts(job.key)) for job in jobs]

    def _attempts_left(self, job: Job) -> int:
        """Number of attempts left for a run."""
        attempts = self.attempts.attempts(job.key)
        if any(kept.valid for kept in attempts):
            return 0
        return ATTEMPTS - (self._tried.get(job.key, 0) if self.again else len(attempts))

    def _time_for(self, length: float) -> bool:
        return self.budget_s is None or time.monotonic() - self.began + length <= self.budget_s

    def _make(self, job: Job) -> None:
        order, attempt = job.order, len(self.attempts.attempts(job.key)) + 1

        def part(_: int, __: int, fraction: float) -> Any:
            share = (self._done_s + fraction * job.length_s) / max(self._whole_s, job.length_s)
            return self.progress(job.number, self._whole, min(share, 1.0))

        place = self.attempts.place(job.key, attempt)
        more = (
            {"out": str(place), "record": {"every": order.every, "drops": True}}
            if order.every
            else {}
        )
        try:
            run = api.run(order.request(on="kernel", threads=1, **more), part)
        except InvalidRun as refusal:  # Refused before it began: this machine cannot do it.
            run = {"seed": order.seed, "validity": {"valid": False, "reasons": [_cause(refusal)]}}
        if run.get("code") not in (None, 0, InvalidRun.code):
            messages = "\n".join(failure["message"] for failure in run.get("failures", ()))
            raise of_code(int(run["code"]), f"{order.label}: {messages or 'the run failed'}")
        self.made += 1
        self._tried[job.key] = self._tried.get(job.key, 0) + 1
        kept = self.attempts.keep(job.key, attempt, run, order.label, bool(order.every))
        left = _minutes(self._whole_s - self._done_s - job.length_s)
        again = ", once more" if attempt > 1 else ""
        self.tell(
            f"{job.number + 1} of {self._whole}{again}  {order.label}, seed {order.seed}: "
            f"{_said(kept)} · {left} left"
        )


def _counts(attempts: Sequence[Kept]) -> Kept:
    """A valid attempt, if there is one, else the last."""
    return next((kept for kept in attempts if kept.valid), attempts[-1])


def _cause(refusal: InvalidRun) -> str:
    """The message without the drawing around it."""
    problems = refusal.detail.get("problems") or []
    return (
        "; ".join(str(problem["cause"]) for problem in problems)
        or refusal.rendered.splitlines()[0].strip()
    )


def _said(kept: Kept) -> str:
    if kept.valid:
        return f"valid, class {kept.run['validity'].get('class', '?')}"
    reasons = kept.reasons or ["no reason is given"]
    more = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    first = reasons[0] if len(reasons[0]) <= _REASON else f"{reasons[0][:_REASON]}…"
    return f"NOT VALID ({first}{more})"


def _minutes(left_s: float) -> str:
    return f"{left_s / 60:.0f} min" if left_s >= 90 else f"{max(left_s, 0.0):.0f} s"


def _plan(order: Order) -> tuple[dict[str, Any], dict[str, Any]]:
    """The plan of a run and the scenario's table `testbed`, which say all that matters of it."""
    found = api.plan(order.request(points=1, on="kernel"))
    return found["points"][0]["plan"], found["scenario"].get("testbed") or {}
