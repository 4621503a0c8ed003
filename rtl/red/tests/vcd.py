"""A value change dump (IEEE 1364, 18) of a few signals, one value a clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def vcd(bits: Mapping[str, int], rows: Sequence[Mapping[str, int]], clock_ns: int) -> str:
    """The text of the file: widths by name, then a row of values for each clock."""
    codes = {name: chr(33 + number) for number, name in enumerate(("clk", *bits))}
    lines = [
        "$timescale 1ns $end",
        "$scope module red $end",
        f"$var wire 1 {codes['clk']} clk $end",
    ]
    lines += [f"$var wire {width} {codes[name]} {name} $end" for name, width in bits.items()]
    lines += ["$upscope $end", "$enddefinitions $end"]
    last: dict[str, int] = {}
    for clock, row in enumerate(rows):
        lines += [f"#{clock * clock_ns}", f"1{codes['clk']}"]
        for name, width in bits.items():
            if last.get(name) != row[name]:
                last[name] = row[name]
                lines.append(
                    f"{row[name]}{codes[name]}" if width == 1 else f"b{row[name]:b} {codes[name]}"
                )
        lines += [f"#{clock * clock_ns + clock_ns // 2}", f"0{codes['clk']}"]
    return "\n".join([*lines, ""])
