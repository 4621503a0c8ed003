"""Expressions over named values: the small language in which the catalogue writes laws and
conditions.

    avg > (length or threshold * limit)
    min(1, (n * 8000 * c / (8e6 * rtt)) ** 2)
    p if queue_packets > level else 0

Python's parser reads them; what they may contain is what `_value` has a case for: numbers, text,
names, arithmetic, comparisons, `and`, `or`, `not`, `if` ... `else`, and the functions of
`FUNCTIONS`. A keyword of Python, such as `class`, is a name here.
"""

from __future__ import annotations

import ast
import keyword
import math
import operator
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from ..present.units import seconds

Lookup = Callable[[str], Any]
"""The value of a name. `KeyError` if there is none."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "floor": math.floor,
    "max": max,
    "min": min,
    "seconds": seconds,
    "sqrt": math.sqrt,
}
_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_COMPARE: dict[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_WORDS = {"and", "or", "not", "if", "else", "True", "False", "None"}
_KEYWORD = re.compile(rf"\b({'|'.join(sorted(set(keyword.kwlist) - _WORDS))})\b")


def evaluate(text: str, lookup: Lookup) -> Any:
    """The value of an expression. Names are looked up only where they are needed.

    `KeyError` for a name without a value, `ValueError` for what is not of this language.
    """
    return _value(_parsed(text), lookup)


def names(text: str) -> set[str]:
    """The names in an expression. `ValueError` if it is not of this language."""
    found: set[str] = set()

    def see(node: ast.AST) -> None:
        if isinstance(node, ast.Name):
            found.add(node.id.rstrip("_"))
        for child in ast.iter_child_nodes(node):
            if not (isinstance(node, ast.Call) and child is node.func):
                see(child)

    see(_parsed(text))
    return found


@cache
def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(_KEYWORD.sub(r"\1_", text.strip()), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"`{text}`: {error.msg}") from None


def _value(node: ast.expr, lookup: Lookup) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return lookup(name.rstrip("_"))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, lookup)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not _value(inner, lookup)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, lookup), _value(right, lookup))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            return _COMPARE[type(op)](_value(left, lookup), _value(right, lookup))
        case ast.BoolOp(op=op, values=parts):
            decided = isinstance(op, ast.Or)
            result: Any = None
            for part in parts:
                result = _value(part, lookup)
                if bool(result) == decided:
                    break
            return result
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _value(body if _value(test, lookup) else orelse, lookup)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_value(arg, lookup) for arg in args))
    raise ValueError(f"`{ast.unparse(node)}` is not allowed in an expression")
