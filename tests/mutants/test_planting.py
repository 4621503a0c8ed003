"""Faults as choices in a text, and the interval of a score."""

from __future__ import annotations

import pytest
from planting import CHAIN, Fault, NotPlantable, Text
from sample import wilson

SOURCE = """\
fn f(a: u32, b: u32) -> u32 {
    a + b // The product binds more tightly.
        * a
}
const N: u32 = 1 + 2;
const fn g() -> u32 { 1 + 2 }
fn h(n: i32) -> u8 {
    match n { 0 => 1, m if m as i64 >= 5 => 2, _ => 3 }
}
fn k() -> T { T { a: 1, ..T::new() } }
fn l(x: Option<u8>) { if let Some(1) = x && true { n += 1; } }
"""
PLACES = [
    "binary\t2:7\t2:8\t2:5\t3:12",
    "binary\t3:9\t3:10\t2:9\t3:12",
    "arm\t8:15\t8:21\t8:15\t8:16",
    "arm\t8:23\t8:46\t8:23\t8:24\t8:28\t8:41",
    "binary\t8:37\t8:39\t8:28\t8:41",
    "field\t10:19\t10:23\t10:22\t10:23\t10:15\t10:16\t10:27\t10:35",
    "chain\t11:41\t11:43\t11:26\t11:48",
    "binary\t11:54\t11:56\t11:52\t11:58",
]
TEXT = Text(SOURCE, PLACES)


def fault(number: int, genre: str, at: tuple[int, int], replacement: str = "") -> Fault:
    lines = SOURCE.splitlines()
    begins = max(i for i in range(1, at[0] + 1) if lines[i - 1][:2] in ("fn", "co"))
    function = None if lines[begins - 1].startswith("const N") else (begins, 1)
    end = (8, 41) if genre == "MatchArmGuard" else at
    return Fault(number, "crates/dumbbell-tcp/x.rs", genre, "", replacement, at, end, function, "")


def line(number: int, *faults: Fault) -> str:
    planted = TEXT.planted(faults)
    assert planted.count("\n") == SOURCE.count("\n"), "errors of the compiler name lines"
    return planted.splitlines()[number - 1].strip().replace("dumbbell_core::fault::", "")


def test_a_choice_has_both_sides_of_an_operator() -> None:
    minus = fault(7, "BinaryOperator", (2, 7), "-")
    assert line(2, minus) == (
        "(if on(7) { (a - b * a) } else { (a + b // The product binds more tightly."
    )
    assert line(3, minus) == "* a) })"


def test_choices_lie_within_each_other() -> None:
    outer, inner = (
        fault(7, "BinaryOperator", (2, 7), "-"),
        fault(8, "BinaryOperator", (3, 9), "/"),
    )
    both = line(2, inner, outer) + line(3, inner, outer)
    assert both.count("on(7)") == 1 and both.count("on(8)") == 2
    assert line(2, outer, inner) + line(3, outer, inner) == both


def test_one_place_has_several_faults() -> None:
    both = [fault(n, "BinaryOperator", (11, 54), text) for n, text in ((7, "-="), (8, "*="))]
    assert "{ if on(7) { n -= 1 } else { if on(8) { n *= 1 } else { n += 1 } } };" in line(
        11, *both
    )


def test_a_body_returns_at_its_start() -> None:
    assert line(2, fault(7, "FnValue", (2, 5), "0")).startswith("if on(7) { return 0; } a + b")


def test_arms_get_conditions() -> None:
    assert "{ 0 if !on(7) => 1, m if m" in line(8, fault(7, "MatchArm", (8, 15)))
    assert "m if !on(7) && (m as i64 >= 5) => 2" in line(8, fault(7, "MatchArm", (8, 23)))
    assert "m if (if on(7) { true } else { m as i64 >= 5 }) =>" in line(
        8, fault(7, "MatchArmGuard", (8, 28), "true")
    )
    # `m as i64 < 5` would begin arguments of the type.
    assert "(if on(7) { ((m as i64 )< 5) } else { (m as i64 >= 5) })" in line(
        8, fault(7, "BinaryOperator", (8, 37), "<")
    )


def test_a_field_is_that_of_the_base() -> None:
    assert "T { a: (if on(7) { T { ..T::new() }.a } else { 1 }), ..T::new() }" in line(
        10, fault(7, "StructField", (10, 19))
    )


@pytest.mark.parametrize(
    ("at", "why"), [((5, 18), "a constant"), ((6, 25), "a const function"), ((11, 41), CHAIN)]
)
def test_what_the_compiler_evaluates_cannot_be_chosen(at: tuple[int, int], why: str) -> None:
    with pytest.raises(NotPlantable, match=why):
        TEXT.node(fault(7, "BinaryOperator", at, "-"))


def test_the_interval_of_a_share() -> None:
    """Newcombe, Statistics in Medicine 17 (1998), table I, method 3: 81 of 263, 15 of 148, 0 of 20,
    1 of 29."""
    for found, of, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        assert wilson(found, of) == pytest.approx((low, high), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)
