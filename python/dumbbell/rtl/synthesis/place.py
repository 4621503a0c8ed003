"""Speed of the hardware: place and route for Lattice ECP5, the seeds named and none picked.

The part is an LFE5U-25F in CABGA381. `--out-of-context`: ports are not pads, so that paths between
registers are measured and nothing else. A clock rate is nextpnr's estimate after routing (the last
"Max frequency" it prints; an earlier one is before routing) with the part's slowest corner; no
device was measured.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...errors import DumbbellError
from ...files.write import temporary_folder
from ..tools import NEXTPNR, environment
from . import size

__all__ = ["CORE_TARGET", "MODULE_TARGET", "SEEDS", "SPEEDS", "Fmax", "designs", "fmax"]

DEVICE, PACKAGE = "25k", "CABGA381"
SPEEDS = (6, 8)
"""Speed grades: 6 is the slowest."""
SEEDS = (1, 2, 3)

CORE_TARGET = 148.81
"""MHz for the core: decisions per microsecond at 100 Gbit/s of frames of 64 bytes."""
MODULE_TARGET = 156.25
"""MHz for the module: 10 Gbit/s on a bus of 64 bits."""

_ASKED = 200.0
"""Target frequency for nextpnr, in MHz: above every target, so that it does not rest when one is
met."""


@dataclass(frozen=True)
class Fmax:
    """The clock rate of a design on a speed grade from a seed."""

    design: str
    what: str
    top: str
    parameters: dict[str, str]
    device: str
    speed: int
    seed: int
    mhz: float
    target_mhz: float
    critical: str
    """The longest path: from where to where."""
    comb: int
    """TRELLIS_COMB: what LUTs, carries and RAM take once packed."""
    ff: int
    tool: str


def designs() -> list[size.Design]:
    """Placed designs: the core, the core that the module has in it, the modules."""
    spaced = size.Design("core, SPACED", parameters={"SPACED": "1"})
    return [size.Design("core"), spaced, size.Design("module", "module"), *size.axis()]


def fmax(
    wanted: Iterable[size.Design] | None = None,
    speeds: Iterable[int] = SPEEDS,
    seeds: Iterable[int] = SEEDS,
    heard: size.Heard = lambda line: None,
) -> list[dict[str, Any]]:
    """The clock rate of each design, for each speed grade and seed, as JSON objects. `heard` is
    told of each one.

    `EnvironmentLacks` if Yosys, nextpnr or the sources are not here.
    """
    NEXTPNR.need()
    tried = [(speed, seed) for speed in speeds for seed in seeds]
    found = []
    with temporary_folder() as name:
        for design in designs() if wanted is None else wanted:
            netlist = Path(name) / "netlist.json"
            size.mapped(design, netlist)
            for speed, seed in tried:
                placed = _place(design, netlist, speed, seed)
                found.append(asdict(placed) | {"reached": placed.mhz >= placed.target_mhz})
                heard(f"{design.name}, speed {speed}, seed {seed}: {placed.mhz} MHz")
    return found


def _place(design: size.Design, netlist: Path, speed: int, seed: int) -> Fmax:
    # Files by their names alone: nextpnr, in its WebAssembly, has a /tmp of its own and sees only
    # where it stands.
    words = [
        NEXTPNR.need(),
        f"--{DEVICE}",
        *("--package", PACKAGE),
        *("--speed", str(speed)),
        *("--json", netlist.name),
        *("--freq", str(_ASKED)),
        *("--seed", str(seed)),
        "--out-of-context",
        *("--write", "placed.json"),  # Without it nextpnr insists on pads.
    ]
    done = subprocess.run(
        words, cwd=netlist.parent, env=environment(), capture_output=True, text=True, timeout=1800
    )
    printed = done.stdout + done.stderr
    rates = re.findall(r"Max frequency for clock '[^']*': ([0-9.]+) MHz", printed)
    # It ends with 1 where the rate that was asked for is missed; one without a rate went wrong.
    if len(rates) < 2:
        errors = [line for line in printed.splitlines() if line.startswith("ERROR")]
        raise DumbbellError(
            f"nextpnr placed nothing: {errors[0] if errors else printed.strip()[-500:]}"
        )
    return Fmax(
        design=design.name,
        what=design.what,
        top=design.module,
        parameters=dict(design.parameters),
        device=f"LFE5U-25F {PACKAGE}",
        speed=speed,
        seed=seed,
        mhz=float(rates[-1]),
        target_mhz=CORE_TARGET if design.what == "core" else MODULE_TARGET,
        critical=_critical(printed),
        comb=_used(printed, "TRELLIS_COMB"),
        ff=_used(printed, "TRELLIS_FF"),
        tool=f"nextpnr-ecp5 {NEXTPNR.version()}",
    )


def _critical(printed: str) -> str:
    """The ends of the longest path after routing, as cells' names."""
    last = printed.rpartition("Critical path report for clock")[2].partition(
        "Critical path report for"
    )[0]
    start = re.search(r"clk-to-q .*Source (\S+)", last)
    end = re.search(r"setup .*Source (\S+)", last)
    return f"{start.group(1)} -> {end.group(1)}" if start and end else ""


def _used(printed: str, kind: str) -> int:
    found = re.findall(rf"{kind}:\s*(\d+)/", printed)
    return int(found[-1]) if found else 0
