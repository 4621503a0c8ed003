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
    check: Annotated[bool, Parameter(help="Lint, lockstep of model and RTL, proofs.")] = False,
    dut: Annotated[
        list[Path],
        Parameter(help="Lockstep of the model and a core of your own, in this file. Repeatable."),
    ] = [],  # noqa: B006 (cyclopts reads it)
    vectors: Annotated[
        Path | None, Parameter(help="Write stimulus and expectation into this directory.")
    ] = None,
    synth: Annotated[bool, Parameter(help="Count cells: ECP5 and Xilinx 7.")] = False,
    place: Annotated[bool, Parameter(help="With --synth: place and route, too. Minutes.")] = False,
    wave: Annotated[bool, Parameter(help="Draw the waveform of the paper's figure 8.")] = False,
    coverage: Annotated[
        bool, Parameter(help="Which lines and bits of the core a lockstep touches.")
    ] = False,
    mutants: Annotated[
        bool, Parameter(help="Seed faults into the core: the bench must find each.")
    ] = False,
    packets: Annotated[int | None, Parameter(help="Of the lockstep. Default: 10 million.")] = None,
    seed: Annotated[int, Parameter(help="Of the stimulus.")] = 1,
    mode: Annotated[
        list[str],
        Parameter(
            help="The core's options, as in sound or paper+gap+nq=4. Repeatable. Default: eight."
        ),
    ] = [],  # noqa: B006 (cyclopts reads it)
    out: Annotated[
        Path | None, Parameter(name=["--out", "-o"], help="Where figures and traces go.")
    ] = None,
    json: Json = False,
) -> int:
    """RED in hardware (docs/reference/red-hardware.md): do one of these things.

    Ends with 2 if a core of your own lacks ports or does not elaborate, with 3 if a check failed,
    with 4 if a tool is missing.
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
        cause = f"{' and '.join(chosen)} exclude each other" if chosen else "nothing was asked for"
        raise ScenarioError(f"rtl red: {cause}; give one of {', '.join(wanted)}")
    if place and not synth:
        raise ScenarioError("--place goes with --synth: what is placed is what was synthesized")
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
