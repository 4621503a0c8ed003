"""`attack`: what hurts a congestion control most, as a small scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from .. import completers
from ..options import Json, NoStore, SharedStore, Threads, Use, command_line, progress, show
from ..usage_errors import DEFAULTS
from .answers import answered, measuring

app = App(
    name="attack",
    help="Search for conditions that hurt a congestion control: `attack cc NAME`.",
    default_parameter=DEFAULTS,
    help_flags=["--help", "-h"],
    version_flags=[],
)

Name = Annotated[
    str,
    Parameter(
        help="A congestion control, such as cubic or cubic:beta=0.8.", completer=completers.controls
    ),
]


@app.command(name="cc")
def cc(
    name: Name,
    /,
    *,
    harm: Annotated[
        Literal["utilization", "starvation", "delay"],
        Parameter(help="What is attacked. Default: utilization."),
    ] = "utilization",
    budget: Annotated[
        str,
        Parameter(help='Runs of the search, such as 600, or seconds of CPU time, such as "120 s".'),
    ] = "600",
    features: Annotated[
        list[str],
        Parameter(
            consume_multiple=True,
            help="What the attack may use: loss, bursts, jitter, ack_jitter, step, square, pulses, "
            "late. Default: all.",
        ),
    ] = [],  # noqa: B006 (cyclopts reads it)
    rate: Annotated[float | None, Parameter(help="Fix the link's rate, in Mbps.")] = None,
    rtt: Annotated[float | None, Parameter(help="Fix the round-trip time, in ms.")] = None,
    buffer: Annotated[float | None, Parameter(help="Fix the buffer, in BDP.")] = None,
    seed: Annotated[int, Parameter(help="Seed of the search and of its runs.")] = 1,
    use: Use = [],  # noqa: B006
    out: Annotated[
        Path | None,
        Parameter(
            help="Directory for scenario.toml, the page and results.json. Default: "
            "results/attack-NAME."
        ),
    ] = None,
    threads: Threads = None,
    store: SharedStore = None,
    no_store: NoStore = False,
    json: Json = False,
) -> int:
    """Search for the path, the losses, the jitter and the cross traffic that hurt a congestion
    control most, and shrink them to a scenario of at most 20 lines.

    Finished runs are kept in a store: the same command resumes an interrupted search.

    Example: `dumbbell attack cc newreno --features pulses --budget 400`
    """
    from ...studies.attack.work import Options, attack

    measure, kept = measuring(store, no_store, None, threads)
    given = {"rate": rate, "rtt": rtt, "buffer": buffer}
    asked = Options(
        objective=harm,
        budget=budget,
        features=features,
        fixed={key: value for key, value in given.items() if value is not None},
        seed=seed,
        use=use,
        options=kept,
    )
    with progress("searching") as bar:

        def runs(wanted: dict[str, object]) -> Any:
            return measure(wanted, None)

        document = attack(name, asked, out, runs, lambda done: bar(0, 0, done), command_line())

    def told() -> tuple[()]:
        seeds = document["other_seeds"]
        worst = ", ".join(f"{value:.3g}" for value in seeds["harm"])
        made = document["runs"]
        show(
            *document["finding"],
            f"harm under {len(seeds['seeds'])} other seeds: {worst}",
            f"{made['search']} runs searched, {made['shrink']} shrank it",
            "",
        )
        print(document["scenario"])  # As it is: lines of a file are not wrapped.
        show(f"scenario: {document['file']}")
        return ()

    return answered(document, json, told)
