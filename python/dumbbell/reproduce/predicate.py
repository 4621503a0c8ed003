"""Predicates over named numbers: the small language of a paper's claims.

A name stands for a measurement at each of several points (buffers, say) in each of several runs
with the same seeds everywhere. Arithmetic works run by run, so that `red - dt` is the paired
difference. `mean`, `low` and `high` leave one number a point: the mean and the ends of its 95 %
confidence interval. `every`, `some`, `count` and `fraction` (of the points) leave one for all
points. `red[36]` is one point, `red[36:]` those from there on. Over sizes of a buffer `best` is the
point of the best size, `nearest` that of the least distance, by the definitions of
`measures.buffer_size`; `best_low`, `best_high`, `nearest_low` and `nearest_high` are the ends of
their 95 % intervals.

    every(low(red - dt) > 0) and mean(red[24] / dt[24]) > 1.15

Expressions come from files of others. Python's parser reads them and nothing else of Python does:
the nodes below are all that there is, so that an expression can neither call nor name anything
else. There is no power, numbers are at most `_MOST` in size, and an expression has at most
`_LONGEST` characters and `_DEEPEST` levels, which bounds its cost.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..errors import ScenarioError
from ..files.declared import cut
from ..present import stats
from .measures import buffer_size


@dataclass(frozen=True, slots=True)
class Family:
    """Values at the points `at`, one list a point: a value for each run, or a single one once
    reduced."""

    at: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]

    def map(self, function: Callable[[tuple[float, ...]], Any]) -> Family:
        """Each point's values reduced to one."""
        return Family(self.at, tuple((function(runs),) for runs in self.values))

    def one(self) -> Any:
        """The only value."""
        if len(self.values) != 1 or len(self.values[0]) != 1:
            raise ValueError(
                "a single number is needed here: reduce it with mean, low, high, every, some, "
                "count or fraction"
            )
        return self.values[0][0]


def _ratio(a: float, b: float) -> float:
    """a / b; infinite over a zero, as a flow that is locked out may leave it, and not a number for
    0 / 0."""
    if b:
        return a / b
    return math.copysign(math.inf, a) if a else math.nan


_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _ratio,
}
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _end(which: int) -> Callable[[tuple[float, ...]], float]:
    def end(runs: tuple[float, ...]) -> float:
        ends = stats.ci95(runs)
        if ends is None:
            raise ValueError("an interval needs at least two runs")
        return ends[which]

    return end


_FUNCTIONS: dict[str, Callable[[Family], Family]] = {
    "mean": lambda x: x.map(stats.mean),
    "low": lambda x: x.map(_end(0)),
    "high": lambda x: x.map(_end(1)),
    "abs": lambda x: Family(x.at, tuple(tuple(abs(v) for v in runs) for runs in x.values)),
    "every": lambda x: _single(all(_flat(x))),
    "some": lambda x: _single(any(_flat(x))),
    "count": lambda x: _single(sum(map(bool, _flat(x)))),
    "fraction": lambda x: _single(sum(map(bool, _flat(x))) / len(x.at)),
    "best": lambda x: _single(buffer_size.size(x.at, x.values)),
    "best_low": lambda x: _single(buffer_size.interval(x.at, x.values)[0]),
    "best_high": lambda x: _single(buffer_size.interval(x.at, x.values)[1]),
    "nearest": lambda x: _single(buffer_size.size(x.at, x.values, buffer_size.nearest)),
    "nearest_low": lambda x: _single(buffer_size.interval(x.at, x.values, buffer_size.nearest)[0]),
    "nearest_high": lambda x: _single(buffer_size.interval(x.at, x.values, buffer_size.nearest)[1]),
    "largest": lambda x: _single(max(_flat(x))),
    "smallest": lambda x: _single(min(_flat(x))),
}


_LONGEST = 4000
"""Characters of an expression."""
_DEEPEST = 50
"""Levels of an expression."""
_MOST = 1e15
"""The largest number that an expression may have in it."""


@lru_cache(maxsize=4096)
def parsed(text: str) -> ast.expr:
    """An expression, checked: `ScenarioError` for one that is too long, too deep, or not of this
    language."""
    if len(text) > _LONGEST:
        raise ScenarioError(f"`{cut(text, 80)}`: an expression has at most {_LONGEST} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # `1 is 1` is refused below; Python's remark on it is not ours.
            tree = ast.parse(text.strip(), mode="eval").body
        _check(tree, 0)
    except (SyntaxError, ValueError) as error:
        raise ScenarioError(
            f"`{cut(text, 200)}`: {error.msg if isinstance(error, SyntaxError) else error}"
        ) from None
    except (
        RecursionError,
        MemoryError,
    ):  # Both are how Python's parser refuses what is nested too deeply.
        raise ScenarioError(f"`{cut(text, 80)}`: this is nested too deeply") from None
    return tree


def evaluate(text: str, numbers: Mapping[str, Family]) -> Family:
    """The value of an expression. `ScenarioError` names what is wrong with it."""
    try:
        return _value(parsed(text), numbers)
    except (ValueError, ArithmeticError) as error:
        raise ScenarioError(f"`{cut(text, 200)}`: {error}") from None


def holds(text: str, numbers: Mapping[str, Family]) -> bool:
    """True if a predicate is true."""
    value = evaluate(text, numbers)
    try:
        return bool(value.one())
    except ValueError as error:
        raise ScenarioError(f"`{cut(text, 200)}`: {error}") from None


def names(text: str) -> set[str]:
    """The numbers that an expression speaks of. `ScenarioError` if it cannot be read."""
    return {
        node.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Name)
    } - _FUNCTIONS.keys()


def _check(node: ast.expr, depth: int) -> None:
    """Refuses what is not of this language: `_value` has a case for everything that passes."""
    if depth > _DEEPEST:
        raise ValueError(f"an expression has at most {_DEEPEST} levels")
    match node:
        case ast.Constant(value=int() | float() as value):
            if not abs(value) <= _MOST:
                raise ValueError(f"a number is at most {_MOST:g}")
            inner: list[ast.expr] = []
        case ast.Name():
            inner = []
        case ast.Subscript(value=value, slice=ast.Constant() as at):
            inner = [value, at]
        case ast.Subscript(
            value=value, slice=ast.Slice(lower=ast.Constant() as low, upper=None, step=None)
        ):
            inner = [value, low]
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=value):
            inner = [value]
        case ast.BinOp(op=ast.Div(), right=ast.Constant(value=0)):
            raise ValueError("division by zero")
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            inner = [left, right]
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            inner = [left, right]
        case ast.BoolOp(values=parts):
            inner = parts
        case ast.Call(func=ast.Name(id=name), args=[value], keywords=[]) if name in _FUNCTIONS:
            inner = [value]
        case _:
            raise ValueError(f"`{cut(ast.unparse(node), 80)}` is not allowed in a predicate")
    for each in inner:
        _check(each, depth + 1)


def _value(node: ast.expr, numbers: Mapping[str, Family]) -> Family:
    match node:
        case ast.Constant(value=int() | float() as value):
            return _single(value)
        case ast.Name(id=name):
            return _named(name, numbers)
        case ast.Subscript(value=inner, slice=ast.Constant(value=at)):
            return _point(_value(inner, numbers), at)
        case ast.Subscript(
            value=inner, slice=ast.Slice(lower=ast.Constant(value=int() | float() as low))
        ):
            return _from(_value(inner, numbers), low)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _pair(operator.sub, _single(0), _value(inner, numbers))
        case ast.UnaryOp(operand=inner):
            return _single(not _value(inner, numbers).one())
        case ast.BinOp(left=left, op=op, right=right):
            return _pair(_BINARY[type(op)], _value(left, numbers), _value(right, numbers))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _pair(_COMPARE[type(op)], _value(left, numbers), _value(right, numbers))
        case ast.BoolOp(op=op, values=parts):
            truths = (_value(part, numbers).one() for part in parts)
            return _single(all(truths) if isinstance(op, ast.And) else any(truths))
        case ast.Call(func=ast.Name(id=name), args=[inner]):
            return _FUNCTIONS[name](_value(inner, numbers))
    raise AssertionError(f"`_check` lets {type(node).__name__} through")


def _named(name: str, numbers: Mapping[str, Family]) -> Family:
    if name not in numbers:
        raise ValueError(f"there is no number `{name}`; there are {', '.join(numbers)}")
    return numbers[name]


def _point(family: Family, at: Any) -> Family:
    if at not in family.at:
        raise ValueError(
            f"there is no point {at}; there are {', '.join(f'{x:g}' for x in family.at)}"
        )
    return Family((at,), (family.values[family.at.index(at)],))


def _from(family: Family, low: float) -> Family:
    kept = [(x, runs) for x, runs in zip(family.at, family.values, strict=True) if x >= low]
    if not kept:
        raise ValueError(
            f"there is no point at or above {low:g}; there are "
            f"{', '.join(f'{x:g}' for x in family.at)}"
        )
    at, values = zip(*kept, strict=True)
    return Family(at, values)


def _pair(function: Callable[[Any, Any], Any], a: Family, b: Family) -> Family:
    """Point by point and run by run; a single value goes with all."""
    points = max(a, b, key=lambda x: len(x.at))
    if len(a.at) != len(b.at) and 1 not in (len(a.at), len(b.at)):
        raise ValueError(f"{len(a.at)} points and {len(b.at)} points do not match")
    if len(a.at) == len(b.at) > 1 and a.at != b.at:
        raise ValueError("the numbers belong to different points")
    rows = []
    for i in range(len(points.at)):
        left, right = a.values[i if len(a.at) > 1 else 0], b.values[i if len(b.at) > 1 else 0]
        if len(left) != len(right) and 1 not in (len(left), len(right)):
            raise ValueError(f"{len(left)} runs and {len(right)} runs cannot be paired")
        n = max(len(left), len(right))
        rows.append(tuple(function(_at(left, j), _at(right, j)) for j in range(n)))
    return Family(points.at, tuple(rows))


def _at(values: tuple[float, ...], j: int) -> float:
    return values[j] if len(values) > 1 else values[0]


def _single(value: Any) -> Family:
    return Family((0.0,), ((value,),))


def _flat(family: Family) -> list[Any]:
    if any(len(runs) != 1 for runs in family.values):
        raise ValueError(
            "one number per point is needed here: reduce the runs with mean, low or high"
        )
    return [runs[0] for runs in family.values]
