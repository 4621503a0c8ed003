"""`compare --on sim,kernel` and `--on sim,linux`: one scenario simulated and on kernels."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ...errors import InvalidRun, ScenarioError
from .. import live as watching
from ..options import (
    RequiredClass,
    class_override,
    command_line,
    emit,
    notes,
    progress,
    show,
    source,
    tell,
    warn_in_short,
)
from .compare_queues import SchemeOptions

if TYPE_CHECKING:
    from ...studies.compare.kernel.document import Document

SIM, LIVE, VIRTUAL = "sim", "kernel", "linux"


@Parameter(name="*")
@dataclass(kw_only=True)
class BesideOptions:
    """Where a scenario is run, and what is varied."""

    on: Annotated[
        str | None,
        Parameter(
            help="`sim,kernel`: run a scenario (-f FILE, or a default dumbbell) in the simulator "
            "and on real kernels, and judge for each measure whether they agree "
            "(docs/how-to/compare-with-kernel.md). `sim,linux`: the same with user-mode Linux in "
            "virtual time (docs/how-to/linux.md). `linux`: compare queues there."
        ),
    ] = None
    rtt: Annotated[
        str | None, Parameter(help="With --on: round-trip times, such as 10ms,40ms.")
    ] = None
    buffer: Annotated[
        str | None, Parameter(help="With --on: buffers, such as 1bdp or 20pkt,100pkt.")
    ] = None
    aqm: Annotated[str | None, Parameter(help="With --on: queues, such as drop_tail,red.")] = None
    explain: Annotated[
        list[str] | None,
        Parameter(
            help="With --on: an experiment, MEASURE=[sim:|kernel:]KEY=VALUE: the same comparison "
            "with this changed on "
            "one side, such as srtt=tcp.tail_loss_probe=false. May be repeated."
        ),
    ] = None

    again: Annotated[
        bool | None,
        Parameter(help="With --on: repeat live runs that were not valid; valid ones are kept."),
    ] = None

    required: RequiredClass = None

    def given(self) -> str | None:
        """The first option that is for --on alone, and was given."""
        names = {"required": "class"}
        given = (f.name for f in fields(self) if f.name != "on" and getattr(self, f.name))
        return next((f"--{names.get(name, name)}" for name in given), None)


def other(options: BesideOptions) -> str | None:
    """The place that the simulator is compared with; None if it is not."""
    return next((place for place in split(options.on) if place != SIM), None)


def check(options: BesideOptions, schemes: Sequence[str]) -> None:
    """`ScenarioError` for words that belong to --on sim,kernel, without it."""
    if options.on is None or (schemes and options.on == VIRTUAL):
        if (name := options.given()) is not None:
            raise ScenarioError(
                f"{name}\n{'^' * len(name)} this is only for --on sim,kernel\nhelp: add --on "
                "sim,kernel"
            )
    elif sorted(split(options.on)) not in ([LIVE, SIM], [VIRTUAL, SIM]):
        fix = "write --on sim,kernel or --on sim,linux"
        if options.on == VIRTUAL:
            fix = "write --on sim,linux, or name queues: dumbbell compare drop_tail red --on linux"
        raise ScenarioError(
            f"--on {options.on}\n     {'^' * len(options.on)} a comparison needs both\nhelp: {fix}"
        )
    elif other(options) == VIRTUAL and (options.required or options.again):
        name = "--class" if options.required else "--again"
        raise ScenarioError(f"{name} is for runs in real time: leave it out, or --on sim,kernel")


def run(
    options: BesideOptions,
    scheme_options: SchemeOptions,
    *,
    rate: str | None,
    time: str | None,
    seeds: int | None,
    live: bool,
    json: bool,
) -> int:
    """Compares, and prints what came out."""
    from ...studies.compare.kernel import agreement, explain, work
    from ...studies.compare.kernel.conditions import Options
    from ...testbed import lock
    from ..runs.sweep import default_store

    on = other(options) or LIVE
    _refuse_others(scheme_options, on)
    if seeds is not None and seeds < agreement.LEAST_RUNS:
        raise ScenarioError(
            f"--seeds {seeds}: one run has no interval to compare; write --seeds {work.REPEATS}"
        )
    given = scheme_options.file
    request = Options(
        source=None if given is None else dict(source(given)),
        sets=[*scheme_options.set, *class_override(options.required)],
        rate=split(rate),
        rtt=split(options.rtt),
        buffer=split(options.buffer),
        aqm=split(options.aqm),
        cc=[word for text in scheme_options.cc for word in split(text)],
        time=time,
    )
    if live and on == VIRTUAL:
        raise ScenarioError("--live shows runs of --on sim,kernel, not of --on sim,linux")
    page = watching.of_study(live, "Simulator and kernel", "Runs")
    alone = nullcontext() if on == VIRTUAL else lock.alone()
    with page as watched, alone, progress("comparing") as bar:
        how = work.How(
            on=on,
            repeats=seeds or work.REPEATS,
            seed=scheme_options.seed or 1,
            store=scheme_options.store or default_store(),
            out=scheme_options.out,
            threads=scheme_options.threads,
            again=bool(options.again),
            experiments=[explain.read(text) for text in options.explain or ()],
            progress=watched.heard(bar),
            tell=watched.told(tell),
            command=command_line(),
        )
        document = work.compare(request, how)
        watched.end_with(Path(document["page"]))
        return _ended(document, json)


def split(text: str | None) -> list[str]:
    """Values between commas; those within `red:min_th=5pkt,max_th=15pkt` stay together."""
    parts: list[str] = []
    for part in (text or "").split(","):
        joined = bool(parts) and "=" in part and ":" in parts[-1]
        if joined:
            parts[-1] += f",{part}"
        elif part.strip():
            parts.append(part.strip())
    return parts


def _refuse_others(options: SchemeOptions, on: str) -> None:
    for name, instead in (
        ("over", "write --rate, --rtt, --buffer, --aqm or --cc"),
        ("baseline", "kernels are compared with the simulator"),
        ("workers", "a kernel's runs execute on this machine"),
        (
            "use",
            "both sides run algorithms of the catalogue; write `dumbbell compare SCHEME SCHEME "
            "--use FILE`",
        ),
        ("no_store", "a kernel's runs take minutes, and are kept"),
    ):
        if getattr(options, name):
            raise ScenarioError(f"--{name.replace('_', '-')} is not for --on sim,{on}: {instead}")


def _ended(document: Document, json: bool) -> int:
    """The exit code: 5 if something could not be compared, because too few live runs were valid."""
    from ...studies.compare.kernel import page

    if json:
        emit(document)
    else:
        notes(document["notes"])
        warn_in_short(document["scenario_warnings"])
        show(page.sentence(document), "", *page.lines(document), "")
        show(f"page: {document['page']}")
    return 0 if document["valid"] else InvalidRun.code
