"""`compare`: schemes beside each other; simulator and kernels; or, where nothing is named, ns-2 and
ns-3 beside us."""

from __future__ import annotations

import os
from typing import Annotated, Any

from cyclopts import Parameter

from ...errors import ScenarioError
from .. import completers
from ..live import Live
from ..options import Json, emit, progress, show
from .compare_kernel import BesideOptions
from .compare_queues import SchemeOptions


def compare(
    *schemes: Annotated[
        str,
        Parameter(
            help="Queues of the catalogue or your own, such as red or "
            "red:min_th=5pkt,max_th=15pkt.",
            completer=completers.queues,
        ),
    ],
    flows: Annotated[
        list[int], Parameter(help="Number of flows; may be repeated. Default: 10 and 100.")
    ] = [],  # noqa: B006
    rate: Annotated[
        str | None,
        Parameter(
            help="Rate of the bottleneck; with --on several, such as 10Mbps,50Mbps. Default: 10 "
            "Mbit/s for each flow, at most 10 Gbit/s."
        ),
    ] = None,
    queue: Annotated[
        list[str],
        Parameter(
            help="drop_tail or red; may be repeated. Default: both. With schemes: the queue to "
            "compare, by its link's name, if the scenario has several."
        ),
    ] = [],  # noqa: B006
    time: Annotated[
        str | None,
        Parameter(
            help='How long a run lasts, such as "60s". Default: depends on the flows and the peer.'
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        Parameter(
            help=(
                "Runs of each point. Default: 5 (with schemes: the scenario's, if it has any); "
                "with --results 10."
            )
        ),
    ] = None,
    against: Annotated[
        list[str],
        Parameter(
            consume_multiple=True, help="ns2, ns3 or both. Default: both; with --results ns2."
        ),
    ] = [],  # noqa: B006
    results: Annotated[
        bool, Parameter(help="Compare results with ns-2's, scenario by scenario, not speed.")
    ] = False,
    scenario: Annotated[
        list[str], Parameter(help="With --results: only this one; may be repeated.")
    ] = [],  # noqa: B006
    options: SchemeOptions | None = None,
    beside: BesideOptions | None = None,
    live: Live = False,
    json: Json = False,
) -> int:
    """Compare queues, the simulator with real kernels, or Dumbbell with ns-2 and ns-3.

    With the names of queues, each runs in each condition with the same seeds, and one page shows
    the results. With --on sim,kernel, one scenario runs in the simulator and on this machine's
    kernel, and each measure is compared; with --on sim,linux, on a Linux kernel in virtual time.
    Without either, Dumbbell is compared with ns-2 and ns-3:
    whether they do the same work, and what it costs; with --results, whether the results agree.

    Example: `dumbbell compare drop_tail red --cc newreno cubic -o rtt=20ms,80ms`
    """
    from . import compare_kernel as kernels

    beside = beside or BesideOptions()
    kernels.check(beside, schemes)
    on_linux = bool(schemes) and beside.on == kernels.VIRTUAL
    if beside.on is not None and not on_linux:
        if schemes:
            raise ScenarioError(
                f"{schemes[0]}: with --on {beside.on} queues are named as in --aqm "
                f"{','.join(schemes)}"
            )
        _refuse_peers(flows=flows, queue=queue, against=against, results=results, scenario=scenario)
        if kernels.other(beside) == kernels.LIVE:
            from ...testbed import rootless

            rootless.enter()
        return kernels.run(
            beside,
            options or SchemeOptions(),
            rate=rate,
            time=time,
            seeds=seeds,
            live=live,
            json=json,
        )
    if schemes:
        from . import compare_queues as comparing

        comparing.refuse_others(
            flows=flows, rate=rate, time=time, against=against, results=results, scenario=scenario
        )
        return comparing.run(
            schemes,
            seeds,
            comparing.one_queue(queue),
            options or SchemeOptions(),
            on=kernels.VIRTUAL if on_linux else kernels.SIM,
            live=live,
            json=json,
        )
    from ...studies.compare.peers import options as words

    if live:
        raise words.only_for_schemes("--live")
    if options is not None and (name := options.given()):
        raise words.only_for_schemes(name)
    if results:
        words.only_with_results(flows=flows, rate=rate, queue=queue, time=time)
        return _results(
            scenario, words.chosen("--against", against or ["ns2"], ("ns2",)), seeds, json
        )
    if scenario:
        raise words.refused(
            "--scenario", scenario[0], "this is only for --results", "add --results"
        )
    return _ratios(words.workloads(flows, rate, queue, time, against), seeds, json)


def _refuse_peers(**given: Any) -> None:
    """Options of the comparison with ns-2 and ns-3 mean nothing where kernels are compared with."""
    instead = {
        "queue": "write --aqm",
        "scenario": "write -f FILE",
        "flows": "write -s flow.0.count=N",
    }
    for name, value in given.items():
        if value:
            fix = instead.get(name, "leave it out")
            raise ScenarioError(
                f"--{name} applies only to the comparison with ns-2 and ns-3\nhelp: {fix}"
            )


def _ratios(workloads: list[Any], seeds: int | None, json: bool) -> int:
    from ...process.machine import processor
    from ...studies.compare.peers import options, tables, work

    count = options.seeds_of(seeds, options.SEEDS)
    known = work.versions(list(dict.fromkeys(w.against for w in workloads)))
    with progress("comparing") as bar:
        rows = work.run(workloads, count, bar)
    if json:
        emit(work.document(rows, known))
        return 0
    show(tables.ratio_table(rows), *tables.reasons(rows))
    show(
        f"{', '.join(f'{name} {version}' for name, version in known.items())}; means of {count} "
        f"seeds; {processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    return 0


def _results(names: list[str], against: list[str], seeds: int | None, json: bool) -> int:
    from ...studies.compare.peers import options, tables, work
    from ...studies.compare.peers.results import packet_trace, scenarios
    from ...studies.compare.peers.results import work as results

    chosen = options.chosen("--scenario", names, [s.name for s in scenarios.ALL])
    wanted = [s for s in scenarios.ALL if s.name in chosen]
    count = options.seeds_of(seeds, options.RESULT_SEEDS, least=2)
    known = work.versions(against)
    done, whole = 0, len(wanted) * count
    with progress("comparing") as bar:

        def step() -> None:
            nonlocal done
            done += 1
            bar(done, whole, done / whole)

        rows = [results.run(scenario, count, step) for scenario in wanted]
        flows = (
            []
            if names
            else [
                packet_trace.follow(cc, b)
                for cc in ("tahoe", "sack", "newreno")
                for b in packet_trace.BUFFERS
            ]
        )
    if json:
        emit(results.document(rows, flows, known))
        return 0
    show(tables.result_table(rows), *([tables.follow_table(flows)] if flows else []))
    agree = [q.agrees for row in rows for q in row.quantities]
    versions = ", ".join(f"{name} {version}" for name, version in known.items())
    show(f"{sum(agree)} of {len(agree)} quantities agree; {versions}; {count} seeds")
    return 0
