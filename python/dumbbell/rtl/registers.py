"""The module's registers: `rtl/red/netfpga/registers.toml` describes them, and here is what is made
from it.

`python -m dumbbell.rtl.registers` writes the decoder in SystemVerilog, the C header and the table
of the docs into the checkout; with `--check` it says which of them are out of date, and ends with 3
if one is.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import CheckFailed, ScenarioError
from ..files.write import write_text
from .sources import folder

DESCRIPTION = "netfpga/registers.toml"
WORDS = {"": 1, "queue": 8, "class queue": 32, "dscp": 64}
"""Words of a register, by its scope."""
_GENERATED = "Made from registers.toml by `python -m dumbbell.rtl.registers`: edit that."


@dataclass(frozen=True, slots=True)
class Register:
    """One register, or one for each queue, class and queue, or DSCP."""

    name: str
    offset: int
    """Words from the beginning of the block."""
    per: str
    bits: int
    access: str
    where: str
    """`core`: written through to the decision core; else `module`."""
    unit: str
    reset: str
    doc: str

    @property
    def words(self) -> int:
        """Number of words."""
        return WORDS[self.per]

    def at(self, queue: int = 0, cls: int = 0, dscp: int = 0) -> int:
        """The offset for a queue, a class and a queue, or a DSCP, words. `ScenarioError` where
        there is no such."""
        if not (0 <= queue < 8 and 0 <= cls < 4 and 0 <= dscp < 64):
            raise ScenarioError(
                f"queue {queue}, class {cls}, DSCP {dscp}: there are 8 queues, 4 classes, 64 DSCPs"
            )
        index = dscp if self.per == "dscp" else 8 * cls + queue
        if index >= self.words:
            raise ScenarioError(f"`{self.name}` has no entry {index}: there are {self.words}")
        return self.offset + index


@dataclass(frozen=True, slots=True)
class Block:
    """All registers of the module."""

    name: str
    address_bits: int
    magic: int
    registers: tuple[Register, ...]

    def __getitem__(self, name: str) -> Register:
        for register in self.registers:
            if register.name == name:
                return register
        raise ScenarioError(
            f"there is no register `{name}`; there are {', '.join(r.name for r in self.registers)}"
        )


def parse(text: str) -> Block:
    """A description. `ScenarioError` if registers overlap, do not fit, or are no words that
    hardware can decode."""
    described = tomllib.loads(text)
    registers = tuple(Register(**entry) for entry in described["register"])
    block = Block(registers=registers, **described["block"])
    taken: dict[int, str] = {}
    for register in registers:
        if register.offset % register.words:
            raise ScenarioError(
                f"`{register.name}`: {register.words} words must begin at a multiple of that"
            )
        if register.access not in ("rw", "ro") or not 1 <= register.bits <= 32:
            raise ScenarioError(f"`{register.name}`: access is rw or ro, bits are 1 to 32")
        for word in range(register.offset, register.offset + register.words):
            if word in taken:
                raise ScenarioError(f"`{register.name}` and `{taken[word]}` are both at {word:#x}")
            if word >> block.address_bits:
                raise ScenarioError(f"`{register.name}`: {word:#x} is beyond the block")
            taken[word] = register.name
    return block


@cache
def block() -> Block:
    """The registers of the module of this checkout."""
    return parse((folder() / DESCRIPTION).read_text(encoding="utf-8"))


def decoder(block: Block) -> str:
    """The address decoder: one line of select for each register."""
    top = block.address_bits - 1
    core = [_is(block, r) for r in block.registers if r.where == "core"]
    module = [r for r in block.registers if r.where == "module"]
    return "\n".join(
        [
            f"// Which register an address is. {_GENERATED}",
            "`default_nettype none",
            f"module {block.name}_regs_decode (",
            f"  input  wire logic [{top}:0] addr_i,",
            *[
                f"  output logic            {r.name}_o,{' ' * (14 - len(r.name))}// {r.access}"
                for r in module
            ],
            "  output logic            core_o           // one of the core's, by table, class, "
            "queue",
            ");",
            *[f"  assign {r.name}_o = {_is(block, r)};" for r in module],
            "  assign core_o = " + " ||\n    ".join(core) + ";",
            "endmodule",
            "`default_nettype wire",
            "",
        ]
    )


def _is(block: Block, register: Register) -> str:
    """The comparison that finds a register: the address without the bits that index it."""
    index = (register.words - 1).bit_length()
    bits = block.address_bits - index
    return f"addr_i[{block.address_bits - 1}:{index}] == {bits}'h{register.offset >> index:x}"


def header(block: Block) -> str:
    """The C header: offsets in words, widths, and the byte address that a host's read and write
    calls take."""
    name = block.name.upper()
    lines = [
        f"/* The registers of the RED module. {_GENERATED} */",
        f"#ifndef {name}_REGS_H",
        f"#define {name}_REGS_H",
        "",
        "/* Offsets are words from the beginning of the block; a host addresses bytes. */",
        f"#define {name}_REG_ADDRESS_BITS {block.address_bits}",
        f"#define {name}_REG_BYTES(base, offset) ((base) + 4u * (offset))",
        f"#define {name}_REG_MAGIC 0x{block.magic:08x}u",
        "",
    ]
    for r in block.registers:
        lines.append(f"/* {r.doc} {r.access}, {r.bits} bits{', ' + r.unit if r.unit else ''}. */")
        base = f"{name}_REG_{r.name.upper()}"
        lines.append(f"#define {base} 0x{r.offset:03x}u")
        index = {"queue": "queue", "class queue": "cls, queue", "dscp": "dscp"}.get(r.per)
        if index:
            value = {"queue": "(queue)", "class queue": "8u * (cls) + (queue)", "dscp": "(dscp)"}[
                r.per
            ]
            lines.append(f"#define {base}_AT({index}) ({base} + {value})")
        lines.append(f"#define {base}_MASK 0x{(1 << r.bits) - 1:x}u")
        lines.append("")
    return "\n".join([*lines, f"#endif /* {name}_REGS_H */", ""])


def table(block: Block) -> str:
    """The table of the docs."""
    rows = [
        f"| `{r.name}` | 0x{r.offset:03x} | {r.per or 'once'} | {r.bits} | {r.access} "
        f"| {r.unit} | {r.reset} | {r.doc} |"
        for r in block.registers
    ]
    return "\n".join(
        [
            "# The registers of the RED module",
            "",
            f"<!-- {_GENERATED} -->",
            "",
            f"Offsets are words within a block of {1 << block.address_bits}; a host addresses "
            f"bytes, so times 4.",
            "",
            "| register | offset | one for each | bits | access | unit | after reset | |",
            "|---|---|---|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def generated(block: Block) -> Mapping[str, str]:
    """Every file that is made, by its path within `rtl/red`."""
    return {
        "netfpga/red_regs_decode.sv": decoder(block),
        "include/red_regs.h": header(block),
        "netfpga/REGISTERS.md": table(block),
    }


def stale(root: Path) -> list[str]:
    """The made files of a folder `rtl/red` that are not as its description would make them now."""
    made = generated(parse((root / DESCRIPTION).read_text(encoding="utf-8")))
    return [
        name
        for name, text in made.items()
        if not (root / name).exists() or (root / name).read_text(encoding="utf-8") != text
    ]


def main(words: Sequence[str]) -> None:
    """Writes the files, or checks them."""
    root = folder()
    old = stale(root)
    if "--check" in words:
        if old:
            raise CheckFailed(
                f"out of date: {', '.join(old)}; run `python -m dumbbell.rtl.registers`"
            )
        return
    made = generated(parse((root / DESCRIPTION).read_text(encoding="utf-8")))
    for name in old:
        write_text(root / name, made[name])
        print(f"wrote {root / name}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except CheckFailed as failure:
        print(failure.rendered, file=sys.stderr)
        sys.exit(failure.code)
