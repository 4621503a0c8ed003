"""Size of the hardware: cells by kind, for Lattice ECP5 and Xilinx 7, of the core, of each option,
of the modules.

Yosys maps; nothing is placed (place.py does that). For ECP5 wide multiplexers are not used
(`-nowidelut`), so that no logic hides in a PFUMX; carry cells (CCU2C: two bits of an adder) are
counted apart, and so are RAMs of 16 words by 4 bits (DPR16X4). What Yosys counts for Xilinx is
before packing, LUTs of any width are one each.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ...files.write import temporary_folder
from .. import sources
from ..tools import YOSYS
from . import yosys

__all__ = [
    "FAMILIES",
    "OPTIONS",
    "Counts",
    "Design",
    "core",
    "counts",
    "designs",
    "lines",
    "mapped",
    "module",
]

FAMILIES = ("ecp5", "xc7")

Heard = Callable[[str], None]

OPTIONS: dict[str, dict[str, str]] = {
    "SPACED": {"SPACED": "1"},
    "GAP": {"GAP": "1"},
    "IDLE": {"IDLE": "1"},
    "CLASSES=4": {"CLASSES": "4"},
    "ADAPT": {"ADAPT": "1"},
    "CONSTANT": {"CONSTANT": "1"},
    "PAPER": {"PAPER": "1"},
    "PAPER, CONSTANT": {"PAPER": "1", "CONSTANT": "1"},
    "one queue": {"NQ": "1"},
    "all": {"GAP": "1", "IDLE": "1", "CLASSES": "4", "ADAPT": "1"},
}
"""Variants of the core that are counted besides its defaults: each option alone, and all that go
together."""

_KINDS: dict[str, dict[str, tuple[str, ...]]] = {
    "ecp5": {
        "lut": ("LUT4",),
        "carry": ("CCU2C",),
        "lutram": ("TRELLIS_DPR16X4",),
        "ff": ("TRELLIS_FF",),
        "dsp": ("MULT18X18D",),
    },
    "xc7": {
        "lut": ("LUT1", "LUT2", "LUT3", "LUT4", "LUT5", "LUT6"),
        "carry": ("CARRY4",),
        "lutram": ("RAM32M", "RAM64M", "RAM32X1D", "RAM64X1D", "RAM32M16"),
        "srl": ("SRL16E", "SRLC32E"),
        "ff": ("FDRE", "FDSE", "FDCE", "FDPE"),
        "dsp": ("DSP48E1",),
    },
}


@dataclass(frozen=True)
class Design:
    """Something to synthesize: a list of sources, its top module, parameters that are not at their
    defaults."""

    name: str
    what: str = "core"
    parameters: Mapping[str, str] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    """The sources; those of `what` if empty."""
    top: str = ""
    """The top module; that of `what` if empty."""

    def read(self, defines: Iterable[str] = ()) -> list[str]:
        """Yosys' commands that read it."""
        files = self.files or tuple(sources.sources(self.what))
        flags = "".join(f" -D{define}" for define in defines)
        listed = " ".join(f'"{file.resolve()}"' for file in files)
        sets = "".join(f" -set {name} {value}" for name, value in self.parameters.items())
        return [
            f"read_verilog -sv{flags} {listed}",
            *([f"chparam{sets} {self.module}"] if sets else []),
        ]

    @property
    def module(self) -> str:
        """The top module."""
        return self.top or sources.TOPS[self.what]


@dataclass(frozen=True)
class Counts:
    """The cells of a design on a family."""

    design: str
    what: str
    top: str
    parameters: dict[str, str]
    family: str
    lut: int
    """LUT4 (ecp5), LUT1 to LUT6 (xc7)."""
    carry: int
    """CCU2C, two bits each (ecp5), CARRY4 (xc7)."""
    lutram: int
    """DPR16X4 (ecp5), RAM32M and its kin (xc7)."""
    srl: int
    """Shift registers in LUTs (xc7)."""
    ff: int
    dsp: int
    """MULT18X18D (ecp5), DSP48E1 (xc7)."""
    cells: dict[str, int]
    """All cells by their names."""
    tool: str
    """Yosys' version."""


def core() -> list[Design]:
    """The core at its defaults, and with each of `OPTIONS`."""
    return [
        Design("core"),
        *(Design(f"core, {name}", parameters=words) for name, words in OPTIONS.items()),
    ]


def module() -> list[Design]:
    """The NetFPGA-1G module: the way of the packets, as a whole without and with its registers on
    the ring."""
    return [
        Design("module, packets only", "module", top="red_nf_path"),
        Design("module, counters", "module", {"REGS": "0", "COUNTERS": "1"}),
        Design("module, registers on the ring", "module", {"REGS": "1", "COUNTERS": "1"}),
    ]


def axis() -> list[Design]:
    """The AXI4-Stream module at two widths."""
    return [
        Design("stream of 64 bits", "axis", {"DATA_WIDTH": "64"}),
        Design("stream of 512 bits", "axis"),
    ]


def designs() -> list[Design]:
    """Everything that the table of sizes shows."""
    return [*core(), *module(), *axis()]


def counts(
    wanted: Iterable[Design] | None = None,
    families: Iterable[str] = FAMILIES,
    heard: Heard = lambda line: None,
) -> list[dict[str, Any]]:
    """The cells of each design on each family, as JSON objects; of everything if nothing is said.
    `heard` is told of each one.

    `EnvironmentLacks` if Yosys or the sources are not here, `ScenarioError` if Yosys refuses a
    source.
    """
    todo = [
        (family, design)
        for family in families
        for design in (designs() if wanted is None else list(wanted))
    ]

    def counted(one: tuple[str, Design]) -> dict[str, Any]:
        family, design = one
        made = _count(design, family)
        heard(f"{family}: {design.name}, {made.lut} LUTs, {made.ff} FFs")
        return asdict(made)

    YOSYS.need()
    # Each is a process of its own: as many at a time as there are cores.
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(counted, todo))


def lines(found: Mapping[str, Any]) -> list[str]:
    """For people: what `counts` and, under `fmax`, `place.fmax` found."""
    out = []
    for family in dict.fromkeys(count["family"] for count in found["counts"]):
        here = [count for count in found["counts"] if count["family"] == family]
        names = [
            name
            for name in ("lut", "carry", "lutram", "srl", "ff", "dsp")
            if name in _KINDS[family]
        ]
        out += [
            f"{family}, {here[0]['tool']}",
            f"{'':31}" + "".join(f"{_said(family, name):>9}" for name in names),
        ]
        out += [
            f"  {count['design']:29}" + "".join(f"{count[name]:9}" for name in names)
            for count in here
        ]
    placed = found.get("fmax", [])
    if placed:
        out.append(f"MHz on {placed[0]['device']}, {placed[0]['tool']}")
    for design, speed in dict.fromkeys((one["design"], one["speed"]) for one in placed):
        runs = [one for one in placed if (one["design"], one["speed"]) == (design, speed)]
        rates = "".join(f"{one['mhz']:9.2f}" for one in runs)
        missed = "" if all(one["reached"] for one in runs) else "  missed"
        out.append(
            f"  {design:20} speed {speed}{rates}   (seeds "
            f"{', '.join(str(one['seed']) for one in runs)}){missed}"
        )
    return out


def _said(family: str, name: str) -> str:
    """A column's head: the family's own name of the cell."""
    own = {"ecp5": {"lut": "LUT4", "carry": "CCU2C", "lutram": "DPR16X4", "dsp": "MULT18"}}
    xc7 = {"lut": "LUT", "carry": "CARRY4", "lutram": "LUTRAM", "dsp": "DSP48E1"}
    return own.get(family, xc7).get(name, name.upper())


def mapped(design: Design, netlist: Path) -> Counts:
    """Maps a design to ECP5 and writes the netlist that nextpnr reads."""
    return _count(design, "ecp5", netlist)


def _count(design: Design, family: str, netlist: Path | None = None) -> Counts:
    with temporary_folder() as name:
        report = Path(name) / "stat.json"
        if family == "ecp5":
            commands = [*design.read(["ECP5_DSP"]), f"synth_ecp5 -nowidelut -top {design.module}"]
        else:
            commands = [
                *design.read(),
                f"synth_xilinx -family {family} -flatten -noiopad -noclkbuf -top {design.module}",
            ]
        commands += [f'write_json "{netlist.resolve()}"'] if netlist else []
        yosys.run([*commands, f"tee -q -o {report} stat -json"], Path(name))
        cells = {
            kind: int(n)
            for kind, n in _by_type(json.loads(report.read_text(encoding="utf-8"))).items()
            if not kind.startswith("$")
        }
    kinds = {kind: sum(cells.get(cell, 0) for cell in of) for kind, of in _KINDS[family].items()}
    return Counts(
        design=design.name,
        what=design.what,
        top=design.module,
        parameters=dict(design.parameters),
        family=family,
        cells=cells,
        tool=f"yosys {YOSYS.version()}",
        **({"srl": 0} | kinds),
    )


def _by_type(stat: dict[str, Any]) -> dict[str, int]:
    """Cells by type of a report: of the whole design, which is one flat module."""
    found: dict[str, int] = stat["design"]["num_cells_by_type"]
    return found
