"""`rtl`: the hardware, checked, synthesized, drawn. A design is a command of its own: `rtl red`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from ..errors import ScenarioError
from .options import Json, emit, show
from .usage_errors import DEFAULTS

FAILED = 3
"""The exit code: a check failed."""

app = App(
    name="rtl",
    help="Check, synthesize and draw the hardware.",
    default_parameter=DEFAULTS,
    help_flags=["--help", "-h"],
    version_flags=[],
)


@app.command
def red(
    *,
    check: Annotated[
        bool, Parameter(help="Run lint, the lockstep of model and RTL, and the proofs.")
    ] = False,
    dut: Annotated[
        list[Path],
        Parameter(
            help="Run the lockstep of the model and your own core, in this file. May be repeated."
        ),
    ] = [],  # noqa: B006 (cyclopts reads it)
    vectors: Annotated[
        Path | None, Parameter(help="Write stimulus and expected outputs into this directory.")
    ] = None,
    synth: Annotated[
        bool, Parameter(help="Count the cells of a synthesis for ECP5 and Xilinx 7.")
    ] = False,
    place: Annotated[
        bool, Parameter(help="With --synth: also place and route; takes minutes.")
    ] = False,
    wave: Annotated[bool, Parameter(help="Draw the waveform of the paper's figure 8.")] = False,
    coverage: Annotated[
        bool, Parameter(help="Measure which lines and bits of the core a lockstep run covers.")
    ] = False,
    mutants: Annotated[
        bool, Parameter(help="Insert faults into the core one by one; the bench must find each.")
    ] = False,
    packets: Annotated[
        int | None,
        Parameter(
            help="Packets of a run. Default: 10 million; of --coverage 2 million, of "
            "--vectors 10,000."
        ),
    ] = None,
    seed: Annotated[int, Parameter(help="Seed of the stimulus. Default: 1.")] = 1,
    mode: Annotated[
        list[str],
        Parameter(
            help="The core's options, such as sound or paper+gap+nq=4. May be "
            "repeated. Default: eight combinations."
        ),
    ] = [],  # noqa: B006 (cyclopts reads it)
    out: Annotated[
        Path | None, Parameter(name=["--out", "-o"], help="Directory for figures and traces.")
    ] = None,
    json: Json = False,
) -> int:
    """Check, measure, synthesize or draw RED in hardware (docs/reference/red-hardware.md).

    Give one of the options --check, --dut, --vectors, --synth, --wave, --coverage and --mutants.
    The exit code is 2 if a core of your own lacks ports or does not elaborate, 3 if a check failed,
    and 4 if a tool is missing.

    Example: `dumbbell rtl red --dut my_core.sv --mode sound`
    """
    wanted = {
        "--check": check,
        "--dut": bool(dut),
        "--vectors": vectors is not None,
        "--synth": synth,
        "--wave": wave,
        "--coverage": coverage,
        "--mutants": mutants,
    }
    chosen = [name for name, given in wanted.items() if given]
    if len(chosen) != 1:
        cause = f"{' and '.join(chosen)} exclude each other" if chosen else "no task was selected"
        raise ScenarioError(f"rtl red: {cause}; give one of {', '.join(wanted)}")
    if place and not synth:
        raise ScenarioError("--place needs --synth: it places the synthesized design")
    if packets is not None and packets < 1:
        raise ScenarioError(f"--packets {packets}: at least one is needed")
    asked = _Asked(packets, seed, mode, out, json)
    does: dict[str, Callable[[], int]] = {
        "--check": lambda: _check(asked),
        "--dut": lambda: _dut(asked, dut),
        "--vectors": lambda: _vectors(asked, vectors or Path()),
        "--synth": lambda: _synth(asked, place),
        "--wave": lambda: _wave(asked),
        "--coverage": lambda: _coverage(asked),
        "--mutants": lambda: _mutants(asked),
    }
    return does[chosen[0]]()


@dataclass(frozen=True)
class _Asked:
    """What goes with every action."""

    packets: int | None
    seed: int
    modes: list[str]
    out: Path | None
    json: bool

    def say(self, document: dict[str, Any], lines: list[str]) -> None:
        """The document, or lines for people."""
        if self.json:
            emit(document)
        else:
            show(*lines)


def _tell(line: str) -> None:
    """A step that is over."""
    print(line, file=sys.stderr, flush=True)


def _check(asked: _Asked) -> int:
    from ..rtl.verify import check

    if asked.out is not None:
        asked.out.mkdir(parents=True, exist_ok=True)
    found = check.check(
        asked.packets or check.PACKETS, asked.seed, asked.modes or None, asked.out, _tell
    )
    asked.say(found, check.lines(found))
    return 0 if found["ok"] else FAILED


def _dut(asked: _Asked, files: list[Path]) -> int:
    from ..rtl.verify import check, lockstep

    for file in files:
        if not file.is_file():
            raise ScenarioError(f"--dut {file}: there is no such file")
    met = lockstep.run(
        packets=asked.packets or check.PACKETS,
        seed=asked.seed,
        modes=asked.modes or None,
        dut=files,
    )
    asked.say(met, lockstep.summary(met))
    return FAILED if met["mismatches"] else 0


def _vectors(asked: _Asked, directory: Path) -> int:
    from ..rtl.verify import vectors

    written = vectors.write(
        directory, packets=asked.packets or 10_000, seed=asked.seed, modes=asked.modes or None
    )
    asked.say(written, [f"wrote {file}" for file in written["files"]])
    return 0


def _synth(asked: _Asked, placed: bool) -> int:
    from ..rtl.synthesis import size

    found: dict[str, Any] = {"counts": size.counts(heard=_tell)}
    if placed:
        from ..rtl.synthesis import place

        found["fmax"] = place.fmax(heard=_tell)
    asked.say(found, size.lines(found))
    return 0


def _wave(asked: _Asked) -> int:
    from ..figures import style
    from ..rtl.drawings import waveform

    files = [
        str(file)
        for file in style.save(waveform.draw(), (asked.out or Path("results")) / "red-waveform")
    ]
    asked.say({"files": files}, [f"wrote {file}" for file in files])
    return 0


def _coverage(asked: _Asked) -> int:
    from ..rtl.verify import coverage

    found = coverage.measure(asked.packets or coverage.PACKETS, asked.seed)
    asked.say(found, coverage.lines(found))
    return 0 if found["ok"] else FAILED


def _mutants(asked: _Asked) -> int:
    from ..rtl.verify import mutants

    found = mutants.hunt(heard=_tell, seed=asked.seed)
    asked.say(found, mutants.lines(found))
    return 0 if found["ok"] else FAILED
